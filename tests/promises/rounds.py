"""What is called again and again: histories, conversations, texts and steps that grow for many rounds."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import tersely
from tersely.memory import (
    CompactionConfig,
    Compactor,
    ConversationMemory,
    MemoryCompactor,
    REPLHistory,
    SegmentMemory,
    compact_messages,
)
from tersely.memory.compaction import CompactedMessages
from tersely.store import Store
from tersely.strategies import CompressionOptions, Incremental, IncrementalCompressor

from promises.arguments import query, tokens_of
from promises.check import Call, Door, budget_for, check_compressed
from promises.counters import counter_named, counter_of
from promises.documents import MUTATIONS, document, words
from promises.histories import SHAPES, Said, check_messages, compact_steps, count_messages, seen_messages

_CHECKED = 6  # of the steps of a history: counts and accounts of all take long; rules are checked on each


def _many(random: Random) -> int:
    return random.choice([30, 30, 40, 60]) if random.random() < 0.9 else random.randint(60, 200)


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


def _broken_rules(made: CompactedMessages, rules: Any) -> list[str]:
    return [f"{len(made.originals)} messages: {broken}" for broken in rules(made.messages)]


def compactor_rounds(random: Random) -> Call:
    """`Compactor`, for many rounds: each request is one that its provider takes."""
    shape, rules = random.choice(list(SHAPES.items()))
    steps = [shape(step) for step in steps_of(random, _many(random))]
    stops = [sum(map(len, steps[: number + 1])) for number in range(len(steps))]
    history = [message for step in steps for message in step]
    if random.random() < 0.3 and shape.__name__.startswith("_openai"):
        history.insert(0, {"role": "system", "content": words(random, 20)})
        stops = [stop + 1 for stop in stops]
    counter, headroom = counter_named(random), random.choice([0.0, 0.3, 0.65])
    edited = random.choice(stops) if random.random() < 0.2 else 0  # from there on it begins otherwise
    other = [*history[: stops[0] - 1], *shape([("user", words(random, 30), "")]), *history[stops[0] :]]
    counted = set(random.sample(stops, min(_CHECKED, len(stops)))) | {stops[-1]}
    tokens = count_messages(history, counter, None)
    assert not any(rules(history[:stop]) for stop in stops), [rules(history[:stop]) for stop in stops]

    def run(budget: int) -> list[Any]:
        compactor = Compactor(budget, counter=counter_of(counter), headroom=headroom)
        return compact_steps(compactor, [(other if stop < edited else history)[:stop] for stop in stops])

    def check(found: list[Any], budget: int) -> list[str]:
        wrong = []
        for stop, made in zip(stops, found, strict=True):
            if made is not None:
                wrong += _broken_rules(made, rules)[:1]
                if stop in counted:
                    given = (other if stop < edited else history)[:stop]
                    wrong += check_messages(made, given, counter, budget, None)
        return wrong[:5]

    return Call(
        run,
        max(budget_for(random, tokens), tokens // 40),  # where nothing fits, each step looks for what would
        check,
        lambda found: [made and (made.messages, made.tokens, made.warnings) for made in found],
        told={"shape": shape.__name__, "history": history, "counter": counter, "headroom": headroom},
    )


def compact_rounds(random: Random) -> Call:
    """`compact_messages` of a history of many rounds."""
    shape, rules = random.choice(list(SHAPES.items()))
    history = [message for step in steps_of(random, _many(random)) for message in shape(step)]
    counter = counter_named(random)
    chosen: dict[str, Any] = {
        "query": random.choice([None, None, words(random, 4)]),
        "keep_last": random.choice([0, 0, 1, 3]),
        "pinned": random.choice([(), (), (random.randrange(len(history)),)]),
    }
    assert not rules(history), rules(history)

    def check(made: CompactedMessages, budget: int) -> list[str]:
        return [*_broken_rules(made, rules)[:3], *check_messages(made, history, counter, budget, None)]

    return Call(
        lambda budget: compact_messages(history, budget=budget, counter=counter_of(counter), **chosen),
        budget_for(random, count_messages(history, counter, None)),
        check,
        seen_messages,
        told={"shape": shape.__name__, "history": history, "counter": counter, **chosen},
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


def steps_rounds(random: Random) -> Call:
    """`MemoryCompactor`, on what it made, with more steps: all that ever was can be had again."""
    parts = [_repl(random, random.randint(0, 4)) for _ in range(_many(random))]
    config = random.choice(
        [CompactionConfig(), CompactionConfig.minimal(), CompactionConfig.high_throughput()]
    )
    force = random.random() < 0.3

    def run(_: int) -> REPLHistory:
        compactor, history = MemoryCompactor(config), REPLHistory()
        for part in parts:
            history = REPLHistory([*history, *part])
            if force or compactor.should_compact(history):
                history = compactor.apply_compaction(history, compactor.compact(history, "task", force))
        return history

    def check(history: REPLHistory, _: int) -> list[str]:
        whole = [entry for part in parts for entry in part]
        return [] if history.expanded() == whole else ["steps cannot be had again"]

    return Call(
        run,
        0,
        check,
        lambda history: [(one.reasoning, one.code, one.output) for one in history],
        told={"steps": parts, "config": config, "force": force},
    )


def incremental_rounds(random: Random) -> Call:
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

    def run(budget: int) -> list[Any]:
        strategy = Incremental()
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


def segment_rounds(random: Random) -> Call:
    """`SegmentMemory`: what was shortened many times comes back byte for byte."""
    text, rounds = document(random), random.randint(2, 8)
    ratios = [random.choice([0.3, 0.6, 0.9]) for _ in range(rounds)]

    def run(_: int) -> Any:
        with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "store") as store:
            memory = SegmentMemory(store)
            memory.store_context_segment(text, segment_id="s")
            sizes = []
            for ratio in ratios:
                memory.compress_context_segment(["s"], target_compression_ratio=ratio)
                sizes.append(len(memory.get("s").text))
            back = memory.expand_compressed_context("s").original_text if sizes[-1] < len(text) else text
            return sizes, back

    def check(found: Any, _: int) -> list[str]:
        sizes, back = found
        wrong = [] if back == text else ["the original did not come back"]
        return wrong + ([f"sizes {sizes} of {len(text)}"] if max(sizes) > len(text) else [])

    return Call(run, 0, check, repr, told={"text": text, "ratios": ratios})


def rounds_doors() -> dict[str, tuple[Door, int]]:
    """These doors, and how often each is tried."""
    return {
        "Compactor, rounds": (compactor_rounds, 6),
        "compact_messages, rounds": (compact_rounds, 6),
        "ConversationMemory": (conversation, 2),
        "MemoryCompactor, rounds": (steps_rounds, 2),
        "IncrementalCompressor, rounds": (incremental_rounds, 3),
        "SegmentMemory, rounds": (segment_rounds, 1),
    }
