"""Links between pages lead somewhere, and llms.txt and the table of contents have every guide."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from markdown_blocks import ROOT

GUIDES = sorted([*(ROOT / "docs" / "guide").glob("*.md"), *(ROOT / "docs" / "migration").glob("*.md")])
PAGES = [*sorted(ROOT.glob("*.md")), ROOT / "llms.txt", *sorted((ROOT / "docs").rglob("*.md"))]
_FENCE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub and MyST make them."""
    headings = re.findall(r"^#+ (.*)$", _FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    text = _FENCE.sub("", page.read_text(encoding="utf-8"))
    for link in re.findall(r"\]\((?!https?:|mailto:)([^)\s]+)\)", text):
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_every_guide_is_in_the_table_of_contents_and_in_llms_txt() -> None:
    contents = re.findall(
        r"^```\{toctree\}.*?^```$", (ROOT / "docs" / "index.md").read_text(), re.MULTILINE | re.DOTALL
    )
    guides = {f"guide/{page.stem}" for page in GUIDES if page.parent.name == "guide"}
    assert guides <= set("\n".join(contents).split())
    assert [one for one in sorted(guides) if f"docs/{one}.md" not in (ROOT / "llms.txt").read_text()] == []
