"""Statements and bodies of source code -> units of whole lines, each with what it needs."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import IntEnum

from tersely.providers.tree_sitter import Folded

__all__ = ["CodeUnits", "Role", "cut_code"]

_DEEPEST = 60  # bodies in bodies; what is deeper stays one unit
_LONG_TEXT = 2  # lines: a longer comment or docstring is cut
_IMPORT = re.compile(
    r"(?:import|from|use|pub use|extern crate|package|mod|#\s*include|require|using)\b|@import"
)
_CONTROL = re.compile(
    r"[}\s]*(?:if|else|elif|for|while|switch|case|default|match|try|except|finally|catch|with|do|loop|return|"
    r"async (?:for|with)|await|throw|yield|go|defer|select|unsafe|guard|when|new)\b"
)
_DEFINITION = re.compile(
    r"\b(?:def|class|func|fn|function|interface|struct|enum|impl|trait|type|module|mod|namespace|union|macro_rules!|"
    r"package|protocol|extension)(?=[\s(<{*!])"
    r"|^(?:export\b|pub\b(?:\([^)]*\))?\s+(?:const|static)\b)"
    r"|^(?:const|let|var)\s+[\w$]+[^=]*=\s*(?:async\s*)?(?:\([^)]*\)|[\w$]+)[^=]*=>"
)
_FUNCTION = re.compile(r"[\w\s<>\[\],*&:~@?$#]*[\w$~#\]>]\s*\(.*\)[^;=(]*\{")  # of C, a method of Java
_LONGEST_HEAD = 400  # characters of a signature that say what it is
_COMMENT = re.compile(r"#(?!\[|!\[|\s*(?:include|define|if|endif|else|pragma|undef|error))|//|/\*|\*|--|<!--")
_QUOTES = re.compile(r"""[rRuUbBfF]{0,2}(\"{3}|'{3}|"|')""")


class Role(IntEnum):
    """What a unit is."""

    STATEMENT = 0
    IMPORT = 1
    DEFINITION = 2  # the lines of a definition before its body
    CONTROL = 3  # the lines of another statement before its body
    DECLARATION = 4  # a definition without a body
    COMMENT = 5
    DOCSTRING = 6  # its first lines
    TEXT = 7  # a further line of a comment or docstring
    AFTER = 8  # lines that stand or fall with others: `else:`, `}`


@dataclass(eq=False, slots=True)
class CodeUnits:
    """Units of one text, in order. Lines count from 0, are inclusive and begin and end with something.

    Attributes:
        first, last: lines.
        parent: the row that each needs, -1 for none.
        follows: the row that each is in or out with, -1 for none.
        role: a `Role`.
        suite: for the first row of a body of Python, the last row of it; else -1.
        inside: for rows in a block comment or docstring, 1: a comment marker would not be one.
    """

    first: list[int] = field(default_factory=list)
    last: list[int] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    follows: list[int] = field(default_factory=list)
    role: list[Role] = field(default_factory=list)
    suite: list[int] = field(default_factory=list)
    inside: list[int] = field(default_factory=list)

    def add(self, first: int, last: int, parent: int, role: Role, follows: int = -1, inside: int = 0) -> int:
        """A unit; its row."""
        self.first.append(first)
        self.last.append(last)
        self.parent.append(parent)
        self.follows.append(follows)
        self.role.append(role)
        self.suite.append(-1)
        self.inside.append(inside)
        return len(self.first) - 1


def cut_code(
    lines: list[str], statements: list[tuple[int, int]], folds: list[Folded], python: bool
) -> CodeUnits:
    """Cut a file. Every line that is not blank is in one unit. O(lines + statements log statements)."""
    cutter = _Cutter(lines, folds, python)
    cutter.body(0, len(lines) - 1, statements, -1, 0)
    return cutter.units


class _Cutter:
    def __init__(self, lines: list[str], folds: list[Folded], python: bool) -> None:
        self.lines, self.python = lines, python
        self.units = CodeUnits()
        self.fold_at: dict[int, Folded] = {}
        for fold in folds:
            self.fold_at.setdefault(fold[0], fold)

    def body(self, low: int, high: int, statements: list[tuple[int, int]], parent: int, depth: int) -> None:
        """The lines [low, high], cut at its statements."""
        at, before = low, parent
        for first, last in sorted(statements):
            if first < at or last > high:
                continue
            docstring = self.python and at == low and self.is_blank(low, first - 1)
            begin = first
            if self.python and at == low and parent >= 0:
                begin = low  # a comment is no body: it goes with the first statement
            self.plain(at, begin - 1, before, statement=False)
            row = len(self.units.first)
            self.statement(begin, first, last, parent, depth, docstring)
            before = row if self.python and parent >= 0 else parent
            at = last + 1
        self.plain(at, high, before, statement=False)

    def is_blank(self, first: int, last: int) -> bool:
        return not any(line.strip() for line in self.lines[first : last + 1])

    def statement(
        self, begin: int, first: int, last: int, parent: int, depth: int, may_be_docstring: bool
    ) -> None:
        """A statement, from the lines before it that belong to it."""
        fold = self.fold_at.get(first)
        head = self.lines[first].lstrip()
        if fold is None or fold[1] > last or depth >= _DEEPEST:
            if may_be_docstring and (quotes := _QUOTES.match(head)):
                return self.text(first, last, parent, Role.DOCSTRING, closed=len(quotes.group(1)) == 3)
            return self.plain(begin, last, parent)
        row, at = -1, begin
        for stop, end, inside in fold[2]:
            if stop <= at or end > last:
                continue
            if row < 0:
                role = Role.CONTROL if not self.defines(at, stop - 1) else Role.DEFINITION
                row = self.unit(at, stop - 1, parent, role)
            else:
                self.unit(at, stop - 1, row, Role.AFTER, follows=row)
            start = len(self.units.first)
            self.body(stop, end, inside, row, depth + 1)
            if self.python and len(self.units.first) > start:
                self.units.suite[start] = len(self.units.first) - 1
            at = end + 1
        if row < 0:
            self.plain(begin, last, parent)
        elif at <= last:
            self.unit(at, last, row, Role.AFTER, follows=row)
        return None

    def defines(self, first: int, last: int) -> bool:
        """Whether the lines begin a definition."""
        for line in self.lines[first : last + 1]:
            text = line.strip()
            if not text or text.startswith(("@", "#", "//", "/*", "*", "[")):
                continue
            if _CONTROL.match(text):
                return False
            if _DEFINITION.search(text[:_LONGEST_HEAD]):
                return True
            if last - first > _LONGEST_HEAD or self.lines[last].rstrip()[-1:] != "{":
                return False
            whole = " ".join(part.strip() for part in self.lines[first : last + 1])
            return len(whole) <= _LONGEST_HEAD and _FUNCTION.fullmatch(whole) is not None
        return False

    def plain(self, first: int, last: int, parent: int, statement: bool = True) -> None:
        """Lines without bodies: a statement, or what stands between statements."""
        while first <= last and not self.lines[first].strip():
            first += 1
        if first > last:
            return
        head = self.lines[first].strip()
        if (_COMMENT.match(head) and not statement) or head.startswith(("//", "/*")):
            self.text(first, last, parent, Role.COMMENT, closed=head.startswith("/*"))
        elif _IMPORT.match(head):
            self.unit(first, last, parent, Role.IMPORT)
        elif self.defines(first, last):
            self.unit(first, last, parent, Role.DECLARATION)
        else:
            self.unit(first, last, parent, Role.STATEMENT)

    def text(self, first: int, last: int, parent: int, role: Role, closed: bool) -> None:
        """A comment or docstring: its beginning, the lines that follow, and what closes it."""
        while last > first and not self.lines[last].strip():
            last -= 1
        if last - first < _LONG_TEXT:
            self.unit(first, last, parent, role)
            return
        opening = first + (1 if not self.lines[first].strip().strip("/*\"'rRuUbBfF#!") else 0)
        row = self.unit(first, opening, parent, role)
        inside = 1 if closed else 0
        for number in range(opening + 1, last + (0 if closed else 1)):
            if self.lines[number].strip():
                self.units.add(number, number, row, Role.TEXT, inside=inside)
        if closed and last > opening:
            self.unit(last, last, row, Role.AFTER, follows=row)

    def unit(self, first: int, last: int, parent: int, role: Role, follows: int = -1) -> int:
        """A unit without the blank lines at its ends."""
        while first < last and not self.lines[first].strip():
            first += 1
        while last > first and not self.lines[last].strip():
            last -= 1
        return self.units.add(first, last, parent, role, follows)
