"""Documents are called by their titles or file names, and no two files alike."""

from __future__ import annotations

import pytest
import tersely
from read_page import Page
from tersely.report import to_html
from tersely.report.pieces import heading_of, titles_of
from tersely.types import Document


def named(*ids: str) -> list[Document]:
    return [Document("Text.", id=one) for one in ids]


@pytest.mark.parametrize(
    ("ids", "short"),
    [
        (("/data/notes/tides.md",), ["tides.md"]),
        (("a/tides.md", "b/tides.md", "b/fog.md"), ["a/tides.md", "b/tides.md", "fog.md"]),
        (("x/a/t.md", "y/a/t.md"), ["x/a/t.md", "y/a/t.md"]),
        (("t.md", "t.md"), ["t.md", "t.md"]),
        ((r"C:\notes\tides.md", "chunk-17"), ["tides.md", "chunk-17"]),
        (("https://example.org/a/tides.html?page=2",), ["tides.html"]),
    ],
)
def test_as_much_of_a_path_as_tells_it_apart(ids: tuple[str, ...], short: list[str]) -> None:
    assert [title.short for title in titles_of(named(*ids))] == short


def test_titles_and_metadata_and_numbers() -> None:
    documents = [
        Document("a", id="x/y.md", title="Tides"),
        Document("b", metadata={"source": "/data/fog.txt"}),
        Document("c"),
    ]
    titles = titles_of(documents)
    assert [title.short for title in titles] == ["Tides", "fog.txt", "Document 3"]
    assert titles[1].html == '<bdi title="/data/fog.txt">fog.txt</bdi>'
    assert heading_of(documents, titles) == "3 documents"


def test_the_page_is_called_after_the_file_and_its_path_is_there_to_see() -> None:
    documents = [{"text": "High water.", "id": "north/tides.md"}, {"text": "Low water.", "id": "fog.md"}]
    page = Page(to_html(tersely.compress(documents, budget=8)))
    assert page.all("title")[0].text == "tides.md, fog.md – tersely"
    assert page.all("h3")[0].text == "tides.md"
    assert page.all("bdi")[1].attributes == {"title": "north/tides.md"}
