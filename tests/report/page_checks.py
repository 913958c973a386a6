"""What holds of every page, whatever is on it."""

from __future__ import annotations

from read_page import Page

TAGS = (
    "a abbr article b bdi body button dd details div dl dt h1 h2 h3 head header html i input kbd label li "
    "main mark meta nav output p q rect script section span style summary svg table tbody td th "
    "thead title tr ul"
)


def check_safe(page: Page) -> None:
    assert {element.tag for element in page.elements} <= set(TAGS.split())
    assert len(page.all("script")) == len(page.all("style")) == len(page.all("title")) == 1
    for element in page.elements:
        names = set(element.attributes)
        assert not [name for name in names if name.startswith("on") or name in ("style", "src", "srcset")]
        assert element.attributes.get("href", "#").startswith("#"), "links stay on the page"
    anchors = [e.attributes["id"] for e in page.elements if "id" in e.attributes]
    assert len(anchors) == len(set(anchors))
    targets = {e.attributes["href"][1:] for e in page.all("a")}
    assert targets <= set(anchors)
