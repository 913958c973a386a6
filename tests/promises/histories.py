"""Random histories in the messages of every framework, steps and segments of an agent, and their doors."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import tersely
from tersely.memory import (
    CompactionConfig,
    Compactor,
    MemoryCompactor,
    REPLHistory,
    SegmentMemory,
    SegmentType,
    compact_messages,
)
from tersely.memory.compaction import CompactedMessages
from tersely.memory.groups import REPLY_TOKENS, atomic_groups, count_entries, count_tools
from tersely.memory.messages import read_messages
from tersely.models.counters import resolve_counter
from tersely.store import Store

from promises import history_rules
from promises.check import Call, Door, budget_for, grown
from promises.counters import counter_named, counter_of, function_of
from promises.documents import document, words
from promises.history_rules import signature

Said = tuple[str, str, str]  # role ("user", "assistant", "thought", "call", "result"), text, id of a call


def _turns(random: Random) -> list[Said]:
    """What was said: (role, text, id of the call); a result comes after its call."""
    turns: list[Said] = []
    for number in range(random.randint(1, 9)):
        kind = random.random()
        if kind < 0.35:
            turns.append(("user", _text(random), ""))
        elif kind < 0.6:
            turns.append(("assistant", _text(random), ""))
        else:
            turns.append(("call", words(random, 4), f"id_{number}"))
            turns.append(("result", document(random), f"id_{number}"))
    return turns


def _text(random: Random) -> str:
    return words(random, 20) if random.random() < 0.6 else document(random)


def _with_before(turns: Sequence[Said]) -> Iterator[tuple[str, Said]]:
    """Each turn with the role of the one before; what follows a call or result of its kind is parallel."""
    return zip(["", *(role for role, _, _ in turns)], turns, strict=False)


def _openai(turns: Sequence[Said]) -> list[Any]:
    messages: list[Any] = []
    for before, (role, text, key) in _with_before(turns):
        if role == "call":
            function = {"name": "read_file", "arguments": json.dumps({"path": text})}
            if before != "call":
                messages.append({"role": "assistant", "content": None, "tool_calls": []})
            messages[-1]["tool_calls"].append({"id": key, "type": "function", "function": function})
        elif role == "result":
            messages.append({"role": "tool", "tool_call_id": key, "content": text})
        elif role != "thought":
            messages.append({"role": role, "content": text})
    return messages


def _openai_parts(turns: Sequence[Said]) -> list[Any]:
    found = _openai(turns)
    return [
        {**message, "content": [{"type": "text", "text": message["content"]}]}
        if message["role"] in ("user", "assistant") and message["content"]
        else message
        for message in found
    ]


def _responses(turns: Sequence[Said]) -> list[Any]:
    items: list[Any] = []
    for before, (role, text, key) in _with_before(turns):
        if role == "thought":
            item = {"type": "reasoning", "id": f"rs_{key}", "summary": []}
            items.append({**item, "encrypted_content": signature(item["id"], item["summary"])})
        elif role == "call":
            if before not in ("call", "thought"):
                items.append({"type": "reasoning", "id": f"rs_{key}", "summary": []})
            arguments = json.dumps({"path": text})
            items.append(
                {"type": "function_call", "call_id": key, "name": "read_file", "arguments": arguments}
            )
        elif role == "result":
            items.append({"type": "function_call_output", "call_id": key, "output": text})
        else:
            kind = "input_text" if role == "user" else "output_text"
            items.append({"type": "message", "role": role, "content": [{"type": kind, "text": text}]})
    return items


def _anthropic(turns: Sequence[Said]) -> list[Any]:
    messages: list[Any] = []
    for before, (role, text, key) in _with_before(turns):
        if role == "thought":
            thought = {"type": "thinking", "thinking": text, "signature": signature(text)}
            messages.append({"role": "assistant", "content": [thought]})
        elif role == "call":
            block = {"type": "tool_use", "id": key, "name": "read_file", "input": {"path": text}}
            if before not in ("call", "thought"):
                messages.append({"role": "assistant", "content": [{"type": "text", "text": "Looking."}]})
            messages[-1]["content"].append(block)
        elif role == "result":
            if before != "result":
                messages.append({"role": "user", "content": []})
            messages[-1]["content"].append({"type": "tool_result", "tool_use_id": key, "content": text})
        elif before == "thought":
            messages[-1]["content"].append({"type": "text", "text": text})
        else:
            messages.append({"role": role, "content": text})
    return messages


def _langchain(turns: Sequence[Said]) -> list[Any]:
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

    messages: list[Any] = []
    for before, (role, text, key) in _with_before(turns):
        if role == "call":
            if before != "call":
                messages.append(AIMessage("", tool_calls=[]))
            call = {"name": "read_file", "args": {"path": text}, "id": key, "type": "tool_call"}
            messages[-1].tool_calls.append(call)
        elif role == "result":
            messages.append(ToolMessage(text, tool_call_id=key, name="read_file"))
        elif role != "thought":
            messages.append((HumanMessage if role == "user" else AIMessage)(text))
    return messages


def _bedrock(turns: Sequence[Said]) -> list[Any]:
    messages: list[Any] = []
    for before, (role, text, key) in _with_before(turns):
        if role == "thought":
            continue
        speaker = "user" if role in ("user", "result") else "assistant"
        if before != role or role not in ("call", "result"):
            messages.append({"role": speaker, "content": []})
        block: dict[str, Any] = {"text": text}
        if role == "call":
            block = {"toolUse": {"toolUseId": key, "name": "read_file", "input": {"path": text}}}
        elif role == "result":
            block = {"toolResult": {"toolUseId": key, "content": [{"text": text}], "status": "success"}}
        messages[-1]["content"].append(block)
    return messages


def _gemini(turns: Sequence[Said]) -> list[Any]:
    contents: list[Any] = []
    for before, (role, text, _) in _with_before(turns):
        if role == "thought":
            continue
        if before != role or role not in ("call", "result"):
            contents.append({"role": "user" if role in ("user", "result") else "model", "parts": []})
        part: dict[str, Any] = {"text": text}
        if role == "call":
            call = {"name": "read_file", "args": {"path": text}}
            part = {"functionCall": call, "thoughtSignature": signature(call["name"], call["args"])}
        elif role == "result":
            part = {"functionResponse": {"name": "read_file", "response": {"result": text}}}
        contents[-1]["parts"].append(part)
    return contents


_SHAPES = (_openai, _openai_parts, _responses, _anthropic, _langchain)
#: Each shape, and what its provider refuses.
SHAPES: dict[Callable[[Sequence[Said]], list[Any]], history_rules.Rules] = {
    _openai: history_rules.chat,
    _openai_parts: history_rules.chat,
    _responses: history_rules.responses,
    _anthropic: history_rules.anthropic,
    _langchain: history_rules.langchain,
    _bedrock: history_rules.bedrock,
    _gemini: history_rules.gemini,
}


def _messages(random: Random) -> list[Any]:
    shape = random.choice(_SHAPES)
    found = shape(_turns(random))
    if random.random() < 0.5 and shape in (_openai, _openai_parts):
        found.insert(0, {"role": "system", "content": words(random, 20)})
    return found


def count_messages(messages: Sequence[Any], counter: str, tools: Any) -> int:
    counting = resolve_counter(function_of(counter))
    entries = read_messages(list(messages))
    return REPLY_TOKENS + count_tools(counting, tools) + int(count_entries(counting, entries, 1000).sum())


def check_messages(
    made: CompactedMessages, given: Sequence[Any], counter: str, budget: int, tools: Any
) -> list[str]:
    wrong = []
    tokens = count_messages(made.messages, counter, tools)
    if tokens > budget or tokens != made.tokens:
        wrong.append(f"{tokens} tokens of messages, {made.tokens} said, for a budget of {budget}")
    wrong += grown(counter, tokens, made.original_tokens)
    if len(made.accounts) != len(given):
        wrong.append("not one account a message")
    sent = {id(message) for message in made.messages}
    blocks = {id(block) for message in made.messages for block in _blocks(message)}
    for account in made.accounts:
        message = given[account.index]
        stays = id(message) in sent or {id(block) for block in _blocks(message)} <= blocks
        if account.outcome == "verbatim" and not stays:
            wrong.append(f"message {account.index} is said to stay, and does not")
        if made.expand(account.index) != given[account.index]:
            wrong.append(f"message {account.index} cannot be had again")
    calls, answers = _calls(made.messages)
    before, told = _calls(given)
    if (calls ^ answers) - (before ^ told):
        wrong.append(f"calls {calls} and results {answers} are parted")
    return wrong


def _blocks(message: Any) -> list[Any]:
    """The blocks of a message, which may stand in one turn with those of another."""
    found = message.get("parts", message.get("content")) if isinstance(message, dict) else None
    return found if isinstance(found, list) else [message]


def _calls(messages: Sequence[Any]) -> tuple[set[str], set[str]]:
    entries = read_messages(list(messages))
    return {c for e in entries for c in e.calls}, {a for e in entries for a in e.answers}


def seen_messages(made: CompactedMessages) -> Any:
    return [repr(message) for message in made.messages], made.to_dict()


_TOOLS = [{"type": "function", "function": {"name": "read_file", "parameters": {"type": "object"}}}]


def messages(random: Random) -> Call:
    """`compact_messages`."""
    given, counter = _messages(random), counter_named(random)
    tools = random.choice([None, None, _TOOLS])
    chosen: dict[str, Any] = {
        "tools": tools,
        "pinned": random.choice([(), (), (random.randrange(len(given)),)]),
        "keep_last": random.choice([0, 0, 1, 3]),
        "query": random.choice([None, None, words(random, 4), " ", "xyzzy"]),
    }
    return Call(
        lambda budget: compact_messages(given, budget=budget, counter=counter_of(counter), **chosen),
        budget_for(random, count_messages(given, counter, tools)),
        lambda made, budget: check_messages(made, given, counter, budget, tools),
        seen_messages,
        told={"messages": given, "counter": counter, **chosen},
    )


def compact_steps(compactor: Compactor, histories: Sequence[list[Any]]) -> list[Any]:
    """Compact a history as it grows; None where the budget is too small, but for the last step."""
    found: list[Any] = []
    for number, history in enumerate(histories, 1):
        try:
            found.append(compactor.compact(history))
        except tersely.BudgetExceededError:
            if number == len(histories):
                raise
            found.append(None)
    return found


def growing(random: Random) -> Call:
    """`Compactor`, turn by turn."""
    given, counter = _messages(random), counter_named(random)
    headroom = random.choice([0.0, 0.3, 0.65])
    entries = read_messages(given)
    stops = [stop for _, stop in atomic_groups(entries)] or [len(given)]

    def run(budget: int) -> list[Any]:
        compactor = Compactor(budget, counter=counter_of(counter), headroom=headroom)
        return compact_steps(compactor, [given[:stop] for stop in stops])

    def check(found: list[Any], budget: int) -> list[str]:
        wrong = []
        for stop, made in zip(stops, found, strict=True):
            if made is not None:
                wrong += check_messages(made, given[:stop], counter, budget, None)
        return wrong

    return Call(
        run,
        budget_for(random, count_messages(given, counter, None)),
        check,
        lambda found: [made and seen_messages(made) for made in found],
        told={"messages": given, "counter": counter, "headroom": headroom},
    )


def steps(random: Random) -> Call:
    """`MemoryCompactor`: steps of a session; all of them can be had again."""
    history = REPLHistory()
    for _ in range(random.randint(0, 14)):
        history = history.append(words(random, 9), document(random)[:300], document(random)[:300])
    history = REPLHistory(replace(entry, timestamp="2024-05-01T00:00:00+00:00") for entry in history)
    config = random.choice(
        [CompactionConfig(), CompactionConfig.minimal(), CompactionConfig.high_throughput()]
    )
    task, force = words(random, 4), random.random() < 0.5

    def run(_: int) -> Any:
        compactor = MemoryCompactor(config)
        result = compactor.compact(history, task, force)
        return compactor.apply_compaction(history, result), result.warnings

    def check(made: tuple[REPLHistory, tuple[str, ...]], _: int) -> list[str]:
        shorter, warnings = made
        wrong = [] if shorter.expanded() == history.entries else ["steps cannot be had again"]
        said = "no_gain" in warnings
        return wrong + ([] if said else grown("o200k_base", shorter.characters, history.characters))

    return Call(
        run,
        0,
        check,
        lambda made: [(one.reasoning, one.code, one.output) for one in made[0]],
        told={"steps": history.entries, "config": config},
    )


def segments(random: Random) -> Call:
    """`SegmentMemory`: shortened segments are shorter, and their originals come back byte for byte."""
    texts = [document(random) for _ in range(random.randint(1, 3))]
    kinds, ratio = [random.choice(list(SegmentType)) for _ in texts], random.choice([0.2, 0.6, 0.9])
    counter = counter_named(random)

    def run(_: int) -> Any:
        with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "store") as store:
            memory = SegmentMemory(store, counter=counter_of(counter))
            names = [f"s{index}" for index in range(len(texts))]
            for name, text, kind in zip(names, texts, kinds, strict=True):
                memory.store_context_segment(text, segment_id=name, type=kind)
            made = memory.compress_context_segment(names, target_compression_ratio=ratio)
            shorter = {one.segment_id: memory.get(one.segment_id).text for one in made.compressed_segments}
            back = {name: memory.expand_compressed_context(name).original_text for name in shorter}
            return made, shorter, back

    def check(found: Any, _: int) -> list[str]:
        made, shorter, back = found
        wrong = [f"{name} did not come back" for name in shorter if back[name] != texts[int(name[1:])]]
        for name, text in shorter.items():
            wrong += grown(counter, function_of(counter)(text), function_of(counter)(texts[int(name[1:])]))
        told = [one.segment_id for one in (*made.compressed_segments, *made.errors)]
        return (
            wrong
            if sorted(told) == [f"s{index}" for index in range(len(texts))]
            else [*wrong, f"told of {told}"]
        )

    return Call(
        run,
        0,
        check,
        lambda found: (found[1], [(one.segment_id, one.code) for one in found[0].errors]),
        told={"texts": texts, "kinds": kinds, "ratio": ratio, "counter": counter},
    )


def history_doors() -> dict[str, tuple[Door, int]]:
    """The doors of histories, and how often each is tried."""
    doors: dict[str, tuple[Callable[[Random], Call], int]] = {
        "compact_messages": (messages, 6),
        "Compactor": (growing, 3),
        "MemoryCompactor": (steps, 1),
        "SegmentMemory": (segments, 1),
    }
    return doors
