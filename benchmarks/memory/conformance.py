"""The compaction-conformance-kit by its own scorer: planted facts, and updates of them, after five rounds.

`pip install compaction-conformance-kit==0.8.0`. Budgets are characters, so a character is a token here.
"""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import Any

from tersely.memory import compact_messages

from benchmarks.report import MISSING, Column, Report, Target

__all__ = ["report"]

_KIT = "compaction_kit"
_ASKED = {0.1: 0.6, 0.2: 0.9, 0.3: 1.0}  # share of the characters -> planted facts that stand
_PEERS = {
    "lossy-truncation": "LossyTruncationCompactor",
    "naive-summary": "NaiveSummaryCompactor",
    "summary-plus-tail": "SummaryTailCompactor",
    "checklist-carrying": "ChecklistCompactor",
    "update-aware-checklist": "UpdateAwareChecklistCompactor",
}
_COLUMNS = (
    Column("system"), Column("ratio", "", ".0%"), Column("kept", "planted facts", ".3f"),
    Column("updated", "restated: newest alone", ".3f"), Column("resolved", "reworded: newest alone", ".3f"),
    Column("pairs", "alike, both", ".3f"), Column("fits", "within budget"),
)  # fmt: skip


class _Tersely:
    name = "tersely"

    def compact(self, turns: list[Any], round_num: int = 1, budget_chars: int | None = None) -> Any:
        """Compact a session; in later rounds one turn comes, which fits."""
        messages = [{"role": turn.role, "content": turn.text} for turn in turns]
        if len(turns) > 1:
            messages = compact_messages(messages, budget=budget_chars or 10**9, counter=len).messages
        text = "\n".join(message["content"] for message in messages)
        made = importlib.import_module(f"{_KIT}.compacted")
        return made.CompactedContext(text=text, compactor_name=self.name, round_num=round_num)


def report(report: Report, data: Path) -> None:
    """Shares of what was planted that stand after five rounds, of updates that are resolved."""
    if importlib.util.find_spec(_KIT) is None:
        report.note(f"compaction-conformance-kit: {MISSING}.")
        return
    compactors = importlib.import_module(f"{_KIT}.compactors")
    makers = {"tersely": _Tersely, **{name: getattr(compactors, kind) for name, kind in _PEERS.items()}}
    found = importlib.import_module(f"{_KIT}.benchmark").run_budget_benchmark(makers, budgets=tuple(_ASKED))
    rows = []
    for entry in found["entries"]:
        planted, reworded, ratio = entry["randomized"], entry["semantic"], entry["budget_fraction"]
        updates = planted["supersession"]
        row = {"system": entry["compactor"], "ratio": ratio, "kept": planted["overall_final_survival"]}
        row |= {"updated": updates["resolved"] / updates["n"], "resolved": reworded["resolved_rate"]}
        rows.append({**row, "pairs": reworded["distinct_pair_rate"], "fits": entry["budget_compliant"]})
        if entry["compactor"] == "tersely":
            report.targets.append(Target(f"planted, {ratio:.0%}", _ASKED[ratio], row["kept"], "", False))
    report.table("Planted facts after five rounds", _COLUMNS, rows)
