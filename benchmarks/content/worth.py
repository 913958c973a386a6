"""What each part of the worth of lines keeps, and weights fitted with families of formats left out.

The weights are those of csrc/kernels/content/line_grades.hpp. Texts that stand in lines are read as lines of
a tool. A family is all formats that share their name up to a dash. Weights are fitted by steps of one at a
time on three of four parts of the families; what is kept of the fourth part is reported.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any
from unittest.mock import patch

import tersely
from tersely import _native

from benchmarks import data as development, tokens
from benchmarks.content.formats import MOST, PERCENTS
from benchmarks.report import Column, Report

__all__ = ["report_worth"]

_ENCODING = "o200k_base"
_PARTS = ("tool_output", "structured_logs")
_KINDS = ("tool_output", "log", "stack_trace", "prose", "code", "table")  # that stand in lines
_FOLDS = 4
_STEPS = (0.5, 0.8, 1.25, 2.0)
_ROUNDS = 2
_WORTH = _native.line_worth

Weights = dict[str, float]


def report_worth(report: Report, folder: Path) -> None:
    """Report what is kept without each part, and with weights fitted on other families."""
    rows = [row for part in _PARTS for row in _texts(folder, part)]
    given = _native.line_weights()
    table = [{"weights": "all", **_kept(rows, given)}]
    table += [{"weights": f"without {name}", **_kept(rows, {**given, name: 0.0})} for name in given]
    columns = [Column("weights"), *[Column(str(p), f"{p}%", ".3f") for p in PERCENTS]]
    report.table("Worth of lines: what must be kept, mean over formats", columns, table)
    fitted = []
    for fold in range(_FOLDS):
        seen = [row for row in rows if row["fold"] != fold]
        weights = _fit(given, partial(_score, seen))
        for name, chosen in (("as they are", given), ("fitted on the others", weights)):
            left = [row for row in rows if row["fold"] == fold]
            fitted.append({"fold": fold + 1, "weights": name, **_kept(left, chosen), **chosen})
    columns = [Column("fold"), *columns, *[Column(name, name, ".2g") for name in given]]
    report.table("Worth of lines: families left out", columns, fitted)


def _texts(folder: Path, part: str) -> list[dict[str, Any]]:
    found = []
    for row in development.rows(folder, part):
        if tersely.detect(row["text"]).kind in _KINDS:
            wanted = sorted({row["text"][span["start"] : span["end"]] for span in row["must_keep"]})
            family = hashlib.sha256(row["format"].partition("-")[0].encode()).digest()[0]
            need, total = sum(tokens.counts(wanted, _ENCODING)), tokens.count(row["text"], _ENCODING)
            budgets = {p: b for p in PERCENTS if need <= MOST * (b := max(1, total * p // 100))}
            found.append({**row, "wanted": wanted, "budgets": budgets, "fold": family % _FOLDS})
    return found


def _kept(rows: Sequence[dict[str, Any]], weights: Weights) -> dict[str, float]:
    """By share of the tokens, the strings that are kept: mean over formats."""
    shares: dict[int, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    with patch.object(_native, "line_worth", partial(_WORTH, weights=weights)):
        for row in rows:
            for percent, budget in row["budgets"].items():
                short = tersely.compress(row["text"], budget=budget, strategy="tool_output").text
                shares[percent][row["format"]] += [string in short for string in row["wanted"]]
    return {str(percent): mean(map(mean, formats.values())) for percent, formats in shares.items()}


def _score(rows: Sequence[dict[str, Any]], weights: Weights) -> float:
    return mean(_kept(rows, weights).values())


def _fit(weights: Weights, score: Callable[[Weights], float]) -> Weights:
    best = score(weights)
    for _ in range(_ROUNDS):
        for name in weights:
            for step in _STEPS:
                tried = {**weights, name: weights[name] * step}
                if (found := score(tried)) > best:
                    weights, best = tried, found
    return weights
