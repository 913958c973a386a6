"""Write the page of a result and the page that compares two: data, which the page's script draws."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from tersely import checks
from tersely.report.pieces import (
    DROPPED,
    GENERATED,
    KEPT,
    MOST_CHARACTERS,
    OUTCOMES,
    Drawing,
    Painter,
    Piece,
    Run,
    draw_text,
    fact_marks,
    fallback_in_words,
    heading_of,
    in_words,
    is_laid_out,
    pieces_of,
    tip_of,
    titles_of,
)
from tersely.report.views import Showable, View, view_of
from tersely.text import clipped, percent, well_formed
from tersely.types import Compressed, Fact

_LONG = 20_000  # characters of the source from which on only what was kept is shown at first
_MOST_FACTS = 200  # listed by name
_BLANKS = re.compile(r"\s+")
# What a terminal would obey is shown as its picture; tabs and line ends stay.
_PICTURES = {code: 0x2400 + code for code in range(32) if code not in (9, 10, 13)} | {127: 0x2421}


def write_page(title: str, **data: Any) -> str:
    """Return a page as HTML.

    Args:
        title: of the page.
        data: what `page.js` draws: "figures" (a number, and runs that say of what), "notes", "tables", and,
            of a source and its compressed texts, "query", "legend", "lanes", "sizes", "documents", "panels".

    Texts are JSON in which no tag can start, of which the script makes text nodes, and escaped for readers
    without scripts. The page loads nothing and runs nothing but its own script: its Content-Security-Policy
    forbids it.
    """
    page, style, script = _template()
    known = json.dumps({"title": title, **data}, ensure_ascii=False, separators=(",", ":"))
    return page.substitute(
        style=style,
        script=script,
        policy=f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'",
        title=_escaped(title),
        data=well_formed(known).replace("<", "\\u003c"),
        plain=_escaped("\n\n".join(_in_plain_words(title, data))),
    )


@cache
def _template() -> tuple[Template, str, str]:
    """Read page, style and script; the latter two exactly as their hashes are taken."""
    folder = files("tersely.report")
    page, style, script = (
        folder.joinpath(f"page.{kind}").read_text("utf-8") for kind in ("html", "css", "js")
    )
    return Template(page), style, script


def _digest(code: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(code.encode('utf-8')).digest()).decode('ascii')}"


def _escaped(text: str) -> str:
    return html.escape(well_formed(text)).translate(_PICTURES)


def _in_plain_words(title: str, data: Mapping[str, Any]) -> Iterator[str]:
    """Yield what the page says where no script runs: all but the source."""
    yield title
    yield "\n".join(f"{number} {_plain(what)}" for number, what in data["figures"])
    yield from data["notes"]
    for table in data["tables"]:
        rows = [*table["rows"], *table.get("foot", ())]
        yield "\n".join([table["title"], *("\t".join(map(_cell_text, row)) for row in rows)])
    for panel in data.get("panels", ()):
        yield f"{panel['title']}\n\n{_plain(panel['text'])}"


def _plain(runs: Sequence[Any]) -> str:
    """Return the text of runs."""
    return "".join(
        run if isinstance(run, str) else _plain(run["text"]) if isinstance(run, dict) else run[0]
        for run in runs
    )


def _cell_text(cell: Any) -> str:
    return str(cell["text"] if isinstance(cell, dict) else cell)


def to_html(result: Showable, query: str | None = None) -> str:
    """Return a result as one self-contained page of HTML.

    Args:
        result: what `tersely.compress`, a `ContextualCompressor`, `compact_messages` or a `MemoryCompactor`
            gave; messages and steps are shown as documents.
        query: what was asked, to be shown and its words marked; a result does not remember it.

    The page shows the source with a map of where kept text lies, and beside it the compressed text; without
    scripts, the latter alone. It loads nothing, and runs nothing but its own script. Control characters are
    drawn as their pictures. Of texts beyond a million characters the page shows a part, and says what it
    leaves out. O(characters + segments log segments).
    """
    view = view_of(result)
    made = view.result
    query = checks.text(query or "", "query")
    pieces = pieces_of(made)
    marks = fact_marks(made)
    drawing = Drawing(made.documents, pieces, marks, query)
    lost = sorted(
        (start + mark.start, start + mark.end)
        for start, some in zip(drawing.starts, marks, strict=False)
        for mark in some
        if mark.classes == "f lost"
    )
    panel = {"title": "Compressed", **draw_text(made, pieces, drawing.words)}
    lane = {
        "name": "kept",
        "look": "in",
        "places": drawing.kept,
        "ticks": [["hit", drawing.hits], ["gone", lost]],
    }
    titles = titles_of(made.documents)
    return _page_of_source(
        heading_of(made.documents, titles, view.noun),
        view,
        drawing,
        query,
        figures=_figures(view),
        notes=_notes(made),
        tables=[*_documents(view, drawing, titles), *_facts(made)],
        legend=_legend(made, bool(drawing.words.found), bool(lost)),
        lanes=[lane],
        panels=[panel],
    )


def write_html(result: Showable, path: str | Path, query: str | None = None) -> None:
    """Write `to_html(result, query)` to a file, as UTF-8."""
    Path(path).write_bytes(to_html(result, query).encode("utf-8"))


def _page_of_source(
    title: str,
    view: View,
    drawing: Drawing,
    query: str,
    *,
    notes: Sequence[str],
    panels: Sequence[Mapping[str, Any]],
    **data: Any,
) -> str:
    """Write a page with the source of a result. Long ones show only what was kept, until a reader asks."""
    documents = view.result.documents
    titles = titles_of(documents)
    marks, missing = drawing.words.found_and_missing(query)
    return write_page(
        title,
        query=[Painter(query, marks).runs(0, len(query)), missing] if query.strip() else None,
        notes=[*notes, *_notes_on_room(drawing, panels)],
        sizes=[len(document.text) for document in documents],
        places=drawing.pieces,
        only=drawing.starts[-1] >= _LONG and drawing.pieces > 0,
        documents=[
            {
                "title": titles[index],
                "anchor": f"d{index}",
                "at": drawing.starts[index],
                "mono": is_laid_out(documents[index].text),
                "nothing": bool(pieces and not drawing.kept_characters[index]),
                "pieces": pieces,
            }
            for index, pieces in drawing.documents.items()
        ],
        more=_more(view, drawing),
        panels=panels,
        **data,
    )


def _more(view: View, drawing: Drawing) -> str:
    more = len(view.result.documents) - len(drawing.documents)
    return f"And {more:,} more {view.noun}, not drawn." if more else ""


def _notes_on_room(drawing: Drawing, panels: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield what the page leaves out."""
    if drawing.left_out:
        yield (
            f"This page leaves out {drawing.left_out:,} of the source’s {drawing.starts[-1]:,} characters, "
            "dropped text first; the numbers are those of the whole."
        )
    if drawing.unmarked:
        yield f"{drawing.unmarked:,} words of the query in dropped text are on the map, but not marked."
    if left_out := sum(panel["left_out"] for panel in panels):
        yield f"It leaves out the last {left_out:,} characters of the compressed text."


def _figures(view: View) -> list[tuple[str, list[Run]]]:
    receipt, facts = view.result.receipt, view.result.receipt.facts
    kept = sum(number for code, number in receipt.reasons.items() if code.startswith("kept:"))
    allowed = f", of {receipt.budget:,} allowed" if view.limited else ""
    within = f", in {len(view.result.documents):,} {view.noun}" if view.noun != "documents" else ""
    rows = [
        (f"{view.result.tokens:,}", f"{receipt.counter} {view.measure}{allowed}".lstrip()),
        (percent(view.result.ratio), f"of the original’s {view.result.original_tokens:,} {view.measure}"),
        (f"{kept:,}", f"of {receipt.segments:,} segments kept{within}"),
    ]
    if receipt.content_types:
        kinds = dict.fromkeys(kind.replace("_", " ") for kind in receipt.content_types)
        rows.append((", ".join(kinds), "is what the text was taken for"))
    if facts is not None and facts.facts:
        rows.append((percent(facts.retention), "of the facts stand in it"))
    return [(number, [what]) for number, what in rows]


def _notes(result: Compressed) -> list[str]:
    receipt = result.receipt
    notes = [in_words(code) for code in receipt.warnings]
    if receipt.used_llm:
        notes.append("A model wrote parts of the compressed text; they are marked.")
    if receipt.fallback_reason is not None:
        notes.append(fallback_in_words(receipt.fallback_reason))
    return notes


def _documents(view: View, drawing: Drawing, titles: Sequence[tuple[str, str]]) -> Iterator[dict[str, Any]]:
    """Yield the table of documents: use of the budget, how much of each was kept, its relevance."""
    result = view.result
    if len(result.documents) < 2:
        return
    total = sum(drawing.kept_characters)
    used = result.tokens / result.receipt.budget if result.receipt.budget else 0.0
    relevance = result.relevance
    rows = []
    for index in drawing.documents:
        kept, size = drawing.kept_characters[index], len(result.documents[index].text)
        share = kept / total * used if total else 0.0
        short, whole = titles[index]
        name = {"text": short, "tip": whole, "anchor": f"d{index}"}
        use = {"text": f"{min(share, 1):.0%} of the budget", "bar": min(share, 1)}
        topic = [f"{relevance[index]:.2f}"] if relevance else []
        rows.append([name, use, percent(share), percent(kept / size if size else 0), *topic])
    noun = view.noun.capitalize()
    topic_head = [("On topic", "probability that it is on the query’s topic")] if relevance else []
    head = [
        (noun[:-1],),
        ("Use of the budget", "", "wide"),
        ("Share", "of the budget, by characters"),
        ("Kept", "of its characters"),
        *topic_head,
    ]
    yield {"title": noun, "head": head, "rows": rows, "more": _more(view, drawing)}


def _legend(result: Compressed, query: bool, lost: bool) -> list[tuple[str, str, str]]:
    """Explain the marks that are on this page: (look, sample, words) of each."""
    entries = []
    for code, number in result.receipt.reasons.items():
        fate, _, reason = code.partition(":")
        words = (KEPT if fate == "kept" else DROPPED).get(reason, reason.replace("_", " "))
        look = f"{'k' if fate == 'kept' else 'd'} r-{reason}"
        entries.append((look, f"{fate}: {reason}", f"{words} ({number:,})"))
    if query:
        entries.append(("q", "word", "word of the query; at the foot of the map"))
    if result.generated:
        entries.append(("gen", "text", GENERATED[result.receipt.used_llm]))
    facts = result.receipt.facts
    outcomes = Counter(fact.outcome for fact in facts.facts) if facts else Counter[str]()
    for outcome, words in OUTCOMES.items():
        if number := outcomes[outcome]:
            where = "; red at the foot of the map" if outcome == "lost" and lost else ""
            entries.append((f"f {outcome}", "fact", f"{words} ({number:,}){where}"))
    return entries


def _facts(result: Compressed) -> Iterator[dict[str, Any]]:
    """Yield the table of facts by kind and outcome, with lists of those that went wrong."""
    report = result.receipt.facts
    if report is None or not report.facts:
        return
    columns = [outcome for outcome in OUTCOMES if any(fact.outcome == outcome for fact in report.facts)]
    counts = Counter((fact.kind, fact.outcome) for fact in report.facts)
    rows = [
        [kind.name.lower().replace("_", " "), *(counts[kind, outcome] or "–" for outcome in columns)]
        for kind in sorted({fact.kind for fact in report.facts})
    ]
    head = [(column,) for column in ("Kind", *columns)]
    lists = [_listed(report.facts, outcome) for outcome in ("lost", "unsupported") if outcome in columns]
    yield {"title": "Facts", "head": head, "rows": rows, "lists": lists}


def _listed(facts: Sequence[Fact], outcome: str) -> dict[str, Any]:
    some = [(number, fact) for number, fact in enumerate(facts) if fact.outcome == outcome]
    items = [
        {
            "text": clipped(_BLANKS.sub(" ", fact.text[:200]), 80),
            "anchor": f"f{number}" if fact.document >= 0 else "",
        }
        for number, fact in some[:_MOST_FACTS]
    ]
    if len(some) > _MOST_FACTS:
        items.append({"text": f"and {len(some) - _MOST_FACTS:,} more"})
    return {"title": f"{outcome.capitalize()}: {len(some):,}", "items": items}


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
    drawing = Drawing(documents, joined, [[] for _ in documents], query)
    panels = [
        {"title": label, "look": look, **draw_text(one, mine, drawing.words, side, MOST_CHARACTERS // 2)}
        for label, look, side, one, mine in zip(called, _LOOKS, _SIDES, made, pieces, strict=True)
    ]
    lanes = [
        {
            "name": label,
            "look": look,
            "places": list(_places(mine, drawing.starts)),
            "ticks": [["hit", drawing.hits]],
        }
        for label, mine, look in zip(called, pieces, _LOOKS, strict=True)
    ]
    heading = heading_of(documents, titles_of(documents), views[0].noun)
    return _page_of_source(
        f"{heading}: {called[0]} and {called[1]}",
        views[0],
        drawing,
        query,
        figures=_compared(made, called, joined, views[0].measure),
        notes=[],
        tables=[],
        legend=[
            ("k r-both", "kept", "by both"),
            ("k r-one", "kept", f"only by {called[0]}"),
            ("k r-two", "kept", f"only by {called[1]}"),
            ("d r-neither", "dropped", "by both"),
        ],
        lanes=lanes,
        panels=panels,
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
    result: Compressed, sides: tuple[list[list[Piece]], list[list[Piece]]], names: tuple[str, str]
) -> list[list[Piece]]:
    """Cut the documents where either result does, so that each result keeps all or nothing of a piece."""
    joined, numbers = [], [0, 0]  # of the kept piece of each side that is next, or under way
    for document, *pieces in zip(result.documents, *sides, strict=True):
        mine, at, start = [], [0, 0], 0
        while start < len(document.text):
            pair = pieces[0][at[0]], pieces[1][at[1]]
            end = min(piece.end for piece in pair)
            mine.append(_common(document.text, start, end, pair, numbers, names))
            for side, piece in enumerate(pair):
                if piece.end == end:
                    numbers[side] += piece.fate == "kept"
                    at[side] += 1
            start = end
        joined.append(mine)
    return joined


def _common(
    text: str, start: int, end: int, pair: tuple[Piece, Piece], numbers: list[int], names: tuple[str, str]
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
) -> list[tuple[str, list[Run]]]:
    rows: list[tuple[str, list[Run]]] = []
    for one, called, look in zip(made, names, _LOOKS, strict=True):
        facts = one.receipt.facts
        retained = f", {percent(facts.retention)} of the facts" if facts is not None and facts.facts else ""
        what = f": {measure}, {percent(one.ratio)} of the original{retained}"
        rows.append((f"{one.tokens:,}", [[called, look], what]))
    sizes = Counter[str]()
    for piece in (piece for some in joined for piece in some if piece.fate == "kept"):
        sizes[piece.reason] += piece.end - piece.start
    total = sizes.total() or 1
    rows.append((percent(sizes["both"] / total), ["of all that is kept, both keep"]))
    for called, look in zip(names, _LOOKS, strict=True):
        rows.append((percent(sizes[look] / total), ["only ", [called, look]]))
    return rows
