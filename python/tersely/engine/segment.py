"""Documents -> segments and their terms, in one native pass over the UTF-8."""

from __future__ import annotations

from collections.abc import Sequence

from tersely import _native
from tersely.core.tables import Analysis, Level, SegmentTable
from tersely.providers.utf8 import native_texts

__all__ = ["analyze", "segment"]

_LARGEST_WINDOW = 2**62  # what the native border takes; no text is longer


def analyze(
    texts: Sequence[str], extras: Sequence[str] = (), level: Level = Level.SENTENCE, window: int = 200
) -> Analysis:
    """Cut texts into segments and read their terms; `extras` (query, titles) only give a term row each.

    O(characters) time and memory linear in the number of segments and terms; the GIL is released.
    """
    columns, ids, offsets, term_class = _native.analyze(
        native_texts(texts), list(extras), int(level), min(window, _LARGEST_WINDOW)
    )
    return Analysis(SegmentTable(*columns), ids, offsets, term_class)


def segment(texts: Sequence[str], level: Level = Level.SENTENCE, window: int = 200) -> SegmentTable:
    """Cut texts into segments. See `analyze`."""
    return SegmentTable(*_native.segment(list(texts), int(level), min(window, _LARGEST_WINDOW)))
