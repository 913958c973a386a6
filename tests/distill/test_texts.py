"""A folder of text -> sentences: which files, which sentences, and how they are shared out."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from tersely import distill as texts
from tersely.distill import read_text, sample_sentences, text_files


def numbered(first: int, count: int) -> str:
    return "\n\n".join(f"Sentence {number} stands for itself here." for number in range(first, first + count))


def test_only_text_is_read_and_hidden_files_and_links_are_not(tmp_path: Path) -> None:
    for name in ("b.txt", "a.md", "c/d.html", "c/e.rst.gz", ".hidden/x.txt", "c/.y.txt", "z.py", "gz"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    (tmp_path / "link.txt").symlink_to(tmp_path / "b.txt")
    found = [str(path.relative_to(tmp_path)) for path in text_files(tmp_path)]
    assert found == ["a.md", "b.txt", "c/d.html", "c/e.rst.gz"]


def test_a_folder_without_text_is_an_error_that_says_what_is_read(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"holds no text: files named \.txt, \.md"):
        text_files(tmp_path)
    with pytest.raises(ValueError, match="is not a folder"):
        text_files(tmp_path / "missing")


def test_a_page_is_its_words_and_blocks_are_apart(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(
        "<html><head><title>No</title><script>var x = 1;</script></head><body><h1>Tides &amp; fees</h1>"
        "<p>High\n water <b>is</b> at six.</p><pre>code()</pre><ul><li>One<li>Two</ul></body>"
    )
    assert [line for line in read_text(path).split("\n") if line] == [
        "Tides & fees",
        "High water is at six.",
        "One",
        "Two",
    ]


def test_an_unclosed_element_hides_nothing_after_it(tmp_path: Path) -> None:
    path = tmp_path / "page.htm"
    path.write_text("<nav>menu</nav></nav></script><p>Words after stray ends stay.")
    assert "Words after stray ends stay." in read_text(path)


def test_long_and_damaged_files_are_read_as_far_as_they_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(texts, "LARGEST_FILE", 1000)
    (tmp_path / "long.txt").write_text("a" * 5000)
    (tmp_path / "bomb.txt.gz").write_bytes(gzip.compress(b"a" * 10_000_000))
    whole = gzip.compress(bytes(range(256)) * 10, mtime=0)
    (tmp_path / "cut.txt.gz").write_bytes(whole[:-20])
    (tmp_path / "none.txt.gz").write_bytes(b"this is not gzip")
    (tmp_path / "bytes.txt").write_bytes(b"\xff\xfeok")
    read = {path.name: read_text(path) for path in text_files(tmp_path)}
    assert len(read["long.txt"]) == len(read["bomb.txt.gz"]) == 1000
    assert len(read["cut.txt.gz"]) <= 1000
    assert read["none.txt.gz"] == ""
    assert read["bytes.txt"] == "\ufffd\ufffdok"


def test_sentences_are_distinct_neither_short_nor_long_and_mostly_letters(tmp_path: Path) -> None:
    lines = ["The pilot waits.", "THE PILOT WAITS.", "Too short.", "1234 5678 9012 3456 78.", "word " * 200]
    (tmp_path / "a.txt").write_text("\n\n".join(lines))
    (tmp_path / "b.txt").write_text("The pilot\nwaits.\n\n```\nsome_code(that, waits)\n```\n")
    assert [line.casefold() for line in sample_sentences(tmp_path, 100)] == ["the pilot waits."]


def test_small_sources_are_taken_whole_and_large_ones_share_by_the_root(tmp_path: Path) -> None:
    for name, first, count in (("small", 0, 20), ("middle", 1000, 400), ("large", 10_000, 1600)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text(numbered(first, count))
    chosen = [int(line.split()[1]) for line in sample_sentences(tmp_path, 900)]
    small, large = sum(n < 1000 for n in chosen), sum(n >= 10_000 for n in chosen)
    assert len(chosen) == 900
    assert small == 20
    assert large == pytest.approx(528, abs=2)  # of 880, by the roots of 400 and of 900: no more count


def test_the_order_of_files_does_not_matter(tmp_path: Path) -> None:
    for folder, names in (("one", "abc"), ("two", "cab")):
        (tmp_path / folder).mkdir()
        for place, name in enumerate(names):
            (tmp_path / folder / f"{place}.txt").write_text(numbered(100 * ord(name), 50))
    assert sample_sentences(tmp_path / "one", 60) == sample_sentences(tmp_path / "two", 60)


def test_memory_for_sentences_is_bounded_by_the_count(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(numbered(0, 6000))
    lowest = texts._Lowest(10)
    for line in numbered(0, 6000).split("\n\n"):
        lowest.add(line)
        assert len(lowest._kept) <= 2 * 10 + 1024
    assert [line for _, line in lowest.sorted()] == sample_sentences(tmp_path, 10)


@given(st.lists(st.integers(0, 500), max_size=12), st.integers(0, 2000))
def test_shares_use_the_count_and_stay_within_the_sizes(sizes: list[int], count: int) -> None:
    shares = texts._shares(sizes, count)
    assert sum(shares) == min(count, sum(sizes))
    assert all(0 <= share <= size for share, size in zip(shares, sizes, strict=True))
