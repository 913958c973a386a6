"""Source code in units of whole lines: statements, signatures, comments, each with what it needs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from tersely import _native
from tersely.core.tables import Float64s, Int32s, Int64s, UInt8s
from tersely.providers.tree_sitter import LANGUAGES, read_spans

__all__ = ["CodeUnits", "Role", "read_code"]


class Role(IntEnum):
    """What a unit is, as csrc/kernels/content/code_units.hpp has it."""

    STATEMENT = 0
    IMPORT = 1
    DEFINITION = 2  # the lines of a definition before its body
    BRANCH = 3  # the lines of another statement before its body
    DECLARATION = 4  # a definition without a body
    COMMENT = 5
    DOCSTRING = 6  # its first lines
    TEXT = 7  # a further line of a comment or docstring
    AFTER = 8  # lines that stand or fall with others: `else:`, `}`


@dataclass(frozen=True, eq=False, slots=True)
class CodeUnits:
    """Units of one text, in order; every line that is not blank is in one of them.

    Attributes:
        start, end: int64[n], characters.
        first, last: int32[n], lines from 0, both in it.
        parent: int32[n], the row that each needs, -1 for none.
        follows: int32[n], the row that each is in or out with, -1 for none.
        role: uint8[n], a `Role`.
        suite: int32[n], of the first row of what cannot be left out without a word (a body of Python), its
            last row; else -1.
        inside: uint8[n], 1 for rows in a block comment or docstring: a comment marker would not be one.
        priority: float64[n], higher is kept first.
    """

    start: Int64s
    end: Int64s
    first: Int32s
    last: Int32s
    parent: Int32s
    follows: Int32s
    role: UInt8s
    suite: Int32s
    inside: UInt8s
    priority: Float64s


def read_code(language: str, text: str, query: str = "") -> CodeUnits:
    """Cut a file and rank its units; `query`: "" for none. O(characters).

    By its own marks (csrc/kernels/content/code_read.hpp); where these do not add up, by tree-sitter, if the
    extra `code` is installed and has the language.
    """
    found = read_marks(text, language, query, True)
    if found is None and language in LANGUAGES:
        try:
            return CodeUnits(*_native.code_units_of(text, language, query, *read_spans(language, text)))
        except (ImportError, ValueError):
            pass
    found = found or _native.code_units(text, language, query, False)
    assert found is not None  # it is, for what need not be sure
    return CodeUnits(*found)


read_marks = _native.code_units
