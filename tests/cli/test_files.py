"""What the names on a command line stand for: text, notebooks, Word and PDF, folders and patterns."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tersely.cli import main
from tersely.file_text import file_text, read_path
from tersely.retrieval.index import Index

SAID = "The board approved 4,200 euros."


def notebook() -> bytes:
    picture = {"image/png": "iVBORw0KGgo" * 50, "text/plain": ["<Figure size 640x480>"]}
    cells = [
        {"cell_type": "markdown", "id": "a1b2c3", "metadata": {}, "source": ["# Costs\n", SAID]},
        {
            "cell_type": "code",
            "id": "d4e5f6",
            "execution_count": 7,
            "metadata": {"tags": ["hidden"]},
            "source": "print(total)\nfence = '''\n```\n'''",
            "outputs": [
                {"output_type": "stream", "name": "stdout", "text": ["4200\n"]},
                {"output_type": "display_data", "data": picture, "metadata": {}},
                {
                    "output_type": "error",
                    "ename": "KeyError",
                    "evalue": "'euro'",
                    "traceback": ["\x1b[0;31mTraceback\x1b[0m", "KeyError: 'euro'"],
                },
            ],
        },
    ]
    about = {"kernelspec": {"language": "python", "name": "python3"}}
    return json.dumps({"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}).encode()


def word() -> bytes:
    document = pytest.importorskip("docx").Document()
    document.add_heading("Report", 0)
    document.add_heading("Costs", 2)
    document.add_paragraph(SAID)
    document.add_paragraph("in May", style="List Bullet")
    table = document.add_table(2, 2)
    for at, text in enumerate(["item", "euros", "roof", "4,200"]):
        table.cell(at // 2, at % 2).text = text
    document.save(packed := io.BytesIO())
    return packed.getvalue()


def pdf(text: str = SAID) -> bytes:
    """A page with one line of text, as the format's own specification shows it."""
    pytest.importorskip("pypdf")
    shown = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(shown), shown),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    data, starts = b"%PDF-1.4\n", []
    for number, one in enumerate(objects, 1):
        starts.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    entries = b"".join(b"%010d 00000 n \n" % start for start in starts)
    table = b"xref\n0 6\n0000000000 65535 f \n" + entries
    return data + table + b"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % len(data)


FORMS = {"costs.ipynb": notebook, "costs.docx": word, "costs.pdf": pdf}


def test_a_notebook_is_its_cells_and_what_they_wrote() -> None:
    text = file_text("costs.ipynb", notebook())
    assert text == (
        f"# Costs\n{SAID}\n\n````python\nprint(total)\nfence = '''\n```\n'''\n````\n\n```\n4200\n```\n\n"
        "```\n<Figure size 640x480>\n```\n\n```\nTraceback\nKeyError: 'euro'\n```"
    )
    assert file_text("costs.ipynb", b"no notebook") is None and file_text("costs.md", notebook()) is None


def test_word_is_markdown() -> None:
    text = file_text("COSTS.DOCX", word())
    table = "| item | euros |\n| --- | --- |\n| roof | 4,200 |"
    assert text == f"# Report\n\n## Costs\n\n{SAID}\n\n- in May\n\n{table}"


def test_word_that_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tersely.file_text._MOST_BYTES", 1000)
    with pytest.raises(ValueError, match=r"costs\.docx cannot be read: .*unpacks to more than 1,000 bytes"):
        file_text("costs.docx", word())


@pytest.mark.parametrize("name", FORMS)
def test_every_door_for_files_reads_it(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / name).write_bytes(FORMS[name]())
    assert SAID in read_path(folder / name).text
    command = ["compress", "--quiet", "--budget", "30", "-q", "What did the board approve?"]
    for given in (str(folder / name), str(folder), f"{folder}/*{name[-4:]}"):
        assert main([*command, given]) == 0
        out, err = capsys.readouterr()
        assert SAID in out and err == ""
    assert Index.build(folder, tmp_path / "index").search("board approved")[0].content.count(SAID) == 1


@pytest.mark.parametrize(
    ("name", "data"),
    [("costs.pdf", pdf), ("costs.pdf", lambda: pdf("")), ("costs.docx", word), ("costs.docx", lambda: b"PK")],
)
def test_what_cannot_be_read_says_why(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    data: Callable[[], bytes],
) -> None:
    """Damaged, of pictures alone, or without the package that reads it: at the command and in an index."""
    whole = data() in (pdf(), word())
    (tmp_path / name).write_bytes(data())
    if whole:
        for module in ("docx", "pypdf"):
            monkeypatch.setitem(sys.modules, module, None)
    assert main(["count", str(tmp_path / name)]) == 2
    said = capsys.readouterr().err
    assert name in said and ("pip install 'tersely[documents]'" in said) == whole
    report = Index.build(tmp_path, tmp_path / "index").report
    assert report is not None
    assert [note.reason for note in report.notes] == ["needs_extra" if whole else "no_text"]


@pytest.mark.parametrize("command", ["compress -b 400", "segment", "count"])
def test_folders_and_patterns_stand_for_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    for name in ("a.md", "b/c.log", "b/d.csv", ".hidden.md", "e[1].md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"{name} says that gates open.\n", encoding="utf-8")
    (tmp_path / "b" / "picture.png").write_bytes(b"\x89PNG\0\0")
    for given, found in (
        (str(tmp_path), ["a.md", "e[1].md", "b/c.log", "b/d.csv"]),
        (f"{tmp_path}/**/*.md", ["a.md", "e[1].md"]),
        (f"{tmp_path}/e[1].md", ["e[1].md"]),  # a name first of all
    ):
        assert main([*command.split(), given]) == 0
        out, err = capsys.readouterr()
        told = [name for name in ("a.md", "b/c.log", "b/d.csv", ".hidden.md", "e[1].md") if f"/{name}" in out]
        assert sorted(told or found) == sorted(found)
        assert ("1 files below" in err) == (given == str(tmp_path))
    assert main([*command.split(), f"{tmp_path}/*.nothing"]) == 2
    (tmp_path / "empty").mkdir()
    assert main([*command.split(), str(tmp_path / "empty")]) == 2
    assert "there is no text file below" in capsys.readouterr().err
