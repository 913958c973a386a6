"""XML data: reports of tests and checks, feeds, project files; elements that repeat are records."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tersely.content.tree import ATTRIBUTE, LINE, OBJECT, PIECE, VALUE, Syntax, TreeUnits
from tersely.content.units import Lines, Marker, Units
from tersely.types import Document, Int64s

__all__ = ["Xml", "is_data"]

_ROOT = re.compile(r"<([A-Za-z_][^\s<>/]*)")
# Roots of documents that people read as text, by their names without a prefix.
_TEXTS = frozenset((
    "html", "body", "article", "book", "chapter", "section", "sect1", "tei", "tei.2", "document", "doc",
    "topic", "concept", "task", "reference", "dita", "refentry", "manpage", "text",
))  # fmt: skip
_HEAD = 4096  # characters in which the root is looked for


@dataclass(frozen=True, slots=True)
class Xml:
    """Keeps tags, short elements and texts verbatim, unusual ones first.

    A record is an element of a name that its parent has several of; attributes and texts are its cells
    (csrc/kernels/content/records.hpp). An element comes with the record it is in; of what failed the name
    comes with the first thing that it says, before the next name. End tags and attributes are left out
    where they are not worth their tokens, so what is kept is no longer well-formed. A line says how many
    records were left out (`… 37 more`), an "…" that a text goes on; where such lines would take more than a
    tenth of the budget, one counts all, and an "…" stands in the others' places ("markers_shortened").
    Nothing is resolved or fetched. A text without elements is compressed as text: warning "xml_invalid" or
    "xml_too_deep".
    """

    kind: ClassVar[str] = "xml"

    def read(self, documents: Sequence[Document], query: str | None, rows: int) -> Units | None:
        """Tags, short elements, texts and pieces of long ones; None where no text has an element. Linear."""
        units = TreeUnits.read([document.text for document in documents], query, Syntax.XML)
        if units.fault.all():
            return None

        def inside(row: int) -> str:  # tags say what is in them, in whatever order
            return "…" if units.kind[row] == PIECE else ""

        return element_units(units, len(documents), "… {} more", inside)

    def refusals(self, documents: Sequence[Document]) -> tuple[str, ...]:
        """Reason codes for why texts are no XML."""
        return TreeUnits.read([document.text for document in documents], None, Syntax.XML).warnings()


def is_data(text: str) -> bool:
    """Return whether an XML text has records, not text to read, by its root element."""
    root = _ROOT.search(text[:_HEAD])
    return root is not None and root.group(1).rpartition(":")[2].lower() not in _TEXTS


def element_units(units: TreeUnits, documents: int, more: str, inside: Callable[[int], str]) -> Units:
    """Make units of nested elements: lines, with markers between them.

    `more`: says how many records were left out, with a place for the number; `inside`: that something of a
    record was, from the first unit of it.
    """
    counted = np.isin(units.kind, (VALUE, OBJECT, LINE))
    if units.record.any():
        counted &= units.record.astype(bool)
    before = np.concatenate(([0], np.cumsum(counted)))  # of each unit: those that count

    def marker(first: int, last: int) -> str:
        elements = int(before[last + 1] - before[first])
        return more.format(elements) if elements else inside(first)

    def total(kept: Int64s) -> Marker:
        out = counted.copy()
        out[kept] = False
        document = units.table.document[out]
        elements = np.bincount(document, minlength=documents)
        latest = np.full(documents, -1)  # of the units that are left out
        latest[document] = np.flatnonzero(out)

        def marker(first: int, last: int) -> str:
            document = int(units.table.document[first])
            if not first <= latest[document] <= last:
                return ""
            return more.format(int(elements[document]))

        return marker

    def sign(first: int, last: int) -> str:
        return inside(first) or "…"

    return Units(
        units.table,
        units.priority.astype(np.float32),
        Lines(marker, continued=units.kind == ATTRIBUTE, total=total, sign=sign, elision="", fill=False),
        units.named(),
        ranked=True,
        fragments=True,
        graded=bool(
            (units.record.astype(bool) & (units.priority > 1)).any()
        ),  # the rank says which stand out
        warnings=units.warnings(),
    )
