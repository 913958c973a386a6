"""The same questions through every public entry of tersely, with default options: evidence kept and CPU time.

Examples:
    python -m benchmarks.doors --data DIR
    python -m benchmarks.doors --data DIR --sets train --rows 40 --json doors.json
    python -m benchmarks.doors --data DIR --sets qa_nq_sentence,needle_abstracts --doors compress,manager
"""

from __future__ import annotations

import argparse
import re
from typing import Any

from benchmarks.arguments import make_parser
from benchmarks.doors.searching import without_compression
from benchmarks.doors.summary import columns, require_budgets, summary
from benchmarks.doors.systems import COMPRESS, JOINED, ONE_TEXT, doors
from benchmarks.quality import evidence
from benchmarks.quality.halves import HALVES, REPORTED
from benchmarks.quality.once import Ledger
from benchmarks.quality.run import Runner
from benchmarks.quality.systems import System
from benchmarks.quality.tasks import QUESTION_SETS, RATIOS, TRAINING_SETS, Task, at_ratios, questions, sampled
from benchmarks.report import Column, Report, Target
from benchmarks.tokens import O200K

_SETS = {"questions": QUESTION_SETS, "train": TRAINING_SETS}
_ALLOWED = 0.01  # of the evidence: less than compress keeps
_PACKAGES = ("langchain-core", "llama-index-core", "haystack-ai")


def main() -> None:
    """The command."""
    parser = _parser()
    options = parser.parse_args()
    ledger = Ledger()
    chosen = _chosen(parser, doors(ledger), options.doors)
    tasks = _tasks(parser, options)
    answers = Runner(chosen, ledger, None, None, O200K).answers(tasks, evidence.score, "doors")
    settings = {name: getattr(options, name) for name in ("rows", "sets", "half", "doors")}
    result = Report("doors", settings, _PACKAGES)
    rows = [{"door": one.name, **summary(one, answers, RATIOS, COMPRESS)} for one in chosen]
    sample = (
        f"{options.rows} questions of each of {len({task.set for task in tasks})} sets, {options.half} half"
    )
    result.table(
        f"Evidence kept at a share of the tokens; {sample}", [Column("door"), *columns(RATIOS)], rows
    )
    evidence.by_set(result, chosen, answers)
    by_key = {one.key: row for one, row in zip(chosen, rows, strict=True)}
    if searching := [key for key in ("search", "tool") if key in by_key]:
        first = [task for task in tasks if task.ratio == RATIOS[0]]
        whole = without_compression(first, ledger)
        shown = [Column("door"), Column("cpu", "CPU ms", ".2f"), Column("whole", "of it retrieval", ".2f")]
        parts = [by_key[key] | {"whole": whole[key]} for key in searching]
        result.table("Search: CPU, and that of the same where everything fits", shown, parts)
    result.targets += _targets(chosen, {row["door"]: row for row in rows if "cpu" in row})
    result.note(
        f"Tokens are {O200K}. Documents come without titles; an entry that takes one text is given them "
        "joined by a blank line. CPU ms is the median over the answers; building an index is not charged. "
        " Empty: not even the smallest piece fits."
    )
    result.details["answers"] = [answer.row() for answer in answers]
    result.finish(options.json)
    require_budgets(answers)


def _targets(chosen: list[System], rows: dict[str, dict[str, Any]]) -> list[Target]:
    """How much less than `tersely.compress` each keeps, at the ratio where it is most."""
    found = []
    for door in chosen:
        best = JOINED if door.key in ONE_TEXT else COMPRESS
        if door.name in rows and best in rows and door.name not in (COMPRESS, JOINED):
            less = max(rows[best][str(ratio)] - rows[door.name][str(ratio)] for ratio in RATIOS)
            found.append(Target(f"{door.name}: less than {best}", _ALLOWED, less, "", at_most=True))
    return found


def _parser() -> argparse.ArgumentParser:
    parser = make_parser(__doc__)
    parser.add_argument("--rows", type=int, default=20, metavar="N", help="questions of each set (20)")
    parser.add_argument(
        "--sets",
        default="questions",
        metavar="WHICH",
        help="questions (the development sets), train (the families for fitting) or names (questions)",
    )
    parser.add_argument(
        "--half", choices=HALVES, default=REPORTED, help=f"which half of the documents ({REPORTED})"
    )
    parser.add_argument("--doors", metavar="A,B", help="which of them, by key (all)")
    return parser


def _chosen(parser: argparse.ArgumentParser, known: list[System], given: str | None) -> list[System]:
    """The doors asked for, by key."""
    keys = [door.key for door in known] if given is None else given.split(",")
    if unknown := set(keys) - {door.key for door in known}:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(one.key for one in known)}")
    return [door for door in known if door.key in keys]


def _tasks(parser: argparse.ArgumentParser, options: argparse.Namespace) -> list[Task]:
    """The questions as tasks, budgets counted in the tokenizer that all entries use by default."""
    named = "|".join(f"{re.escape(name)}$" for name in options.sets.split(","))
    by_set = questions(options.data, _SETS.get(options.sets) or re.compile(named))
    if not by_set:
        parser.error(f"no questions in the sets {options.sets}")
    return list(at_ratios(sampled(by_set, options.rows, options.half), RATIOS, O200K))


if __name__ == "__main__":
    main()
