"""tools/static_table/distill.py: its texts, the table that comes out, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tersely
from distill import distill, main, read_text, sample_sentences, text_files
from tersely.models.onnx import OnnxEmbedder


def test_the_table_loads_and_says_where_it_is_from(model: Path, texts: Path, tmp_path: Path) -> None:
    stages: dict[str, tuple[int, int]] = {}
    report = distill(
        model,
        texts,
        tmp_path / "table.npz",
        about={"licence": "CC0-1.0"},
        dimensions=12,
        progress=lambda stage, done, of: stages.update({stage: (done, of)}),
    )
    table = tersely.StaticEmbedder(tmp_path / "table.npz")
    assert table.dimensions == report.dimensions == 12
    assert table.meta["name"] == "table"
    assert table.meta["licence"] == "CC0-1.0"
    assert table.meta["teacher"] == OnnxEmbedder(model).name
    assert report.sentences + report.held_out == 300
    assert report.held_out == 15
    assert report.bytes == (tmp_path / "table.npz").stat().st_size
    assert set(stages) == {"reading files", "words", "sentences", "queries", "fitting", "ranking"}
    assert all(done == of for done, of in stages.values())


def test_the_fit_is_nearer_to_the_teacher_than_its_start(model: Path, texts: Path, tmp_path: Path) -> None:
    report = distill(model, texts, tmp_path / "table.npz", dimensions=24)
    assert report.cosine["fitted"] > max(report.cosine["start"], 0.6)
    assert set(report.ranking) >= {"start", "fitted", "final"}
    assert all(0 <= value <= 1 for value in report.ranking.values())


def test_the_same_texts_give_the_same_bytes(model: Path, texts: Path, tmp_path: Path) -> None:
    for name, threads in (("one", 1), ("two", 2)):
        distill(model, texts, tmp_path / f"{name}.npz", name="table", dimensions=8, threads=threads)
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()


def test_a_stopped_run_goes_on_and_ends_the_same(
    model: Path, texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    distill(model, texts, tmp_path / "whole.npz", name="table", dimensions=8)
    asked: list[int] = []
    embed = OnnxEmbedder.embed

    def stopping(self: OnnxEmbedder, batch: Any) -> Any:
        asked.append(len(batch))
        if len(batch) == 300 and len(asked) == 2:
            raise KeyboardInterrupt
        return embed(self, batch)

    monkeypatch.setattr(OnnxEmbedder, "embed", stopping)
    with pytest.raises(KeyboardInterrupt):
        distill(model, texts, tmp_path / "parts.npz", name="table", dimensions=8, work=tmp_path / "work")
    assert not (tmp_path / "parts.npz").exists()
    distill(model, texts, tmp_path / "parts.npz", name="table", dimensions=8, work=tmp_path / "work")
    assert asked[:3] == [28, 300, 300]  # the words were kept
    assert (tmp_path / "parts.npz").read_bytes() == (tmp_path / "whole.npz").read_bytes()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dimensions": 7}, "dimensions must be an even number, not 7"),
        ({"dimensions": 26}, "at most the model's 24, not 26"),
        ({"sentences": 3}, "sentences must be a whole number from 50, not 3"),
        ({"texts": "few"}, "holds 1 sentences; at least 50"),
        ({"texts": "nowhere"}, "nowhere is not a folder"),
        ({"texts": "empty"}, "holds no text"),
    ],
)
def test_what_cannot_be_used_is_named(
    model: Path, texts: Path, tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    (tmp_path / "few").mkdir()
    (tmp_path / "few" / "a.txt").write_text("Only one sentence is here.")
    (tmp_path / "empty").mkdir()
    folder = tmp_path / options["texts"] if "texts" in options else texts
    arguments = {"dimensions": 8, **{key: value for key, value in options.items() if key != "texts"}}
    with pytest.raises(ValueError, match=message):
        distill(model, folder, tmp_path / "table.npz", **arguments)
    assert not (tmp_path / "table.npz").exists()


def test_the_command_prints_what_was_gained(
    model: Path, texts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    about = tmp_path / "about.json"
    about.write_text('{"corpus": "made up"}')
    wanted = [str(model), str(texts), "-o", str(tmp_path / "t.npz"), "--dimensions", "8"]
    main([*wanted, "--about", str(about), "--name", "mine"])
    told = json.loads(capsys.readouterr().out)
    assert (told["words"], told["dimensions"]) == (28, 8)
    meta = tersely.StaticEmbedder(tmp_path / "t.npz").meta
    assert (meta["name"], meta["corpus"]) == ("mine", "made up")


def test_rows_of_the_table_are_finite(model: Path, texts: Path, tmp_path: Path) -> None:
    distill(model, texts, tmp_path / "table.npz", dimensions=8)
    vectors = tersely.StaticEmbedder(tmp_path / "table.npz").embed(["The pilot.", "", "zebra", "copper fee"])
    assert np.isfinite(vectors).all()


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
