"""Source code: signatures first, bodies left out with a comment that says which lines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from tersely import _native
from tersely.content.code_units import CodeUnits, Role, cut_code
from tersely.content.syntax import read_code
from tersely.content.tree import fit_tree
from tersely.content.tree_text import Tree
from tersely.errors import BudgetExceededError
from tersely.providers.tree_sitter import LANGUAGES
from tersely.stages.detect import detect
from tersely.stages.question import read_question
from tersely.strategies.extractive import Extractive
from tersely.tables import Float64s, Kind, SegmentTable
from tersely.types import Compressed, Document, Request

__all__ = ["Code"]

_SUFFIXES = {
    "py": "python",
    "pyi": "python",
    "js": "javascript",
    "mjs": "javascript",
    "cjs": "javascript",
    "jsx": "javascript",
    "ts": "typescript",
    "tsx": "tsx",
    "go": "go",
    "rs": "rust",
    "java": "java",
    "c": "c",
    "h": "c",
    "cc": "cpp",
    "cpp": "cpp",
    "cxx": "cpp",
    "hpp": "cpp",
}
_RANKS = {  # what comes first
    Role.DEFINITION: 10.0,
    Role.DECLARATION: 10.0,
    Role.IMPORT: 8.0,
    Role.DOCSTRING: 5.0,
    Role.STATEMENT: 1.0,
    Role.CONTROL: 1.0,
    Role.COMMENT: 0.8,
    Role.TEXT: 0.5,
    Role.AFTER: 0.0,
}
_OUTER = 4.0  # statements outside of functions
_ASKED = 9.5  # the body that a query names most, below the signatures


@dataclass(frozen=True, slots=True)
class Code:
    """Keeps imports and signatures, then first lines of docstrings, and bodies: those of the query first.

    Every kept line is a line of the source. What was left out is a comment in the language's syntax
    (`# … lines 41-78`), with `...` where Python needs a statement: Python that parses still parses.

    Attributes:
        language: None (a document's metadata["language"], the end of its id or title, else what it looks
            like), "python", "javascript", "typescript", "tsx", "go", "rust", "java", "c", "cpp", or another
            language with braces.
        show_lines: numbers stand before lines; the result is for reading, and does not parse.

    With the extra `code`, tree-sitter says where bodies are; without it, `ast` for Python, else braces.
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
        files = [_File.read(document, self.language) for document in request.documents]
        try:
            return fit_tree(request, lambda _: _outline(files, request.query, self.show_lines))
        except BudgetExceededError:
            if request.pinned:
                raise
        result = Extractive().compress(request)
        warnings = ("no_unit_fits", *result.receipt.warnings)
        return replace(result, receipt=replace(result.receipt, warnings=warnings))


@dataclass(frozen=True, eq=False, slots=True)
class _File:
    text: str
    lines: list[str]
    units: CodeUnits
    comment: str
    how: str

    @staticmethod
    def read(document: Document, language: str | None) -> _File:
        name = language or _language_of(document)
        lines = document.text.split("\n")
        statements, folds, how = read_code(name, document.text)
        python = name == "python"
        return _File(
            document.text, lines, cut_code(lines, statements, folds, python), "#" if python else "//", how
        )


def _language_of(document: Document) -> str:
    """What the document says, or looks like; "" for a language of no grammar."""
    named = document.metadata.get("language") if document.metadata else None
    if isinstance(named, str):
        return named.lower()
    for name in (document.id, document.title):
        suffix = (name or "").rpartition(".")[2].lower()
        if suffix in _SUFFIXES:
            return _SUFFIXES[suffix]
    found = detect(document.text).language
    return found if found in LANGUAGES else ""


def _outline(files: list[_File], query: str | None, show_lines: bool) -> Tree:
    """One tree of all files' units."""
    columns: list[list[int]] = [[], [], [], [], []]  # document, start, end, parent, follows
    priorities, owners = [], []
    for document, file in enumerate(files):
        units, offset = file.units, len(columns[0])
        starts = np.cumsum([0, *(len(line) + 1 for line in file.lines)]).tolist()
        for row, (first, last) in enumerate(zip(units.first, units.last, strict=True)):
            line = file.lines[first]
            columns[0].append(document)
            columns[1].append(starts[first] + len(line) - len(line.lstrip()))
            columns[2].append(starts[last] + len(file.lines[last].rstrip()))
            columns[3].append(units.parent[row] + offset if units.parent[row] >= 0 else -1)
            columns[4].append(units.follows[row] + offset if units.follows[row] >= 0 else -1)
            owners.append((file, row))
        priorities.append(_priority(file, query))
    table = SegmentTable(
        np.array(columns[0], dtype=np.int32),
        np.array(columns[1], dtype=np.int64),
        np.array(columns[2], dtype=np.int64),
        np.full(len(owners), Kind.CODE, dtype=np.uint8),
        np.array(columns[0], dtype=np.int32),
        np.array(columns[3], dtype=np.int32),
    )
    priority = np.concatenate(priorities) if priorities else np.empty(0)

    def lines_of(first: int, last: int) -> str:
        (units, begin), (_, end) = ((file.units, row) for file, row in (owners[first], owners[last]))
        low, high = units.first[begin] + 1, units.last[end] + 1
        return f"line {low}" if low == high else f"lines {low}-{high}"

    def marker(first: int, last: int) -> str:
        file, row = owners[first]
        says = f"… {lines_of(first, last)}"
        if file.units.inside[row]:
            return says
        return f"{placeholder(first, last)}{file.comment} {says}"

    def placeholder(first: int, last: int) -> str:
        file, row = owners[first]
        suite = file.units.suite[row]
        return "...  " if suite >= 0 and suite <= row + last - first else ""

    def short(first: int, last: int) -> str:
        file, row = owners[first]
        return "…" if file.units.inside[row] else placeholder(first, last).rstrip() or f"{file.comment} …"

    def bare(first: int, last: int) -> str:
        return placeholder(first, last).rstrip()

    signatures = [file.units.role[row] in (Role.DEFINITION, Role.DECLARATION) for file, row in owners]
    follows = np.array(columns[4], dtype=np.int32)
    must = np.array(signatures, dtype=bool)
    return Tree(table, follows, priority, marker, short, bare, must, numbered=show_lines)


def _priority(file: _File, query: str | None) -> Float64s:
    """float64[n]: signatures, outer ones first; bodies by the query, short ones first."""
    units = file.units
    n = len(units.first)
    depth = [0] * n
    function = [-1] * n  # the innermost definition that each stands in
    for row in range(n):
        parent = units.parent[row]
        if parent >= 0:
            defines = units.role[parent] is Role.DEFINITION
            depth[row] = depth[parent] + (1 if defines else 0)
            function[row] = parent if defines else function[parent]
    size = [0] * n  # lines in each definition's own body
    for row in range(n):
        if function[row] >= 0:
            size[function[row]] += units.last[row] - units.first[row] + 1
    asked = _asked(file, function, query)
    result = np.empty(n)
    for row in range(n):
        role, owner = units.role[row], function[row]
        rank = _RANKS[role] - 0.3 * min(depth[row], 10) * (role is not Role.STATEMENT)
        if role is Role.DECLARATION:
            rank -= 0.02 * min(units.last[row] - units.first[row], 50)  # it may be a long table
        elif role in (Role.STATEMENT, Role.CONTROL):
            rank += 1 / (1 + size[owner] / 8) if owner >= 0 else _OUTER - 1
        if role not in (Role.DEFINITION, Role.DECLARATION, Role.IMPORT):
            rank = max(rank, asked(row) * _ASKED)
        result[row] = rank
    return result


def _asked(file: _File, function: list[int], query: str | None) -> Callable[[int], float]:
    """How much of the query stands in the definition around a row, 1 for the best."""
    if not query or not query.strip() or not function:
        return lambda row: 0.0
    units = file.units
    texts: dict[int, list[str]] = {}
    for row, owner in enumerate(function):
        piece = "\n".join(file.lines[units.first[row] : units.last[row] + 1])
        texts.setdefault(owner, []).append(piece)
        if units.role[row] is Role.DEFINITION:
            texts.setdefault(row, []).append(piece)
    owners = sorted(texts)
    share = _native.query_share(["\n".join(texts[owner]) for owner in owners], read_question(query).text)
    best = float(share.max())
    found = {
        owner: float(value) / best if best else 0.0
        for owner, value in zip(owners, share.tolist(), strict=True)
    }
    return lambda row: found.get(function[row], 0.0) ** 2 if function[row] >= 0 else 0.0
