"""Source code: signatures first, bodies left out with a comment that says which lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from tersely.content.code_languages import comment_of, known_language, language_of_file, named_language
from tersely.content.code_units import Role, read_code
from tersely.content.detect import detect
from tersely.content.units import Nested, Units
from tersely.core.question import read_question
from tersely.core.tables import Int32s, Kind, SegmentTable
from tersely.core.types import Document

__all__ = ["Code", "language_of"]


@dataclass(frozen=True, slots=True)
class Code:
    """Keeps imports and signatures, then first lines of docstrings, and bodies: those of the query first.

    Every kept line is a line of the source. What was left out is a comment in the language's syntax
    (`# … lines 41-78`), with `...` where Python needs a statement: Python that parses still parses.

    Attributes:
        language: None (a document's metadata["language"], the end of its id or title, else what it looks
            like), "python", "javascript", "typescript", "tsx", "go", "rust", "java", "c", "cpp", or another:
            of those, only how they write comments is known (content/code_languages.py).
        show_lines: numbers stand before lines; the result is for reading, and does not parse.

    Indentation, braces and ends of lines say where bodies are; where they do not add up, tree-sitter does, if
    the extra `code` is installed. In TypeScript, `unknown;` stands for a left out type on lines of its own.
    """

    kind: ClassVar[str] = "code"

    language: str | None = None
    show_lines: bool = False

    def __post_init__(self) -> None:
        """Check the options."""
        if self.language is not None and not isinstance(self.language, str):
            raise TypeError(f"language must be a str or None, not {self.language!r}")

    def read(self, documents: Sequence[Document], query: str | None, rows: int) -> Units:
        """The units of all files, those of the query first. O(characters)."""
        return _read(documents, self.language, query, self.show_lines)


def _read(documents: Sequence[Document], language: str | None, query: str | None, numbered: bool) -> Units:
    asked = read_question(query).text if query and query.strip() else ""
    names = [named_language(language) if language else language_of(document) for document in documents]
    files = [read_code(name, document.text, asked) for name, document in zip(names, documents, strict=True)]
    sizes = [len(file.start) for file in files]
    offsets = np.repeat(np.cumsum([0, *sizes[:-1]]), sizes)
    document = np.repeat(np.arange(len(files), dtype=np.int32), sizes)

    def joined(name: str) -> npt.NDArray[Any]:
        return np.concatenate([getattr(file, name) for file in files])

    def rows(name: str) -> Int32s:
        own = joined(name)
        return np.where(own >= 0, own + offsets, -1).astype(np.int32)

    role = joined("role")
    kind = np.full(len(role), Kind.CODE, dtype=np.uint8)
    table = SegmentTable(document, joined("start"), joined("end"), kind, document, rows("parent"))
    must = (role == Role.DEFINITION) | (role == Role.DECLARATION)
    says = _Markers(
        document.tolist(),
        names,
        [comment_of(name, document.text) for name, document in zip(names, documents, strict=True)],
        joined("first").tolist(),
        joined("last").tolist(),
        rows("suite").tolist(),
        joined("inside").tolist(),
        np.cumsum([0, *(role != Role.COMMENT) & (role != Role.TEXT)]).tolist(),
    )
    return Units(
        table,
        joined("priority").astype(np.float32),
        Nested(says.full, says.short, says.bare, numbered=numbered),
        must,
        rows("follows"),
        ranked=True,
        fragments=True,
        relevant=False,
        graded=bool(must.any()),  # what defines something is code; else it only looked like it
    )


@dataclass(frozen=True, eq=False, slots=True)
class _Markers:
    """What stands in the place of a run of units; lists by row, `names` and `comments` by document."""

    document: list[int]
    names: list[str]
    comments: list[tuple[str, str]]
    first: list[int]
    last: list[int]
    suite: list[int]
    inside: list[int]
    before: list[int]  # units that are no comments, before each row

    def full(self, first: int, last: int) -> str:
        low, high = self.first[first] + 1, self.last[last] + 1
        says = f"… line {low}" if low == high else f"… lines {low}-{high}"
        if self.inside[first]:
            return says
        stand_in = self.bare(first, last)
        return f"{stand_in}  {self._comment(first, says)}" if stand_in else self._comment(first, says)

    def short(self, first: int, last: int) -> str:
        if self.inside[first]:
            return "…"
        if self.before[first] == self.before[last + 1]:
            return ""  # comments only
        return self.bare(first, last) or self._comment(first, "…")

    def bare(self, first: int, last: int) -> str:
        if not 0 <= self.suite[first] <= last:
            return ""
        return "..." if self.names[self.document[first]] == "python" else "unknown;"

    def _comment(self, row: int, says: str) -> str:
        opens, closes = self.comments[self.document[row]]
        return f"{opens} {says}{closes}"


def language_of(document: Document) -> str:
    """The language of a document; "" where it is not known.

    Its metadata["language"] says it, the name of its file, the end of its id or title, or its look.
    """
    named = document.metadata.get("language") if document.metadata else None
    if isinstance(named, str) and (found := known_language(named.lower())):
        return found
    for name in (document.file_name, document.id, document.title):
        if name and (found := language_of_file(name)):
            return found
    return detect(document.text).language or ""
