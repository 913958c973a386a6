"""Write what all pages share: the HTML around their parts, the security policy, common parts."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from string import Template

from tersely.report.pieces import Title, escape, is_laid_out, name
from tersely.report.source import Columns, Panel
from tersely.report.views import Painter
from tersely.types import Document

__all__ = [
    "articles",
    "bar",
    "compose",
    "content_policy",
    "figures",
    "listed_notes",
    "notes_on_room",
    "panel",
    "query_line",
]

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
        pieces=f"{columns.pieces:,} kept",
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
