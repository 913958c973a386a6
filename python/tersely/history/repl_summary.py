"""Summarize the steps of a session in a few sentences: by rules, or by a model with the prompt for it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tersely.history.repl import REPLEntry
from tersely.write.prompt import Prompt

__all__ = [
    "COMPACTED",
    "encodable",
    "is_success",
    "is_summary",
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
_PAIR = re.compile(  # a comma ends a value, unless it groups the digits of a number
    r"\b([A-Za-z_]\w*)(?::\s*|\s*=(?!=)\s*)((?:(?<!\d)\d{1,3}(?:,\d{3})+(?!\d)|[^\n,])+)"
)
_NUMBER = re.compile(r"\b\d+(?:,\d{3})*(?:\.\d+)?\b")
_ERROR = re.compile(r"\b[A-Za-z_]\w*(?:Error|Exception)\b")
_TOLD = re.compile(r"Completed (\d+) steps \((\d+) successful\)")


def is_summary(entry: REPLEntry) -> bool:
    """Whether the entry stands for others."""
    return entry.reasoning.startswith(COMPACTED)


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
    """What was worked on, how many steps, model calls, findings, errors.

    `later`: the steps after those; an error is resolved where a step after it succeeds. `seed_labels`: every
    error counts as resolved. `sentences`: of the task, the steps and the calls; the steps go last.
    O(characters).
    """
    steps, good = _steps(entries, smart_success)
    calls = sum(len(entry.llm_calls) for entry in entries)
    told = {"stats": f"Completed {steps} steps ({good} successful)"}
    if task:
        told = {"task": f"Working on: {task[:_TASK_CHARACTERS]}", **told}
    if calls:
        told["calls"] = f"Made {calls} LLM sub-calls"
    for least in ("calls", "task"):
        if len(told) > sentences:
            told.pop(least, None)
    parts = list(told.values())
    if findings and (found := _findings(entries, newest_first)):
        parts.append("Key findings: " + "; ".join(found))
    parts += _issues(entries, later, smart_success, seed_labels)
    return ". ".join(part.rstrip(". ") for part in parts) + ("" if len(parts) > len(told) else ".")


def _steps(entries: Sequence[REPLEntry], smart: bool) -> tuple[int, int]:
    """Steps and successful ones; a summary whose originals are lost counts for what it tells."""
    steps = good = 0
    for entry in entries:
        told = _TOLD.search(entry.reasoning) if is_summary(entry) else None
        steps += int(told[1]) if told else 1
        good += int(told[2]) if told else is_success(entry.output, smart)
    return steps, good


def _findings(entries: Sequence[REPLEntry], newest_first: bool) -> list[str]:
    found: dict[str, None] = {}
    for entry in reversed(entries) if newest_first else entries:
        pairs = [
            (match[1], match[2].strip())
            for match in _PAIR.finditer(entry.output)
            if not _ERROR.fullmatch(match[1]) and not match[2].startswith("//")
        ]
        if pairs:
            found |= dict.fromkeys(f"{key}={value[:_FINDING_CHARACTERS]}" for key, value in pairs if value)
        else:
            lines = [line.strip() for line in entry.output.splitlines() if _NUMBER.search(line)]
            found |= dict.fromkeys(line[:_FINDING_CHARACTERS] for line in lines)
        if len(found) >= _FINDINGS:
            break
    return list(found)[:_FINDINGS]


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
    """What a model is shown of steps: the beginning of each text, all of a summary."""
    steps = []
    for number, entry in enumerate(entries, 1):
        texts = (entry.reasoning, entry.code, entry.output)
        shown = [
            f"{name}: {text if is_summary(entry) else text[:most]}"
            for (name, most), text in zip(_PREVIEWS.items(), texts, strict=True)
            if text
        ]
        steps.append("\n".join([f"Step {number}", *shown]))
    return encodable("\n\n".join(steps))


def encodable(text: str) -> str:
    """The text with "?" for lone surrogates, which programs may print and no model can be sent."""
    return text.encode("utf-8", "replace").decode("utf-8")
