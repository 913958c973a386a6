"""Histories of every framework, conversations, steps and segments of an agent, and texts, as they grow."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import tersely
from tersely import Extractive
from tersely.memory import (
    CompactionConfig,
    Compactor,
    ConversationMemory,
    MemoryCompactor,
    REPLHistory,
    SegmentMemory,
    SegmentType,
    compact_messages,
)
from tersely.memory.compaction import CompactedMessages
from tersely.memory.groups import REPLY_TOKENS, count_entries, count_tools
from tersely.memory.messages import read_messages
from tersely.models.counters import resolve_counter
from tersely.store import Store
from tersely.strategies import CompressionOptions, Incremental, IncrementalCompressor

from promises import history_rules
from promises.arguments import extractive, query, tokens_of
from promises.check import Call, Door, budget_for, check_compressed, grown
from promises.counters import counter_named, counter_of, function_of
from promises.documents import MUTATIONS, document, words
from promises.history_rules import signature

Said = tuple[str, str, str]  # role ("user", "assistant", "thought", "call", "result"), text, id of a call
_CHECKED = 6  # of the steps of a history: counts and accounts of all take long; rules are checked on each


class Rounds(Random):
    """A random generator whose histories have many rounds."""

    rounds = 200


def _many(random: Random) -> int:
    if not hasattr(random, "rounds"):
        return random.randint(1, 6)
    return random.choice([30, 30, 40, 60]) if random.random() < 0.9 else random.randint(60, random.rounds)


def _said(random: Random) -> str:
    kind = random.random()
    if kind < 0.5:
        return words(random, 30)
    if kind < 0.6:
        return " ".join(words(random).capitalize() + "." for _ in range(random.randint(20, 200)))
    text = document(random)[:1500]
    return text if text.strip() else "nothing"


def steps_of(random: Random, rounds: int) -> list[list[Said]]:
    """What is said between two requests to a model: a user's words, or calls and all their results."""
    again = random.random() < 0.3  # ids of calls are those of the round before
    parallel, thinks = random.choice([1, 2, 3, 5]), random.choice([0.0, 0.3])
    steps: list[list[Said]] = []
    closing: list[Said] = []
    for number in range(rounds):
        steps.append([*closing, ("user", _said(random) if number else words(random, 30), "")])
        for step in range(random.choice([0, 1, 1, 2])):
            keys = [f"{0 if again else number}_{step}_{n}" for n in range(random.randint(1, parallel))]
            made: list[Said] = [("call", words(random, 4), key) for key in keys]
            if random.random() < thinks:
                made.insert(0, ("thought", words(random, 20), f"{number}_{step}"))
            if random.random() < 0.3:
                random.shuffle(keys)
            steps.append([*made, *(("result", _said(random), key) for key in keys)])
        closing = [("assistant", words(random, 25), "")]
    return steps


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
        stays = stays or message in made.messages  # an equal one of the history of the step before
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


_TOOLS = [{"type": "function", "function": {"name": "read_file", "parameters": {"type": "object"}}}]


def _history(random: Random) -> tuple[list[Any], list[int], history_rules.Rules]:
    """A history in some shape, the number of messages before each request to a model, and its rules."""
    shape, rules = random.choice(list(SHAPES.items()))
    steps = [shape(step) for step in steps_of(random, _many(random))]
    if random.random() < 0.2:  # in an order that its provider may refuse
        random.shuffle(steps)
    if random.random() < 0.3 and shape in (_openai, _openai_parts):
        steps[0].insert(0, {"role": "system", "content": words(random, 20)})
    stops = [sum(map(len, steps[: number + 1])) for number in range(len(steps))]
    history = [message for step in steps for message in step]
    return history, stops, (lambda _: []) if any(rules(history[:stop]) for stop in stops) else rules


def messages(random: Random) -> Call:
    """`compact_messages`: a history that its provider takes stays one."""
    history, _, rules = _history(random)
    counter, tools = counter_named(random), random.choice([None, None, _TOOLS])
    chosen: dict[str, Any] = {
        "tools": tools,
        "pinned": random.choice([(), (), (random.randrange(len(history)),)]),
        "keep_last": random.choice([0, 0, 1, 3]),
        "query": random.choice([None, None, words(random, 4), " ", "xyzzy"]),
    }
    return Call(
        lambda budget: compact_messages(history, budget=budget, counter=counter_of(counter), **chosen),
        budget_for(random, count_messages(history, counter, tools)),
        lambda made, budget: [
            *rules(made.messages)[:3],
            *check_messages(made, history, counter, budget, tools),
        ],
        seen_messages,
        told={"history": history, "counter": counter, **chosen},
    )


def growing(random: Random) -> Call:
    """`Compactor`, turn by turn: each request is one that its provider takes."""
    history, stops, rules = _history(random)
    counter, headroom = counter_named(random), random.choice([0.0, 0.3, 0.65])
    edited = random.choice(stops) if random.random() < 0.2 else 0  # from there on it begins otherwise
    other = [{**message} if isinstance(message, dict) else message for message in history]
    if "content" in other[0] and isinstance(other[0]["content"], str):
        other[0]["content"] = words(random, 30)
    counted = set(random.sample(stops, min(_CHECKED, len(stops)))) | {stops[-1]}
    tokens = count_messages(history, counter, None)

    def given(stop: int) -> list[Any]:
        return (other if stop < edited else history)[:stop]

    def run(budget: int) -> list[Any]:
        compactor = Compactor(budget, counter=counter_of(counter), headroom=headroom)
        return compact_steps(compactor, [given(stop) for stop in stops])

    def check(found: list[Any], budget: int) -> list[str]:
        wrong = []
        for stop, made in zip(stops, found, strict=True):
            if made is not None:
                wrong += [f"{stop} messages: {broken}" for broken in rules(made.messages)[:1]]
                if stop in counted:
                    wrong += check_messages(made, given(stop), counter, budget, None)
        return wrong[:5]

    return Call(
        run,
        max(budget_for(random, tokens), tokens // 40),  # where nothing fits, each step looks for what would
        check,
        lambda found: [made and seen_messages(made) for made in found],
        told={"history": history, "counter": counter, "headroom": headroom},
    )


def conversation(random: Random) -> Call:
    """`ConversationMemory`: no turn is lost, and the context has the newest ones whole."""
    turns = [(_said(random), _said(random)) for _ in range(_many(random))]
    most, window = random.choice([1, 2, 5, 20]), random.choice([None, 1, 5, 50])
    behind = [_repl(random, random.choice([0, 0, 3, 12])) for _ in turns]

    def run(_: int) -> ConversationMemory:
        memory = ConversationMemory(max_turns=most)
        for (asked, said), history in zip(turns, behind, strict=True):
            memory.add_turn(asked, said, history if len(history) else None, "the task")
            memory.get_context(window, mark_omitted=True)
        return memory

    def check(memory: ConversationMemory, _: int) -> list[str]:
        kept = [*memory.archive, *memory.turns]
        wrong = (
            []
            if [(one.user_message, one.assistant_response) for one in kept] == turns
            else ["turns are lost"]
        )
        for one, history in zip(kept, behind, strict=False):
            if one.history is not None and one.history.expanded() != history.entries:
                wrong.append("steps of a turn cannot be had again")
        if len(memory.turns) > most:
            wrong.append(f"{len(memory.turns)} turns where {most} are allowed")
        context = memory.get_context(window)
        newest = memory.turns if window is None else memory.turns[-window:]
        wrong += ["a new turn is not in the context" for one in newest if one.user_message not in context]
        if len(memory.summary) > 3000:
            wrong.append(f"a summary of {len(memory.summary)} characters")
        return wrong

    return Call(
        run,
        0,
        check,
        lambda memory: (memory.get_context(window, True), memory.summary),
        told={"turns": turns, "max_turns": most, "window": window},
    )


def _repl(random: Random, steps: int) -> REPLHistory:
    history = REPLHistory()
    for _ in range(steps):
        history = history.append(words(random, 9), words(random, 9), document(random)[:300])
    return REPLHistory(replace(entry, timestamp="2024-05-01T00:00:00+00:00") for entry in history)


def steps(random: Random) -> Call:
    """`MemoryCompactor`, on what it made, with more steps: all that ever was can be had again."""
    parts = [_repl(random, random.randint(0, 4)) for _ in range(_many(random))]
    config = random.choice(
        [CompactionConfig(), CompactionConfig.minimal(), CompactionConfig.high_throughput()]
    )
    force = random.random() < 0.4

    def run(_: int) -> tuple[REPLHistory, list[str]]:
        compactor, history, wrong = MemoryCompactor(config), REPLHistory(), []
        for part in parts:
            history = REPLHistory([*history, *part])
            if force or compactor.should_compact(history):
                made = compactor.compact(history, "task", force)
                shorter = compactor.apply_compaction(history, made)
                if "no_gain" not in made.warnings:
                    wrong += grown("o200k_base", shorter.characters, history.characters)
                history = shorter
        return history, wrong

    def check(made: tuple[REPLHistory, list[str]], _: int) -> list[str]:
        whole = [entry for part in parts for entry in part]
        return made[1] if made[0].expanded() == whole else ["steps cannot be had again"]

    return Call(
        run,
        0,
        check,
        lambda made: [(one.reasoning, one.code, one.output) for one in made[0]],
        told={"steps": parts, "config": config, "force": force},
    )


def incremental(random: Random) -> Call:
    """`IncrementalCompressor` and `Incremental`: a text that is edited, cut and continued many times."""
    lines = document(random)[:6000].split("\n")
    versions = []
    for _ in range(_many(random)):
        at = random.randint(0, len(lines))
        kind = random.random()
        if kind < 0.5:
            lines = [*lines, *document(random)[:300].split("\n")]
        elif kind < 0.7:
            lines = [*lines[:at], words(random), *lines[at:]]
        elif kind < 0.9:
            lines = [*lines[:at], *lines[at + random.randint(1, 5) :]]
        elif kind < 0.97:
            lines = random.choice(list(MUTATIONS.values()))(random, "\n".join(lines))[:6000].split("\n")
        versions.append("\n".join(lines))
    counter, asked, by_name = counter_named(random), query(random, versions), random.random() < 0.6
    made = random.choice([Extractive(), extractive(random)])

    def run(budget: int) -> list[Any]:
        strategy = Incremental(made)
        compressor = IncrementalCompressor(counter=counter_of(counter))
        chosen = CompressionOptions(target_tokens=budget, min_tokens=0, query_context=asked or "")
        found: list[Any] = []
        for version in versions:
            try:
                if by_name:
                    found.append(compressor.update("a", version, chosen).result)
                else:
                    found.append(
                        tersely.compress(
                            version, asked, budget=budget, counter=counter_of(counter), strategy=strategy
                        )
                    )
            except tersely.BudgetExceededError:
                if version is versions[-1]:
                    raise
                found.append(None)
        return found

    def check(found: list[Any], budget: int) -> list[str]:
        wrong = []
        for version, result in zip(versions, found, strict=True):
            if result is not None:
                wrong += [] if result.documents[0].original == version else ["the result is of another text"]
        return wrong + check_compressed(found[-1], counter, budget)

    return Call(
        run,
        max(budget_for(random, tokens_of([versions[-1]], "", counter)), 1),
        check,
        lambda found: [result and result.to_dict() for result in found],
        told={"versions": versions, "query": asked, "compressor": by_name},
    )


def segments(random: Random) -> Call:
    """`SegmentMemory`: shortened segments are shorter, and their originals come back byte for byte."""
    texts = [document(random) for _ in range(random.randint(1, 3))]
    kinds = [random.choice(list(SegmentType)) for _ in texts]
    ratios = [random.choice([0.9, 0.6, 0.3]) for _ in range(min(_many(random), 8))]
    counter = counter_named(random)

    def run(_: int) -> Any:
        with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "store") as store:
            memory = SegmentMemory(store, counter=counter_of(counter))
            names = [f"s{index}" for index in range(len(texts))]
            for name, text, kind in zip(names, texts, kinds, strict=True):
                memory.store_context_segment(text, segment_id=name, type=kind)
            for ratio in ratios:  # again and again
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
        told={"texts": texts, "kinds": kinds, "ratios": ratios, "counter": counter},
    )


def history_doors() -> dict[str, tuple[Door, int]]:
    """The doors of what grows, and how often each is tried."""
    return {
        "compact_messages": (messages, 7),
        "Compactor": (growing, 6),
        "ConversationMemory": (conversation, 1),
        "MemoryCompactor": (steps, 1),
        "Incremental": (incremental, 4),
        "SegmentMemory": (segments, 2),
    }


def rounds_doors() -> dict[str, tuple[Door, int]]:
    """The same for many rounds."""
    return {f"{name}, rounds": (_of_rounds(door), often) for name, (door, often) in history_doors().items()}


def _of_rounds(door: Door) -> Door:
    return lambda random: door(Rounds(random.random()))
