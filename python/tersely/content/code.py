"""Source code: signatures first, bodies left out with a comment that says which lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from tersely.content.code_languages import comment_of, language_of, named_language
from tersely.content.code_units import Role, read_code
from tersely.content.tree import fit_tree
from tersely.content.tree_text import Tree
from tersely.errors import BudgetExceededError
from tersely.stages.question import read_question
from tersely.strategies.extractive import Extractive
from tersely.tables import Int32s, Kind, SegmentTable
from tersely.types import Compressed, Document, Request

__all__ = ["Code"]


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

    language: str | None = None
    show_lines: bool = False

    def __post_init__(self) -> None:
        """Check the options."""
        if self.language is not None and not isinstance(self.language, str):
            raise TypeError(f"language must be a str or None, not {self.language!r}")

    def compress(self, request: Request) -> Compressed:
        """Fit the documents into the budget; as text where not even one unit fits (warning "no_unit_fits").

        Raises BudgetExceededError where pinned units, or the smallest piece of text, do not fit.
        """
        documents = request.documents
        try:
            return fit_tree(
                request, lambda _: _outline(documents, self.language, request.query, self.show_lines)
            )
        except BudgetExceededError:
            if request.pinned:
                raise
        result = Extractive().compress(request)
        warnings = ("no_unit_fits", *result.receipt.warnings)
        return replace(result, receipt=replace(result.receipt, warnings=warnings))


def _outline(documents: Sequence[Document], language: str | None, query: str | None, numbered: bool) -> Tree:
    """One tree of all documents' units."""
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
    follows, priority = rows("follows"), joined("priority")
    return Tree(table, follows, priority, says.full, says.short, says.bare, must, numbered=numbered)


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
