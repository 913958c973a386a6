"""Source code in units of whole lines: signatures first, bodies left out with a comment that says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from tersely import _native, checks
from tersely._native import code_markers
from tersely.content.code_languages import comment_of, known_language, language_of_file, named_language
from tersely.content.detect import detect
from tersely.content.units import Nested, Units
from tersely.models.tree_sitter import LANGUAGES, read_spans
from tersely.types import Document, Float64s, Int32s, Int64s, Kind, SegmentTable, UInt8s

__all__ = ["Code", "language_of"]


class Role(IntEnum):
    """The role of a unit of code (csrc/kernels/content/code_units.hpp)."""

    STATEMENT = 0
    IMPORT = 1
    DEFINITION = 2  # the lines of a definition before its body
    BRANCH = 3  # the lines of another statement before its body
    DECLARATION = 4  # a definition without a body
    COMMENT = 5
    DOCSTRING = 6  # its first lines
    TEXT = 7  # a further line of a comment or docstring
    AFTER = 8  # lines that stand or fall with others: `else:`, `}`


_DEFINITION, _DECLARATION, _CODE = map(int, (Role.DEFINITION, Role.DECLARATION, Kind.CODE))


@checks.quick
@dataclass(frozen=True, eq=False, slots=True)
class CodeUnits:
    """Units of one text, in order; every line that is not blank is in one of them."""

    start: Int64s  #: with `end`: int64[n], characters
    end: Int64s
    first: Int32s  #: with `last`: int32[n], lines from 0, both in it
    last: Int32s
    parent: Int32s  #: int32[n], the row that each needs, -1 for none
    follows: Int32s  #: int32[n], the row that each is in or out with, -1 for none
    role: UInt8s  #: uint8[n], a `Role`
    #: int32[n], of the first row of what cannot be left out without a word (a body of Python), its last row;
    #: else -1
    suite: Int32s
    inside: UInt8s  #: uint8[n], 1 for rows in a block comment or docstring: a comment marker would not be one
    priority: Float64s  #: float64[n], higher is kept first


def read_code(language: str, text: str, query: str = "", piece: int = 0) -> CodeUnits:
    """Cut a file and rank its units; `query`: "" for none; `piece`: as of `Code`. O(characters).

    By its own marks (csrc/kernels/content/code_read.hpp); where these do not add up, by tree-sitter, if the
    extra `code` is installed and has the language.
    """
    found = read_marks(text, language, query, True, piece)
    if found is None and language in LANGUAGES:
        try:
            return CodeUnits(
                *_native.code_units_of(text, language, query, *read_spans(language, text), piece)
            )
        except (ImportError, ValueError):
            pass
    found = found or _native.code_units(text, language, query, False, piece)
    assert found is not None  # it is, for what need not be sure
    return CodeUnits(*found)


read_marks = _native.code_units


@dataclass(frozen=True, slots=True)
class Code:
    """Keeps imports and signatures, then first lines of docstrings, then bodies; those about the query first.

    Every kept line is a line of the source. What was left out is a comment in the language's syntax
    (`# … lines 41-78`), with `...` where Python needs a statement: Python that parses still parses.

    Indentation, braces and ends of lines say where bodies are; where they do not add up, tree-sitter does, if
    the extra `code` is installed. In TypeScript, `unknown;` stands for a left out type on lines of its own.
    """

    kind: ClassVar[str] = "code"

    #: None (a document's metadata["language"], the end of its id or title, else what it looks like),
    #: "python", "javascript", "typescript", "tsx", "go", "rust", "java", "c", "cpp", or another: of those,
    #: only how they write comments is known (content/code_languages.py)
    language: str | None = None
    show_lines: bool = False  #: numbers stand before lines; the result is for reading, and does not parse
    #: 0, or bytes: statements that are longer are cut at their lines, in Python between the elements in their
    #: brackets
    piece: int = 0
    #: languages that texts look like, where somebody has looked already
    looks: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.language is not None and not isinstance(self.language, str):
            raise TypeError(f"language must be a str or None, not {self.language!r}")

    def finer(self, piece: int) -> Code:
        """Return a reader that also cuts units with more than so many bytes."""
        return replace(self, piece=piece)

    def read(self, documents: Sequence[Document], query: str | None, rows: int) -> Units:
        """Return the units of all files, those about the query first. O(characters)."""
        if self.language:
            names = [named_language(self.language)] * len(documents)
        else:
            names = [language_of(document, self.looks) for document in documents]
        return _read(documents, names, query, self.show_lines, self.piece)


def defines_something(language: str, text: str) -> bool:
    """Whether a text of a language has definitions or declarations. O(characters)."""
    role = read_code(language, text).role
    return bool(((role == _DEFINITION) | (role == _DECLARATION)).any())


def _joined(files: Sequence[CodeUnits]) -> tuple[Int32s, CodeUnits]:
    """Units of files one below the other, and the file of each."""
    if len(files) == 1:
        return np.zeros(len(files[0].start), dtype=np.int32), files[0]
    sizes = [len(file.start) for file in files]
    document = np.repeat(np.arange(len(files), dtype=np.int32), sizes)
    columns: dict[str, npt.NDArray[Any]] = {}
    for name in CodeUnits.__slots__:
        columns[name] = np.concatenate([getattr(file, name) for file in files])
    for name in ("parent", "follows", "suite"):
        moved = columns[name] + np.cumsum([0, *sizes])[document]
        columns[name] = np.where(columns[name] >= 0, moved, -1).astype(np.int32)
    return document, CodeUnits(**columns)


def _read(
    documents: Sequence[Document], names: Sequence[str], query: str | None, numbered: bool, piece: int
) -> Units:
    asked = checks.read_question(query).text if query and query.strip() else ""
    pairs = zip(names, documents, strict=True)
    files = [read_code(name, document.text, asked, piece) for name, document in pairs]
    document, code = _joined(files)
    kind = np.full(len(document), _CODE, dtype=np.uint8)
    table = SegmentTable(document, code.start, code.end, kind, document, code.parent)
    must = (code.role == _DEFINITION) | (code.role == _DECLARATION)
    defines = bool(np.count_nonzero(must))
    signs = [comment_of(name, document.text) for name, document in zip(names, documents, strict=True)]
    full, short, bare = code_markers(
        document,
        code.first,
        code.last,
        code.suite,
        code.inside,
        code.role,
        ["..." if name == "python" else "unknown;" for name in names],
        [opens for opens, _ in signs],
        [closes for _, closes in signs],
    )
    return Units(
        table,
        code.priority.astype(np.float32),
        Nested(full, short, bare, numbered=numbered, cut=True),
        must,
        code.follows,
        ranked=True,
        fragments=True,
        relevant=False,
        independent=not defines,  # lines of settings: their neighbours are of another kind of thing
        graded=defines,  # what defines something is code; else it only looked like it
    )


def language_of(document: Document, looks: Mapping[str, str] | None = None) -> str:
    """Return the language of a document; "" if unknown.

    Its metadata["language"] says it, the name of its file, the end of its id or title, or its look, which
    `looks` has of texts that were looked at.
    """
    named = document.metadata.get("language") if document.metadata else None
    if isinstance(named, str) and (found := known_language(named.lower())):
        return found
    for name in (document.file_name, document.id, document.title):
        if name and (found := language_of_file(name)):
            return found
    look = looks.get(document.text) if looks else None
    return detect(document.text).language or "" if look is None else look
