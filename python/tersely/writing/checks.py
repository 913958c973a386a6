"""Check a model's text: its length, code, facts, and confidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tersely import _native
from tersely.engine.facts import facts_after
from tersely.engine.reading import longest_prefix, segment
from tersely.engine.worth import confidence
from tersely.types import FactReport, Int64s, Kind, Level, SegmentTable

_HALF = 0.5


def first_sentences(text: str, count: int) -> str:
    """The first `count` sentences of a text. O(characters)."""
    table = segment([text], Level.SENTENCE)
    return text[: int(table.end[count - 1])] if len(table) > count else text


def cut_to_fit(text: str, tokens: Callable[[str], int], budget: int) -> str:
    """The most sentences from the start that fit the budget, or as much of the first; "" for nothing."""
    ends = segment([text], Level.SENTENCE).end.tolist()
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if tokens(text[: ends[middle - 1]]) <= budget else (low, middle - 1)
    if low:
        return text[: ends[low - 1]]
    if tokens(text[:1]) > budget:
        return ""
    size, mark = longest_prefix(text, tokens, budget)
    return text[:size] + mark


def unsupported_facts(sources: Sequence[str], text: str) -> tuple[str, ...]:
    """Numbers, dates, versions, names, paths, URLs and identifiers of `text` that no source has."""
    return tuple(fact.text for fact in facts_after(sources, text).of("unsupported"))


@dataclass(frozen=True, eq=False, slots=True)
class Piece:
    """A piece of a text: written by a model, or verbatim."""

    text: str  # the piece
    # segments of the source that it is; empty for a separator; None where the model wrote it
    rows: Int64s | None = None
    altered: bool = False  # whether a model had changed it, and it is as in the source again


def fenced_blocks(texts: Sequence[str], table: SegmentTable) -> list[tuple[str, Int64s]]:
    """Text and rows of each fenced block of code."""
    code = np.flatnonzero(table.kind == Kind.FENCED_CODE)
    other = (np.diff(table.block[code]) != 0) | (np.diff(table.document[code]) != 0)
    groups = np.split(code, np.flatnonzero(other) + 1) if len(code) else []
    return [
        (texts[int(table.document[rows[0]])][int(table.start[rows[0]]) : int(table.end[rows[-1]])], rows)
        for rows in groups
    ]


def restore_code(
    reply: str, texts: Sequence[str], blocks: Sequence[tuple[str, Int64s]], *, altered: bool = True
) -> list[Piece]:
    """A reply divided into the model's own text and code of the source.

    `blocks`: the `fenced_blocks` of `texts`. A fenced block of the reply that is one of them is that one. One
    that stands in a text otherwise, fences and all, stays as the model's. Any other was altered: it becomes
    the block it shares most lines with, at least half of its own, or goes; where `altered` is False all of
    them go. No block comes twice. O(characters).
    """
    table = segment([reply])
    known = {text: number for number, (text, _) in reversed(list(enumerate(blocks)))}
    by_line: dict[str, list[int]] = {}
    for number, (text, _) in enumerate(blocks if altered else ()):
        for line in _code_lines(text):
            by_line.setdefault(line, []).append(number)
    used: set[int] = set()
    pieces: list[Piece] = []
    at = 0
    for block, rows in fenced_blocks([reply], table):
        same = known.get(block)
        if same is None and _is_closed(block) and any(block in text for text in texts):
            continue
        pieces.append(Piece(reply[at : int(table.start[rows[0]])]))
        at = int(table.end[rows[-1]])
        chosen = same if same is not None else _most_alike(block, by_line)
        if chosen is not None and chosen not in used:
            used.add(chosen)
            pieces.append(Piece(*blocks[chosen], altered=same is None))
    return [piece for piece in (*pieces, Piece(reply[at:])) if piece.text]


def _code_lines(block: str) -> set[str]:
    """The lines of a block without its fences, white space around them and empty ones left out."""
    lines = block.splitlines()
    return {line.strip() for line in (lines[1:-1] if _is_closed(block) else lines[1:])} - {""}


def _is_closed(block: str) -> bool:
    """Whether a block ends with a fence: a reply may have ended within it."""
    lines = block.splitlines()
    return len(lines) > 1 and lines[-1].strip().startswith(("```", "~~~"))


def _most_alike(block: str, by_line: dict[str, list[int]]) -> int | None:
    mine = _code_lines(block)
    shared = Counter(number for line in mine for number in by_line.get(line, ()))
    best = min(shared, key=lambda number: (-shared[number], number), default=None)
    return best if best is not None and shared[best] >= _HALF * len(mine) else None


def written_confidence(
    sources: Sequence[str], text: str, written: str, query: str, retention: float, report: FactReport
) -> float:
    """How far to trust a text, in [0, 1]: `confidence` of the whole `text`, times `grounding` of the model's
    part of it, times the share of the distinct facts it states (kept or unsupported in the `report` of
    all facts) that some source has. `retention`: of the facts that are to be preserved. O(characters)."""
    unsupported = len(report.of("unsupported"))
    stated = unsupported + len(report.of("kept"))
    supported = 1 - unsupported / stated if stated else 1.0
    return confidence(sources, text, query, retention) * grounding(sources, written) * supported


def grounding(sources: Sequence[str], written: str) -> float:
    """How much a text has to do with its sources, in [0, 1].

    1 where at least half of the terms of `written` stand in the sources, and at least half of its pairs of
    neighbouring terms are different ones; below that in proportion, multiplied. The first is low for text
    about something else, the second where a model went round in circles. 0 where `written` has no terms.
    O(characters).
    """
    ids, offsets, _ = _native.terms([*sources, written])
    told = ids[offsets[-2] : offsets[-1]].astype(np.int64)
    if len(told) == 0:
        return 0.0
    known = np.isin(told, ids[: offsets[-2]]).mean()
    pairs = told[:-1] << 32 | told[1:]
    different = len(np.unique(pairs)) / len(pairs) if len(pairs) else 1.0
    return float(min(known / _HALF, 1.0) * min(different / _HALF, 1.0))
