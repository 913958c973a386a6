"""XML data: reports of tests and checks, feeds, project files; elements that repeat are records."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tersely.content.tree import CLOSE, LINE, OBJECT, VALUE, TreeUnits
from tersely.content.units import Lines, Marker, Units
from tersely.core.tables import Int64s
from tersely.core.types import Document

__all__ = ["Xml", "is_data"]

_ROOT = re.compile(r"<([A-Za-z_][^\s<>/]*)")
# Roots of documents that people read as text, by their names without a prefix.
_TEXTS = frozenset(
    [
        "html",
        "body",
        "article",
        "book",
        "chapter",
        "section",
        "sect1",
        "tei",
        "tei.2",
        "document",
        "doc",
        "topic",
        "concept",
        "task",
        "reference",
        "dita",
        "refentry",
        "manpage",
        "text",
        "svg",
    ]
)
_HEAD = 4096  # characters in which the root is looked for


@dataclass(frozen=True, slots=True)
class Xml:
    """Keeps tags, short elements and texts as they are written, those that stand out among their like first.

    A record is an element of a name that its parent has several of; attributes and texts are its cells
    (csrc/kernels/content/records.hpp). An element comes with the record it is in. End tags are left out where
    they are not worth their tokens, so what is kept is no longer well-formed. A line says how many elements
    were left out (`… 37 more`); where such lines would take more than a tenth of the budget, one counts all
    ("markers_left_out"). Nothing is resolved or fetched. A text without elements is compressed as text:
    warning "xml_invalid" or "xml_too_deep".
    """

    kind: ClassVar[str] = "xml"

    def read(self, documents: Sequence[Document], query: str | None, rows: int) -> Units | None:
        """Tags, short elements, texts and pieces of long ones; None where no text has an element. Linear."""
        units = TreeUnits.read([document.text for document in documents], query, markup=True)
        if units.fault.all():
            return None
        counted = np.isin(units.kind, (VALUE, OBJECT, LINE))
        closes = units.kind == CLOSE

        def marker(first: int, last: int) -> str:
            elements = int(np.count_nonzero(counted[first : last + 1]))
            if elements:
                return f"… {elements} more"
            return "" if closes[first : last + 1].all() else "…"

        def total(kept: Int64s) -> Marker:
            out = counted.copy()
            out[kept] = False
            limits = np.searchsorted(units.table.document, np.arange(len(documents) + 1))

            def marker(first: int, last: int) -> str:
                document = int(units.table.document[first])
                low, high = int(limits[document]), int(limits[document + 1])
                if out[last + 1 : high].any():
                    return ""
                elements = int(np.count_nonzero(out[low:high]))
                return f"… {elements} more" if elements else ""

            return marker

        return Units(
            units.table,
            units.priority.astype(np.float32),
            Lines(marker, total=total),
            units.named(),
            ranked=True,
            fragments=True,
            warnings=units.warnings(),
        )

    def refusals(self, documents: Sequence[Document]) -> tuple[str, ...]:
        """Reason codes for why texts are no XML."""
        return TreeUnits.read([document.text for document in documents], None, markup=True).warnings()


def is_data(text: str) -> bool:
    """Whether the root of an XML text is none of a document that people read as text."""
    root = _ROOT.search(text[:_HEAD])
    return root is not None and root.group(1).rpartition(":")[2].lower() not in _TEXTS
