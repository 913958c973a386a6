"""Write the page that compares two results for the same documents: two budgets, two strategies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path

from tersely import checks
from tersely.report.frame import (
    articles,
    compose,
    figures,
    listed_notes,
    notes_on_room,
    panel,
    query_line,
)
from tersely.report.pieces import Piece, heading_of, name, pieces_of, tip_of, titles_of
from tersely.report.source import MOST_CHARACTERS, draw_source, draw_text
from tersely.report.views import Lane, Showable, draw_map, view_of
from tersely.text import percent
from tersely.types import Compressed

__all__ = ["compare_html", "write_comparison"]

_SIDES = ("a", "b")
_LOOKS = ("one", "two")  # classes of what only one of them keeps


def compare_html(
    first: Showable, second: Showable, query: str | None = None, *, names: tuple[str, str] | None = None
) -> str:
    """Return two results for the same documents as one page of HTML: what both keep, and what only one does.

    Args:
        first, second: as of `to_html`, with equal documents in the same order.
        query: what was asked, to be shown and its words marked.
        names: what the two are called; None: by their budgets, or "First" and "Second".

    The page is as safe and as self-contained as that of `to_html`. Raises ValueError where the documents are
    not the same. O(characters + segments log segments).
    """
    views = view_of(first), view_of(second)
    made = views[0].result, views[1].result
    texts = [[document.text for document in one.documents] for one in made]
    if texts[0] != texts[1]:
        raise ValueError("the two results must be of the same documents")
    query = checks.text(query or "", "query")
    called = _names(made, names)
    pieces = pieces_of(made[0]), pieces_of(made[1])
    joined = _common_pieces(made[0], pieces, called)
    documents = made[0].documents
    columns = draw_source(documents, joined, [[] for _ in documents], query)
    panels = [
        draw_text(one, mine, columns.words, side, MOST_CHARACTERS // 2)
        for one, mine, side in zip(made, pieces, _SIDES, strict=True)
    ]
    titles = titles_of(documents)
    lanes = [
        Lane(label, list(_places(mine, columns.starts)), look, (("hit", columns.hits),))
        for label, mine, look in zip(called, pieces, _LOOKS, strict=True)
    ]
    heading = heading_of(documents, titles, views[0].noun)
    return compose(
        title=f"{heading}: {called[0]} and {called[1]}",
        figures=_figures(made, called, joined, views[0].measure),
        query=query_line(query, columns),
        notes=listed_notes(notes_on_room(columns, panels)),
        tables="",
        legend=_legend(called),
        drawn_map=draw_map(lanes, [len(text) for text in texts[0]], columns.pieces),
        source=articles(documents, titles, columns, views[0].noun),
        panels=[
            panel(panels[0], called[0], "compressed", "one"),
            panel(panels[1], called[1], "second", "two"),
        ],
        columns=columns,
    )


def write_comparison(
    first: Showable,
    second: Showable,
    path: str | Path,
    query: str | None = None,
    *,
    names: tuple[str, str] | None = None,
) -> None:
    """Write `compare_html(first, second, query, names=names)` to a file, as UTF-8."""
    Path(path).write_bytes(compare_html(first, second, query, names=names).encode("utf-8"))


def _names(made: tuple[Compressed, Compressed], names: tuple[str, str] | None) -> tuple[str, str]:
    if names is not None:
        if len(names) != 2 or not all(isinstance(one, str) and one.strip() for one in names):
            raise ValueError(f"names must be two texts, not {names!r}")
        return names[0], names[1]
    budgets = made[0].receipt.budget, made[1].receipt.budget
    if budgets[0] != budgets[1]:
        return f"Budget {budgets[0]:,}", f"Budget {budgets[1]:,}"
    return "First", "Second"


def _places(pieces: Sequence[Sequence[Piece]], starts: Sequence[int]) -> Iterator[tuple[int, int]]:
    for start, some in zip(starts, pieces, strict=False):
        yield from ((start + piece.start, start + piece.end) for piece in some if piece.fate == "kept")


def _common_pieces(
    result: Compressed, pieces: tuple[list[list[Piece]], list[list[Piece]]], names: tuple[str, str]
) -> list[list[Piece]]:
    """Cut the documents where either result does, so that each result keeps all or nothing of a piece."""
    counts = [[sum(piece.fate == "kept" for piece in some) for some in side] for side in pieces]
    firsts = [list(accumulate(side, initial=0)) for side in counts]
    return [
        list(_runs(document.text, (left, right), (firsts[0][index], firsts[1][index]), names))
        for index, (document, left, right) in enumerate(zip(result.documents, *pieces, strict=True))
    ]


def _runs(
    text: str, sides: tuple[list[Piece], list[Piece]], numbers: tuple[int, int], names: tuple[str, str]
) -> Iterator[Piece]:
    """Yield the pieces of one document; `numbers`: of the first kept piece of it on each side."""
    at, position, number = [0, 0], 0, list(numbers)
    while position < len(text):
        pair = sides[0][at[0]], sides[1][at[1]]
        end = min(pair[0].end, pair[1].end)
        yield _run(text, position, end, pair, (number[0], number[1]), names)
        for side in (0, 1):
            if pair[side].end == end:
                number[side] += pair[side].fate == "kept"
                at[side] += 1
        position = end


def _run(
    text: str,
    start: int,
    end: int,
    pair: tuple[Piece, Piece],
    numbers: tuple[int, int],
    names: tuple[str, str],
) -> Piece:
    keeps = [side for side in (0, 1) if pair[side].fate == "kept"]
    if not text[start:end].strip() and len(keeps) < 2:
        return Piece(start, end, "gap", "", "", 0, 0.0)
    present = [(label, piece) for label, piece in zip(names, pair, strict=True) if piece.fate != "gap"]
    tip = "\n".join(f"{label}: {tip_of(piece)}" for label, piece in present)
    look = pair[0].look or pair[1].look
    if not keeps:
        return Piece(start, end, "dropped", "neither", look, 0, 0.0, tip=tip)
    reason = "both" if len(keeps) == 2 else _LOOKS[keeps[0]]
    twins = " ".join(f"{_SIDES[side]}{numbers[side]}" for side in keeps)
    return Piece(start, end, "kept", reason, look, 0, 0.0, tip=tip, twins=twins)


def _figures(
    made: tuple[Compressed, Compressed], names: tuple[str, str], joined: list[list[Piece]], measure: str
) -> str:
    rows = []
    for one, called, look in zip(made, names, _LOOKS, strict=True):
        facts = one.receipt.facts
        retained = f", {percent(facts.retention)} of the facts" if facts is not None and facts.facts else ""
        what = f"{measure}, {percent(one.ratio)} of the original{retained}"
        rows.append((f"{one.tokens:,}", f'<b class="{look}">{name(called)}</b>: {what}'))
    sizes = {"both": 0, "one": 0, "two": 0}
    for some in joined:
        for piece in some:
            if piece.fate == "kept":
                sizes[piece.reason] += piece.end - piece.start
    total = sum(sizes.values()) or 1
    rows.append((percent(sizes["both"] / total), "of all that is kept, both keep"))
    for called, look in zip(names, _LOOKS, strict=True):
        rows.append((percent(sizes[look] / total), f'only <b class="{look}">{name(called)}</b>'))
    return figures(rows)


def _legend(names: tuple[str, str]) -> str:
    rows = [
        ('<span class="k r-both">kept</span>', "by both"),
        ('<span class="k r-one">kept</span>', f"only by {name(names[0])}"),
        ('<span class="k r-two">kept</span>', f"only by {name(names[1])}"),
        ('<span class="d r-neither">dropped</span>', "by both"),
    ]
    return "".join(f"<li>{sample} <span>{text}</span></li>" for sample, text in rows)
