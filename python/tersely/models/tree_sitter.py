"""Find the bodies and statements of source code with tree-sitter and its grammars (extra `code`)."""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

import numpy as np

from tersely.cache import BoundedCache, digest_of
from tersely.types import Int64s

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
# language -> what belongs to what comes after it.
_GLUED = {
    "javascript": "decorator",
    "typescript": "decorator",
    "tsx": "decorator",
    "rust": "attribute_item",
    "cpp": "attribute_declaration",
}
_STEPS = 3_000  # of a parser: ordinary code takes 7 a kilobyte; they can take 0.4 ms each
_PIECE = 2**16  # bytes that a parser reads at a time
_DEEPEST = 250  # nodes in nodes; bodies further down are not looked for

Spans = tuple[Int64s, Int64s, Int64s, Int64s, Int64s]
_KNOWN: BoundedCache[Spans | tuple[()]] = BoundedCache(
    2**23
)  # by language and text; (): it makes nothing of it


@cache
def _language(name: str) -> tuple[Any, Any]:
    """The grammar, and the query for bodies. Raises ImportError if the extra is not installed."""
    import tree_sitter

    package, function, bodies = LANGUAGES[name]
    grammar = tree_sitter.Language(getattr(importlib.import_module(package), function)())
    patterns = [f"({body} (_) @statement) ({body}) @body" for body in bodies]
    if name in _GLUED:
        patterns.append(f"({_GLUED[name]}) @glued")
    return grammar, tree_sitter.Query(grammar, "\n".join(patterns))


def _parse(name: str, source: bytes) -> Any:
    """The syntax tree. Raises ValueError if it takes too many steps, as text that is no code may."""
    import tree_sitter

    steps = 0

    def is_late(_at: int, _wrong: bool) -> bool:  # called every 100 operations; Ctrl-C is looked for, too
        nonlocal steps
        steps += 1
        return steps > _STEPS

    def read(at: int, _point: Any) -> bytes:
        return source[at : at + _PIECE]

    return tree_sitter.Parser(_language(name)[0]).parse(read, progress_callback=is_late)


def has_syntax_errors(name: str, text: str) -> bool:
    """Say whether the grammar finds a syntax error. Raises ImportError without the extra."""
    try:
        return bool(_parse(name, text.encode()).root_node.has_error)
    except ValueError:
        return True


def read_spans(name: str, text: str) -> Spans:
    """Return starts and ends of bodies, starts and ends of statements, starts of attributes (int64, bytes).

    Statements stand directly in the file or in a body. What was read last is kept: a text is asked for again
    to say what it is, and each time that a history with it grows. Raises ImportError without the extra,
    ValueError for a text that is not in the language at all. O(characters).
    """
    key = digest_of((name, text))
    spans = _KNOWN.get(key)
    if spans is None:
        try:
            spans = _read_spans(name, text)
        except ValueError:
            spans = ()
        _KNOWN.put(key, spans, sum([column.nbytes for column in spans]))
    if not spans:
        raise ValueError(f"the grammar of {name} makes nothing of this text")
    return spans


def _read_spans(name: str, text: str) -> Spans | tuple[()]:
    import tree_sitter

    root = _parse(name, text.encode()).root_node
    if root.type == "ERROR":  # its pieces stand in one row, and a query takes the square of their number
        return ()
    cursor = tree_sitter.QueryCursor(_language(name)[1])
    cursor.set_max_start_depth(_DEEPEST)
    found = cursor.captures(root)
    statements = [*found.get("statement", ()), *root.named_children]
    bodies = found.get("body", [])
    return (
        _starts(bodies),
        _ends(bodies),
        _starts(statements),
        _ends(statements),
        _starts(found.get("glued", [])),
    )


def _starts(nodes: list[Any]) -> Int64s:
    return np.array([node.start_byte for node in nodes], dtype=np.int64)


def _ends(nodes: list[Any]) -> Int64s:
    return np.array([node.end_byte for node in nodes], dtype=np.int64)
