"""Write the page of a result: data, which the page's script draws."""

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
from typing import TYPE_CHECKING, Any

from tersely import checks
from tersely.report.pieces import (
    DROPPED,
    GENERATED,
    KEPT,
    OUTCOMES,
    Drawing,
    Painter,
    Run,
    draw_text,
    fact_marks,
    fallback_in_words,
    heading_of,
    in_words,
    is_laid_out,
    pieces_of,
    titles_of,
)
from tersely.text import clipped, percent, well_formed
from tersely.types import Compressed, Document, Fact, Kind, Receipt, Span, count_reasons

if TYPE_CHECKING:
    from tersely.agents.audit import Audit

_LONG = 20_000  # characters of the source from which on only what was kept is shown at first
_MOST_FACTS = 200  # listed by name
_BLANKS = re.compile(r"\s+")
# What a terminal would obey is shown as its picture; tabs and line ends stay.
_PICTURES = {code: 0x2400 + code for code in range(32) if code not in (9, 10, 13)} | {127: 0x2421}


def write_page(title: str, **data: Any) -> str:
    """Return a page as HTML.

    Args:
        title: of the page.
        data: what `page.js` draws: "figures" (a number, and runs that say of what), "notes", "tables",
            "query", "legend", "map", "sizes", "documents", "panel".

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
    """Yield the page for browsers without scripts: all but the source."""
    yield title
    yield "\n".join(f"{number} {_plain(what)}" for number, what in data["figures"])
    yield from data["notes"]
    for table in data["tables"]:
        rows = [[str(one["text"] if isinstance(one, dict) else one) for one in row] for row in table["rows"]]
        yield "\n".join([table["title"], *map("\t".join, rows)])
    yield f"Compressed\n\n{_plain(data['panel']['text'])}"


def _plain(runs: Sequence[Any]) -> str:
    """Return the text of runs."""
    return "".join(
        run if isinstance(run, str) else _plain(run["text"]) if isinstance(run, dict) else run[0]
        for run in runs
    )


def to_html(result: Compressed, query: str | None = None) -> str:
    """Return a result as a self-contained HTML page.

    Args:
        result: what `tersely.compress` gave.
        query: what was asked, to be shown and its words marked; a result does not remember it.

    The page shows the source, with a map of the kept text, beside the compressed text; without scripts, the
    compressed text alone. It loads nothing, and runs nothing but its own script. Of long sources it shows
    only what was kept, until the reader asks for the rest. Control characters are drawn as their pictures. If
    a text has more than a million characters, the page shows a part, and says what it leaves out.
    O(characters + segments log segments).
    """
    if not isinstance(result, Compressed):
        raise TypeError(f"result must be a Compressed, not {type(result).__name__}")
    query = checks.text(query or "", "query")
    pieces = pieces_of(result)
    marks = fact_marks(result)
    drawing = Drawing(result.documents, pieces, marks, query)
    lost = sorted(
        (start + mark.start, start + mark.end)
        for start, some in zip(drawing.starts, marks, strict=False)
        for mark in some
        if mark.classes == "f lost"
    )
    panel = draw_text(result, pieces, drawing.words)
    titles = titles_of(result.documents)
    found, missing = drawing.words.found_and_missing(query)
    return write_page(
        heading_of(result.documents, titles),
        query=[Painter(query, found).runs(0, len(query)), missing] if query.strip() else None,
        figures=_figures(result),
        notes=[*_notes(result), *_notes_on_room(drawing, panel["left_out"])],
        tables=[*_documents(result, drawing, titles), *_facts(result)],
        legend=_legend(result, bool(drawing.words.found), bool(lost)),
        map={"places": drawing.kept, "ticks": [["hit", drawing.hits], ["gone", lost]]},
        sizes=[len(document.text) for document in result.documents],
        places=drawing.pieces,
        only=drawing.starts[-1] >= _LONG and drawing.pieces > 0,
        documents=[
            {
                "title": titles[index],
                "anchor": f"d{index}",
                "at": drawing.starts[index],
                "mono": is_laid_out(result.documents[index].text),
                "nothing": bool(drawn and not drawing.kept_characters[index]),
                "pieces": drawn,
            }
            for index, drawn in drawing.documents.items()
        ],
        more=_more(result, drawing),
        panel=panel,
    )


def write_html(result: Compressed, path: str | Path, query: str | None = None) -> None:
    """Write `to_html(result, query)` to a file, as UTF-8."""
    Path(path).write_bytes(to_html(result, query).encode("utf-8"))


def _more(result: Compressed, drawing: Drawing) -> str:
    more = len(result.documents) - len(drawing.documents)
    return f"And {more:,} more documents, not drawn." if more else ""


def _notes_on_room(drawing: Drawing, left_out: int) -> Iterator[str]:
    """Yield notes on what the page omits."""
    if drawing.left_out:
        yield (
            f"This page leaves out {drawing.left_out:,} of the source’s {drawing.starts[-1]:,} characters, "
            "dropped text first; the numbers are those of the whole."
        )
    if drawing.unmarked:
        yield f"{drawing.unmarked:,} words of the query in dropped text are on the map, but not marked."
    if left_out:
        yield f"It leaves out the last {left_out:,} characters of the compressed text."


def _figures(result: Compressed) -> list[tuple[str, list[Run]]]:
    receipt, facts = result.receipt, result.receipt.facts
    kept = sum(number for code, number in receipt.reasons.items() if code.startswith("kept:"))
    allowed = f", of {receipt.budget:,} allowed" if receipt.budget else ""  # a history had no budget
    rows = [
        (f"{result.tokens:,}", f"{receipt.counter} tokens{allowed}".lstrip()),
        (percent(result.ratio), f"of the original’s {result.original_tokens:,} tokens"),
        (f"{kept:,}", f"of {receipt.segments:,} segments kept"),
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


def _documents(
    result: Compressed, drawing: Drawing, titles: Sequence[tuple[str, str]]
) -> Iterator[dict[str, Any]]:
    """Yield the table of documents: use of the budget, how much of each was kept, its relevance."""
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
    topic_head = [("On topic", "probability that it is on the query’s topic")] if relevance else []
    head = [
        ("Document",),
        ("Use of the budget", "", "wide"),
        ("Share", "of the budget, by characters"),
        ("Kept", "of its characters"),
        *topic_head,
    ]
    yield {"title": "Documents", "head": head, "rows": rows, "more": _more(result, drawing)}


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
    """Yield the table of facts by kind and outcome, with lists of lost and invented ones."""
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


def audit_page(audit: Audit) -> str:
    """Return the page: lines of the new history as kept, lost statements as facts."""
    from tersely.engine.reading import count_batch
    from tersely.models.counters import resolve_counter

    texts, made = audit.texts
    titles = [f"{number} {speaker}" for number, speaker in enumerate(audit.speakers)]
    documents = tuple(Document(text, title=title) for text, title in zip(texts, titles, strict=True))
    known = {line.strip() for line in made.splitlines()}
    kept: list[Span] = []
    dropped: list[Span] = []
    for number, text in enumerate(texts):
        at = 0
        for line in text.splitlines(keepends=True):
            stays = line.strip() in known
            some, reason = (kept, "excerpt") if stays else (dropped, "rewritten")
            some.append(Span(number, at, at + len(line), Kind.PROSE, reason, 0.0))
            at += len(line)
    tokens, *old = count_batch(resolve_counter(None), [made, *texts]).tolist()
    receipt = Receipt(
        original_tokens=sum(old),
        tokens=tokens,
        budget=0,
        counter="",
        segments=len(kept) + len(dropped),
        reasons=count_reasons(kept, dropped),
        recounts=0,
        warnings=audit.warnings,
        facts=audit.facts,
    )
    return to_html(Compressed(made, documents, kept, dropped, receipt))
