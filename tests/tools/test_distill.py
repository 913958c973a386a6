"""tools/static_table/distill.py: its texts, the table that comes out, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import tersely
from distill import distill, main, sample_sentences
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


def test_sentences_are_distinct_neither_short_nor_long_and_mostly_letters(tmp_path: Path) -> None:
    lines = ["The pilot waits.", "THE PILOT WAITS.", "Too short.", "1234 5678 9012 3456 78.", "word " * 200]
    (tmp_path / "a.txt").write_text("\n\n".join(lines))
    (tmp_path / "b.txt").write_text("The pilot\nwaits.\n\n```\nsome_code(that, waits)\n```\n")
    assert [line.casefold() for line in sample_sentences(tmp_path, 100)] == ["the pilot waits."]
