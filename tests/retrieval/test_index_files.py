"""Which files of a folder are indexed, and what is said of the others."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from index_folders import WORDS, contents, write_folder
from tersely.retrieval.index import Index


def notes(index: Index) -> dict[str, str]:
    assert index.report is not None
    return {note.path: note.reason for note in index.report.notes}


def test_kinds_of_files_and_what_is_left_out(tmp_path: Path) -> None:
    text = (WORDS["tide"] + "\n") * 5
    for name in (
        "a.md",
        "b.TXT",
        "c.rst",
        "d.html",
        "e.py",
        "f.rs",
        "README",
        "deep/er/g.markdown",
        "h.rst.txt",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for name in (".hidden.md", "x.png", "y.json", "z.pdf", ".git/config.md", "deep/.secret/s.txt"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    index = Index.build(tmp_path)
    assert index.files() == sorted(
        ["README", "a.md", "b.TXT", "c.rst", "d.html", "deep/er/g.markdown", "e.py", "f.rs", "h.rst.txt"]
    )
    assert notes(index) == {}


def test_links_binary_huge_and_broken_files_have_notes(tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "folder"
    outside.mkdir()
    folder.mkdir()
    (outside / "secret.md").write_text("secret " * 100, encoding="utf-8")
    (folder / "whole.md").write_text("whole " * 100, encoding="utf-8")
    (folder / "link.md").symlink_to(outside / "secret.md")
    (folder / "dir").symlink_to(outside)
    (folder / "inner.md").symlink_to(folder / "whole.md")
    (folder / "circle.md").symlink_to(folder / "circle.md")
    (folder / "up").symlink_to("..")
    (folder / "binary.txt").write_bytes(b"\x7fELF\0\1\2" * 100)
    (folder / "huge.txt").write_text("huge " * 1000, encoding="utf-8")
    (folder / "latin.txt").write_bytes("Ein Schiff fährt über die Brücke. ".encode("latin-1") * 10)
    os.mkfifo(folder / "pipe.md")
    (folder / os.fsdecode(b"caf\xe9.md")).write_text("name " * 100, encoding="utf-8")
    index = Index.build(folder, largest_file=4000)
    assert index.files() == ["latin.txt", "whole.md"]
    assert notes(index) == {
        "binary.txt": "binary",
        "caf\\udce9.md": "name_not_utf8",
        "circle.md": "link_outside",
        "dir": "link_outside",
        "huge.txt": "too_large",
        "latin.txt": "not_utf8",
        "link.md": "link_outside",
        "pipe.md": "not_a_file",
        "up": "link_outside",
    }
    assert "secret" not in " ".join(contents(index).values())
    assert "f\ufffdhrt" in index.search("Schiff")[0].content
    assert index.report is not None and (index.report.added, index.report.files) == (2, 2)
    header = (folder / ".tersely" / "index.json").read_bytes()
    assert notes(Index.build(folder, largest_file=4000)) == notes(index)  # unchanged files keep theirs
    assert (folder / ".tersely" / "index.json").read_bytes() == header  # and nothing is written anew


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_has_a_note(tmp_path: Path) -> None:
    write_folder(tmp_path)
    (tmp_path / "tide.md").chmod(0)
    closed = tmp_path / "closed"
    closed.mkdir(mode=0)
    try:
        assert notes(Index.build(tmp_path)) == {"closed": "unreadable", "tide.md": "unreadable"}
    finally:
        closed.chmod(0o700)


def test_a_file_that_becomes_unusable_leaves_the_index(tmp_path: Path) -> None:
    write_folder(tmp_path)
    assert "tide.md" in Index.build(tmp_path).files()
    (tmp_path / "tide.md").write_bytes(b"\0" * 500)
    index = Index.build(tmp_path)
    assert "tide.md" not in index.files() and notes(index) == {"tide.md": "binary"}
    assert index.report is not None and (index.report.removed, index.report.changed) == (1, 0)


def test_a_byte_order_mark_and_line_ends_stay_out_of_the_way(tmp_path: Path) -> None:
    text = f"# Head\r\n\r\n{WORDS['tide'] * 3}\r\n\r\nA late \0 byte.\r\n"
    (tmp_path / "a.md").write_bytes(b"\xef\xbb\xbf" + b" " * 9000 + b"\n" + text.encode())
    index = Index.build(tmp_path)
    (only,) = index.search("tide water")
    assert only.content == text.strip() and only.header_path == "Head"
    _, start, end = index.span(only.chunk_id)
    assert (tmp_path / "a.md").read_bytes().decode("utf-8-sig")[start:end] == only.content


def test_the_index_folder_is_not_indexed(tmp_path: Path) -> None:
    write_folder(tmp_path)
    for _ in range(2):
        index = Index.build(tmp_path, tmp_path / "visible")
        (index.folder / "note.md").write_text("x" * 500, encoding="utf-8")
        assert index.files() == sorted(f"{word}.md" for word in WORDS)
