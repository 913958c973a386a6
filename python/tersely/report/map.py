"""Draw the map of the source: a strip from its first character to its last, in which kept text stands out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from tersely.report.words import escape

__all__ = ["COLUMNS", "STEPS", "Lane", "draw_map", "levels"]

COLUMNS = 720  # parts of the map, left to right
STEPS = 8  # heights of a part
_HEIGHT = 4 * STEPS  # units of the drawing
_FOOT = 7  # units below it, where ticks are
_FEW = 400  # places that are drawn one by one
_CLOSEST = 4  # columns between two edges of documents, so that many leave the map readable


@dataclass(frozen=True, slots=True)
class Lane:
    """One row of the map.

    Attributes:
        name: what it shows, in words.
        places: (start, end) in characters of all documents joined, in order, without overlap.
        look: class of its parts.
        ticks: a class and the (start, end) that are marked below the row with it; in order, without overlap.
    """

    name: str
    places: Sequence[tuple[int, int]]
    look: str = "in"
    ticks: tuple[tuple[str, Sequence[tuple[int, int]]], ...] = ()


def levels(places: Iterable[tuple[int, int]], total: int) -> list[int]:
    """Return how much of each of COLUMNS equal parts of a text of `total` characters the places cover.

    0: nothing; 1: up to an eighth; STEPS: all. `places` are in order and do not overlap. What is there has at
    least 1, however small it is. O(places + COLUMNS).
    """
    covered = [0.0] * COLUMNS
    for start, end in places:
        first, last = COLUMNS * start / total, COLUMNS * min(end, total) / total
        column = min(int(first), COLUMNS - 1)
        while column < last and column < COLUMNS:
            covered[column] += max(min(last, column + 1) - max(first, column), 1e-9)
            column += 1
    return [max(1, min(STEPS, round(STEPS * share))) if share else 0 for share in covered]


def draw_map(lanes: Sequence[Lane], sizes: Sequence[int], pieces: int) -> str:
    """Draw the lanes one above the other.

    Args:
        lanes: at least one.
        sizes: characters of each document.
        pieces: number of kept pieces that the page can go to.
    """
    total = sum(sizes)
    drawn = "".join(_lane(lane, sizes, total, len(lanes) > 1) for lane in lanes)
    look = "map several" if len(lanes) > 1 else "map"
    label = "Map of the source. Arrow keys go to the next and the previous kept piece."
    return (
        f'<div class="{look}" id="map" data-total="{total}" tabindex="0" role="slider" aria-label="{label}" '
        f'aria-valuemin="0" aria-valuemax="{pieces}" aria-valuenow="0" '
        f'aria-valuetext="{pieces:,} kept pieces">'
        f'{drawn}<i class="view" id="view"></i><i class="pin" id="pin"></i></div>'
    )


def _lane(lane: Lane, sizes: Sequence[int], total: int, named: bool) -> str:
    ticks = [(look, places) for look, places in lane.ticks if places]
    height = _HEIGHT + _FOOT * bool(ticks)
    rects = [f'<rect class="all" width="{COLUMNS}" height="{_HEIGHT}"/>']
    if total:
        rects += _exact(lane, total) if len(lane.places) <= _FEW else _skyline(lane, total)
        rects += _edges(sizes, total)
        for look, places in ticks:
            rects += _ticks(look, levels(places, total))
    name = f'<span class="lane x {lane.look}">{escape(lane.name)}</span>' if named else ""
    return (
        f'{name}<svg viewBox="0 0 {COLUMNS} {height}" preserveAspectRatio="none" aria-hidden="true">'
        f"{''.join(rects)}</svg>"
    )


def _exact(lane: Lane, total: int) -> list[str]:
    """Draw each place where it is, at least a column wide."""
    return [
        f'<rect class="{lane.look}" x="{COLUMNS * start / total:.2f}" '
        f'width="{max(COLUMNS * (end - start) / total, 1):.2f}" height="{_HEIGHT}"/>'
        for start, end in lane.places
    ]


def _skyline(lane: Lane, total: int) -> list[str]:
    """Draw columns as high as they are full."""
    return [
        f'<rect class="{lane.look}" x="{at}" y="{_HEIGHT - tall}" width="{width}" height="{tall}"/>'
        for at, width, tall in _runs([_HEIGHT * level // STEPS for level in levels(lane.places, total)])
    ]


def _ticks(look: str, heights: list[int]) -> list[str]:
    return [
        f'<rect class="{look}" x="{at}" y="{_HEIGHT + 2}" width="{width}" height="{_FOOT - 2}"/>'
        for at, width, _ in _runs([min(height, 1) for height in heights])
    ]


def _runs(heights: list[int]) -> Iterator[tuple[int, int, int]]:
    """Yield (first column, columns, height) of equal neighbours that are not 0."""
    at = 0
    for height, run in groupby(heights):
        width = sum(1 for _ in run)
        if height:
            yield at, width, height
        at += width


def _edges(sizes: Sequence[int], total: int) -> list[str]:
    """Draw a line between documents, where there is room for one."""
    rects = []
    at, last = 0, 0.0
    for size in sizes[:-1]:
        at += size
        column = COLUMNS * at / total
        if column - last >= _CLOSEST:
            rects.append(f'<rect class="edge" x="{column:.2f}" width="1" height="{_HEIGHT}"/>')
            last = column
    return rects
