"""A text -> what it is."""

from __future__ import annotations

from collections.abc import Sequence

from tersely import _native
from tersely.detection import KINDS, LANGUAGES, Detection
from tersely.documents import check_text

__all__ = ["detect", "detect_each"]

_HEAD, _MIDDLE, _TAIL = 6144, 3072, 3072  # characters that are read of a long text
_NEAR = 65_536  # how far the middle part may move to start where a line ends


def detect(text: str) -> Detection:
    """What a text is, by the look of its first, middle and last lines (csrc/kernels/detect/detect.hpp).

    Raises TypeError for another type and ValueError for a lone surrogate in the part that is read. O(1) for a
    long text: 12,288 characters are read, in at most 0.1 ms per 10 KB.
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be str, not {type(text).__name__}")
    for piece in _sample(text):
        check_text(piece, "text")
    return detect_each([text])[0]


def detect_each(texts: Sequence[str]) -> list[Detection]:
    """`detect` for many texts without lone surrogates."""
    found = _native.detect([_sample(text) for text in texts])
    return [Detection(KINDS[kind], LANGUAGES[language], confidence) for kind, language, confidence in found]


def _sample(text: str) -> list[str]:
    """The whole text, or three parts of it; the middle one starts with the last character of a line."""
    if len(text) <= _HEAD + _MIDDLE + _TAIL:
        return [text]
    half = len(text) // 2
    start = max(text.find("\n", half, half + _NEAR) - 1, half)
    start = min(start, len(text) - _TAIL - _MIDDLE)
    return [text[:_HEAD], text[start : start + _MIDDLE], text[-_TAIL:]]
