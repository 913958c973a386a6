"""Write the page of a result: figures, map, notes, documents, facts, source and compressed text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from tersely import checks
from tersely.report.frame import (
    articles,
    bar,
    compose,
    figures,
    listed_notes,
    notes_on_room,
    panel,
    query_line,
)
from tersely.report.pieces import (
    DROPPED,
    GENERATED,
    KEPT,
    OUTCOMES,
    Title,
    escape,
    fallback_in_words,
    heading_of,
    in_words,
    name,
    pieces_of,
    titles_of,
)
from tersely.report.source import Columns, draw_source, draw_text
from tersely.report.views import Lane, Showable, View, draw_map, fact_marks, view_of
from tersely.text import percent
from tersely.types import Compressed, Fact

__all__ = ["to_html", "write_html"]

_BLANKS = re.compile(r"\s+")
_MOST_FACTS = 200  # listed by name


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
    text = _BLANKS.sub(" ", text[:200])
    return text if len(text) <= 80 else f"{text[:79]}…"
