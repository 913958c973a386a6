"""Results of any search (chunks, mappings, dataclasses, frameworks' documents) -> text, score and id."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tersely.documents import check_text

__all__ = ["Found", "read_results"]

_TEXT = ("content", "text", "page_content")
_SCORE = ("score", "relevance_score", "overall_score")
_ID = ("chunk_id", "id", "id_", "node_id")
_INNER = ("document", "node", "chunk")  # what a result with a score wraps


@dataclass(frozen=True, slots=True)
class Found:
    """A search result, and what is read of it.

    Attributes:
        index: its place in what was given.
        item: as it was given.
        text: its content.
        score: its relevance; 1.0 where no result has one.
        id: its id; "" where it has none.
    """

    index: int
    item: Any
    text: str
    score: float
    id: str


def read_results(results: Any) -> list[Found]:
    """What stands in each result.

    A result is a mapping or an object with `content`, `text` or `page_content`; one that wraps it as
    `document`, `node` or `chunk`; or a pair of such a thing and its score. The score is `score` or
    `relevance_score`, of the result, of what it wraps, or of its `metadata`.

    Raises TypeError for anything else, and ValueError where only some have a score, for one that is no finite
    number, and for a lone surrogate.
    """
    if isinstance(results, (str, bytes, Mapping)) or not isinstance(results, Iterable):
        raise TypeError(f"results must be a list of search results, not {type(results).__name__}")
    read = [_read(item, index) for index, item in enumerate(results)]
    without = [index for index, (_, score, _, _) in enumerate(read) if score is None]
    if without and len(without) < len(read):
        raise ValueError(f"result {without[0]} has no score, others have: give each one or none")
    return [
        Found(index, item, text, 1.0 if score is None else score, name)
        for index, (text, score, name, item) in enumerate(read)
    ]


def _read(item: Any, index: int) -> tuple[str, float | None, str, Any]:
    whole, score = item, None
    if isinstance(item, tuple) and len(item) == 2 and not hasattr(item, "_fields"):
        item, score = item
    if isinstance(item, str):
        text, inner = item, item
    else:
        inner = next((wrapped for name in _INNER if (wrapped := _field(item, name)) is not None), item)
        text = _first((inner, item), _TEXT)
    if not isinstance(text, str):
        raise TypeError(
            f"result {index} must have a text as {', '.join(_TEXT)}, not be {type(whole).__name__}"
            if text is None
            else f"the text of result {index} must be str, not {type(text).__name__}"
        )
    check_text(text, f"the text of result {index}")
    metadata = _field(inner, "metadata")
    if score is None:
        score = _first((item, inner, metadata), _SCORE)
    name = _first((item, inner, metadata), _ID)
    return text, _number(score, index), "" if name is None else str(name), whole


def _first(things: tuple[Any, ...], names: tuple[str, ...]) -> Any:
    for thing in things:
        for name in names:
            if (value := _field(thing, name)) is not None:
                return value
    return None


def _field(thing: Any, name: str) -> Any:
    if isinstance(thing, Mapping):
        return thing.get(name)
    return None if thing is None or isinstance(thing, str) else getattr(thing, name, None)


def _number(score: Any, index: int) -> float | None:
    if score is None:
        return None
    try:
        value = math.nan if isinstance(score, (bool, str)) else float(score)
    except (TypeError, ValueError):
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"the score of result {index} must be a finite number, not {score!r}")
    return value
