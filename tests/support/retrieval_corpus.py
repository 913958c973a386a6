"""Chunks, scorers and models for the tests of contextual compression."""

from __future__ import annotations

import asyncio
import re
import time
import uuid
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import tersely
from tersely.retrieval import (
    CompressedDocument,
    CompressionResult,
    DocumentChunk,
    RelevanceScore,
    ScoringMethod,
    SegmentScore,
)

QUERY = "How often are tokens rotated?"


def chunk(content: str, identity: str | uuid.UUID = "", **metadata: Any) -> DocumentChunk:
    return DocumentChunk(id=identity or content[:40], content=content, metadata=metadata or None)


def prose(count: int, subject: str = "keeper") -> str:
    """`count` sentences of ten words each, no two alike."""
    return " ".join(
        f"The {subject} number{i} carried lamp{i} up tower{i} before night{i} fell." for i in range(count)
    )


CORPUS = [
    chunk(f"{prose(12, 'sailor')} Tokens are rotated every 24 hours by the gateway. {prose(6, 'cook')}", "a"),
    chunk(f"{prose(10, 'pilot')} A token that was rotated stays valid for five minutes.", "b"),
    chunk(prose(20, "gardener"), "c"),
]


class Scorer:
    """Gives the documents the scores that it was told, and notes how often it was asked."""

    def __init__(self, *scores: float, error: Exception | None = None) -> None:
        self.scores, self.error, self.calls = scores, error, 0

    def score_sync(self, documents: Sequence[Any], query: str) -> list[RelevanceScore]:
        self.calls += 1
        if self.error:
            raise self.error
        scores = self.scores or (0.9,) * len(documents)
        return [
            RelevanceScore(uuid.uuid5(uuid.NAMESPACE_OID, str(i)), score, (), ScoringMethod.KEYWORD)
            for i, score in enumerate(scores)
        ]

    async def score(self, documents: Sequence[Any], query: str) -> list[RelevanceScore]:
        return self.score_sync(documents, query)


class HitScorer(Scorer):
    """Gives 1.0 to the segments that hold a word and 0.1 to the others."""

    def __init__(self, word: str) -> None:
        super().__init__()
        self.word = word

    def score_sync(self, documents: Sequence[Any], query: str) -> list[RelevanceScore]:
        found = []
        for index, document in enumerate(documents):
            segments = tuple(
                SegmentScore(i, (start, end), 1.0 if self.word in document.text[start:end] else 0.1)
                for i, (_, start, end, _) in enumerate(tersely.segment(document.text))
            )
            best = max((one.score for one in segments), default=0.0)
            identity = uuid.uuid5(uuid.NAMESPACE_OID, str(index))
            found.append(RelevanceScore(identity, best, segments, ScoringMethod.KEYWORD))
        return found


class Model:
    """Replies what it is told, or the first sentences of the document; notes prompts, how many at once."""

    def __init__(self, *replies: str | Exception, seconds: float = 0.0, sentences: int = 6) -> None:
        self.replies, self.seconds, self.sentences = list(replies), seconds, sentences
        self.prompts: list[str] = []
        self.now = self.most = 0

    def reply(self, prompt: str) -> str:
        if self.replies:
            reply = self.replies[min(len(self.prompts), len(self.replies)) - 1]
            if isinstance(reply, Exception):
                raise reply
            return reply
        return " ".join(re.split(r"(?<=\.)\s+", document_of(prompt))[: self.sentences])

    def complete(self, prompt: str) -> str:
        self.prompts.append(prompt)
        time.sleep(self.seconds)
        return self.reply(prompt)

    async def acomplete(self, prompt: str) -> str:
        self.prompts.append(prompt)
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            await asyncio.sleep(self.seconds)
            return self.reply(prompt)
        finally:
            self.now -= 1


def document_of(prompt: str) -> str:
    """What stands between the marker lines of a prompt."""
    marker = re.search(r"^=== \w+ ===$", prompt, re.MULTILINE)
    assert marker
    return prompt.split(marker[0])[1].strip()


def check_result(result: CompressionResult, count: Any, available: int) -> None:
    """What holds for every result: the budget as a whole, verbatim spans, nothing lost without a word."""
    sources = [document.content for document in result.original_documents]
    assert count(result.text) == result.usage.used <= result.usage.available == available
    assert result.compressed_token_count == sum(d.token_count for d in result.compressed_documents)
    assert result.compressed_token_count <= available
    assert [d.token_count for d in result.compressed_documents] == [
        count(d.content) for d in result.compressed_documents
    ]
    assert result.original_token_count == sum(map(count, sources))
    assert result.text == result.separator.join(d.content for d in result.compressed_documents)
    seen = sorted(d.index for d in [*result.compressed_documents, *result.dropped_documents])
    assert seen == list(range(len(sources)))
    for document in result.compressed_documents:
        source = sources[document.index]
        kept = [(span.start, span.end) for span in document.preserved_segments]
        dropped = [(span.start, span.end) for span in document.dropped_segments]
        assert kept == sorted(kept)
        every = sorted([*kept, *dropped])
        assert all(a[1] <= b[0] for a, b in pairwise(every))
        gaps = [
            *zip([0, *(end for _, end in every)], [*(start for start, _ in every), len(source)], strict=True)
        ]
        assert not "".join(source[start:end] for start, end in gaps).strip()
        if not document.used_llm:
            text = rendered(source, kept, every, result.separator)
            marks = ("", "…") if "segment_cut" in document.warnings else ("",)
            if document.generated:  # data, code, logs: it says what was left out
                check_declared(document, source, result.separator)
            else:
                assert document.content in [text + mark for mark in marks]


def check_declared(document: CompressedDocument, source: str, separator: str) -> None:
    """What stands between kept spans is white space, a separator or declared as generated."""
    said = list(document.content)
    for start, end in document.generated:
        said[start:end] = "\0" * (end - start)
    text, at = "".join(said), 0
    for span in document.preserved_segments:
        place = text.index(source[span.start : span.end], at)
        between = text[at:place].replace(separator.strip() or "\0", "")
        assert not between.replace("\0", "").strip()
        at = place + span.end - span.start
    assert not text[at:].replace("\0", "").strip()


def rendered(source: str, kept: list[Any], every: list[Any], separator: str) -> str:
    """Kept spans with the source's gap where they touch, a separator elsewhere."""
    text, last = "", None
    for span in kept:
        place = every.index(span)
        if last is not None:
            text += source[every[last][1] : span[0]] if place == last + 1 else separator
        text += source[span[0] : span[1]]
        last = place
    return text
