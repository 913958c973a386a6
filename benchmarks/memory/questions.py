"""Meetings cut to a quarter for a question: are the turns that people found relevant still there?"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import numpy.typing as npt
from tersely.memory import compact_messages

from benchmarks import data as development, tokens
from benchmarks.report import Column, Report, Target

__all__ = ["report"]

_RATIO = 0.25
_FRAME = 4  # tokens of a message beside its text
_BETTER_BY = 0.10
_K1, _B = 1.2, 0.75
Shares = npt.NDArray[np.float64]  # of each turn that is kept


def report(report: Report, data: Path) -> None:
    """Share of the relevant turns, and of their tokens, that is kept (labels by people)."""
    found: dict[str, list[tuple[float, float]]] = {}
    for meeting in development.rows(data, "conv_qmsum"):
        turns = [f"{entry['speaker']}: {entry['text']}" for entry in meeting["entries"]]
        costs = np.array(tokens.counts(turns)) + _FRAME
        for question in meeting["queries"]:
            relevant = np.zeros(len(turns), dtype=bool)
            for first, last in question["relevant_turns"]:
                relevant[first : last + 1] = True
            if not relevant.any() or relevant.all():
                continue
            budget = int(_RATIO * costs.sum())
            for name, system in _SYSTEMS.items():
                shares = system(turns, question["query"], costs, budget)
                of_tokens = float((costs * shares)[relevant].sum() / costs[relevant].sum())
                found.setdefault(name, []).append((float(shares[relevant].mean()), of_tokens))
    rows: list[dict[str, Any]] = [
        {"system": name, "turns": mean(row[0] for row in both), "tokens": mean(row[1] for row in both)}
        for name, both in found.items()
    ]
    columns = (Column("system"), Column("turns", "", ".3f"), Column("tokens", "of their tokens", ".3f"))
    report.table(
        f"Turns relevant to a question, kept at {_RATIO:.0%} ({len(found['tersely'])} questions)",
        columns,
        rows,
    )
    by_name = {row["system"]: row for row in rows}
    for what in ("turns", "tokens"):
        best = max(float(row[what]) for name, row in by_name.items() if name != "tersely")
        measured = float(by_name["tersely"][what])
        report.targets.append(Target(f"relevant {what}", best + _BETTER_BY, measured, "", False))


def _tersely(turns: list[str], query: str, costs: npt.NDArray[np.int64], budget: int) -> Shares:
    messages = [{"role": "user", "content": turn} for turn in turns]
    result = compact_messages(messages, budget=budget, query=query)
    assert result.tokens <= budget
    shares = np.zeros(len(turns))
    for account in result.accounts:
        kept = sum(end - start for _, start, end in account.kept) / len(turns[account.index])
        shares[account.index] = 1.0 if account.outcome == "verbatim" else kept
    return shares


def _best(scores: Shares, costs: npt.NDArray[np.int64], budget: int) -> Shares:
    shares = np.zeros(len(scores))
    for index in np.argsort(-scores, kind="stable").tolist():
        if costs[index] <= budget:
            budget -= int(costs[index])
            shares[index] = 1
    return shares


def _bm25(turns: list[str], query: str, costs: npt.NDArray[np.int64], budget: int) -> Shares:
    return _best(_bm25_scores(turns, query), costs, budget)


def _bm25_per_token(turns: list[str], query: str, costs: npt.NDArray[np.int64], budget: int) -> Shares:
    return _best(_bm25_scores(turns, query) / costs, costs, budget)


def _newest(turns: list[str], query: str, costs: npt.NDArray[np.int64], budget: int) -> Shares:
    return (np.cumsum(costs[::-1])[::-1] <= budget).astype(float)


def _bm25_scores(turns: list[str], query: str) -> Shares:
    """Robertson and Zaragoza 2009, the IDF with 1 added."""
    counts = [Counter(re.findall(r"\w+", turn.lower())) for turn in turns]
    lengths = np.array([count.total() for count in counts])
    norm = _K1 * (1 - _B + _B * lengths / max(lengths.mean(), 1))
    scores = np.zeros(len(turns))
    for word in set(re.findall(r"\w+", query.lower())):
        times = np.array([count[word] for count in counts])
        holding = int((times > 0).sum())
        idf = math.log(1 + (len(turns) - holding + 0.5) / (holding + 0.5))
        scores += idf * times * (_K1 + 1) / (times + norm)
    return scores


_SYSTEMS: dict[str, Callable[[list[str], str, npt.NDArray[np.int64], int], Shares]] = {
    "tersely": _tersely,
    "BM25": _bm25,
    "BM25 per token": _bm25_per_token,
    "newest": _newest,
}
