"""Summaries without a model (seed 002; C017-C025, X34-X38)."""

from __future__ import annotations

import pytest
from tersely.memory import CompactionConfig, MemoryCompactor, REPLHistory
from tersely.memory.repl import is_success, rule_summary

FULL = (
    "Working on: Parse the log file. Completed 8 steps (6 successful). Made 3 LLM sub-calls. "
    "Key findings: lines=1024; errors=12. Resolved issues: KeyError, ValueError"
)


def history(*outputs: str, calls: int = 0) -> REPLHistory:
    made = REPLHistory()
    for number, output in enumerate(outputs):
        made = made.append(f"step {number}", "code", output, llm_calls=["call"] if number < calls else [])
    return made


def summary(*outputs: str, task: str = "", calls: int = 0, **options: object) -> str:
    return rule_summary(history(*outputs, calls=calls).entries, task=task, **options)  # type: ignore[arg-type]


def full_history() -> REPLHistory:
    outputs = ["lines: 1024", *["ok"] * 5, "errors: 12\nraised KeyError", "raised ValueError", "ok", "ok"]
    return history(*outputs, calls=3)


def test_c017_task() -> None:
    assert summary("ok", task="t" * 150).startswith(f"Working on: {'t' * 100}. Completed")
    assert "Working on" not in summary("ok")


def test_c018_steps() -> None:
    assert summary(*["ok"] * 6, "KeyError", "it failed").startswith("Completed 8 steps (6 successful).")


def test_c019_calls() -> None:
    assert "Made 3 LLM sub-calls." in summary("ok", "ok", "ok", calls=3)
    assert "LLM" not in summary("ok")


def test_c020_findings() -> None:
    assert summary("lines: 1024", "errors: 12").endswith("Key findings: lines=1024; errors=12")
    many = summary("a: 1, b: 2, c: 3, d: 4, e: 5")
    assert many.endswith("Key findings: a=1; b=2; c=3")
    assert "findings" not in summary("lines: 1024", findings=False)


def test_c021_numbers_and_pairs() -> None:
    assert summary("accuracy: 0.87").endswith("accuracy=0.87")
    assert summary("total: 1,523.5").endswith("Key findings: total=1,523.5")
    assert summary("total: 1,523.5, mean: 3, sum=12,000,000 EUR").endswith(
        "Key findings: total=1,523.5; mean=3; sum=12,000,000 EUR"
    )
    assert summary("sizes: 1,2,3", "a: b,c: d").endswith("Key findings: sizes=1,2,3; a=b; c=d")
    assert summary("there were 1,523.5 of them").endswith("Key findings: there were 1,523.5 of them")


@pytest.mark.parametrize(
    "value",
    ["1,523.5", "$1,200,000", "US$1,200,000.50 net", "-3.5e-7", "+12%", "12,5 %", "€1.200.000,50", "-40.5°C",
     "−5,300", "(1,200)", "6.02e23", "1_000_000", "March 3, 2024", "1,000-2,000", "1'200'000 CHF"],
)  # fmt: skip
def test_c021_a_number_is_read_whole(value: str) -> None:
    assert summary(f"key: {value}, next: 3").endswith(f"Key findings: key={value}; next=3")
    assert summary(f"key={value}").endswith(f"Key findings: key={value}")


@pytest.mark.parametrize("value", ["1,523.5", "$1,200,000", "12,5 %", "March 3, 2024", "1'200'000"])
@pytest.mark.parametrize("key", ["", "key: "])
def test_c021_a_number_is_not_cut(value: str, key: str) -> None:
    for size in range(60, 85):
        told = summary(f"{key}{'x' * size} of {value} in all 3").partition("Key findings: ")[2]
        before = f"{key.replace(': ', '=')}{'x' * size}"
        assert told in (before[: 80 + len(key[1:])], f"{before} of") or told.startswith(
            f"{before} of {value}"
        )


def test_c022_errors_are_sorted_and_listed_once() -> None:
    found = summary("ValueError: a", "KeyError: b", "KeyError: c", "ok")
    assert found.endswith("Resolved issues: KeyError, ValueError")


@pytest.mark.parametrize(
    ("output", "expected"), [("FAILED", False), ("ok", True), ("", True), ("Traceback", False)]
)
def test_c023_success(output: str, expected: bool) -> None:
    assert is_success(output) is expected


def test_c024_full_example() -> None:
    result = MemoryCompactor().compact(full_history(), task="Parse the log file")
    assert result.summary == FULL


def test_c024_full_example_with_the_seeds_labels() -> None:
    entries = full_history().entries[:8]
    assert rule_summary(entries, task="Parse the log file", seed_labels=True) == FULL


def test_c025_x36_limit_of_sentences() -> None:
    def limited(most: int) -> str:
        config = CompactionConfig(summary_max_sentences=most)
        return MemoryCompactor(config).compact(full_history(), task="Parse the log file").summary

    assert limited(3) == FULL
    assert limited(2) == FULL.replace("Made 3 LLM sub-calls. ", "")
    assert limited(1) == (
        "Completed 8 steps (6 successful). Key findings: lines=1024; errors=12. "
        "Resolved issues: KeyError, ValueError"
    )


def test_c025_a_reply_is_cut_at_a_sentence() -> None:
    class Talker:
        def generate_response(self, *, prompt: str) -> str:
            return "It read 1.5 GB. Then it failed. It tried again. It worked. Done."

    config = CompactionConfig(summary_max_sentences=2)
    assert (
        MemoryCompactor(config, Talker()).compact(full_history()).summary == "It read 1.5 GB. Then it failed."
    )


def test_x34_parts_end_with_one_period() -> None:
    assert summary("ok", task="Do it.") == "Working on: Do it. Completed 1 steps (1 successful)."


def test_x35_keys_begin_with_letters() -> None:
    assert summary("Processed chunk 0: found 0 patterns").endswith("Processed chunk 0: found 0 patterns")
    assert summary("accuracy=0.87", "accuracy=0.87").endswith("Key findings: accuracy=0.87")
    assert summary("see http://x.org", "a == 3").endswith("Key findings: a == 3")
    newest = summary("a: 1", "b: 2", "c: 3", "d: 4", newest_first=True)
    assert newest.endswith("Key findings: d=4; c=3; b=2")


@pytest.mark.parametrize("output", ["No errors found", "12 passed, 0 failed", "finished without exceptions"])
def test_x37_smart_success(output: str) -> None:
    assert not is_success(output)
    assert is_success(output, smart=True)
    assert not is_success(output + "\nTraceback", smart=True)


def test_x38_open_issues() -> None:
    assert summary("ok", "ValueError: x").endswith("Open issues: ValueError")
    assert summary("OSError: x", "ok", "ValueError: y").endswith(
        "Resolved issues: OSError. Open issues: ValueError"
    )
    assert summary("ok", "ValueError: x", seed_labels=True).endswith("Resolved issues: ValueError")
    assert "MyCustomError, OtherException" in summary("MyCustomError OtherException", "ok")
