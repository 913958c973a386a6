"""Source code: signatures first, bodies left out with a comment that says which lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from tersely._native import code_markers
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
        looks: languages that texts look like, where somebody has looked already.

    Indentation, braces and ends of lines say where bodies are; where they do not add up, tree-sitter does, if
    the extra `code` is installed. In TypeScript, `unknown;` stands for a left out type on lines of its own.
    """

    kind: ClassVar[str] = "code"

    language: str | None = None
    show_lines: bool = False
    looks: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Check the options."""
        if self.language is not None and not isinstance(self.language, str):
            raise TypeError(f"language must be a str or None, not {self.language!r}")

    def read(self, documents: Sequence[Document], query: str | None, rows: int) -> Units:
        """The units of all files, those of the query first. O(characters)."""
        if self.language:
            names = [named_language(self.language)] * len(documents)
        else:
            names = [language_of(document, self.looks) for document in documents]
        return _read(documents, names, query, self.show_lines)


def _read(documents: Sequence[Document], names: Sequence[str], query: str | None, numbered: bool) -> Units:
    asked = read_question(query).text if query and query.strip() else ""
    files = [read_code(name, document.text, asked) for name, document in zip(names, documents, strict=True)]
    sizes = [len(file.start) for file in files]
    offsets = np.repeat(np.cumsum([0, *sizes[:-1]]), sizes)
    document = np.repeat(np.arange(len(files), dtype=np.int32), sizes)

    def joined(name: str) -> npt.NDArray[Any]:
        if len(files) == 1:
            column: npt.NDArray[Any] = getattr(files[0], name)
            return column
        return np.concatenate([getattr(file, name) for file in files])

    def rows(name: str) -> Int32s:
        own = joined(name)
        return own if len(files) == 1 else np.where(own >= 0, own + offsets, -1).astype(np.int32)

    role = joined("role")
    kind = np.full(len(role), Kind.CODE, dtype=np.uint8)
    table = SegmentTable(document, joined("start"), joined("end"), kind, document, rows("parent"))
    must = (role == Role.DEFINITION) | (role == Role.DECLARATION)
    signs = [comment_of(name, document.text) for name, document in zip(names, documents, strict=True)]
    full, short, bare = code_markers(
        document,
        joined("first"),
        joined("last"),
        rows("suite"),
        joined("inside"),
        role,
        ["..." if name == "python" else "unknown;" for name in names],
        [opens for opens, _ in signs],
        [closes for _, closes in signs],
    )
    return Units(
        table,
        joined("priority").astype(np.float32),
        Nested(full, short, bare, numbered=numbered),
        must,
        rows("follows"),
        ranked=True,
        fragments=True,
        relevant=False,
        independent=not must.any(),  # lines of settings: their neighbours are of another kind of thing
        graded=bool(must.any()),  # what defines something is code; else it only looked like it
    )


def language_of(document: Document, looks: Mapping[str, str] | None = None) -> str:
    """The language of a document; "" where it is not known.

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
