"""Hold texts with their UTF-8, which native calls share instead of making it each time."""

from __future__ import annotations

from collections.abc import Sequence

from tersely._native import TokenMarks, Utf8

__all__ = ["Texts", "native_texts"]


class Texts(list[str]):
    """Texts whose UTF-8 is made once, when a native call first asks for it; not to be changed after that."""

    __slots__ = ("_utf8", "marks")
    _utf8: Utf8
    marks: tuple[str, TokenMarks]  # of an encoding, once their tokens were counted

    def __reduce__(self) -> tuple[type[Texts], tuple[list[str]]]:
        """Copy and pickle the texts alone: their UTF-8 is made again when it is asked for."""
        return Texts, (list(self),)

    @property
    def utf8(self) -> Utf8:
        """The UTF-8 of all of them, U+FFFD for lone surrogates. O(characters) once."""
        try:
            return self._utf8
        except AttributeError:
            self._utf8 = Utf8(self)
            return self._utf8


def native_texts(texts: Sequence[str]) -> Utf8 | list[str]:
    """Return texts as native calls take them: their UTF-8 where it is kept, else a list."""
    return texts.utf8 if isinstance(texts, Texts) else list(texts)
