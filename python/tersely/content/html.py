"""HTML and XML: the text between the tags, every piece as it stands in the source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from tersely import _native
from tersely.content.units import Units
from tersely.core.tables import Int64s
from tersely.core.types import Document

__all__ = ["Html", "PageText"]

_GLUE = ("", " ", "\t", "\n", "\n\n")  # by Glue of csrc/kernels/content/html_text.hpp


@dataclass(frozen=True, eq=False, slots=True)
class PageText:
    """A page's text, and where its pieces stand in the source and in the text.

    Attributes:
        plain: the text, white space where tags stood.
        start, end: int64[n], where each piece stands in the source.
        at, stop: int64[n], where it stands in the text.
    """

    plain: str
    start: Int64s
    end: Int64s
    at: Int64s
    stop: Int64s

    @staticmethod
    def read(text: str) -> PageText:
        """A page's text; without navigation and footers where there is other text. O(characters)."""
        start, end, glue, aside = _native.html_texts([text])
        if not aside.all():
            stays = np.flatnonzero(aside == 0)
            first_out = np.concatenate(([0], stays[:-1] + 1))  # of what is left out before each
            glue = np.maximum.reduceat(glue[: stays[-1] + 1], first_out)
            start, end = start[stays], end[stays]
        apart = (glue[1:] != 0) | (start[1:] != end[:-1])  # stray brackets are pieces that touch
        first_of = np.append(True, apart) if len(start) else apart
        start, end, glue = start[first_of], end[np.append(apart, True)] if len(end) else end, glue[first_of]
        parts: list[str] = []
        rows = zip(start.tolist(), end.tolist(), glue.tolist(), strict=True)
        for number, (first, last, before) in enumerate(rows):
            parts += [_GLUE[before] if number else "", text[first:last]]
        sizes = np.array([len(part) for part in parts], dtype=np.int64)
        at = np.cumsum(sizes)[0::2] if len(sizes) else start
        return PageText("".join(parts), start, end, at, at + (end - start))

    def holds(self, start: int, end: int) -> bool:
        """Whether [start, end) of the source stands in the text as it is."""
        first = int(np.searchsorted(self.end, start, side="right"))
        return first < len(self.start) and int(self.start[first]) <= start and end <= int(self.end[first])

    def to_plain(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """The characters of the text that show [first, last) of the source."""
        _, start, end = _mapped(self.start, self.end, self.at, np.array([first]), np.array([last]))
        yield from zip(start.tolist(), end.tolist(), strict=True)

    def to_source(self, first: Int64s, last: Int64s) -> tuple[Int64s, Int64s, Int64s]:
        """Of [first, last) of the text, in order: the pieces of the source, and the row that each is of."""
        return _mapped(self.at, self.stop, self.start, first, last)


def _mapped(
    start: Int64s, end: Int64s, other: Int64s, first: Int64s, last: Int64s
) -> tuple[Int64s, Int64s, Int64s]:
    """What pieces share with ranges, moved to where the pieces stand otherwise, and the range of each."""
    low = np.searchsorted(end, first, side="right")
    many = np.maximum(np.searchsorted(start, last, side="left") - low, 0)
    row = np.repeat(np.arange(len(first)), many)
    piece = np.arange(len(row)) - np.repeat(np.cumsum(many) - many, many) + low[row]
    shift = other[piece] - start[piece]
    return row, np.maximum(first[row], start[piece]) + shift, np.minimum(last[row], end[piece]) + shift


@dataclass(frozen=True, slots=True)
class Html:
    """Keeps the text of a page: tags, scripts, styles and comments go first, then navigation, then sentences.

    The text stays as it is written, references such as `&amp;` included; where tags stood, there is white
    space as they mean it (a tab between cells, a line a list item or row, a blank line between blocks).
    `kept` are pieces of the source; everything else is in `dropped`, markup with the reason "markup".

    Navigation, footers, asides and the controls of forms are left out where there is other text. Pages that
    fit the budget stay as they are. A page without text, or one in whose text a pin or group does not stand
    as it is in the source, is read as text, tags and all (warning "markup_kept").

    Attributes:
        text: how the text is read, valued and chosen (`tersely.Extractive`); None: as other text is.
    """

    kind: ClassVar[str] = "html"

    text: Any = field(default=None)

    def read(self, documents: Sequence[Document], query: str | None, rows: int) -> Units | None:
        """None: what a page shows is read as text (`PageText`)."""
        return None
