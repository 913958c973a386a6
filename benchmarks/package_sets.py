"""Questions made from published packages, which anybody can fetch from the package index: the same for all.

Derived, not human: the heading of a section of the documentation asks for the section's first sentence, and
the first line of a docstring for the rest of its function. Headings and docstrings are taken out of the
texts. Each question stands beside nine other passages that share its rarest words.
"""

from __future__ import annotations

import ast
import io
import re
import tarfile
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from benchmarks.distractors import Distractors

__all__ = ["code_functions", "docs_sections"]

Row = dict[str, Any]
_HEADING = re.compile(r"^(?P<title>\S[^\n]*)\n(?P<line>[=\-~^\"'`*+#])(?P=line){2,}[ ]*$", re.MULTILINE)
_FIRST = re.compile(r"[A-Z][^\n]*?(?:\n[^\n]+?)*?[.:](?=\s|$)")
_ROLE = re.compile(r":[\w:]+:`~?\.?([^`<]+)[^`]*`|``?([^`]+)``?")
_WORDS = 3  # of a heading, at least
_SENTENCE = range(40, 400)  # characters of a section's first sentence
_SECTION = range(200, 4_000)  # characters of a section
_LINES = range(4, 60)  # of a function without its docstring
_ASKED = 5  # words of the first line of a docstring, at least
_APART = ("changes", "license", "contributing", "index", "changelog")


class Passage(NamedTuple):
    """A passage, what asks for it, and where in it the answer stands."""

    asked: str
    title: str
    text: str
    start: int
    end: int


def docs_sections(sources: Sequence[bytes]) -> Iterator[Row]:
    """Sections of documentation, each asked for by its heading."""
    pages = _files(sources, lambda name: "/docs/" in name and name.endswith(".rst"))
    return _rows("docs", [passage for name, text in pages for passage in _sections(name, text)])


def code_functions(sources: Sequence[bytes]) -> Iterator[Row]:
    """Functions and methods, each asked for by the first line of its docstring."""
    modules = _files(sources, lambda name: "/src/" in name and name.endswith(".py"))
    return _rows("code", [passage for name, text in modules for passage in _functions(name, text)])


def _files(sources: Sequence[bytes], wanted: Callable[[str], bool]) -> Iterator[tuple[str, str]]:
    for source in sources:
        with tarfile.open(fileobj=io.BytesIO(source)) as archive:
            for member in sorted(archive.getmembers(), key=lambda member: member.name):
                stem = member.name.rpartition("/")[2].partition(".")[0]
                if member.isfile() and wanted(member.name) and stem not in _APART:
                    file = archive.extractfile(member)
                    assert file is not None
                    yield member.name, file.read().decode("utf-8", "replace").replace("\r\n", "\n")


def _sections(name: str, page: str) -> Iterator[Passage]:
    headings = list(_HEADING.finditer(page))
    for heading, following in zip(headings, [*headings[1:], None], strict=False):
        asked = _ROLE.sub(lambda found: found[1] or found[2], heading["title"]).strip()
        text = page[heading.end() : None if following is None else following.start()].strip()
        first = _FIRST.match(text)
        if first and len(asked.split()) >= _WORDS and len(first[0]) in _SENTENCE and len(text) in _SECTION:
            yield Passage(asked, name, text, 0, first.end())


def _functions(name: str, module: str) -> Iterator[Passage]:
    lines = module.split("\n")
    for node in ast.walk(ast.parse(module)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        asked = (ast.get_docstring(node) or "").partition("\n")[0].strip()
        docstring = node.body[0]
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]) - 1
        kept = [*lines[first : docstring.lineno - 1], *lines[docstring.end_lineno or 0 : node.end_lineno]]
        if len(asked.split()) >= _ASKED and len(kept) in _LINES:
            text = "\n".join(kept).rstrip()
            yield Passage(asked, f"{name}:{node.name}", text, 0, len(text))


def _rows(kind: str, passages: Sequence[Passage]) -> Iterator[Row]:
    """Each question once, beside its own passage and nine that share its rarest words."""
    distinct = list({passage.text: passage for passage in passages}.values())
    titles = {passage.text: passage.title for passage in distinct}
    near = Distractors(list(titles))
    for asked, passage in {passage.asked: passage for passage in distinct}.items():
        said = passage.text[passage.start : passage.end]
        shown = near.among(asked, [passage.text], lambda text, said=said: said not in text)  # type: ignore[misc]
        place = {"doc": shown.index(passage.text), "start": passage.start, "end": passage.end, "text": said}
        yield {
            "id": f"{kind}-{passage.title}-{asked}",
            "query": asked,
            "documents": [
                {"id": str(at), "title": titles[text], "text": text} for at, text in enumerate(shown)
            ],
            "evidence": [{**place, "kind": "derived"}],
        }
