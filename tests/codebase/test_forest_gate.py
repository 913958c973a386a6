"""The gate of the trees of relevance: fits are kept as they are written, and a stopped run goes on."""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

OPTIONS = {"trees": 5, "rate": 0.4, "share": 0.4}


@pytest.fixture
def forest(root: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(root))
    pytest.importorskip("toktok")
    return importlib.import_module("benchmarks.quality.forest")


def _examples(forest: Any, count: int) -> list[Any]:
    """Questions of three sets, in which the second column says what the sum does not."""
    random = np.random.default_rng(1)
    found = []
    for place in range(count):
        columns = random.random((12, 3)).astype(np.float32)
        gold = (columns[:, 1] == columns[:, 1].max()).astype(np.float64)
        name = ("qa_boats", "qa_ports", "train_gulls")[place % 3]
        found.append(forest.Example(name, place // 3, True, columns, random.random(12), np.ones(12), gold))
    return found


def _fits(forest: Any, keep: Path | None, **changed: float) -> Any:
    return forest.Fits(argparse.Namespace(**OPTIONS | changed, keep=keep))


def test_what_is_written_is_what_was_fitted(forest: Any) -> None:
    examples = _examples(forest, 60)
    trees, borders = forest._fit(examples, argparse.Namespace(**OPTIONS), "test")
    written = forest._read(forest._written(trees, borders))
    for example in examples:
        before, after = (forest._predicted(*each, example) for each in ((trees, borders), written))
        assert np.abs(after - before).max() < 0.01 * np.abs(before - example.sum).max() * len(trees)
        assert np.abs(before - example.sum).max() > 0


def test_a_second_run_reads_what_the_first_fitted(
    forest: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    examples = _examples(forest, 30)
    entry = _fits(forest, tmp_path).entry(examples, "first")
    monkeypatch.setattr(forest, "_fit", lambda *_: pytest.fail("fitted again"))
    assert _fits(forest, tmp_path).entry(examples, "second") == entry


@pytest.mark.parametrize("change", ["fewer questions", "another rate", "no folder"])
def test_trees_of_other_questions_or_settings_are_fitted(forest: Any, tmp_path: Path, change: str) -> None:
    examples = _examples(forest, 30)
    entry = _fits(forest, tmp_path).entry(examples, "first")
    if change == "no folder":
        assert _fits(forest, None).entry(examples, "again") == entry
    elif change == "another rate":
        assert _fits(forest, tmp_path, rate=0.2).entry(examples, "again") != entry
    else:
        assert _fits(forest, tmp_path).entry(examples[:-1], "again") != entry
