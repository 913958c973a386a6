"""The quality harness measures what it says, and stops where tersely breaks a promise."""

from __future__ import annotations

import ast
import gzip
import importlib
import json
import lzma
import subprocess
import sys
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
            "evidence": [
                {"doc": 0, "text": answers[number], "start": texts[number].index(answers[number])},
            ],
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


@pytest.mark.parametrize(
    ("said", "stands", "f1"),
    [
        ("It was in 1987, of course.", True, 2 / 7),
        ("The Keeper of Lamps, who is old.", True, 2 * 3 / 9),
        ("keeper of lampshades", False, 2 * 2 / 6),
        ("19876", False, 0.0),
        ("", False, 0.0),
    ],
)
def test_answers_stand_in_whole_words_and_are_compared_by_them(said: str, stands: bool, f1: float) -> None:
    reader = harness("reader")
    answers = ["the keeper of lamps", "1987"]
    assert reader.states(said, answers) is stands
    assert reader.answer_f1(said, answers) == pytest.approx(f1)


def test_the_reader_answers_from_the_sentence_that_says_it() -> None:
    text = "Rain fell all day. The lighthouse was built in 1821 by Ada Stone. Gulls steal chips from people."
    read = harness("reader").fitted().answer
    assert read(text, "When was the lighthouse built?") == "1821"
    assert "Stone" in read(text, "Who built the lighthouse?")
    assert read("", "Who?") == ""


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


def test_halves_together_are_the_whole_sample(tmp_path: Path) -> None:
    tasks = harness("tasks")
    by_set = tasks.questions(data_folder(tmp_path, 40))
    ids = {
        half: [one.row["id"] for one in tasks.sampled(by_set, None, half)]
        for half in ("tuned", "reported", "both")
    }
    assert sorted(ids["tuned"] + ids["reported"]) == sorted(ids["both"])
    assert len(ids["both"]) == 40
    assert ids["tuned"]
    assert ids["reported"]
    assert [one.row["id"] for one in tasks.sampled(by_set, 3, "tuned")] == ids["tuned"][:3]


def test_interval_holds_the_mean_and_shrinks_with_more_questions() -> None:
    bootstrap = harness("bootstrap")
    few, many = ([[0.0, 1.0] * count, [1.0, 1.0, 0.0] * count] for count in (5, 500))
    for values in (few, many):
        low, high = bootstrap.interval(values)
        assert low < bootstrap.mean_over_sets(values) < high
        assert bootstrap.interval(values) == (low, high)
    widths = [high - low for low, high in map(bootstrap.interval, (few, many))]
    assert widths[1] < widths[0] / 5
    assert bootstrap.interval([[1.0], [0.5, 0.5]]) == (0.75, 0.75)


def test_work_done_once_is_charged_each_time() -> None:
    once = harness("once")
    ledger = once.Ledger()
    results = once.Once(ledger, 2)
    results.keep("known", 5, 20.0)
    assert results("known", lambda: 6) == 5
    assert ledger.settle() == 20.0
    assert ledger.settle() == 0.0
    with ledger.free():
        results("known", lambda: 6)
    assert ledger.settle() <= 0.0
    assert results("new", lambda: 7) == 7
    assert ledger.settle() == 0.0
    results("more", lambda: 8)
    assert "known" not in results


def test_cache_gives_back_only_the_same_system_version_and_task(tmp_path: Path) -> None:
    module = harness("cache")
    task = a_task(["One is here."])
    cache = module.Cache(tmp_path)
    cache.put("peer", "1", task, module.Kept("text", 2.0))
    cache.put("broken", "1", task, module.Kept(None, 3.0))
    cache.close()
    cache = module.Cache(tmp_path)
    assert cache.get("peer", "1", task) == ("text", 2.0)
    assert cache.get("broken", "1", task) == (None, 3.0)
    assert cache.get("peer", "2", task) is None
    assert cache.get("peer", "1", a_task([], documents=["Other."])) is None
    cache.close()


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


@pytest.mark.slow
def test_the_command_end_to_end(root: Path, tmp_path: Path) -> None:
    data = data_folder(tmp_path)
    command = [sys.executable, "-m", "benchmarks.quality", "--data", str(data), "--half", "both"]
    command += ["--systems", "tersely,bm25,lead,hand", "--json", str(tmp_path / "out.json")]
    ended = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 0, ended.stderr
    written = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    rows = {row["system"]: row for row in written["tables"][0]["rows"]}
    assert rows["evidence by hand"]["0.1"] == 1.0
    assert rows["tersely"]["0.2"] == rows["BM25 sentences"]["0.2"] == 1.0
    assert rows["lead"]["0.1"] < 0.5
    assert rows["tersely"]["over"] == 0
    assert {row["system"] for row in written["details"]["summaries"]} == {"tersely", "lead"}
    assert len(written["details"]["evidence"]) == 4 * 4 * 12
    assert any(target["target"].endswith("warm") for target in written["targets"])


FITTING = ("fit", "forest", "calibration")


def passages(number: int) -> dict[str, Any]:
    """A question as it comes with its passages, the evidence in the second of them."""
    texts = [f"Nothing is said of lamp {number}.", f"Lamp {number} hangs in the hall. It is red."]
    return {
        "q": f"Where is lamp {number}?",
        "p": texts,
        "t": ["", f"Lamp {number}"],
        "e": [[1, 0, texts[1].index(" It")]],
        "k": "sent",
    }


def test_unseen_questions_are_the_same_ones_beside_passages_of_others(tmp_path: Path) -> None:
    unseen = harness("unseen")
    rows = [passages(number) for number in range(30)]
    name = next(iter(unseen.UNSEEN))
    found = []
    for order in (rows, rows[::-1]):
        with lzma.open(tmp_path / f"{name}.jsonl.xz", "wt", encoding="utf-8") as lines:
            lines.writelines(json.dumps(row) + "\n" for row in order)
        found.append(unseen.unseen_questions(tmp_path, 12))
    assert [one.content["query"] for one in found[0]] == [one.content["query"] for one in found[1]]
    assert len(found[0]) == 12
    for one in found[0]:
        (piece,) = one.content["evidence"]
        texts = [document["text"] for document in one.row["documents"]]
        assert texts[piece["doc"]][piece["start"] : piece["end"]] == piece["text"]
        assert len(texts) == len(set(texts)) == 10 and sum(piece["text"] in text for text in texts) == 1


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


def run_quality(folder: Path, root: Path, *more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks.quality", "--data", str(data_folder(folder)), "--reference"]
    command += ["--parts", "evidence", "--rows", "3", *more]
    return subprocess.run(command, check=False, cwd=root, capture_output=True, text=True, timeout=120)


def run_own(folder: Path, root: Path, code: str, *more: str) -> subprocess.CompletedProcess[str]:
    (folder / "mine.py").write_text(code, encoding="utf-8")
    return run_quality(folder, root, "--own", str(folder / "mine.py"), *more)


def test_a_system_of_ones_own_stands_in_the_tables(tmp_path: Path, root: Path) -> None:
    code = 'NAME = "mine, the first"\n\n\ndef compress(documents, query, budget):\n    return documents[0]\n'
    made = run_own(tmp_path, root, code, "--systems", "lead,mine", "--json", str(tmp_path / "all.json"))
    assert made.returncode == 0, made.stderr
    assert "mine, the first" in made.stdout
    rows = json.loads((tmp_path / "all.json").read_text(encoding="utf-8"))["details"]["evidence"]
    mine = [row for row in rows if row["system"] == "mine, the first"]
    assert len(mine) == 12
    assert {row["kept"] for row in mine} == {1.0}
    assert {row["used"] > row["budget"] for row in mine if not row["task"].endswith("|0.5")} == {True}


def test_gains_are_of_the_same_questions_and_each_set_counts_the_same() -> None:
    kept = {"tersely": {"a": [0.0, 0.5], "b": [1.0]}, "tersely, pruner": {"a": [0.5, 0.5], "b": [0.9]}}
    answer, evidence = harness("run").Answer, harness("evidence")
    found = [
        answer(system, a_task([], set=name, ratio=ratio), {"kept": share}, 1, 1.0, "", False)
        for ratio in harness("tasks").RATIOS
        for system, sets in kept.items()
        for name, shares in sets.items()
        for share in shares
    ]
    report = importlib.import_module("benchmarks.report").Report("quality", {}, ())
    evidence.gains(report, "tersely", "nobody", found, "")
    assert not report.tables
    evidence.gains(report, *kept, found, "")
    rows = {row["set"]: row for row in report.tables[0]["rows"]}
    assert {name: row["0.3"] for name, row in rows.items()} == {
        "a": 0.25,
        "b": 1.0,
        "mean over the sets": 0.625,
    }
    assert rows["mean over the sets"]["0.3 gain"] == pytest.approx((0.25 - 0.1) / 2)
    assert rows["a"]["0.3 interval"] == "+0.000 to +0.500" and rows["b"]["0.3 interval"] == "-0.100 to -0.100"


def test_texts_with_human_summaries_are_cut_without_a_query(tmp_path: Path) -> None:
    row = {"id": "a", "query": "Who?", "text": "One. Two.", "references": ["One."]}
    write(tmp_path / "sum_some.jsonl.gz", [row])
    tasks = harness("tasks")
    (task,) = tasks.summary_tasks(tmp_path, None, tasks.BOTH, 0.5)
    assert (task.query, task.documents, task.references) == (None, ["One. Two."], ("One.",))


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (b'{"query": 1}\n{"id": \n', r"qa_a.*gz, line 2, is no row"),
        (b'{"query": 1}\n\xff\n', r"qa_a.*gz, line 2, is no row"),
        (b'{"query": 1}\n\n', r"qa_a.*gz, line 2, is no row"),
        (b"[]\n", r"qa_a.*gz, line 1, is no object"),
        (b'{"id": 1}\n{"id": 2}\n', r"qa_a.*gz, line 1, has no 'query'"),
    ],
)
def test_a_row_that_is_none_is_named(lines: bytes, said: str, tmp_path: Path) -> None:
    read = importlib.import_module("benchmarks.data").rows
    (tmp_path / "qa_a.jsonl.gz").write_bytes(gzip.compress(lines))
    with pytest.raises((ValueError, KeyError), match=said):
        print([row["query"] for row in read(tmp_path, "qa_a")])
    (tmp_path / "qa_a.jsonl.gz").write_bytes(gzip.compress(b'{"id": 1}\n' * 9000)[:-20])
    with pytest.raises(ValueError, match=r"qa_a.*gz, line \d+, is no row"):
        print(list(read(tmp_path, "qa_a")))
    with pytest.raises(FileNotFoundError, match="has no qa_b"):
        next(read(tmp_path, "qa_b"))
