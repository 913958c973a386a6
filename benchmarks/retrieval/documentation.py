"""Sphinx's HTML pages -> a folder to index, and questions whose answers are known by construction.

| set | question | answer | |
|---|---|---|---|
| headings | a heading that is a question (FAQ) | the text under it | these headings are taken out first |
| modules | what the index of modules says of one | its page | the index of modules is left out |
| glossary | "What is TERM?" | the definition | |
| names | a function's or class's full name | where it is documented | every 12th of the library |

In the first two, a writer put the same thing in other words twice, so words are shared by chance.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Question", "make_questions"]

_LEFT_OUT = re.compile(r"(?:genindex.*|py-modindex|contents|search|index)\.html")
_HEADING = re.compile(r"<h([2-4])>(<a class=\"toc-backref\"[^>]*>)(.*?)</a>", re.DOTALL)
_MODULE = re.compile(
    r'<a href="([^"#]+)#module-[^"]+"><code class="xref">([^<]+)</code></a>.*?<em>([^<]+)</em>', re.DOTALL
)
_TERM = re.compile(r'<dt id="term-[^"]*">(.*?)</dt><dd>(.*?)</dd>', re.DOTALL)
_NAME = re.compile(r'<dt class="sig sig-object py" id="([^"]+)">(.*?)</dt>', re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_EACH_NAME = 12  # of so many
_FEWEST_CHARACTERS = 300  # of source under a heading


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and where its answer is: characters of a page; `end` 0 for anywhere in it."""

    set: str
    text: str
    path: str
    start: int = 0
    end: int = 0


def make_questions(source: Path, target: Path) -> list[Question]:
    """Write the pages that are indexed to `target`, and give the questions."""
    pages = {
        path.relative_to(source).as_posix(): path.read_text(encoding="utf-8", errors="replace")
        for path in sorted(source.rglob("*.html"))
        if not path.is_symlink() and not _LEFT_OUT.fullmatch(path.name)
    }
    asked = {
        name: list(
            dict.fromkeys(
                match.group(3) for match in _HEADING.finditer(page) if _words(match.group(3)).endswith("?")
            )
        )
        for name, page in pages.items()
    }
    for heading in sorted({heading for found in asked.values() for heading in found}, key=len, reverse=True):
        # the anchor stays: it says where the answer begins
        pages = {name: page.replace(f">{heading}</a>", "></a>") for name, page in pages.items()}
    questions = []
    for name, page in pages.items():
        if asked[name]:
            questions += _headings(name, page, asked[name])
        if name == "glossary.html":
            questions += [
                Question("glossary", f"What is {_words(match.group(1))}?", name, *match.span(2))
                for match in _TERM.finditer(page)
            ]
        if name.startswith("library/"):
            questions += [
                Question("names", match.group(1), name, *match.span()) for match in _NAME.finditer(page)
            ]
    names = [question for question in questions if question.set == "names"]
    questions = [question for question in questions if question.set != "names"] + names[::_EACH_NAME]
    modules = source / "py-modindex.html"
    if modules.exists():
        for match in _MODULE.finditer(modules.read_text(encoding="utf-8")):
            if match.group(1) in pages:
                questions.append(Question("modules", _words(match.group(3)), match.group(1)))
    for name, page in pages.items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_text(page, encoding="utf-8")
    return questions


def _headings(name: str, page: str, asked: list[str]) -> list[Question]:
    """The texts under the headings that were taken out, in the order of the page."""
    empty = [match for match in _HEADING.finditer(page) if not match.group(3)]
    found = []
    for match, heading in zip(empty, asked, strict=True):
        after = page.find("<h", match.end())
        end = after if after >= 0 else page.find("</section>", match.end())
        if end - match.end() >= _FEWEST_CHARACTERS:
            found.append(Question("headings", _words(heading), name, match.end(), end))
    return found


def _words(markup: str) -> str:
    return " ".join(html.unescape(_TAG.sub("", markup)).replace("¶", "").split())
