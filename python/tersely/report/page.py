"""Write the page of a result: numbers, notes, documents, facts, the two columns."""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from functools import cache
from importlib.resources import files
from pathlib import Path
from string import Template

from tersely.core import checks
from tersely.core.facts import Fact
from tersely.core.types import Compressed
from tersely.report.marks import Painter, QueryWords
from tersely.report.source import Columns, draw, is_laid_out
from tersely.report.words import DROPPED, GENERATED, KEPT, OUTCOMES, escape, fallback_in_words, in_words, name

__all__ = ["to_html", "write_html"]

_BLANKS = re.compile(r"\s+")
_MOST_CHARACTERS = 1_500_000  # of either column, markup included; what is left out is said
_MOST_FACTS = 200  # listed by name


def to_html(result: Compressed, query: str | None = None) -> str:
    """Return a result as one self-contained page of HTML.

    Args:
        result: what `tersely.compress` gave.
        query: what was asked, to be shown and its words marked; a result does not remember it.

    The page loads nothing and runs nothing but its own few lines; its Content-Security-Policy forbids it.
    All text is escaped; control characters are drawn as their pictures. Of texts beyond a million characters
    the page shows a part, and says what it leaves out. O(characters + segments log segments).
    """
    if not isinstance(result, Compressed):
        raise TypeError(f"result must be a tersely.Compressed, not {type(result).__name__}")
    query = query or ""
    checks.text(query, "query")
    columns = draw(result, query, _MOST_CHARACTERS)
    page, style, script = _template()
    return page.substitute(
        style=style,
        script=script,
        policy=f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'",
        title=_title(result),
        numbers=_numbers(result),
        budget=_bar(result.tokens, result.receipt.budget, "of the budget is used"),
        query=_query(query, columns.words),
        notes=_notes(result, columns),
        documents=_documents(result, columns),
        legend=_legend(result, bool(columns.words.found)),
        facts=_facts(result),
        source=_source(result, columns),
        look="text result mono" if columns.monospace else "text result",
        compressed=columns.compressed or '<span class="x note">Nothing was kept.</span>',
    )


def write_html(result: Compressed, path: str | Path, query: str | None = None) -> None:
    """Write `to_html(result, query)` to a file, as UTF-8."""
    Path(path).write_bytes(to_html(result, query).encode("utf-8"))


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


def _title(result: Compressed) -> str:
    if len(result.documents) == 1:
        document = result.documents[0]
        return _name(result, 0) if document.title or document.id else "Compressed text"
    return f"{len(result.documents):,} documents"


def _name(result: Compressed, index: int) -> str:
    document = result.documents[index]
    return name(document.title or str(document.id or "") or f"Document {index + 1}")


def _numbers(result: Compressed) -> str:
    receipt = result.receipt
    facts = receipt.facts
    kept = sum(number for code, number in receipt.reasons.items() if code.startswith("kept:"))
    rows = [
        (f"{result.tokens:,}", f"{name(receipt.counter)} tokens, of {receipt.budget:,} allowed"),
        (f"{result.ratio:.0%}", f"of the original’s {result.original_tokens:,} tokens"),
        (f"{kept:,}", f"of {receipt.segments:,} segments kept"),
    ]
    if receipt.content_types:
        kinds = dict.fromkeys(kind.replace("_", " ") for kind in receipt.content_types)
        rows.append((escape(", ".join(kinds)), "is what the text was taken for"))
    if facts is not None and facts.facts:
        rows.append((f"{facts.retention:.0%}", "of the facts stand in it"))
    return "".join(f"<div><dt>{text}</dt><dd>{number}</dd></div>" for number, text in rows)


def _bar(part: float, whole: float, what: str) -> str:
    share = min(part / whole, 1.0) if whole else 0.0
    return (
        f'<svg class="bar" role="img" aria-label="{share:.0%} {what}">'
        '<rect class="all" width="100%" height="100%"/>'
        f'<rect class="used" width="{share:.2%}" height="100%"/></svg>'
    )


def _query(query: str, words: QueryWords) -> str:
    """Write the query, with the words marked that stand in the text."""
    if not query.strip():
        return ""
    marks, missing = words.found_and_missing(query)
    painted = Painter(query, marks).paint(0, len(query))
    listed = ", ".join(f'<bdi lang="">{escape(word)}</bdi>' for word in missing)
    absent = f'<span class="missing">Not in the text: {listed}</span>' if missing else ""
    return (
        f'<p class="query"><span class="label">Query</span> <q dir="auto" lang="">{painted}</q> {absent}</p>'
    )


def _notes(result: Compressed, columns: Columns) -> str:
    receipt = result.receipt
    notes = [in_words(code) for code in receipt.warnings]
    if receipt.used_llm:
        notes.append("A model wrote parts of the compressed text; they are marked.")
    if receipt.fallback_reason is not None:
        notes.append(fallback_in_words(receipt.fallback_reason))
    if columns.left_out:
        total = sum(len(document.text) for document in result.documents)
        notes.append(
            f"This page leaves out {columns.left_out:,} of the source’s {total:,} characters, "
            "dropped text first; the numbers are those of the whole."
        )
    if columns.text_left_out:
        notes.append(f"It leaves out the last {columns.text_left_out:,} characters of the compressed text.")
    if not notes:
        return ""
    return f'<ul class="notes">{"".join(f"<li>{escape(note)}</li>" for note in notes)}</ul>'


def _documents(result: Compressed, columns: Columns) -> str:
    """Write a row a document: its share of all that was kept, and how much of it was."""
    if len(result.documents) < 2:
        return ""
    total = sum(columns.kept_characters)
    used = result.tokens / result.receipt.budget if result.receipt.budget else 0.0
    rows = []
    for index in columns.documents:
        kept, size = columns.kept_characters[index], len(result.documents[index].text)
        share = kept / total * used if total else 0.0
        rows.append(
            f'<tr><th scope="row"><a href="#d{index}"><bdi>{_name(result, index)}</bdi></a></th>'
            f"<td>{_bar(share, 1, 'of the budget')}</td><td>{share:.0%}</td>"
            f"<td>{kept / size if size else 0:.0%}</td></tr>"
        )
    more = len(result.documents) - len(rows)
    rest = f'<p class="more">And {more:,} more documents, not drawn.</p>' if more else ""
    return (
        '<section aria-labelledby="documents"><h2 id="documents">Documents</h2>'
        '<div class="scroll" tabindex="0" role="region" aria-labelledby="documents"><table>'
        '<thead><tr><th scope="col">Document</th><th scope="col" class="wide">Use of the budget</th>'
        '<th scope="col"><abbr title="of the budget, by characters">Share</abbr></th>'
        '<th scope="col"><abbr title="of the document’s characters">Kept</abbr></th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>{rest}</section>"
    )


def _legend(result: Compressed, query: bool) -> str:
    """Explain the marks that are on this page."""
    entries = []
    for code, number in result.receipt.reasons.items():
        fate, _, reason = code.partition(":")
        words = (KEPT if fate == "kept" else DROPPED).get(reason, reason.replace("_", " "))
        look = "k" if fate == "kept" else "d"
        sample = f'<span class="{look} r-{name(reason)}">{name(f"{fate}: {reason}")}</span>'
        entries.append((sample, f"{name(words)} ({number:,})"))
    if query:
        entries.append(('<mark class="q">word</mark>', "word of the query"))
    if result.generated:
        entries.append(('<mark class="gen">text</mark>', GENERATED[result.receipt.used_llm]))
    outcomes = (
        Counter(fact.outcome for fact in result.receipt.facts.facts) if result.receipt.facts else Counter()
    )
    for outcome, words in OUTCOMES.items():
        if outcomes[outcome]:
            entries.append((f'<mark class="f {outcome}">fact</mark>', f"{words} ({outcomes[outcome]:,})"))
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


def _source(result: Compressed, columns: Columns) -> str:
    parts = []
    many = len(result.documents) > 1
    for index, text in columns.documents.items():
        heading = f'<h3 id="d{index}"><bdi>{_name(result, index)}</bdi></h3>' if many else ""
        empty = '<span class="x note">This document is empty.</span>' if not text else ""
        nothing = "" if columns.kept_characters[index] or empty else ' class="nothing"'
        look = "text mono" if is_laid_out(result.documents[index].text) else "text"
        parts.append(
            f'<article{nothing}>{heading}<div class="{look}" dir="auto" lang="">{text}{empty}</div></article>'
        )
    more = len(result.documents) - len(columns.documents)
    if more:
        parts.append(f'<p class="more">And {more:,} more documents, not drawn.</p>')
    return "".join(parts)
