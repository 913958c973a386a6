"""Ratings by a language model, as steps: prompts go out, replies come in; who asks is the caller's affair."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from tersely.errors import ModelReplyError
from tersely.providers.embedders import CheckedEmbedder
from tersely.relevance.methods import Scored, by_hybrid
from tersely.relevance.prepared import Prepared
from tersely.relevance.ratings import parse_ratings, rating_prompt, to_score
from tersely.tables import Float32s

__all__ = ["Rated", "Reply", "by_language_model"]

_PASSAGE = 4000  # characters of a document that a prompt holds

Reply = str | Exception


@dataclass(frozen=True, eq=False, slots=True)
class Rated:
    """What the ratings came to.

    Attributes:
        scored: scores; those of an unrated document are HYBRID's.
        unrated: indices of the documents without a rating.
        error: the first thing that went wrong, None where all are rated.
    """

    scored: Scored
    unrated: list[int]
    error: Exception | None


def by_language_model(
    prepared: Prepared, batch_size: int, embedder: CheckedEmbedder
) -> Generator[list[str], list[Reply], Rated]:
    """The model rates documents, `batch_size` a prompt. A segment gets a share of its document's score: all
    of it where HYBRID rates it best, in proportion elsewhere.

    What a reply leaves out is asked for once more, document by document. A prompt that raised is not asked
    again: clients repeat requests themselves.
    """
    fast = by_hybrid(prepared, embedder)
    passages, shortened = _passages(prepared, fast.segments)
    ratings: list[float | None] = [None] * len(passages)
    warnings: list[str] = ["llm_passage_shortened"] if shortened else []
    error: Exception | None = None
    batches = [
        list(range(start, min(start + batch_size, len(passages))))
        for start in range(0, len(passages), batch_size)
    ]
    for last in (False, True):
        replies = (yield [_prompt(prepared, passages, batch) for batch in batches]) if batches else []
        missing: list[list[int]] = []
        for batch, reply in zip(batches, replies, strict=True):
            if isinstance(reply, Exception):
                error = error or reply
                warnings.append("llm_failed")
                continue
            for index, rating in zip(batch, parse_ratings(reply, len(batch)), strict=True):
                ratings[index] = rating
                if rating is None and (last or len(batch) == 1):
                    error = error or ModelReplyError(f"no rating from 1 to 10 in {reply[:80]!r}")
                    warnings.append("llm_reply_unusable")
                elif rating is None:
                    missing.append([index])
        batches = missing
    scored = _with_ratings(prepared, fast, ratings, tuple(dict.fromkeys(warnings)))
    return Rated(scored, [index for index, rating in enumerate(ratings) if rating is None], error)


def _with_ratings(
    prepared: Prepared, fast: Scored, ratings: list[float | None], warnings: tuple[str, ...]
) -> Scored:
    documents, segments = fast.documents.copy(), fast.segments.copy()
    for index, rating in enumerate(ratings):
        if rating is not None:
            documents[index] = to_score(rating)
            rows = _rows(prepared, index)
            best = fast.segments[rows].max(initial=0)
            segments[rows] = documents[index] * (fast.segments[rows] / best if best > 0 else 1)
    return Scored(segments, documents, warnings)


def _prompt(prepared: Prepared, passages: list[str], batch: list[int]) -> str:
    titles = [prepared.documents[index].title for index in batch]
    return rating_prompt(prepared.query, [passages[index] for index in batch], titles)


def _passages(prepared: Prepared, scores: Float32s) -> tuple[list[str], bool]:
    """What a prompt holds of each document: all of it, or its best segments in their order."""
    passages, shortened = [], False
    texts = None
    for index, document in enumerate(prepared.documents):
        if len(document.text) <= _PASSAGE:
            passages.append(document.text)
            continue
        shortened = True
        texts = texts or prepared.segment_texts()
        rows = _rows(prepared, index)
        room, chosen = _PASSAGE, []
        for row in (rows.start + np.argsort(-scores[rows], kind="stable")).tolist():
            if len(texts[row]) <= room:
                room -= len(texts[row]) + 1
                chosen.append(row)
        passages.append("\n".join(texts[row] for row in sorted(chosen)))
    return passages, shortened


def _rows(prepared: Prepared, index: int) -> slice:
    """The segments of a document."""
    start, end = np.searchsorted(prepared.table.document, [index, index + 1])
    return slice(int(start), int(end))
