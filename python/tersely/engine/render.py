"""Write kept units as a text: the source's own gaps, separators, markers; list the generated parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import IntEnum
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from tersely import _native
from tersely.content.units import Lines
from tersely.engine.reading import Reading, Region
from tersely.types import Int64s, UInt8s

Places = tuple[tuple[int, int], ...]


class Wording(IntEnum):
    """Amount of detail in the notes on what was left out (csrc/kernels/write/layout.hpp)."""

    FULL = 0
    SHORT = 1
    TOTAL = 2  # how much once, in other places that something was
    SIGNS = 3  # in each place that something was
    BARE = 4  # only what the syntax of the content asks for


class Rendered(NamedTuple):
    """A text."""

    text: str  #: what to send
    parts: tuple[str, ...]  #: what stands of each document in it; "" where nothing does
    #: where markers, notes and each "…" begin and end in `text`, in an array of any shape
    places: Int64s | Places = ()

    @property
    def generated(self) -> Places:
        """(start, end) characters of `text` that are no source's."""
        if not len(self.places):
            return ()
        pairs = np.asarray(self.places, np.int64).reshape(-1, 2).tolist()
        return tuple([(start, end) for start, end in pairs])


def layout_of(reading: Reading) -> _native.Layout:
    """Prepare to write any rows of a reading. O(units)."""
    request, columns = reading.request, reading.table.columns()
    regions = reading.regions if reading.forms else ()
    joints = (request.separator, request.piece_separator, reading.clauses, reading.pieces_of_lines)
    return _native.Layout(reading.texts, columns, regions, *joints)


def render(reading: Reading, status: UInt8s, wording: Wording = Wording.FULL) -> Rendered:
    """The text of the units that the codes keep, document by document. O(units + characters kept)."""
    return Rendered(*layout_of(reading).write(status, wording))


def places_of_separators(texts: Sequence[str], separator: str) -> Places:
    """Return the places of a separator that is not blank in texts that are joined by it. O(texts)."""
    said = separator.strip()
    first = len(separator) - len(separator.lstrip())
    ends = accumulate(len(text) + len(separator) for text in texts[:-1])
    begins = [end - len(separator) + first for end in ends] if said else []
    return tuple([(begin, begin + len(said)) for begin in begins])


def noted(region: Region, row: int) -> Region:
    """Return a region of lines with an "…" behind a row."""
    form, local = region.form, row + region.local - region.first
    assert isinstance(form, Lines)
    note, asked = form.note, form.noted
    if form.continued is not None and form.continued[local + 1 : local + 2].any():
        return region  # the form marks that the line goes on
    if asked is not None:
        asked = asked.copy()
        asked[local] = True
    elif note is None:
        asked = np.arange(region.local + region.last - region.first) == local

    def cut(at: int) -> str:
        return " …" if at == local else "" if note is None else note(at)

    return replace(region, form=replace(form, note=cut, noted=asked))
