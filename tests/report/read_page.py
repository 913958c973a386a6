"""A page, read back with a parser: its texts without what the page itself says, and its markup."""

from __future__ import annotations

from dataclasses import dataclass
from html.parser import HTMLParser

VOID = {"meta", "input", "rect", "link", "img", "br", "hr", "base", "embed", "source"}


@dataclass
class Element:
    tag: str
    attributes: dict[str, str]
    text: str = ""

    @property
    def classes(self) -> set[str]:
        return set(self.attributes.get("class", "").split())


class Page(HTMLParser):
    """All elements in order; `texts` are the source's documents, `results` what was made of them."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self.open: list[Element] = []
        self.feed(page)
        self.close()
        assert not self.open, "every element is closed"
        columns = [element for element in self.elements if "text" in element.classes]
        self.texts = [element.text for element in columns if "result" not in element.classes]
        self.results = [element.text for element in columns if "result" in element.classes]

    @property
    def result(self) -> str:
        (text,) = self.results
        return text

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), "no attribute twice"
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        assert tag in VOID

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        if not any("x" in element.classes for element in self.open):  # what the page says itself
            for element in self.open:
                element.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(f"a declaration: {data}")

    def handle_pi(self, data: str) -> None:
        raise AssertionError(f"an instruction: {data}")

    def all(self, tag: str, *classes: str) -> list[Element]:
        return [e for e in self.elements if e.tag == tag and set(classes) <= e.classes]


def shown(text: str) -> str:
    """A text as the page shows it: control characters as their pictures."""
    return "".join(
        chr(0x2400 + ord(c)) if ord(c) < 32 and c not in "\t\n\r" else "\u2421" if c == "\x7f" else c
        for c in text
    )
