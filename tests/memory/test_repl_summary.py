"""Summaries without a model (seed 002; C017-C025, X34-X38)."""

from __future__ import annotations

from typing import Any

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


@pytest.mark.parametrize(
    ("outputs", "options", "expected"),
    [
        # C017: the task; X34: each part ends with one period
        (["ok"], {"task": "t" * 150}, f"^Working on: {'t' * 100}. Completed"),
        (["ok"], {"task": "Do it."}, "^Working on: Do it. Completed 1 steps (1 successful).$"),
        # C018: steps; C019: calls
        ([*["ok"] * 6, "KeyError", "it failed"], {}, "^Completed 8 steps (6 successful)."),
        (["ok", "ok", "ok"], {"calls": 3}, "Made 3 LLM sub-calls."),
        (["ok"], {}, "^Completed 1 steps (1 successful).$"),
        # C020, C021: findings, numbers and pairs
        (["lines: 1024", "errors: 12"], {}, "Key findings: lines=1024; errors=12$"),
        (["a: 1, b: 2, c: 3, d: 4, e: 5"], {}, "Key findings: a=1; b=2; c=3$"),
        (["lines: 1024"], {"findings": False}, "^Completed 1 steps (1 successful).$"),
        (["accuracy: 0.87"], {}, "accuracy=0.87$"),
        (["total: 1,523.5"], {}, "Key findings: total=1,523.5$"),
        (
            ["total: 1,523.5, mean: 3, sum=12,000,000 EUR"],
            {},
            "Key findings: total=1,523.5; mean=3; sum=12,000,000 EUR$",
        ),
        (["sizes: 1,2,3", "a: b,c: d"], {}, "Key findings: sizes=1,2,3; a=b; c=d$"),
        (["there were 1,523.5 of them"], {}, "Key findings: there were 1,523.5 of them$"),
        # X35: keys begin with letters, and stand once; the newest come first where that is asked for
        (["Processed chunk 0: found 0 patterns"], {}, "Processed chunk 0: found 0 patterns$"),
        (["accuracy=0.87", "accuracy=0.87"], {}, "Key findings: accuracy=0.87$"),
        (["see http://x.org", "a == 3"], {}, "Key findings: a == 3$"),
        (["a: 1", "b: 2", "c: 3", "d: 4"], {"newest_first": True}, "Key findings: d=4; c=3; b=2$"),
        # C022: errors are sorted and listed once; X38: open ones are told from resolved ones
        (["ValueError: a", "KeyError: b", "KeyError: c", "ok"], {}, "Resolved issues: KeyError, ValueError$"),
        (["ok", "ValueError: x"], {}, "Open issues: ValueError$"),
        (["OSError: x", "ok", "ValueError: y"], {}, "Resolved issues: OSError. Open issues: ValueError$"),
        (["ok", "ValueError: x"], {"seed_labels": True}, "Resolved issues: ValueError$"),
        (["MyCustomError OtherException", "ok"], {}, "MyCustomError, OtherException"),
    ],
)
def test_what_a_summary_says(outputs: list[str], options: dict[str, Any], expected: str) -> None:
    """`expected` begins with "^" where the summary does, and ends with "$" where it does."""
    assert expected in f"^{summary(*outputs, **options)}$"


@pytest.mark.parametrize(
    "value",
    ["1,523.5", "$1,200,000", "US$1,200,000.50 net", "-3.5e-7", "+12%", "12,5 %", "€1.200.000,50", "-40.5°C",
     "−5,300", "(1,200)", "6.02e23", "1_000_000", "March 3, 2024", "1,000-2,000", "1'200'000 CHF"],
)  # fmt: skip
def test_a_number_is_read_whole(value: str) -> None:
    assert summary(f"key: {value}, next: 3").endswith(f"Key findings: key={value}; next=3")
    assert summary(f"key={value}").endswith(f"Key findings: key={value}")


@pytest.mark.parametrize("value", ["1,523.5", "$1,200,000", "12,5 %", "March 3, 2024", "1'200'000"])
@pytest.mark.parametrize("key", ["", "key: "])
def test_a_number_is_not_cut(value: str, key: str) -> None:
    for size in range(60, 85):
        told = summary(f"{key}{'x' * size} of {value} in all 3").partition("Key findings: ")[2]
        before = f"{key.replace(': ', '=')}{'x' * size}"
        assert told in (before[: 80 + len(key[1:])], f"{before} of") or told.startswith(
            f"{before} of {value}"
        )


@pytest.mark.parametrize(
    ("output", "expected"), [("FAILED", False), ("ok", True), ("", True), ("Traceback", False)]
)
def test_what_counts_as_success(output: str, expected: bool) -> None:
    assert is_success(output) is expected


def test_full_example() -> None:
    result = MemoryCompactor().compact(full_history(), task="Parse the log file")
    assert result.summary == FULL


def test_full_example_with_the_seeds_labels() -> None:
    entries = full_history().entries[:8]
    assert rule_summary(entries, task="Parse the log file", seed_labels=True) == FULL


def test_limit_of_sentences() -> None:
    def limited(most: int) -> str:
        config = CompactionConfig(summary_max_sentences=most)
        return MemoryCompactor(config).compact(full_history(), task="Parse the log file").summary

    assert limited(3) == FULL
    assert limited(2) == FULL.replace("Made 3 LLM sub-calls. ", "")
    assert limited(1) == (
        "Completed 8 steps (6 successful). Key findings: lines=1024; errors=12. "
        "Resolved issues: KeyError, ValueError"
    )


def test_a_reply_is_cut_at_a_sentence() -> None:
    class Talker:
        def generate_response(self, *, prompt: str) -> str:
            return "It read 1.5 GB. Then it failed. It tried again. It worked. Done."

    config = CompactionConfig(summary_max_sentences=2)
    assert (
        MemoryCompactor(config, Talker()).compact(full_history()).summary == "It read 1.5 GB. Then it failed."
    )


@pytest.mark.parametrize("output", ["No errors found", "12 passed, 0 failed", "finished without exceptions"])
def test_smart_success(output: str) -> None:
    assert not is_success(output)
    assert is_success(output, smart=True)
    assert not is_success(output + "\nTraceback", smart=True)
