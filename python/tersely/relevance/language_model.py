"""Rate documents with a language model: the prompt, what its reply says, and the scores made of it.

`by_language_model` is a generator: prompts come out, replies go in. Who asks, in threads or in an event loop,
is the caller's affair.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tersely.core.errors import ModelReplyError
from tersely.core.fence import fence
from tersely.core.tables import Float32s
from tersely.engine.relevance import QueryReading
from tersely.providers.embedders import CheckedEmbedder
from tersely.providers.flows import Flow
from tersely.relevance.methods import MethodScores, by_hybrid

__all__ = ["Ratings", "by_language_model", "parse_ratings", "rating_prompt", "to_score"]

_PASSAGE = 4000  # characters of a document that a prompt holds
_LONGEST_REPLY = 20_000  # characters read; a rating a line takes far fewer

_NUMBER = r"(?P<rating>\d{1,3}(?:\.\d{1,6})?)"
_OF_TEN = r"(?:\s*(?:/|out of)\s*10\b)?"
_END = r"(?![\d.]*\d)(?!\s*(?:/|out of|-|–|to)\s*\d)"  # neither 7-8 nor 7/5
_WORD = r"(?:(?:the\s++)?(?:relevance|rating|score)\s*+(?:(?:is|of)\s*+)?(?:[:=]\s*+)?)?"
_KEYED = re.compile(
    r"(?:(?:passage|document|text)\s*+)?(?:[\[(#]\s*+)?\s*+(?P<key>\d{1,4})(?:\s*+[\])])?"
    rf"(?:\s*+(?:[:=|]|[.)](?=\s)|->|→|[–—-](?=\s))|(?<=[\])]))\s*+{_WORD}{_NUMBER}{_OF_TEN}{_END}",
    re.IGNORECASE,
)
_BARE = re.compile(rf"{_WORD}{_NUMBER}{_OF_TEN}\.?", re.IGNORECASE)
_NAMED = re.compile(
    rf"\b(?:relevance|rating|rate|score)\b[^\d\n-]{{0,30}}{_NUMBER}{_OF_TEN}{_END}", re.IGNORECASE
)
_OUT_OF_TEN = re.compile(rf"(?<![\d.-]){_NUMBER}\s*(?:/|out of)\s*10\b", re.IGNORECASE)
_ANY = re.compile(rf"(?<![\w.-]){_NUMBER}{_END}(?!\w)")
_THOUGHTS = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"^[^\S\n]*```\w*[^\S\n]*$", re.MULTILINE)
_DECORATION = " \t\r*_`|>•"
_BULLET = re.compile(r"\A[-–]\s+")
_BETWEEN = re.compile(r"[,;\s]+")
_KEY = re.compile(r"(?:\D{0,20}\s)?(\d{1,4})")
_KEYS = ("passage", "document", "index", "number", "id")
_RATINGS = ("rating", "score", "relevance")


@dataclass(frozen=True, eq=False, slots=True)
class Ratings:
    """Scores of a call whose documents a language model rated.

    Attributes:
        scores: of all documents; those of an unrated one are HYBRID's.
        unrated: indices of the documents without a rating.
        error: the first thing that went wrong, None where all are rated.
    """

    scores: MethodScores
    unrated: list[int]
    error: Exception | None


def by_language_model(prepared: QueryReading, batch_size: int, embedder: CheckedEmbedder) -> Flow[Ratings]:
    """Have a language model rate the documents, `batch_size` a prompt.

    A segment gets a share of its document's score: all of it where HYBRID scores it best, in proportion
    elsewhere. What a reply leaves out is asked for once more, document by document. A prompt that raised is
    not asked again: clients repeat requests themselves.
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
    scores = _with_ratings(prepared, fast, ratings, tuple(dict.fromkeys(warnings)))
    return Ratings(scores, [index for index, rating in enumerate(ratings) if rating is None], error)


def _with_ratings(
    prepared: QueryReading, fast: MethodScores, ratings: list[float | None], warnings: tuple[str, ...]
) -> MethodScores:
    documents, segments = fast.documents.copy(), fast.segments.copy()
    for index, rating in enumerate(ratings):
        if rating is not None:
            documents[index] = to_score(rating)
            rows = _rows(prepared, index)
            best = fast.segments[rows].max(initial=0)
            segments[rows] = documents[index] * (fast.segments[rows] / best if best > 0 else 1)
    return MethodScores(segments, documents, warnings)


def _prompt(prepared: QueryReading, passages: list[str], batch: list[int]) -> str:
    titles = [prepared.documents[index].title for index in batch]
    return rating_prompt(prepared.query, [passages[index] for index in batch], titles)


def _passages(prepared: QueryReading, scores: Float32s) -> tuple[list[str], bool]:
    """Return the text of each document for its prompt: all of it, or its best segments in their order."""
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


def _rows(prepared: QueryReading, index: int) -> slice:
    """Return the rows of the segments of a document."""
    start, end = np.searchsorted(prepared.table.document, [index, index + 1])
    return slice(int(start), int(end))


def rating_prompt(query: str, passages: Sequence[str], titles: Sequence[str | None]) -> str:
    """Write a prompt that asks for one line a passage, `number: rating`.

    Query and passages stand between marker lines that occur in none of them: text cannot end its frame.
    """
    headed = [
        f"{title}\n\n{passage}" if title else passage for passage, title in zip(passages, titles, strict=True)
    ]
    around = fence(query, *headed)
    parts = [
        "Rate how relevant each passage is to the query, from 1 (irrelevant) to 10 (answers it fully).",
        around.rule,
        f"\nQuery:\n{around.put(query)}",
    ]
    parts += [f"\nPassage {number}:\n{around.put(passage)}" for number, passage in enumerate(headed, 1)]
    parts.append(
        f"\nReply with one line a passage ({len(passages)} in all) and nothing else: its number, a colon, "
        "the rating."
    )
    return "\n".join(parts)


def parse_ratings(reply: str, count: int) -> list[float | None]:
    """Read from a reply the rating in [1, 10] of each of `count` passages, None where it has no clear one.

    Reads JSON (a list, an object by number, a list of objects), lines "number: rating", as many bare numbers
    as passages, and, for one passage, a sentence with one rating. A number out of range, a range, or two
    ratings for one passage count as none; so do bare numbers that are more or fewer than the passages.
    """
    text = _FENCE.sub("", _THOUGHTS.sub("", reply[:_LONGEST_REPLY])).strip()
    found = _from_json(text, count)
    if found is None:
        found = _from_lines(text, count)
    if found is None and count == 1:
        found = [_from_prose(text)]
    return found or [None] * count


def to_score(rating: float) -> float:
    """Map a rating in [1, 10] to a score in [0, 1]."""
    return (rating - 1) / 9


def _from_json(text: str, count: int) -> list[float | None] | None:
    if not text.startswith(("[", "{")):
        return None
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if (
        isinstance(data, dict)
        and len(data) == 1
        and isinstance(only := next(iter(data.values())), (list, dict))
    ):
        data = only  # {"ratings": [...]}
    if isinstance(data, dict) and count == 1 and _first(data, _RATINGS) is not None:
        data = [data]
    if isinstance(data, dict):
        return _by_key(((_to_key(key), value) for key, value in data.items()), count)
    if isinstance(data, list) and data and all(isinstance(entry, dict) for entry in data):
        keys = [_to_key(_first(entry, _KEYS)) for entry in data]
        ratings = [_first(entry, _RATINGS) for entry in data]
        if any(key is not None for key in keys):
            return _by_key(zip(keys, ratings, strict=True), count)
        data = ratings
    if isinstance(data, list) and len(data) == count:
        return [_valid(value) for value in data]
    return None


def _from_lines(text: str, count: int) -> list[float | None] | None:
    lines = [_BULLET.sub("", line.strip(_DECORATION)).strip(_DECORATION) for line in text.splitlines()]
    lines = [line for line in lines if line]
    keyed = [match for line in lines if (match := _KEYED.match(line.replace("**", "")))]
    if keyed:
        return _by_key(((int(match["key"]), float(match["rating"])) for match in keyed), count)
    if len(lines) == 1 and count > 1:
        lines = [part for part in _BETWEEN.split(lines[0]) if part]
    bare = [match for line in lines if (match := _BARE.fullmatch(line))]
    if len(bare) == len(lines) == count:
        return [_valid(float(match["rating"])) for match in bare]
    return None


def _from_prose(text: str) -> float | None:
    """Find the only rating of a sentence: one "of 10", else one called a rating, else any number."""
    for pattern in (_OUT_OF_TEN, _NAMED, _ANY):
        ratings = {float(match["rating"]) for match in pattern.finditer(text)}
        if ratings:
            return _valid(ratings.pop()) if len(ratings) == 1 else None
    return None


def _by_key(pairs: Any, count: int) -> list[float | None]:
    """Sort ratings by the number of their passage, from 1; numbers of no passage are ignored."""
    found: dict[int, set[float | None]] = {}
    for key, value in pairs:
        if key is not None:
            found.setdefault(key, set()).add(_valid(value))
    if 0 in found:  # counted from 0: no telling which passage is meant
        return [None] * count
    return [
        next(iter(ratings)) if len(ratings := found.get(number, set())) == 1 else None
        for number in range(1, count + 1)
    ]


def _valid(value: Any) -> float | None:
    if isinstance(value, str):
        match = _BARE.fullmatch(value.strip())
        value = float(match["rating"]) if match else None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if 1 <= value <= 10 else None


def _to_key(value: Any) -> int | None:
    if isinstance(value, str):
        match = _KEY.fullmatch(value.strip())
        return int(match[1]) if match else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _first(entry: dict[str, Any], names: Sequence[str]) -> Any:
    lower = {str(key).lower(): value for key, value in entry.items()}
    return next((lower[name] for name in names if name in lower), None)
