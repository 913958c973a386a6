"""Histories for tests, in each shape that is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tersely.memory import REPLHistory
from tersely.memory.compaction import CompactedMessages
from tersely.memory.groups import REPLY_TOKENS, count_entries, count_tools
from tersely.memory.messages import Entry, Piece, read_messages
from tersely.models.counters import resolve_counter

SAID = [
    ("user", "Please find out why the nightly job fails on host web-17. Never restart the database."),
    ("assistant", "I will look at the logs of the job first."),
    ("call", ("read_file", {"path": "/srv/jobs/nightly/run.log"})),
    ("result", "\n".join(f"2024-05-{day:02} 03:00:0{day % 10} step {day} done" for day in range(1, 29))
     + "\nValueError: unknown currency 'XTS' in /srv/jobs/nightly/rates.py:118\nexit code 3"),
    ("assistant", "The job fails in `load_rates`: the currency XTS is not in the table currency_codes."),
    ("call", ("read_file", {"path": "/srv/jobs/nightly/rates.py"})),
    ("result", "\n".join(f"def rate_{n}(value):\n    return value * {n}.5  # row {n}" for n in range(40))),
    ("user", "Is the table used elsewhere? The ticket is OPS-4711."),
    ("call", ("grep", {"pattern": "currency_codes", "folder": "/srv"})),
    ("result", "\n".join(f"/srv/app/module_{n}/billing.py:{n * 7}: currency_codes[code]" for n in range(30))),
    ("assistant", "It is used in thirty modules of the app, billing.py in each."),
    ("user", "Then add XTS with rate 0 to seeds/currencies.csv and run the job again."),
]  # fmt: skip


def openai_chat(rounds: int = 1) -> list[dict[str, Any]]:
    """Chat completions, with a system prompt."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": "You are an operator. Be careful."}]
    for turn in range(rounds):
        for number, (role, said) in enumerate(SAID):
            key = f"call_{turn}_{number if role == 'call' else number - 1}"
            if role == "call":
                function = {"name": said[0], "arguments": json.dumps(said[1])}
                call = {"id": key, "type": "function", "function": function}
                messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
            elif role == "result":
                messages.append({"role": "tool", "tool_call_id": key, "content": _vary(said, turn)})
            else:
                messages.append({"role": role, "content": _vary(said, turn)})
    return messages


def openai_responses(rounds: int = 1) -> list[dict[str, Any]]:
    """Items of the Responses API, reasoning before each call."""
    items: list[dict[str, Any]] = []
    for turn in range(rounds):
        for number, (role, said) in enumerate(SAID):
            key = f"call_{turn}_{number if role == 'call' else number - 1}"
            if role == "call":
                items.append({"type": "reasoning", "id": f"rs_{key}", "summary": []})
                item = {"type": "function_call", "call_id": key, "name": said[0]}
                items.append({**item, "arguments": json.dumps(said[1])})
            elif role == "result":
                items.append({"type": "function_call_output", "call_id": key, "output": _vary(said, turn)})
            else:
                kind = "input_text" if role == "user" else "output_text"
                content = [{"type": kind, "text": _vary(said, turn)}]
                items.append({"type": "message", "role": role, "content": content})
    return items


def anthropic(rounds: int = 1) -> list[dict[str, Any]]:
    """Messages of content blocks; results stand in the user's messages."""
    messages: list[dict[str, Any]] = []
    for turn in range(rounds):
        for number, (role, said) in enumerate(SAID):
            key = f"toolu_{turn}_{number if role == 'call' else number - 1}"
            if role == "call":
                block = {"type": "tool_use", "id": key, "name": said[0], "input": said[1]}
                messages.append(
                    {"role": "assistant", "content": [{"type": "text", "text": "Looking."}, block]}
                )
            elif role == "result":
                block = {"type": "tool_result", "tool_use_id": key, "content": _vary(said, turn)}
                messages.append({"role": "user", "content": [block]})
            else:
                messages.append({"role": role, "content": _vary(said, turn)})
    return messages


def rows(name: str, **known: Any) -> list[dict[str, Any]]:
    """Read the rows of a file of tests/data/memory, with what is `known` in the place of "$name"."""
    path = Path(__file__).parents[1] / "data" / "memory" / name
    return [filled(json.loads(line), **known) for line in path.read_text(encoding="utf-8").splitlines()]


def filled(value: Any, **known: Any) -> Any:
    """Copy data with what is known in the place of "$name", alone or within a string."""
    if isinstance(value, dict):
        return {key: filled(inner, **known) for key, inner in value.items()}
    if isinstance(value, list):
        return [filled(inner, **known) for inner in value]
    if not isinstance(value, str) or "$" not in value:
        return value
    if value[1:] in known:
        return known[value[1:]]
    for name, text in known.items():
        value = value.replace(f"${name}", text) if isinstance(text, str) else value
    return value


def tool_turn(key: str, content: Any, name: str = "logs", arguments: str = "{}") -> list[dict[str, Any]]:
    """A call of a tool and its result, as chat completions have them."""
    call = {"id": key, "type": "function", "function": {"name": name, "arguments": arguments}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": key, "content": content},
    ]


def steps(count: int, reasoning: str = "Step {}", output: str = "{}") -> REPLHistory:
    """A history of that many steps."""
    history = REPLHistory()
    for number in range(count):
        history = history.append(reasoning.format(number), f"x = {number}", output.format(number))
    return history


def tokens_of(messages: list[Any], counter: Any = None, tools: Any = None) -> int:
    """What messages cost, with the frame of the reply."""
    counting, entries = resolve_counter(counter), read_messages(messages)
    return REPLY_TOKENS + count_tools(counting, tools) + int(count_entries(counting, entries, 1000).sum())


def read_message(message: Any) -> Entry:
    (entry,) = read_messages([message])
    return entry


def all_text(messages: list[Any]) -> str:
    return "\n".join(piece.text for entry in read_messages(messages) for piece in entry.pieces)


def assert_pairs(messages: list[Any]) -> None:
    """Each call has its result behind it, and each result its call."""
    open_calls: set[str] = set()
    for entry in read_messages(messages):
        for answer in entry.answers:
            assert answer in open_calls, f"{answer} answers no call"
            open_calls.discard(answer)
        open_calls |= set(entry.calls)
    assert not open_calls, "calls without results"


def assert_places_are_word_for_word(messages: list[Any], result: CompactedMessages) -> None:
    """What accounts say is kept of folded messages stands in what is sent."""
    text, entries = all_text(result.messages), read_messages(messages)
    for account in result.accounts:
        for piece, start, end in account.kept:
            assert account.outcome == "folded" and start < end
            for line in entries[account.index].pieces[piece].text[start:end].split("\n"):
                assert line in text


def pictures(entry: Entry) -> int:
    return sum(piece.kind == "picture" for piece in entry.pieces)


def pieces_of(texts: list[str]) -> list[Piece]:
    """Texts as pieces that somebody said."""
    return [Piece(text, "text", ()) for text in texts]


def _vary(said: str, turn: int) -> str:
    return said if not turn else f"{said}\n(round {turn}, ticket OPS-{4711 + turn})"
