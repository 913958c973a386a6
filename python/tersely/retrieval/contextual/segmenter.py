"""Segmenter: a text in pieces, nothing lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tersely.documents import check_text, to_level
from tersely.stages.segment import segment
from tersely.tables import Kind, Level

__all__ = ["Segment", "Segmenter"]


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of a text: `text == source[start:end]`.

    Attributes:
        index: its place among the segments of the text.
        start, end: characters, half-open.
        text: verbatim.
        kind: prose, heading, table, ...
        gap: the white space between it and the segment before.
    """

    index: int
    start: int
    end: int
    text: str
    kind: Kind
    gap: str = ""


class Segmenter:
    """Cuts texts; what lies between segments is white space only, so no word is lost."""

    def __init__(self, segment_size: Level | str = Level.SENTENCE, *, window: int = 200) -> None:
        """Choose the size.

        Args:
            segment_size: CHARACTER (fixed windows), WORD, SENTENCE, PARAGRAPH or SECTION (from heading to
                heading), or its name.
            window: characters of a CHARACTER segment, >= 1.
        """
        if isinstance(window, bool) or not isinstance(window, int) or window < 1:
            raise ValueError(f"window must be a whole number from 1, not {window!r}")
        self.segment_size = to_level(segment_size)
        self.window = window

    def split(self, text: Any) -> list[Segment]:
        """The segments of a text, in order and without overlap: their gaps and texts joined are the text, but
        for white space at its end. O(characters).
        """
        if not isinstance(text, str):
            raise TypeError(f"text must be str, not {type(text).__name__}")
        check_text(text, "text")
        found, before = [], 0
        for index, (_, start, end, kind) in enumerate(segment([text], self.segment_size, self.window)):
            found.append(Segment(index, start, end, text[start:end], kind, text[before:start]))
            before = end
        return found
