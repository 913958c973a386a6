"""Find the sections of a file's text: where each starts, and the headings or definitions above it."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field

import numpy as np

from tersely.content.code_units import Role, read_code
from tersely.content.html import PageText
from tersely.core.tables import Kind, Level
from tersely.engine.segment import segment

__all__ = ["Sections", "code_sections", "page_sections", "rst_sections", "text_sections"]

_LONGEST_TITLE = 100  # characters
_DEEPEST = 8  # headings of a path
_MARKS = re.compile(r"^[ \t]*#{1,6}[ \t]+|(?<![ \t])[ \t]++#++[ \t]*$|(?<!\s)\s*+\{#[^{}\n]{0,80}\}\s*$")
_UNDERLINE = re.compile(r"\n[ \t]*[=\-~^\"'`#*+:.<>_]{2,}[ \t]*$")
_PAGE_HEADING = re.compile(r"<h([1-6])(?:\s[^<>]{0,2000})?>", re.IGNORECASE)
_PAGE_HEADING_END = re.compile(r"</h[1-6]", re.IGNORECASE)
_RST_LINE = re.compile(r"([!-/:-@\[-`{-~])\1{2,}[ \t]*\r?")
_ROLE = re.compile(r":[a-z:]{1,20}:`[!~]?([^`]{1,100})`")
_LONGEST_HEADING = 2000  # characters of a page's source


@dataclass(slots=True)
class Sections:
    """Stretches of text, each up to the next one, as lists (headings may be many).

    Attributes:
        starts: the first character of each; the first is 0 and has no heading.
        bodies: where its heading ends and its text starts; its start where it has no heading of its own.
        paths: headings from the outermost to its own.
    """

    starts: list[int] = field(default_factory=lambda: [0])
    bodies: list[int] = field(default_factory=lambda: [0])
    paths: list[tuple[str, ...]] = field(default_factory=lambda: [()])

    def add(self, start: int, body: int, path: tuple[str, ...]) -> None:
        """Add the next one."""
        self.starts.append(start)
        self.bodies.append(body)
        self.paths.append(path)


def text_sections(text: str) -> Sections:
    """Find the sections of Markdown and plain text, by the segmenter's headings. O(characters)."""
    table = segment([text], Level.PARAGRAPH)
    sections = Sections()
    paths: dict[int, tuple[str, ...]] = {-1: ()}
    starts, ends, above = table.start.tolist(), table.end.tolist(), table.heading.tolist()
    known: dict[tuple[tuple[str, ...], str], tuple[str, ...]] = {}  # headings come again
    for row in (table.kind == Kind.HEADING).nonzero()[0].tolist():
        start, end = starts[row], ends[row]
        heading = paths.get(above[row], ()), text[start:end]
        path = known.get(heading)
        if path is None:
            title = _MARKS.sub("", _UNDERLINE.sub("", heading[1].strip()))
            path = known[heading] = _join_path(heading[0], title)
        paths[row] = path
        sections.add(start, end, path)
    return sections


def rst_sections(text: str) -> Sections:
    """Find the sections of reStructuredText: titles with a line of punctuation under (and over) them.

    A style's level is the order in which it first comes, as docutils has it. O(characters).
    """
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    sections, path = Sections(), list[str]()
    styles: dict[tuple[str, bool], int] = {}
    number = 1
    while number < len(lines):
        title, under = lines[number - 1].rstrip(), lines[number]
        mark = _RST_LINE.fullmatch(under)
        if (
            mark is None
            or not title.strip()
            or _RST_LINE.fullmatch(title)
            or len(under.rstrip()) < len(title)
        ):
            number += 1
            continue
        over = number >= 2 and lines[number - 2].rstrip() == under.rstrip()
        if (title[0].isspace() and not over) or (not over and number >= 2 and lines[number - 2].strip()):
            number += 1  # a title stands after a blank line
            continue
        level = styles.setdefault((mark.group(1), over), len(styles))
        del path[level:]
        path.append(_one_line(_ROLE.sub(r"\1", title)))
        first = number - 2 if over else number - 1
        sections.add(starts[first], starts[number] + len(under), tuple(path[-_DEEPEST:]))
        number += 2
    return sections


def page_sections(source: str, page: PageText) -> Sections:
    """Find the sections of a web page's text, by its h1 to h6. O(characters + headings log pieces)."""
    sections = Sections()
    path: list[tuple[int, str]] = []
    for heading in _PAGE_HEADING.finditer(source):
        closing = _PAGE_HEADING_END.search(source, heading.end(), heading.end() + _LONGEST_HEADING)
        if closing is None:
            continue
        places = list(page.to_plain(heading.end(), closing.start()))
        if not places or places[0][0] < sections.bodies[-1]:
            continue
        start, end = places[0][0], places[-1][1]
        level = int(heading.group(1))
        path = [part for part in path if part[0] < level]
        path.append((level, _one_line(html.unescape(page.plain[start:end]).rstrip("¶ \n"))))
        sections.add(start, end, tuple(title for _, title in path[-_DEEPEST:]))
    return sections


def code_sections(text: str, language: str) -> Sections:
    """Find the sections of source code: definitions, and what stands between them. O(characters)."""
    lines = text.split("\n")
    units = read_code(language, text)
    first, last, role = units.first.tolist(), units.last.tolist(), units.role.tolist()
    needs = np.where(units.follows < 0, units.parent, units.follows).tolist()
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    sections = Sections()
    paths: list[tuple[str, ...]] = []
    for row, parent in enumerate(needs):
        above = paths[parent] if 0 <= parent < row else ()
        if role[row] in (Role.DEFINITION, Role.DECLARATION):
            above = _join_path(above, _signature(lines[first[row] : last[row] + 1]))
        paths.append(above)
        start = starts[first[row]]
        if above != sections.paths[-1] and start >= sections.starts[-1]:
            sections.add(start, start, above)
    return sections


def _signature(lines: list[str]) -> str:
    """Return the line of a definition that names what it defines: not its decorators and comments."""
    for line in lines:
        text = line.strip()
        if text and not text.startswith(("@", "#", "//", "/*", "*", "[")):
            return text.rstrip("{ :")
    return lines[0]


def _join_path(path: tuple[str, ...], title: str) -> tuple[str, ...]:
    return (*path[: _DEEPEST - 1], _one_line(title))


def _one_line(title: str) -> str:
    """Put a title on one line, not too long, without the mark that separates the headings of a path."""
    title = " ".join(title.split()).replace(" > ", " ")
    return title if len(title) <= _LONGEST_TITLE else title[: _LONGEST_TITLE - 1] + "…"
