"""Read YAML: a unit is a line, which needs the keys and items around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from tersely import _native
from tersely.content.tree import PIECE, Syntax, TreeUnits
from tersely.content.units import Units
from tersely.content.xml import element_units
from tersely.types import Document

__all__ = ["Yaml", "is_laid_out"]


@dataclass(frozen=True, slots=True)
class Yaml:
    """Keeps lines verbatim: those of unusual records, then rare ones.

    A record is an item of a list, or a document (`---`) where there are several; the values of its keys are
    its cells (csrc/kernels/content/records.hpp), compared by path; other lines are compared with those of
    their key or form (line_grades.hpp). A line comes with the keys and items it stands in, so what is kept
    is YAML. A comment says how many records were left out, or keys where there are no records (`# … 37
    more`), "…" that a text goes on. Nothing is resolved: an alias may stay without its anchor. A text that
    is not laid out so is compressed as text: warning "yaml_invalid" or "yaml_too_deep".
    """

    kind: ClassVar[str] = "yaml"

    def read(self, documents: Sequence[Document], query: str | None, rows: int) -> Units | None:
        """Return one unit per line; None if no text has the form of YAML. Linear."""
        units = TreeUnits.read([document.text for document in documents], query, Syntax.YAML)
        if units.fault.all():
            return None
        table = units.table

        def inside(row: int) -> str:
            if units.kind[row] != PIECE:
                return "# …"
            # where the text stands, as a comment would end it
            line = documents[int(table.document[row])].text[int(table.start[row]) : int(table.end[row])]
            return " " * (len(line) - len(line.lstrip(" "))) + "…"

        return element_units(units, len(documents), "# … {} more", inside)

    def refusals(self, documents: Sequence[Document]) -> tuple[str, ...]:
        """Reason codes for why texts are not laid out so."""
        return TreeUnits.read([document.text for document in documents], None, Syntax.YAML).warnings()


def is_laid_out(text: str) -> bool:
    """Return whether a text has the form of YAML; one line in sixteen may differ."""
    return _native.is_laid_out(text, int(Syntax.YAML))
