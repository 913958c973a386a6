"""Write the page of a result and the page that compares two: figures, map, notes, tables, source, text."""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import accumulate, groupby
from pathlib import Path
from string import Template

from tersely import checks
from tersely.report.pieces import (
    DROPPED,
    GENERATED,
    KEPT,
    MOST_CHARACTERS,
    OUTCOMES,
    Columns,
    Painter,
    Panel,
    Piece,
    Title,
    draw_source,
    draw_text,
    escape,
    fact_marks,
    fallback_in_words,
    heading_of,
    in_words,
    is_laid_out,
    name,
    pieces_of,
    tip_of,
    titles_of,
)
from tersely.report.views import Showable, View, view_of
from tersely.text import clipped, percent
from tersely.types import Compressed, Document, Fact

_LONG = 20_000  # characters of the source from which on only what was kept is shown at first


def compose(
    *,
    title: str,
    figures: str,
    query: str,
    notes: str,
    tables: str,
    legend: str,
    drawn_map: str,
    source: str,
    panels: Sequence[str],
    columns: Columns,
) -> str:
    """Put the parts of a page together; all but `title` are HTML.

    The page loads nothing and runs nothing but its own script: its Content-Security-Policy forbids it. Long
    sources show only what was kept, until the reader asks for the rest.
    """
    page, style, script = _template()
    only = columns.starts[-1] >= _LONG and columns.pieces > 0
    return page.substitute(
        style=style,
        script=script,
        policy=content_policy(style, script),
        title=name(title),
        figures=figures,
        query=query,
        notes=notes,
        tables=tables,
        legend=legend,
        map=drawn_map,
        pieces=f"{columns.pieces:,} place{'' if columns.pieces == 1 else 's'}",  # neighbours are one
        checked=" checked" if only else "",
        only=' class="only"' if only else "",
        source=source,
        panels="".join(panels),
        several=" several" if len(panels) > 1 else "",
    )


@cache
def _template() -> tuple[Template, str, str]:
    """Read page, style and script; the latter two exactly as their hashes are taken."""
    folder = files("tersely.report")
    page, style, script = (
        folder.joinpath(f"page.{kind}").read_text("utf-8") for kind in ("html", "css", "js")
    )
    return Template(page), style, script


def content_policy(style: str, script: str = "") -> str:
    """Return the Content-Security-Policy of a page that uses its own style and script, and nothing else."""
    allowed = f"style-src '{_digest(style)}'; " + (f"script-src '{_digest(script)}'; " if script else "")
    return f"default-src 'none'; {allowed}base-uri 'none'; form-action 'none'"


def _digest(code: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(code.encode('utf-8')).digest()).decode('ascii')}"


def figures(rows: Sequence[tuple[str, str]]) -> str:
    """Write (number, what it is) pairs, both HTML."""
    return "".join(f"<div><dt>{text}</dt><dd>{number}</dd></div>" for number, text in rows)


def bar(part: float, whole: float, what: str) -> str:
    """Draw a share as a bar."""
    share = min(part / whole, 1.0) if whole else 0.0
    return (
        f'<svg class="bar" role="img" aria-label="{share:.0%} {what}">'
        '<rect class="all" width="100%" height="100%"/>'
        f'<rect class="used" width="{share:.2%}" height="100%"/></svg>'
    )


def query_line(query: str, columns: Columns) -> str:
    """Write the query, with the words marked that the text has."""
    if not query.strip():
        return ""
    marks, missing = columns.words.found_and_missing(query)
    painted = Painter(query, marks).paint(0, len(query))
    listed = ", ".join(f'<bdi lang="">{escape(word)}</bdi>' for word in missing)
    absent = f'<span class="missing">Not in the text: {listed}</span>' if missing else ""
    return (
        f'<p class="query"><span class="label">Query</span> <q dir="auto" lang="">{painted}</q> {absent}</p>'
    )


def notes_on_room(columns: Columns, panels: Sequence[Panel]) -> list[str]:
    """List what the page leaves out."""
    notes = []
    if columns.left_out:
        notes.append(
            f"This page leaves out {columns.left_out:,} of the source’s {columns.starts[-1]:,} characters, "
            "dropped text first; the numbers are those of the whole."
        )
    if columns.unmarked:
        notes.append(
            f"{columns.unmarked:,} words of the query in dropped text are on the map, but not marked."
        )
    if left_out := sum(panel.left_out for panel in panels):
        notes.append(f"It leaves out the last {left_out:,} characters of the compressed text.")
    return notes


def listed_notes(notes: Sequence[str]) -> str:
    """List sentences; nothing where there are none."""
    if not notes:
        return ""
    return f'<ul class="notes">{"".join(f"<li>{escape(note)}</li>" for note in notes)}</ul>'


def articles(documents: Sequence[Document], titles: Sequence[Title], columns: Columns, noun: str) -> str:
    """Write the source: an article a document."""
    parts = []
    many = len(documents) > 1
    for index, text in columns.documents.items():
        heading = f'<h3 id="d{index}">{titles[index].html}</h3>' if many else ""
        empty = '<span class="x note">There is nothing in it.</span>' if not text else ""
        nothing = "" if columns.kept_characters[index] or empty else ' class="nothing"'
        look = "text mono" if is_laid_out(documents[index].text) else "text"
        parts.append(
            f'<article{nothing} data-at="{columns.starts[index]}">{heading}'
            f'<div class="{look}" dir="auto" lang="">{text}{empty}</div></article>'
        )
    more = len(documents) - len(columns.documents)
    if more:
        parts.append(f'<p class="more">And {more:,} more {noun}, not drawn.</p>')
    return "".join(parts)


def panel(drawn: Panel, heading: str, anchor: str = "compressed", look: str = "") -> str:
    """Write a compressed text under its heading, which is plain text."""
    style = "text result mono" if drawn.monospace else "text result"
    shown = f' class="{look}"' if look else ""
    return (
        f'<h2 id="{anchor}"{shown}>{name(heading)}</h2>'
        f'<div class="{style}" dir="auto" lang="" tabindex="0" role="region" aria-labelledby="{anchor}">'
        f"{drawn.html}</div>"
    )


_BLANKS = re.compile(r"\s+")
_MOST_FACTS = 200  # listed by name


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
        f'aria-valuetext="{pieces:,} places with kept text">'
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
        for at, width, tall in _stretches([_HEIGHT * level // STEPS for level in levels(lane.places, total)])
    ]


def _ticks(look: str, heights: list[int]) -> list[str]:
    return [
        f'<rect class="{look}" x="{at}" y="{_HEIGHT + 2}" width="{width}" height="{_FOOT - 2}"/>'
        for at, width, _ in _stretches([min(height, 1) for height in heights])
    ]


def _stretches(heights: list[int]) -> Iterator[tuple[int, int, int]]:
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


def to_html(result: Showable, query: str | None = None) -> str:
    """Return a result as one self-contained page of HTML.

    Args:
        result: what `tersely.compress`, a `ContextualCompressor`, `compact_messages` or a `MemoryCompactor`
            gave; messages and steps are shown as documents.
        query: what was asked, to be shown and its words marked; a result does not remember it.

    The page shows the source with a map of where kept text lies, and beside it the compressed text. It loads
    nothing and runs nothing but its own script; its Content-Security-Policy forbids it.
    All text is escaped; control characters are drawn as their pictures. Of texts beyond a million characters
    the page shows a part, and says what it leaves out. O(characters + segments log segments).
    """
    view = view_of(result)
    made = view.result
    query = checks.text(query or "", "query")
    pieces = pieces_of(made)
    marks = fact_marks(made)
    columns = draw_source(made.documents, pieces, marks, query)
    text = draw_text(made, pieces, columns.words)
    titles = titles_of(made.documents)
    lost = [
        (columns.starts[index] + mark.start, columns.starts[index] + mark.end)
        for index, some in enumerate(marks)
        for mark in sorted(some, key=lambda mark: mark.start)
        if mark.classes == "f lost"
    ]
    lane = Lane("kept", columns.kept, "in", (("hit", columns.hits), ("gone", lost)))
    return compose(
        title=heading_of(made.documents, titles, view.noun),
        figures=_figures(view),
        query=query_line(query, columns),
        notes=listed_notes([*_notes(made), *notes_on_room(columns, [text])]),
        tables=_documents(view, columns, titles) + _facts(made),
        legend=_legend(made, bool(columns.words.found), bool(lost)),
        drawn_map=draw_map([lane], [len(document.text) for document in made.documents], columns.pieces),
        source=articles(made.documents, titles, columns, view.noun),
        panels=[panel(text, "Compressed")],
        columns=columns,
    )


def write_html(result: Showable, path: str | Path, query: str | None = None) -> None:
    """Write `to_html(result, query)` to a file, as UTF-8."""
    Path(path).write_bytes(to_html(result, query).encode("utf-8"))


def _figures(view: View) -> str:
    receipt, facts = view.result.receipt, view.result.receipt.facts
    kept = _kept(receipt.reasons)
    allowed = f", of {receipt.budget:,} allowed" if view.limited else ""
    within = f", in {len(view.result.documents):,} {view.noun}" if view.noun != "documents" else ""
    rows = [
        (f"{view.result.tokens:,}", f"{name(receipt.counter)} {view.measure}{allowed}".lstrip()),
        (percent(view.result.ratio), f"of the original’s {view.result.original_tokens:,} {view.measure}"),
        (f"{kept:,}", f"of {receipt.segments:,} segments kept{within}"),
    ]
    if receipt.content_types:
        kinds = dict.fromkeys(kind.replace("_", " ") for kind in receipt.content_types)
        rows.append((escape(", ".join(kinds)), "is what the text was taken for"))
    if facts is not None and facts.facts:
        rows.append((percent(facts.retention), "of the facts stand in it"))
    return figures(rows)


def _kept(reasons: Mapping[str, int]) -> int:
    return sum(number for code, number in reasons.items() if code.startswith("kept:"))


def _notes(result: Compressed) -> list[str]:
    receipt = result.receipt
    notes = [in_words(code) for code in receipt.warnings]
    if receipt.used_llm:
        notes.append("A model wrote parts of the compressed text; they are marked.")
    if receipt.fallback_reason is not None:
        notes.append(fallback_in_words(receipt.fallback_reason))
    return notes


def _documents(view: View, columns: Columns, titles: Sequence[Title]) -> str:
    """Write a row a document: its share of all that was kept, how much of it was, and its relevance."""
    result = view.result
    if len(result.documents) < 2:
        return ""
    total = sum(columns.kept_characters)
    used = result.tokens / result.receipt.budget if result.receipt.budget else 0.0
    relevance = result.relevance
    rows = []
    for index in columns.documents:
        kept, size = columns.kept_characters[index], len(result.documents[index].text)
        share = kept / total * used if total else 0.0
        topic = f"<td>{relevance[index]:.2f}</td>" if relevance else ""
        rows.append(
            f'<tr><th scope="row"><a href="#d{index}">{titles[index].html}</a></th>'
            f"<td>{bar(share, 1, 'of the budget')}</td><td>{percent(share)}</td>"
            f"<td>{percent(kept / size if size else 0)}</td>{topic}</tr>"
        )
    more = len(result.documents) - len(rows)
    rest = f'<p class="more">And {more:,} more {view.noun}, not drawn.</p>' if more else ""
    noun = view.noun.capitalize()
    tip = "probability that it is on the query’s topic"
    topic = f'<th scope="col"><abbr title="{tip}">On topic</abbr></th>' if relevance else ""
    return (
        f'<section aria-labelledby="documents"><h2 id="documents">{noun}</h2>'
        '<div class="scroll" tabindex="0" role="region" aria-labelledby="documents"><table>'
        f'<thead><tr><th scope="col">{noun[:-1]}</th><th scope="col" class="wide">Use of the budget</th>'
        '<th scope="col"><abbr title="of the budget, by characters">Share</abbr></th>'
        f'<th scope="col"><abbr title="of its characters">Kept</abbr></th>{topic}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>{rest}</section>"
    )


def _legend(result: Compressed, query: bool, lost: bool) -> str:
    """Explain the marks that are on this page."""
    entries = []
    for code, number in result.receipt.reasons.items():
        fate, _, reason = code.partition(":")
        words = (KEPT if fate == "kept" else DROPPED).get(reason, reason.replace("_", " "))
        look = "k" if fate == "kept" else "d"
        sample = f'<span class="{look} r-{name(reason)}">{name(f"{fate}: {reason}")}</span>'
        entries.append((sample, f"{name(words)} ({number:,})"))
    if query:
        entries.append(('<mark class="q">word</mark>', "word of the query; at the foot of the map"))
    if result.generated:
        entries.append(('<mark class="gen">text</mark>', GENERATED[result.receipt.used_llm]))
    outcomes = (
        Counter(fact.outcome for fact in result.receipt.facts.facts) if result.receipt.facts else Counter()
    )
    for outcome, words in OUTCOMES.items():
        if outcomes[outcome]:
            where = "; red at the foot of the map" if outcome == "lost" and lost else ""
            entries.append(
                (f'<mark class="f {outcome}">fact</mark>', f"{words} ({outcomes[outcome]:,}){where}")
            )
    return "".join(f"<li>{sample} <span>{text}</span></li>" for sample, text in entries)


def _facts(result: Compressed) -> str:
    report = result.receipt.facts
    if report is None or not report.facts:
        return ""
    columns = [outcome for outcome in OUTCOMES if any(fact.outcome == outcome for fact in report.facts)]
    counts = Counter((fact.kind, fact.outcome) for fact in report.facts)
    head = "".join(f'<th scope="col">{outcome}</th>' for outcome in columns)
    rows = "".join(
        f'<tr><th scope="row">{kind.name.lower().replace("_", " ")}</th>'
        + "".join(f"<td>{counts[kind, outcome] or '–'}</td>" for outcome in columns)
        + "</tr>"
        for kind in sorted({fact.kind for fact in report.facts})
    )
    listed = _listed(list(enumerate(report.facts)), "lost", "Lost") + _listed(
        list(enumerate(report.facts)), "unsupported", "Unsupported"
    )
    return (
        '<section aria-labelledby="facts"><h2 id="facts">Facts</h2>'
        '<div class="scroll" tabindex="0" role="region" aria-labelledby="facts"><table>'
        f'<thead><tr><th scope="col">Kind</th>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
        f"{listed}</section>"
    )


def _listed(facts: list[tuple[int, Fact]], outcome: str, heading: str) -> str:
    some = [(number, fact) for number, fact in facts if fact.outcome == outcome]
    if not some:
        return ""
    items = []
    for number, fact in some[:_MOST_FACTS]:
        text = f'<bdi lang="">{escape(_short(fact.text))}</bdi>'
        items.append(
            f'<li><a href="#f{number}">{text}</a></li>' if fact.document >= 0 else f"<li>{text}</li>"
        )
    more = f"<li>and {len(some) - _MOST_FACTS:,} more</li>" if len(some) > _MOST_FACTS else ""
    return (
        f"<details><summary>{heading}: {len(some):,}</summary>"
        f'<ul class="facts">{"".join(items)}{more}</ul></details>'
    )


def _short(text: str) -> str:
    return clipped(_BLANKS.sub(" ", text[:200]), 80)


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
        figures=_compared(made, called, joined, views[0].measure),
        query=query_line(query, columns),
        notes=listed_notes(notes_on_room(columns, panels)),
        tables="",
        legend=_legend_of_two(called),
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


def _compared(
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


def _legend_of_two(names: tuple[str, str]) -> str:
    rows = [
        ('<span class="k r-both">kept</span>', "by both"),
        ('<span class="k r-one">kept</span>', f"only by {name(names[0])}"),
        ('<span class="k r-two">kept</span>', f"only by {name(names[1])}"),
        ('<span class="d r-neither">dropped</span>', "by both"),
    ]
    return "".join(f"<li>{sample} <span>{text}</span></li>" for sample, text in rows)
