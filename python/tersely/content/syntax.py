"""Statements and bodies of source code where no grammar is at hand: Python by `ast`, the rest by braces."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator

from tersely.providers.tree_sitter import LANGUAGES, Body, Folded, read_syntax

__all__ = ["read_braces", "read_code", "read_python"]

Lines = list[tuple[int, int]]
_BODIES = ("body", "orelse", "finalbody")

_TOKEN = re.compile(
    r'//[^\n]*|/\*.*?(?:\*/|\Z)|r(#*)".*?(?:"\1|\Z)|"(?:\\.|[^"\\\n])*"?|`(?:\\.|[^`\\])*`?'
    r"|'(?:\\.[^'\n]*|[^'\\\n])'|[{}()\[\];\n]",
    re.DOTALL,
)
_OPENING = {"}": "{", ")": "(", "]": "["}
_REST = re.compile(r"[ \t]*(?:\n|//|/\*|\Z|\})")
_STATEMENT_END = re.compile(r"[ \t]*(?:[,;\n]|//|/\*|\Z)(?!\s*(?:else|catch|finally|[.?]))")
_LINE_END = re.compile(r"[^\s,+\-*/%&|^=<>?:.(\[{\\]\n(?!\s*[.?:)\]&|+*/=,{])")


def read_code(language: str | None, text: str) -> tuple[Lines, list[Folded], str]:
    """(lines of the file's statements, statements with bodies, how it was read).

    "tree_sitter" where the extra `code` has the language, else "ast" (Python that parses), "indentation"
    (other Python) or "braces". Lines count from 0.
    """
    if language in LANGUAGES:
        try:
            return *read_syntax(language, text), "tree_sitter"
        except (ImportError, ValueError):
            pass
    if language == "python":
        try:
            return *read_python(text), "ast"
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return *read_indented(text), "indentation"
    newlines = language not in ("c", "cpp", "java", "rust")
    return *read_braces(text, newlines), "braces"


def read_python(text: str) -> tuple[Lines, list[Folded]]:
    """By the parser of the running Python; raises SyntaxError where it does not parse."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the text's escapes
        module = ast.parse(text)
    source = text.split("\n")
    folds: list[Folded] = []
    todo = [module.body]
    while todo:
        for statement in todo.pop():
            suites = sorted(_suites(statement), key=lambda suite: _lines(suite[0])[0])
            first, last = _lines(statement)
            bodies: list[Body] = []
            for suite in suites:
                lines = [_lines(part) for part in suite]
                indented = not source[lines[0][0]][: suite[0].col_offset].strip()
                if lines[0][0] > first and indented:
                    bodies.append((lines[0][0], lines[-1][1], lines))
            if bodies:
                folds.append((first, last, bodies))
            todo.extend(suites)
    return [_lines(statement) for statement in module.body], sorted(folds, key=lambda fold: fold[0])


def _suites(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    for name in _BODIES:
        if suite := getattr(statement, name, None):
            yield suite
    for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield part.body


def _lines(statement: ast.stmt) -> tuple[int, int]:
    decorators = getattr(statement, "decorator_list", ())
    first = min([statement.lineno, *(part.lineno for part in decorators)])
    return first - 1, (statement.end_lineno or statement.lineno) - 1


def read_indented(text: str) -> tuple[Lines, list[Folded]]:
    """Lines that end in a colon, with the deeper ones after them."""
    lines = text.split("\n")
    indents = [len(line) - len(line.lstrip()) if line.strip() else -1 for line in lines]
    folds: list[Folded] = []
    statements: Lines = []
    open_: list[tuple[int, int, Lines]] = []  # indentation, head, statements

    def close(indent: int, before: int) -> None:
        while open_ and open_[-1][0] >= indent:
            _, head, inside = open_.pop()
            last = before - 1
            while last > head and indents[last] < 0:
                last -= 1
            if last > head:
                folds.append((head, last, [(head + 1, last, inside)]))

    for number, indent in enumerate(indents):
        if indent < 0:
            continue
        close(indent, number)
        (open_[-1][2] if open_ else statements).append((number, number))
        if lines[number].rstrip().endswith(":"):
            open_.append((indent, number, []))
    close(0, len(lines))
    return statements, sorted(folds, key=lambda fold: fold[0])


def read_braces(text: str, newlines: bool = False) -> tuple[Lines, list[Folded]]:
    """Braces, and what stands in them; strings and comments of C-like languages are passed over.

    `newlines`: a statement may end with its line (Go, JavaScript). Linear.
    """
    reader = _Braces(text, newlines)
    for token in _TOKEN.finditer(text):
        reader.read(token)
    reader.end_statement(reader.line)
    return reader.levels[0].statements, sorted(reader.folds, key=lambda fold: fold[0])


class _Level:
    __slots__ = ("bracket", "head", "line", "statements")

    def __init__(self, bracket: str, line: int, head: int) -> None:
        self.bracket, self.line, self.head = bracket, line, head
        self.statements: Lines = []


class _Braces:
    """What was read so far: the line, the brackets that are open, where the statement began."""

    def __init__(self, text: str, newlines: bool) -> None:
        self.text, self.newlines = text, newlines
        self.line, self.read_to = 0, 0
        self.begun: int | None = None
        self.levels = [_Level("", 0, 0)]
        self.folds: list[Folded] = []

    def end_statement(self, last: int) -> None:
        level = self.levels[-1]
        if self.begun is not None and level.bracket in ("", "{"):
            level.statements.append((self.begun, max(last, self.begun)))
            self.begun = None

    def read(self, token: re.Match[str]) -> None:
        what = token.group()
        blank = not self.text[self.read_to : token.start()].strip()
        self.read_to = token.end()
        comment = what.startswith(("//", "/*"))
        if self.begun is None and not (blank and (comment or what in "\n;})]")):
            self.begun = self.line
        if what in "{([" and what:
            head = self.line if self.begun is None else self.begun
            self.levels.append(_Level(what, self.line, head))
            if what == "{":
                self.begun = None
        elif what in _OPENING:
            self._close(what, token.end())
        elif what == ";":
            if _REST.match(self.text, token.end()):  # not those of `for (a; b; c)`
                self.end_statement(self.line)
        elif what == "\n":
            before = self.text[token.start() - 1 : token.start()]
            if before == "," or (self.newlines and _LINE_END.match(self.text, token.start() - 1)):
                self.end_statement(self.line)
            self.line += 1
        else:
            self.line += what.count("\n")

    def _close(self, what: str, end: int) -> None:
        if len(self.levels) == 1 or self.levels[-1].bracket != _OPENING[what]:
            return
        if what == "}":
            self.end_statement(self.line - 1)
        level = self.levels.pop()
        self.begun = level.head
        if what == "}":
            if self.line - level.line > 1:
                inside = [part for part in level.statements if level.line < part[0] and part[1] < self.line]
                self._add(level.head, (level.line + 1, self.line - 1, inside))
            if _STATEMENT_END.match(self.text, end):
                self.end_statement(self.line)

    def _add(self, head: int, body: Body) -> None:
        """A body; one more of the last statement where that goes on (`} else {`)."""
        if self.folds and self.folds[-1][0] == head and self.folds[-1][1] < body[0]:
            self.folds[-1] = (head, self.line, [*self.folds[-1][2], body])
        else:
            self.folds.append((head, self.line, [body]))
