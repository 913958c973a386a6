"""References to newer results: whoever reads what is sent can follow each of them."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest
from histories import tokens_of, tool_turn
from tersely import BudgetExceededError
from tersely.memory import Compactor, compact_messages
from tersely.memory.messages import HEADER

REFERENCE = re.compile(
    r"\[(?:The same as (?:lines (\d+) to (\d+) of )?|As )the (?:(\d+)(?:st|nd|rd|th) )?"
    r"next result of (.+?)(?:, but for:)?\](?:\n|\Z)"
)
HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@")


def blocks_of(message: dict[str, Any]) -> list[dict[str, Any]]:
    return message["content"] if isinstance(message["content"], list) else []


def results_of(messages: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    """(call, id, text) of each result, in order, as a reader sees them."""
    calls: dict[str, str] = {}
    found = []
    for message in messages:
        for call in message.get("tool_calls") or ():
            calls[call["id"]] = f"{call['function']['name']} {call['function']['arguments']}"
        if message["role"] == "tool":
            found.append((calls[message["tool_call_id"]], message["tool_call_id"], message["content"]))
        for block in blocks_of(message):
            if block["type"] == "tool_use":
                arguments = json.dumps(block["input"], separators=(",", ":"))
                calls[block["id"]] = f"{block['name']} {arguments}"
            elif block["type"] == "tool_result":
                found.append((calls[block["tool_use_id"]], block["tool_use_id"], block["content"]))
    return found


def patched(newer: str, difference: str) -> str:
    """The older text of a unified difference without context."""
    lines, found, at = newer.splitlines(), [], 0
    for line in difference.splitlines():
        if hunk := HUNK.match(line):
            first, size = int(hunk[1]), int(hunk[2] or 1)
            start = first - 1 if size else first
            found += lines[at:start]
            at = start + size
        elif line.startswith("+"):
            found.append(line[1:])
    return "\n".join(found + lines[at:])


def followed(results: list[tuple[str, str, str]], at: int) -> str:
    """What a result says, by what is sent alone."""
    own, _, text = results[at]
    reference = REFERENCE.match(text)
    if not reference:
        return text
    low, high, count, call = reference.groups()
    wanted = own if call == "this call" else call
    later = [number for number in range(at + 1, len(results)) if results[number][0] == wanted]
    newer = followed(results, later[int(count or 1) - 1])
    if low:
        return "\n".join(newer.split("\n")[int(low) - 1 : int(high)])
    return patched(newer, text[reference.end() :]) if text.startswith("[As") else newer


def is_quotes(message: dict[str, Any]) -> bool:
    return str(message["content"]).startswith(HEADER)


def check(sent: list[dict[str, Any]], given: list[dict[str, Any]]) -> int:
    """Follow each reference in what is sent to what was given; return how many there are."""
    results, before = results_of(sent), results_of(given)
    came = {key: followed(before, at) for at, (_, key, _) in enumerate(before)}
    assert not any("next result of" in str(message["content"]) for message in sent if is_quotes(message))
    led = [at for at, (_, _, text) in enumerate(results) if REFERENCE.match(text)]
    for at in led:
        assert followed(results, at).strip("\n") == came[results[at][1]].strip("\n")
    return len(led)


def made_history(seed: int, shape: str, turns: int) -> list[dict[str, Any]]:
    """A history in which tools give the same, a part of it, or almost the same again."""
    rng = random.Random(seed)
    logs = ["\n".join(f"CC src/a{line}.c -> object {line * kind}" for line in range(40)) for kind in range(3)]
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Fix the build."}]
    for turn in range(turns):
        texts, calls = [], []
        for one in range(rng.choice([1, 1, 1, 2])):
            lines = rng.choice(logs).split("\n")
            if rng.random() < 0.3:
                lines = lines[rng.randrange(20) :][: rng.choice([12, 40])]
            if rng.random() < 0.3:
                lines[rng.randrange(len(lines))] = f"error {turn}: missing symbol"
            texts.append("\n".join(lines) if rng.random() < 0.9 else "ok")
            calls.append((f"c{turn}_{one}", rng.choice(["bash", "read"]), {"path": rng.choice("ab")}))
        words = f"Part {turn}."
        if shape == "openai":
            pairs = [tool_turn(key, text, name, json.dumps(given))
                     for (key, name, given), text in zip(calls, texts, strict=True)]  # fmt: skip
            made = [call for pair in pairs for call in pair[0]["tool_calls"]]
            messages += [
                {"role": "assistant", "content": words, "tool_calls": made},
                *[pair[1] for pair in pairs],
            ]
        else:
            uses = [
                {"type": "tool_use", "id": key, "name": name, "input": given} for key, name, given in calls
            ]
            results = [{"type": "tool_result", "tool_use_id": key, "content": text}
                       for (key, _, _), text in zip(calls, texts, strict=True)]  # fmt: skip
            messages += [
                {"role": "assistant", "content": [{"type": "text", "text": words}, *uses]},
                {"role": "user", "content": results},
            ]
        if rng.random() < 0.2:
            messages.append({"role": "user", "content": f"Never do {turn}."})
    return messages


@pytest.mark.parametrize("shape", ["openai", "anthropic"])
@pytest.mark.parametrize(("how", "seeds"), [("once", 25), ("again", 3), ("compactor", 6)])
def test_each_reference_can_be_followed(shape: str, how: str, seeds: int) -> None:
    seen = 0
    for seed in range(seeds):  # but for "once", each turn is compacted
        messages = made_history(seed, shape, 24)
        budget = [1200, 2500, 5000][seed % 3]
        compactor, current = Compactor(budget), []
        ends = [at + 1 for at in range(len(messages)) if at + 1 == len(messages)
                or messages[at + 1]["role"] == "assistant"]  # fmt: skip
        before = 0
        for end in ends if how != "once" else ends[-1:]:
            current = [*current, *messages[before:end]] if how == "again" else messages[:end]
            try:
                if how == "compactor":
                    sent = compactor.compact(current).messages
                else:
                    sent = compact_messages(current, budget=budget).messages
            except BudgetExceededError:
                continue
            before = end
            assert tokens_of(sent) <= budget
            seen += check(sent, current)
            current = sent
    assert seen > 25
