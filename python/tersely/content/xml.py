"""XML data: reports of tests and checks, feeds, project files; elements that repeat are records."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from tersely.content.tree import TreeUnits, nested_units
from tersely.content.units import Units
from tersely.core.types import Document

__all__ = ["Xml", "is_data"]

_ROOT = re.compile(r"<([A-Za-z_][^\s<>/]*)")
# Roots of documents that people read as text, by their names without a prefix.
_TEXTS = frozenset(
    "html body article book chapter section sect1 tei tei.2 document doc topic concept task reference dita"
    " refentry manpage text svg".split()
)
_HEAD = 4096  # characters in which the root is looked for


@dataclass(frozen=True, slots=True)
class Xml:
    """Keeps elements whole: start tag, what is in it, end tag; those that stand out among their like first.

    A record is an element of a name that its parent has several of; attributes and texts are its cells
    (csrc/kernels/content/records.hpp). What was left out says so in its place, in a comment
    (`<!-- … 37 more -->`), or in a long text (`… 812 more`, characters); where such words would take more
    than a tenth of the budget, they say less ("markers_left_out"). Where the text is well-formed, so is the
    result. Nothing is resolved or fetched. A text without elements is compressed as text: warning
    "xml_invalid" or "xml_too_deep".
    """

    kind: ClassVar[str] = "xml"
    whole: ClassVar[bool] = True  # a piece of XML is no XML

    def read(self, documents: Sequence[Document], query: str | None, rows: int) -> Units | None:
        """Tags, texts and pieces of long ones; None where no text has an element. Linear."""
        units = TreeUnits.read([document.text for document in documents], query, markup=True)
        return None if units.fault.all() else nested_units(units, units.follows(), None)

    def refusals(self, documents: Sequence[Document]) -> tuple[str, ...]:
        """Reason codes for why texts are no XML."""
        return TreeUnits.read([document.text for document in documents], None, markup=True).warnings()


def is_data(text: str) -> bool:
    """Whether the root of an XML text is none of a document that people read as text."""
    root = _ROOT.search(text[:_HEAD])
    return root is not None and root.group(1).rpartition(":")[2].lower() not in _TEXTS
