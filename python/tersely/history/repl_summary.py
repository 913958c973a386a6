"""Summarize the steps of a session in a few sentences: by rules, or by a model with the prompt for it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

import numpy as np

from tersely.core.facts import FactKind
from tersely.core.tables import Level
from tersely.core.text import well_formed
from tersely.engine.facts import find_facts
from tersely.engine.segment import segment
from tersely.history.repl import REPLEntry
from tersely.write.prompt import Prompt

__all__ = [
    "COMPACTED",
    "is_success",
    "rule_summary",
    "steps_prompt",
    "steps_text",
]

COMPACTED = "[COMPACTED] "
_TASK_CHARACTERS = 100
_FINDINGS = 3
_FINDING_CHARACTERS = 80
_PREVIEWS = {"Reasoning": 200, "Code": 150, "Output": 100}  # characters of a step that a model is shown
_FAILURES = ("error", "exception", "traceback", "failed")
_HARMLESS = re.compile(
    r"\b(?:no|0|zero|without(?: any)?)\s+(?:errors?|exceptions?|failed|failures)\b|\bfailed\s*[:=]\s*0\b",
    re.I,
)
_KEY = re.compile(r"\b([A-Za-z_]\w*)(?::\s*|\s*=(?!=)\s*)")
_END = re.compile(r"[\n,]")  # of a value, but for commas within a number or a date
_ERROR = re.compile(r"\b[A-Za-z_]\w*(?:Error|Exception)\b")
_TOLD = re.compile(r"Completed \d+ steps \((\d+) successful\)")


def is_success(output: str, smart: bool = False) -> bool:
    """Whether an output tells of no failure; `smart`: "no errors" and "0 failed" are none."""
    text = _HARMLESS.sub("", output) if smart else output
    return not any(word in text.lower() for word in _FAILURES)


def rule_summary(
    entries: Sequence[REPLEntry],
    later: Sequence[REPLEntry] = (),
    task: str = "",
    *,
    sentences: int = 3,
    findings: bool = True,
    smart_success: bool = False,
    seed_labels: bool = False,
    newest_first: bool = False,
) -> str:
    """Summarize steps by rules: the task, numbers of steps and model calls, findings, errors.

    `later`: the steps after those; an error is resolved where a step after it succeeds. `seed_labels`: every
    error counts as resolved. `sentences`: of the task, the steps and the calls; the steps go last.
    O(characters).
    """
    steps, good = _steps(entries, smart_success)
    calls = sum(len(entry.llm_calls) for entry in entries)
    lines = {"stats": f"Completed {steps} steps ({good} successful)"}
    if task:
        lines = {"task": f"Working on: {task[:_TASK_CHARACTERS]}", **lines}
    if calls:
        lines["calls"] = f"Made {calls} LLM sub-calls"
    for least in ("calls", "task"):
        if len(lines) > sentences:
            lines.pop(least, None)
    parts = list(lines.values())
    if findings and (found := _findings(entries, newest_first)):
        parts.append("Key findings: " + "; ".join(found))
    parts += _issues(entries, later, smart_success, seed_labels)
    return ". ".join(part.rstrip(". ") for part in parts) + ("" if len(parts) > len(lines) else ".")


def _steps(entries: Sequence[REPLEntry], smart: bool) -> tuple[int, int]:
    """Steps and successful ones; a summary whose originals are lost counts for what it tells."""
    steps = good = 0
    for entry in entries:
        match = _TOLD.search(entry.reasoning) if entry.stands_for else None
        many = entry.stands_for or 1
        steps += many
        good += min(int(match[1]), many) if match else many * is_success(entry.output, smart)
    return steps, good


def _findings(entries: Sequence[REPLEntry], newest_first: bool) -> list[str]:
    """Values with their keys; of an output without any, the lines that hold a number."""
    found: dict[str, None] = {}
    for entry in reversed(entries) if newest_first else entries:
        found |= dict.fromkeys(_pairs(entry.output) or _lines_with_numbers(entry.output))
        if len(found) >= _FINDINGS:
            break
    return list(found)[:_FINDINGS]


def _pairs(output: str) -> list[str]:
    numbers = _numbers(output)
    pairs: list[str] = []
    at = 0
    while len(pairs) < _FINDINGS and (key := _KEY.search(output, at)) is not None:
        begin = at = key.end()
        while (end := _END.search(output, at)) is not None and end[0] == ",":
            number = _number_around(numbers, end.start())
            if number is None:
                break
            at = number[1]
        at = len(output) if end is None else end.start()
        value = _shorten(output, begin, at, numbers)
        if value and not value.startswith("//") and not _ERROR.fullmatch(key[1]):
            pairs.append(f"{key[1]}={value}")
    return pairs


def _lines_with_numbers(output: str) -> list[str]:
    numbers = _numbers(output)
    found: dict[str, None] = {}
    end = -1
    for start, _ in numbers:
        if start < end:
            continue  # in the same line
        begin = output.rfind("\n", 0, start) + 1
        end = output.find("\n", start)
        end = len(output) if end < 0 else end
        found[_shorten(output, begin, end, numbers)] = None
        if len(found) == _FINDINGS:
            break
    return list(found)


def _numbers(output: str) -> list[tuple[int, int]]:
    """Start and end of numbers with sign, currency and unit, and of dates, in order. O(characters)."""
    texts = [well_formed(output)]
    facts = find_facts(texts, segment(texts, Level.SENTENCE))
    rows = np.isin(facts.kind, (FactKind.NUMBER, FactKind.DATE))
    return sorted(zip(facts.start[rows].tolist(), facts.end[rows].tolist(), strict=True))


def _number_around(numbers: Sequence[tuple[int, int]], place: int) -> tuple[int, int] | None:
    """Find the number that spans a place."""
    row = bisect_left(numbers, (place,)) - 1
    return numbers[row] if row >= 0 and place < numbers[row][1] else None


def _shorten(output: str, begin: int, end: int, numbers: Sequence[tuple[int, int]]) -> str:
    """The text between two places; where it is long its first words, and no part of a number."""
    begin += len(output[begin:end]) - len(output[begin:end].lstrip())
    if end - begin > _FINDING_CHARACTERS:
        end = begin + _FINDING_CHARACTERS
        number = _number_around(numbers, end)
        if number is not None and number[0] <= begin:
            return output[begin : number[1]]
        end = end if number is None else number[0]
        if not output[end].isspace() and " " in output[begin:end]:
            end = output.rindex(" ", begin, end)
    return output[begin:end].strip()


def _issues(
    entries: Sequence[REPLEntry], later: Sequence[REPLEntry], smart: bool, seed_labels: bool
) -> list[str]:
    steps = [*entries, *later]
    last_good = max((i for i, entry in enumerate(steps) if is_success(entry.output, smart)), default=-1)
    last_met = {name: index for index, entry in enumerate(entries) for name in _ERROR.findall(entry.output)}
    resolved = sorted(name for name, index in last_met.items() if seed_labels or index < last_good)
    still_open = sorted(set(last_met) - set(resolved))
    labelled = (("Resolved issues", resolved), ("Open issues", still_open))
    return [f"{label}: {', '.join(names)}" for label, names in labelled if names]


def steps_prompt(task: str) -> Prompt:
    """Ask for what steps came to, in at most {target} sentences."""
    return Prompt(
        "Summarize the steps below in at most {target} sentences: what was attempted, the key findings (keep "
        "numbers, names and paths as they are), and which errors were resolved. {rules} Reply with the "
        "summary alone.\n\n" + ("Task: {query}\n\n" if task.strip() else "") + "{content}",
        task,
    )


def steps_text(entries: Sequence[REPLEntry]) -> str:
    """Write steps for a model's prompt: the beginning of each text, all of a summary."""
    steps = []
    for number, entry in enumerate(entries, 1):
        texts = (entry.reasoning, entry.code, entry.output)
        shown = [
            f"{name}: {text if entry.stands_for else text[:most]}"
            for (name, most), text in zip(_PREVIEWS.items(), texts, strict=True)
            if text
        ]
        steps.append("\n".join([f"Step {number}", *shown]))
    return well_formed("\n\n".join(steps))
