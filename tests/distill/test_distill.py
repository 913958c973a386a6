"""From a model and a folder of text to a table: the function, the command, and what they refuse."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tersely
from tersely.cli import main
from tersely.distill import distill
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
    wanted = ["distill", str(model), str(texts), "-o", str(tmp_path / "t.npz"), "--dimensions", "8"]
    assert main([*wanted, "--about", str(about), "--name", "mine"]) == 0
    told = capsys.readouterr()
    assert "28 words, 8 dimensions" in told.out
    assert "least squares" in told.out
    assert told.err == ""
    meta = tersely.StaticEmbedder(tmp_path / "t.npz").meta
    assert (meta["name"], meta["corpus"]) == ("mine", "made up")
    assert main([*wanted, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["dimensions"] == 8


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model": "nowhere"}, "must name an .onnx file or a folder"),
        ({"about": "missing.json"}, "missing.json"),
        ({"about": "list.json"}, "must hold a JSON object, not list"),
        ({"about": "broken.json"}, "is not JSON"),
        ({"dimensions": "9"}, "even number"),
        ({"threads": "0"}, "threads must be a whole number from 1"),
    ],
)
def test_the_command_fails_with_a_message_and_exit_code_2(
    model: Path, texts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], change: Any, message: str
) -> None:
    (tmp_path / "list.json").write_text("[]")
    (tmp_path / "broken.json").write_text("{")
    given = [str(tmp_path / change["model"]) if "model" in change else str(model), str(texts)]
    for option in ("about", "dimensions", "threads"):
        if option in change:
            value = change[option]
            given += [f"--{option}", str(tmp_path / value) if value.endswith(".json") else value]
    assert main(["distill", *given, "-o", str(tmp_path / "t.npz")]) == 2
    assert message in capsys.readouterr().err


def test_without_scipy_it_says_what_to_install_before_the_long_part(model: Path, texts: Path) -> None:
    code = (
        "import sys; sys.modules['scipy'] = None\n"
        "from tersely.cli import main\n"
        f"sys.exit(main(['distill', {str(model)!r}, {str(texts)!r}, '-o', 'unused.npz']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, text=True)
    assert done.returncode == 2
    assert "scipy is not installed; run: pip install 'tersely[distill]'" in done.stderr


def test_rows_of_the_table_are_finite(model: Path, texts: Path, tmp_path: Path) -> None:
    distill(model, texts, tmp_path / "table.npz", dimensions=8)
    vectors = tersely.StaticEmbedder(tmp_path / "table.npz").embed(["The pilot.", "", "zebra", "copper fee"])
    assert np.isfinite(vectors).all()
