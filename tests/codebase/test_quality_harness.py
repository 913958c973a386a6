"""The quality harness measures what it says, and stops where tersely breaks a promise."""

from __future__ import annotations

import ast
import gzip
import importlib
import json
from pathlib import Path
from typing import Any

import pytest

LINES = 12


@pytest.fixture(autouse=True)
def _importable(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(root))


def harness(name: str) -> Any:
    return importlib.import_module(f"benchmarks.quality.{name}")


def a_task(evidence: list[str], **changes: Any) -> Any:
    fields: dict[str, Any] = {
        "id": "set|row|0|0.5",
        "set": "set",
        "ratio": 0.5,
        "query": "Who?",
        "documents": ["One is here. Two is there. Three is away."],
        "total": 12,
        "budget": 6,
        "evidence": evidence,
    }
    return harness("tasks").Task(**(fields | changes))


def document(number: int) -> str:
    said = " ".join(f"Lamp {number}-{line} hangs in room {line}." for line in range(LINES))
    return f"{said} The keeper of house {number} is called Person{number}. {said.replace('Lamp', 'Chair')}"


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    with gzip.open(path, "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row) + "\n" for row in rows)


def data_folder(folder: Path, questions: int = 12) -> Path:
    answers = [f"The keeper of house {number} is called Person{number}." for number in range(questions)]
    texts = [document(number) for number in range(questions)]
    rows = [
        {
            "id": f"row{number}",
            "query": f"Who is the keeper of house {number}?",
            "documents": [
                {"id": "a", "title": f"House {number}", "text": texts[number]},
                {"id": "b", "title": f"House {number - 1}", "text": texts[number - 1]},
            ],
            "evidence": [{"doc": 0, "text": answers[number], "start": texts[number].index(answers[number])}],
            "meta": {"lang": "en"},
        }
        for number in range(questions)
    ]
    write(folder / "qa_houses.jsonl.gz", rows)
    write(
        folder / "sum_houses.jsonl.gz",
        [{"id": str(n), "text": text, "references": [answers[n]]} for n, text in enumerate(texts)],
    )
    return folder


@pytest.mark.parametrize(
    ("text", "evidence", "any_evidence", "share", "every"),
    [
        ("one  IS\nhere.", ["One is here."], False, 1.0, True),
        ("One is here.", ["One is here. Two is there."], False, 0.5, False),
        ("One is here.", ["One is here.", "Two is there."], False, 0.5, False),
        ("One is here.", ["One is here.", "Two is there."], True, 1.0, True),
        ("", ["One is here."], False, 0.0, False),
        ("a no b", ["No"], False, 1.0, True),
    ],
)
def test_evidence_shares(
    text: str, evidence: list[str], any_evidence: bool, share: float, every: bool
) -> None:
    shares = harness("evidence_metric").evidence_shares
    assert shares(text, a_task(evidence, any_evidence=any_evidence)) == (share, every)


def test_no_document_with_evidence_is_in_both_halves(tmp_path: Path) -> None:
    halves = harness("halves")
    groups = [[f"document {n}", f"document {n // 3}"] for n in range(200)] + [
        [f"one {n}"] for n in range(200)
    ]
    found = halves.halves_of(groups)
    half_of_document: dict[str, str] = {}
    for group, half in zip(groups, found, strict=True):
        for name in group:
            assert half_of_document.setdefault(name, half) == half
    assert 60 < found[200:].count("tuned") < 140
    assert halves.halves_of(groups[::-1]) == found[::-1]


@pytest.mark.parametrize("broken", ["raises", "over"])
def test_a_broken_promise_of_tersely_ends_the_run(broken: str) -> None:
    once, run, systems = harness("once"), harness("run"), harness("systems")
    checks = importlib.import_module("benchmarks.checks")

    def answer(task: Any) -> str:
        if broken == "raises":
            raise ValueError("broken")
        return "far too long"

    def check(given: str, budget: int) -> None:
        checks.require(len(given.split()) < 2, "over the budget")

    for name, ends in (("tersely, changed", True), ("peer", False)):
        system = systems.System("key", name, answer, check=check if ends else lambda given, budget: None)
        runner = run.Runner([system], once.Ledger(), None, None)
        if ends:
            with pytest.raises((ValueError, AssertionError)):
                runner.answers([a_task(["far"])], harness("evidence").score, "test")
        else:
            (found,) = runner.answers([a_task(["far"])], harness("evidence").score, "test")
            assert found.failed is (broken == "raises")
            assert found.scores["kept"] == float(broken != "raises")


FITTING = ("fit", "forest", "calibration")


@pytest.mark.parametrize("command", FITTING)
def test_nothing_is_fitted_on_an_unseen_family(command: str, tmp_path: Path, root: Path) -> None:
    """By the name of a set, whatever stands before or behind it; every fitting command asks one function."""
    unseen = harness("unseen")
    code = (root / "benchmarks" / "quality" / f"{command}.py").read_text(encoding="utf-8")
    called = {
        node.func.id
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert "fitting_questions" in called and not {"questions", "unseen_questions"} & called
    for family in (*unseen.UNSEEN, *unseen.DERIVED):
        with pytest.raises(ValueError, match=f"{family}, which nothing may be fitted"):
            unseen.refuse_unseen(f"train_{family}_part", [])
    plain = data_folder(tmp_path)
    sets = harness("tasks").QUESTION_SETS
    assert unseen.fitting_questions(plain, sets)
    (plain / "qa_houses.jsonl.gz").rename(plain / f"qa_{family}.jsonl.gz")
    with pytest.raises(ValueError, match="nothing may be fitted"):
        unseen.fitting_questions(plain, sets)


def test_a_question_that_is_reported_is_known_under_any_name(monkeypatch: pytest.MonkeyPatch) -> None:
    unseen = harness("unseen")
    reported = unseen._reported()
    assert set(reported) == set(unseen.UNSEEN) and len(reported) >= 3
    assert all(len(set(digests)) >= 40 for digests in reported.values())
    unseen.refuse_unseen("train_lamps", ["Where is the lamp?"])
    monkeypatch.setattr(unseen, "_reported", lambda: {"lamps": [unseen._digest("where is  THE lamp?")]})
    with pytest.raises(ValueError, match="train_other is of lamps"):
        unseen.refuse_unseen("train_other", ["Who?", "Where is the lamp?"])


def test_no_other_code_writes_what_is_fitted(root: Path) -> None:
    """What ships in tersely/models comes from the fitting commands, the table from packages of Debian."""
    writers = [
        path
        for path in (root / "benchmarks").rglob("*.py")
        if "tersely.models.weights" in (code := path.read_text(encoding="utf-8")) and "write_text" in code
    ]
    assert sorted(path.stem for path in writers) == sorted(FITTING)
    made = (root / "tools" / "static_table" / "make.sh").read_text(encoding="utf-8")
    assert 'distill.py "$work/model" "$work/texts"' in made and "TERSELY_DATA" not in made
