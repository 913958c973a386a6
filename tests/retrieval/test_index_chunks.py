"""Chunks of files: verbatim, all of the text once, 200 to 1,500 characters, cut where it hurts least."""

from __future__ import annotations

from functools import partial

import pytest
from growth import MOST, growth
from hypothesis import given, strategies as st
from tersely.retrieval.index.chunking import Chunk, cut_chunks
from text_strategies import texts

KINDS = ("text", "rst", "python", "javascript", "go", "shell")
WORDS = "The harbour master keeps a log of each ship that enters, with its draught and its cargo. "


def check_chunks(text: str, chunks: list[Chunk]) -> None:
    """What cut_chunks promises of anything but web pages."""
    at = 0
    for chunk in chunks:
        assert not text[at : chunk.start].strip()
        assert chunk.content == text[chunk.start : chunk.end]
        assert chunk.content == chunk.content.strip()
        assert 0 < len(chunk.content) <= 1500
        at = chunk.end
    assert not text[at:].strip()


@given(texts, st.sampled_from(KINDS))
def test_b002_chunks_are_verbatim_and_hold_all_of_the_text_once(text: str, kind: str) -> None:
    check_chunks(text, cut_chunks(text, kind))


pieces = st.sampled_from(
    [
        "# Head\n\n",
        "## Sub\n\n",
        "Title\n=====\n\n",
        "- item one\n- item two\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n",
        "```py\nx = 1\n\ny = 2\n```\n\n",
        "def f(x):\n    return x\n\n",
        "A line.\n",
        WORDS,
        WORDS * 3 + "\n\n",
        "x" * 700 + "\n\n",
        "x " * 900 + "\n\n",
        "\n",
    ]
)


@given(st.lists(pieces, max_size=60).map("".join), st.sampled_from(KINDS))
def test_b002_chunks_have_200_to_1500_characters(text: str, kind: str) -> None:
    chunks = cut_chunks(text, kind)
    check_chunks(text, chunks)
    if len(text.strip()) >= 200:
        assert all(len(chunk.content) >= 200 for chunk in chunks), [len(chunk.content) for chunk in chunks]
    else:
        assert len(chunks) <= 1


@given(
    st.lists(
        st.sampled_from(["<h1>A &amp; B</h1>", "<p>One two.</p>", "<h2>C", "</h2>", "<li>x", WORDS]),
        max_size=40,
    )
)
def test_chunks_of_pages_are_made_of_the_source(parts: list[str]) -> None:
    source = "".join(parts)
    at = 0
    for chunk in cut_chunks(source, "html"):
        assert at <= chunk.start < chunk.end <= len(source)
        part = source[chunk.start : chunk.end]
        for word in chunk.content.split():
            assert word in part
        at = chunk.end


def test_b002_header_paths_of_markdown() -> None:
    text = f"# Port\n\n{WORDS * 4}\n\n## Tides ##\n\n{WORDS * 4}\n\nPilots\n------\n\n{WORDS * 4}"
    found = [(chunk.header_path, chunk.content[:8]) for chunk in cut_chunks(text, "text")]
    assert found == [("Port", "# Port\n\n"), ("Port > Tides", "## Tides"), ("Port > Pilots", "Pilots\n-")]


def test_b002_header_paths_of_restructuredtext_follow_the_order_of_styles() -> None:
    over = f"****\nPort\n****\n\n{WORDS * 4}\n\n"
    text = over + "".join(
        f"{title}\n{mark * len(title)}\n\n{WORDS * 4}\n\n"
        for title, mark in (("Tides", "="), ("Spring :term:`tide`", "^"), ("Pilots", "="))
    )
    paths = [chunk.header_path for chunk in cut_chunks(text, "rst")]
    assert paths == ["Port", "Port > Tides", "Port > Tides > Spring tide", "Port > Pilots"]


def test_a_table_of_restructuredtext_is_no_heading() -> None:
    text = f"Port\n====\n\n=====  =====\nA      B\n=====  =====\n1      2\n=====  =====\n\n{WORDS * 3}"
    assert {chunk.header_path for chunk in cut_chunks(text, "rst")} == {"Port"}


def test_b002_header_paths_of_pages() -> None:
    text = (
        f"<html><title>x</title><body><h1>Port &amp; quay<a href='#p'>¶</a></h1><p>{WORDS * 4}</p>"
        f"<h2 class='x'>Tides</h2><p>{WORDS * 4}</p><script>var a = '<h1>no</h1>';</script></body></html>"
    )
    chunks = cut_chunks(text, "html")
    assert [chunk.header_path for chunk in chunks] == ["Port & quay", "Port & quay > Tides"]
    assert "<p>" not in chunks[0].content and text[chunks[1].start :].startswith("Tides</h2>")


def test_b002_header_paths_of_code() -> None:
    body = "".join(
        f"        self.value_{number} = {number}  # a line of some length\n" for number in range(8)
    )
    text = f"class Ship:\n    def load(self):\n{body}\n    def sail(self):\n{body}\n\ndef dock(ship):\n{body}"
    paths = [chunk.header_path for chunk in cut_chunks(text, "python")]
    assert paths == ["class Ship > def load(self)", "class Ship > def sail(self)", "def dock(ship)"]


def test_small_sections_are_merged_and_carry_what_their_paths_share() -> None:
    sections = "".join(f"## Part {number}\n\n{WORDS}\n\n" for number in range(4))
    chunks = cut_chunks(f"# Port\n\n{sections}", "text")
    assert all(len(chunk.content) >= 200 for chunk in chunks)
    assert {chunk.header_path for chunk in chunks} == {"Port"}


def test_fences_tables_and_sentences_are_not_cut() -> None:
    fence = "```sh\n" + "".join(f"make target-{number}\n\n" for number in range(20)) + "```"
    table = "| ship | draught |\n|---|---|\n" + "".join(f"| ship {n} | {n} m |\n" for n in range(25))
    text = "# Port\n\n" + f"{WORDS * 5}\n\n{fence}\n\n{WORDS * 9}\n\n{table}\n\n" * 3
    chunks = [chunk.content for chunk in cut_chunks(text, "text")]
    assert sum(fence in chunk for chunk in chunks) == 3
    assert sum(table.strip() in chunk for chunk in chunks) == 3
    for chunk in chunks:
        assert chunk.count("```") % 2 == 0
        assert chunk.endswith((".", "```", "|")), chunk[-40:]


def test_a_heading_stays_with_its_text() -> None:
    text = "".join(f"## Part {number}\n\n{WORDS * (number % 9 + 3)}\n\n" for number in range(40))
    for chunk in cut_chunks(text, "text"):
        assert not chunk.content.splitlines()[-1].startswith("##")


@pytest.mark.parametrize("kind", KINDS)
def test_long_lines_are_cut_at_words(kind: str) -> None:
    text = ("word" * 5 + " ") * 1000
    for chunk in cut_chunks(text, kind):
        assert set(chunk.content.split()) == {"word" * 5}


@pytest.mark.growth
@pytest.mark.parametrize(
    "part", ["# a\n\n", "- a\n", "<h1 ", "=\n=\n", "a\n====\n", "def f(): x\n", "((((", "x"]
)
def test_chunking_is_linear(part: str) -> None:
    for kind in ("text", "rst", "html", "python"):
        assert growth(lambda size: part * (size // len(part)), partial(cut_chunks, kind=kind)) < MOST
