"""Results that are JSON in a string are read as the texts they hold, and written back as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from histories import all_text, read_message, tokens_of
from tersely.memory import compact_messages
from tersely.memory.messages import read_messages

ERROR = "error: assertion failed in rates.rs:88, left 3, right 4"
LINES = "\n".join(f"test case_{n} of module billing is fine" for n in range(60))
FAILS = {"output": f"running 61 tests\n{LINES}\n{ERROR}\n", "metadata": {"exit_code": 101, "seconds": 2.5}}
WORKS = {"output": f"{LINES}\n", "metadata": {"exit_code": 0, "seconds": 1.0}}


def chat(call: str, text: str) -> list[dict[str, Any]]:
    function = {"name": "shell", "arguments": json.dumps({"command": "cargo test"})}
    made = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": call, "type": "function", "function": function}],
    }
    return [made, {"role": "tool", "tool_call_id": call, "content": text}]


def responses(call: str, text: str) -> list[dict[str, Any]]:
    made = {"type": "function_call", "call_id": call, "name": "shell", "arguments": "{}"}
    return [made, {"type": "function_call_output", "call_id": call, "output": text}]


def anthropic(call: str, text: str) -> list[dict[str, Any]]:
    made = {"type": "tool_use", "id": call, "name": "shell", "input": {"command": "cargo test"}}
    result = {"type": "tool_result", "tool_use_id": call, "content": text}
    return [{"role": "assistant", "content": [made]}, {"role": "user", "content": [result]}]


def gemini(call: str, text: str) -> list[dict[str, Any]]:
    made = {"functionCall": {"id": call, "name": "shell", "args": {}}}
    result = {"functionResponse": {"id": call, "name": "shell", "response": {"result": text}}}
    return [{"role": "model", "parts": [made]}, {"role": "user", "parts": [result]}]


SHAPES: list[Callable[[str, str], list[dict[str, Any]]]] = [chat, responses, anthropic, gemini]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("ascii_only", [True, False])
def test_the_error_of_a_failed_command_stands_and_json_stays_json(
    shape: Callable[[str, str], list[dict[str, Any]]], ascii_only: bool
) -> None:
    messages: list[Any] = [{"role": "user", "content": "Mend the rates."}]
    for number in range(8):
        told = FAILS if number == 2 else {**WORKS, "note": f"run №{number}"}
        messages += shape(f"c{number}", json.dumps(told, ensure_ascii=ascii_only))
    messages.append({"role": "user", "content": "And now?"})
    result = compact_messages(messages, budget=900)
    assert ERROR in all_text(result.messages)
    assert tokens_of(result.messages) == result.tokens <= 900
    for message in result.messages:
        for text in strings(message):
            if text.startswith('{"output"'):
                assert json.loads(text)["metadata"]["exit_code"] in (0, 101)


def strings(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for inner in value.values() for text in strings(inner)]
    if isinstance(value, list):
        return [text for inner in value for text in strings(inner)]
    return [value] if isinstance(value, str) else []


@pytest.mark.parametrize(
    ("told", "failed"),
    [
        (FAILS, True),
        (WORKS, False),
        ({"stdout": "", "stderr": "no such\nfile\n" * 5, "exit_code": 2}, True),
        ({"status": "error", "message": "the host is down"}, True),
        ({"isError": True, "text": "no"}, True),
        ({"success": True, "rows": 3}, False),
    ],
)
def test_what_says_how_a_call_ended_says_so_in_a_string_too(told: dict[str, Any], failed: bool) -> None:
    entry = read_message(chat("c", json.dumps(told))[1])
    assert {piece.failed for piece in entry.pieces} == {failed}


@pytest.mark.parametrize(
    "text",
    [
        '{"output": "a\\nb\\nc", "exit_code": 01}',
        '{"exit_code": 1.50,   "output": "a\\nb"}',
        '{"exit_code": 1, "output"',
    ],
)
def test_what_would_not_be_written_again_to_the_letter_is_read_as_it_stands(text: str) -> None:
    pieces = [
        piece for entry in read_messages(chat("c", text)) for piece in entry.pieces if piece.kind == "result"
    ]
    assert [piece.text for piece in pieces] == [text]
