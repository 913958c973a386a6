"""Where bodies and statements of source code are, by tree-sitter and its grammars (extra `code`)."""

from __future__ import annotations

import importlib
from bisect import bisect_right
from functools import cache
from typing import Any

__all__ = ["LANGUAGES", "has_syntax_errors", "read_syntax"]

# language -> package, function that gives the grammar, what has statements in it (Python's has no braces).
_C = (
    "compound_statement",
    "field_declaration_list",
    "enumerator_list",
    "preproc_ifdef",
    "preproc_if",
    "initializer_list",
)
_JAVASCRIPT = ("statement_block", "class_body", "switch_body", "object", "array")
_TYPESCRIPT = (*_JAVASCRIPT, "interface_body", "enum_body", "object_type")
_JAVA = ("block", "class_body", "interface_body", "enum_body", "constructor_body", "switch_block")
LANGUAGES = {
    "python": ("tree_sitter_python", "language", ("block",)),
    "javascript": ("tree_sitter_javascript", "language", _JAVASCRIPT),
    "typescript": ("tree_sitter_typescript", "language_typescript", _TYPESCRIPT),
    "tsx": ("tree_sitter_typescript", "language_tsx", _TYPESCRIPT),
    "go": ("tree_sitter_go", "language", ("block", "field_declaration_list", "literal_value")),
    "rust": (
        "tree_sitter_rust",
        "language",
        ("block", "declaration_list", "field_declaration_list", "enum_variant_list", "match_block"),
    ),
    "java": ("tree_sitter_java", "language", _JAVA),
    "c": ("tree_sitter_c", "language", _C),
    "cpp": ("tree_sitter_cpp", "language", (*_C, "declaration_list")),
}
_GLUED = {"attribute_item", "decorator", "attribute_declaration"}  # belong to what comes after them
_DEEPEST = 250  # nodes in nodes; bodies further down are not looked for
_COMMENTS = {"comment", "line_comment", "block_comment"}

# first and last line of a body, and (first, last) lines of the statements in it; lines count from 0
Body = tuple[int, int, list[tuple[int, int]]]
# first and last line of a statement with bodies, and these
Folded = tuple[int, int, list[Body]]


@cache
def _language(name: str) -> tuple[Any, Any]:
    """The grammar, and the query for bodies. Raises ImportError where the extra is not installed."""
    import tree_sitter

    package, function, bodies = LANGUAGES[name]
    grammar = tree_sitter.Language(getattr(importlib.import_module(package), function)())
    return grammar, tree_sitter.Query(grammar, "\n".join(f"({body}) @body" for body in bodies))


def _parse(name: str, source: bytes) -> Any:
    import tree_sitter

    return tree_sitter.Parser(_language(name)[0]).parse(source)


def has_syntax_errors(name: str, text: str) -> bool:
    """Whether the grammar says so. Raises ImportError without the extra."""
    return bool(_parse(name, text.encode()).root_node.has_error)


def read_syntax(name: str, text: str) -> tuple[list[tuple[int, int]], list[Folded]]:
    """(lines of the statements of the file, statements with bodies, in the order of their first lines).

    Raises ImportError without the extra, ValueError for a text that is not in the language at all.
    O(characters + bodies log bodies).
    """
    import tree_sitter

    source = text.encode()
    root = _parse(name, source).root_node
    if root.type == "ERROR":  # its pieces stand in one row, and a query takes the square of their number
        raise ValueError(f"the grammar of {name} makes nothing of this text")
    cursor = tree_sitter.QueryCursor(_language(name)[1])
    cursor.set_max_start_depth(_DEEPEST)
    captured = cursor.captures(root).get("body", [])
    nodes = sorted(((node.start_byte, -node.end_byte, node) for node in captured), key=lambda item: item[:2])
    braces = 0 if name == "python" else 1
    # what encloses the next body
    root_statements = _statements(root)
    stack = [_Level(root.end_byte + 1, root_statements)]
    folds: list[Folded] = []
    for start, negative_end, node in nodes:
        while stack[-1].end < -negative_end:
            stack.pop()
        level = stack[-1]
        statements = _statements(node)
        stack.append(_Level(-negative_end, statements))
        first, last = node.start_point[0] + braces, node.end_point[0] - braces
        index = bisect_right(level.bytes, start) - 1
        indented = braces or not source[start - node.start_point[1] : start].strip()
        if index < 0 or first > last or not indented:
            continue
        lines = [(a, b) for a, b, _ in statements if first <= a and b <= last]
        if index not in level.folds:
            level.folds[index] = (*level.statements[index][:2], [])
            folds.append(level.folds[index])
        level.folds[index][2].append((first, last, lines))
    return [(a, b) for a, b, _ in root_statements], sorted(folds, key=lambda fold: fold[0])


class _Level:
    """A body that others may stand in."""

    def __init__(self, end: int, statements: list[tuple[int, int, int]]) -> None:
        self.end, self.statements = end, statements
        self.bytes = [byte for _, _, byte in statements]
        self.folds: dict[int, Folded] = {}


def _statements(node: Any) -> list[tuple[int, int, int]]:
    """(first line, last line, first byte) of each; an attribute is part of what it stands before."""
    found: list[tuple[int, int, int]] = []
    glued: tuple[int, int] | None = None
    for child in node.named_children:
        if child.type in _COMMENTS:
            continue
        first, byte = glued or (child.start_point[0], child.start_byte)
        glued = None
        if child.type in _GLUED:
            glued = first, byte
            continue
        row, column = child.end_point
        last = max(first, row - 1 if column == 0 else row)  # some end with their line break
        found.append((first, last, byte))
    return found
