"""Every door that takes texts, with random arguments: a literal registry."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import tersely
from tersely.engine import finish
from tersely.engine.strategies import Auto
from tersely.strategies import (
    AbstractiveCompressor,
    CompressionOptions,
    ContextChunk,
    ExtractiveCompressor,
    HierarchicalCompressor,
    HybridCompressor,
    Manager,
)
from tersely.types import Compressed

from promises.arguments import (
    LEVELS,
    SEPARATORS,
    extractive,
    fills,
    given,
    model,
    options,
    query,
    reader,
    spans,
    strategy,
    tokens_of,
)
from promises.check import Call, Door, Outcome, broken, budget_for, check_compressed, grown
from promises.counters import WRONG, counter_named, counter_of, function_of
from promises.documents import Large, Sized, as_read, document, documents, words
from promises.histories import history_doors, rounds_doors
from promises.results import results_doors
from promises.search_doors import search_doors
from promises.tool_results import tool_result
from promises.wires import wires_doors

_DAY = datetime(2024, 5, 1, tzinfo=UTC)


def _seen(result: Compressed) -> Any:
    return result.to_dict()


def _seen_all(results: Sequence[Any]) -> list[Any]:
    return [one.to_dict() if isinstance(one, Compressed) else one and str(one) for one in results]


def compress(random: Random) -> Call:
    """`compress` with pins, groups and every strategy, under a budget, or what a ratio allows."""
    texts, counter, separator = documents(random), counter_named(random), random.choice(SEPARATORS)
    pinned = spans(random, texts, 0.3)
    groups = [group for _ in range(2) if (group := spans(random, texts, 0.2))]
    arguments: dict[str, Any] = {
        "query": query(random, texts),
        "counter": counter_of(counter),
        "pinned": pinned,
        "groups": groups,
        "separator": separator,
    }
    make, shown = strategy(random), given(random, texts)
    whole, ratio = tokens_of(texts, separator, counter), random.choice([None] * 6 + [0.01, 0.1, 0.3, 0.9])
    first = budget_for(random, whole) if ratio is None else max(1, int(whole * ratio + 1e-9))

    def run(budget: int) -> Compressed:
        by = {"budget": budget} if ratio is None or budget != first else {"ratio": ratio}  # of a retry
        return tersely.compress(shown, strategy=make(), **by, **arguments)

    def check(result: Compressed, budget: int) -> list[str]:
        wrong = check_compressed(
            result, counter, budget, separator=separator, pinned=pinned, groups=groups, fills=fills(make())
        )
        made_up = [] if result.receipt.used_llm else tersely.check_facts(result).of("unsupported")
        return wrong + [f"{fact} is made up" for fact in made_up]

    told = {"documents": shown, "strategy": make(), "ratio": ratio, **arguments}
    return Call(run, first, check, _seen, told=told)


def prepare_fit(random: Random) -> Call:
    """A fit of a reading that was fitted before, with groups and pins: as `compress` gives it."""
    texts, counter = documents(random), counter_named(random)
    pinned, groups = spans(random, texts, 0.3), [g for g in [spans(random, texts, 0.3)] if g]
    chosen = random.choice([None, extractive(random), reader(random), Auto(text=extractive(random))])
    arguments: dict[str, Any] = {
        "query": query(random, texts),
        "counter": counter_of(counter),
        "strategy": chosen,
        "pinned": pinned,
        "groups": groups,
        "separator": random.choice(SEPARATORS),
    }
    whole = tokens_of(texts, arguments["separator"], counter)
    others = [budget_for(random, whole) for _ in range(2)]

    def run(budget: int) -> Compressed:
        prepared = tersely.prepare(texts, **arguments)
        for other in others:
            with suppress(tersely.BudgetExceededError):
                prepared.fit(other)
        return prepared.fit(budget)

    def check(result: Compressed, budget: int) -> list[str]:
        kept = {name: arguments[name] for name in ("separator", "pinned", "groups")}
        wrong = check_compressed(result, counter, budget, **kept)
        if tersely.compress(texts, budget=budget, **arguments).to_dict() != result.to_dict():
            wrong.append("a fit after others is not what compress gives")
        return wrong

    told = {"texts": texts, "others": others, **arguments}
    return Call(run, budget_for(random, whole), check, _seen, told=told)


def prepare_levels(random: Random) -> Call:
    """Levels, each a part of the one before."""
    texts, counter = documents(random), counter_named(random)
    pinned, asked = spans(random, texts, 0.15), query(random, texts)
    options = random.choice([None, "extractive", extractive(random), reader(random)])
    first = budget_for(random, tokens_of(texts, "\n\n", counter))
    number = random.randint(1, 4)

    def run(least: int) -> list[Compressed]:
        prepared = tersely.prepare(texts, asked, counter=counter_of(counter), strategy=options, pinned=pinned)
        return prepared.levels([max(first >> level, least) for level in range(number)])

    def check(results: list[Compressed], budget: int) -> list[str]:
        wrong = []
        for result in results:
            wrong += check_compressed(result, counter, result.receipt.budget, pinned=pinned)
        for larger, smaller in pairwise(results):
            wrong += _not_nested(larger, smaller)
        return wrong

    return Call(
        lambda _: run(0),
        first,
        check,
        _seen_all,
        retry=run,
        of_one=False,
        told={"texts": texts, "query": asked, "strategy": options, "pinned": pinned, "levels": number},
    )


def _not_nested(larger: Compressed, smaller: Compressed) -> list[str]:
    """Characters that a smaller level has and a larger one lacks."""
    has = [np.zeros(len(document.text), dtype=bool) for document in larger.documents]
    for one in larger.kept:
        has[one.document][one.start : one.end] = True
    for one in smaller.kept:
        text, there = smaller.documents[one.document].text, has[one.document]
        missing = (one.start + np.flatnonzero(~there[one.start : one.end])).tolist()
        lost = [text[at] for at in missing if not text[at].isspace() and text[at] != ","]
        if lost:
            return [f"{''.join(lost)[:60]!r} is in a smaller level, not in the larger"]
    return []


def compress_batch(random: Random) -> Call:
    """`compress_batch` with a query, budget or ratio and pins an item: each as `compress` gives it alone."""
    items = [documents(random, 2) for _ in range(random.randint(1, 4))]
    counter, threads = counter_named(random), random.choice([1, 3, None])
    queries = [query(random, texts) for texts in items]
    pins = [spans(random, texts, 0.3) for texts in items]
    budgets = [budget_for(random, tokens_of(texts, "\n\n", counter)) for texts in items]
    shares = [random.choice([0.05, 0.3, 0.9]) for _ in items]
    by: dict[str, Any] = random.choice(
        [{"budget": budgets}, {"ratio": shares}, {"ratio": 0.3}, {"budget": 40}]
    )

    def run(_: int) -> list[Any]:
        return tersely.compress_batch(
            items, queries, pinned=pins, counter=counter_of(counter), threads=threads, **by
        )

    def check(results: list[Any], _: int) -> list[str]:
        wrong = [] if len(results) == len(items) else ["not one result an item"]
        for number, found in enumerate(results):
            one = {key: value[number] if isinstance(value, list) else value for key, value in by.items()}
            try:
                alone: Any = tersely.compress(
                    items[number], queries[number], pinned=pins[number], counter=counter_of(counter), **one
                )
            except Exception as error:
                alone = error
            if isinstance(found, Compressed) and isinstance(alone, Compressed):
                wrong += [] if found.to_dict() == alone.to_dict() else [f"item {number} is another alone"]
                wrong += check_compressed(found, counter, found.receipt.budget, pinned=pins[number])
            elif str(found) != str(alone) or not isinstance(found, tersely.BudgetExceededError):
                wrong.append(f"item {number} raised {found!r}, alone {alone!r}")
        return wrong

    return Call(
        run,
        0,
        check,
        _seen_all,
        told={"items": items, "queries": queries, "pinned": pins, "threads": threads, **by},
    )


def segment(random: Random) -> Call:
    texts, level, window = documents(random), random.choice(LEVELS), random.choice([1, 7, 200])

    def check(table: Any, _: int) -> list[str]:
        at = dict.fromkeys(range(len(texts)), 0)
        wrong = []
        for index, start, end, _kind in table:
            if texts[index][at[index] : start].strip().strip("\ufeff").strip():
                wrong.append(f"{texts[index][at[index] : start][:60]!r} is in no segment")
            if not at[index] <= start < end:
                wrong.append(f"segments overlap or are empty at {index}:{start}")
            at[index] = end
        wrong += [
            f"the end of {i} is in no segment"
            for i, e in at.items()
            if texts[i][e:].strip("\ufeff \n\t").strip()
        ]
        return wrong

    return Call(
        lambda _: tersely.segment(texts, level, window=window),
        0,
        check,
        lambda table: [list(map(int, row)) for row in table],
        told={"texts": texts, "level": level, "window": window},
    )


def dedup(random: Random) -> Call:
    texts = [document(random)[:500] for _ in range(random.randint(0, 8))]
    texts += random.choices(texts, k=random.randrange(4)) if texts else []
    threshold = random.choice([-1.0, 0.5, 0.85, 1.0])
    scores = random.choice([None, [random.random() for _ in texts]])

    def check(found: Any, _: int) -> list[str]:
        first = {}
        wrong = [] if len(found.labels) == len(texts) else ["not one label a text"]
        for text, label in zip(texts, found.labels.tolist(), strict=False):
            if first.setdefault(text, label) != label:
                wrong.append("two equal texts are in two clusters")
        return wrong

    return Call(
        lambda _: tersely.dedup(texts, threshold, scores),
        0,
        check,
        lambda found: [part.tolist() for part in (found.representatives, found.labels, found.similarity)],
        told={"texts": texts, "threshold": threshold},
    )


def find_facts(random: Random) -> Call:
    texts = documents(random)

    def check(facts: Any, _: int) -> list[str]:
        return [
            f"{fact} does not stand there"
            for fact in facts
            if as_read(texts[fact.document][fact.start : fact.end]) != fact.text
        ]

    return Call(lambda _: tersely.find_facts(texts), 0, check, repr, told={"texts": texts})


def compressor(random: Random) -> Call:
    """Compressors: a text and options in, a context out."""
    text, counter = document(random), counter_named(random)
    chosen, strict = options(random, [text]), random.random() < 0.2
    level, says = random.choice(["sentence", "sentence", *LEVELS]), model(random)
    common: dict[str, Any] = {"counter": counter_of(counter), "clock": lambda: _DAY}
    make: Callable[[], Any] = random.choice(
        [
            lambda: ExtractiveCompressor(level=level, strict=strict, **common),
            lambda: HybridCompressor(**common),
            lambda: HybridCompressor(says, **common),
            lambda: AbstractiveCompressor(**common),
            lambda: AbstractiveCompressor(says, fallback=True, **common),
        ]
    )

    def check(context: Any, budget: int) -> list[str]:
        wrong = check_compressed(context.result, counter, budget)
        if context.compressed != context.result.text or context.original.content != text:
            wrong.append("the context is not its result")
        return wrong

    return Call(
        lambda budget: make().compress(text, CompressionOptions(target_tokens=budget, **chosen)),
        max(budget_for(random, tokens_of([text], "", counter)), 1),
        check,
        lambda context: (context.id, context.compressed, context.warnings, _seen(context.result)),
        told={"text": text, "options": chosen, "compressor": make()},
    )


def hierarchical_compressor(random: Random) -> Call:
    text, counter, levels = document(random), counter_named(random), random.randint(1, 4)
    chosen = options(random, [text]) | {"strict_preserve": False}
    common: dict[str, Any] = {"counter": counter_of(counter), "clock": lambda: _DAY}

    def run(_: int) -> Any:
        try:
            return HierarchicalCompressor(levels, **common).compress(text, CompressionOptions(**chosen))
        except tersely.BudgetExceededError as error:  # of the first level, which takes no budget
            return str(error)

    def check(context: Any, _: int) -> list[str]:
        if isinstance(context, str):
            return []
        wrong = []
        for one in context.levels:
            wrong += check_compressed(one.result, counter, one.result.receipt.budget)
        for larger, smaller in pairwise(context.levels):
            wrong += _not_nested(larger.result, smaller.result)
        return wrong

    def seen(context: Any) -> Any:
        if isinstance(context, str):
            return context
        return context.id, [one.content for one in context.levels]

    return Call(run, 0, check, seen, told={"text": text, "levels": levels, "options": chosen})


def _chunks(random: Random, texts: Sequence[str]) -> list[ContextChunk]:
    return [
        ContextChunk(f"chunk {index}", text, random.choice([0.0, 0.2, 1.0, 5.0]))
        for index, text in enumerate(texts)
    ]


def manager(random: Random) -> Call:
    texts, counter, separator = documents(random, 6), counter_named(random), random.choice(SEPARATORS)
    chunks, asked = _chunks(random, texts), query(random, texts) or ""
    chosen, says = CompressionOptions(**options(random, texts) | {"strict_preserve": False}), model(random)
    llm, for_call = random.choice([None, None, says]), random.random() < 0.5

    def run(budget: int) -> Any:
        made = Manager(chosen, llm=llm, counter=counter_of(counter), separator=separator)
        prepare = made.prepare_context_for_call if for_call else made.prepare_context
        return prepare(chunks, asked, budget)

    def check(prepared: Any, budget: int) -> list[str]:
        tokens = function_of(counter)(prepared.text)
        wrong = [f"{tokens} tokens for a budget of {budget}"] if tokens > budget else []
        wrong += grown(counter, tokens, tokens_of(texts, separator, counter))
        if tokens != prepared.report.token_count:
            wrong.append(f"{tokens} tokens, {prepared.report.token_count} in the report")
        if prepared.result is not None:
            wrong += check_compressed(prepared.result, counter, budget, separator=separator, fills=False)
        told = [one.id for one in (*prepared.report.chunks, *prepared.report.dropped)]
        if sorted(told) != sorted(chunk.id for chunk in chunks):
            wrong.append("the report does not tell of each chunk once")
        if prepared.text != separator.join(prepared.parts):
            wrong.append("the text is not its parts")
        return wrong

    return Call(
        run,
        budget_for(random, tokens_of(texts, separator, counter)),
        check,
        lambda prepared: (prepared.text, prepared.report),
        told={"texts": texts, "query": asked, "options": chosen, "separator": separator, "llm": llm},
    )


def _junk(random: Random) -> Any:
    return random.choice(
        [None, True, -1, 10**40, 1.5, float("nan"), "", "nonsense", b"x", [], [None], {}, {1}, object(),
         [(0, 5, 1)], [("a", 1, 2)], np.array([1.0]), lambda: None, [[]], Random, "\ud800"]
    )  # fmt: skip


def wrong_arguments(random: Random) -> Call:
    """One argument of `compress` that is nonsense: it does, or ValueError or TypeError say what is wrong."""
    arguments: dict[str, Any] = {
        "documents": documents(random),
        "query": words(random, 4),
        "counter": "chars/4",
    }
    name = random.choice(
        ["documents", "query", "budget", "ratio", "counter", "strategy", "pinned", "groups", "separator"]
    )
    junk = _junk(random)
    arguments |= {name: junk}

    def run(budget: int) -> Compressed:
        return tersely.compress(**({} if name == "ratio" else {"budget": budget}) | arguments)

    return Call(run, 40, lambda result, _: [], _seen, may_refuse=True, told=arguments)


def _with_documents(door: Door, of: type[Random]) -> Door:
    return lambda random: door(of(random.random()))


class _WrongCounters(Random):
    """A random generator of which all counters are none."""

    wrong_counters = tuple(WRONG)


def _with_wrong_counter(door: Door) -> Door:
    def made(random: Random) -> Call:
        call = door(_WrongCounters(random.random()))

        def run(budget: int) -> Any:
            finish.check_all = False  # a second count of the text is another
            try:
                return call.run(budget)
            finally:
                finish.check_all = True

        return replace(call, run=run, may_refuse=True, wrong_counter=True)

    return made


_OWN_COUNTER = {  # doors without a counter of the caller's
    "segment",
    "dedup",
    "find_facts",
    "query_documents_compressed",
    "MemoryCompactor",
}
_PLAIN: dict[str, tuple[Door, int]] = {
    # and how often each is tried
    "compress": (compress, 28), "prepare.fit": (prepare_fit, 8), "prepare.levels": (prepare_levels, 6),
    "compress_batch": (compress_batch, 4), "segment": (segment, 1), "dedup": (dedup, 1),
    "find_facts": (find_facts, 1), "compressors": (compressor, 5),
    "HierarchicalCompressor": (hierarchical_compressor, 2), "Manager": (manager, 5), **search_doors(),
    "compress_tool_result": (tool_result, 8), **history_doors(),
}  # fmt: skip


def _of(documents: type[Random], name: str) -> dict[str, tuple[Door, int]]:
    return {
        f"{door}, {name}": (_with_documents(made, documents), often) for door, (made, often) in _PLAIN.items()
    }


#: Kinds of calls: the doors of each, and how often each is tried.
KINDS: dict[str, dict[str, tuple[Door, int]]] = {
    "calls": {
        **_PLAIN,
        "wrong arguments": (wrong_arguments, 3),
        **{
            f"{name}, wrong counter": (_with_wrong_counter(door), 1)
            for name, (door, _) in _PLAIN.items()
            if name not in _OWN_COUNTER
        },
    },
    "size": _of(Sized, "thousands of units"),
    "large": _of(Large, "many thousands of units"),
    "rounds": rounds_doors(),
    "results": results_doors({name: door for name, door in _PLAIN.items() if name != "ConversationMemory"}),
    "wires": wires_doors(),
}
DOORS: dict[str, tuple[Door, int]] = {name: door for doors in KINDS.values() for name, door in doors.items()}


def prepare() -> None:
    """All results are checked where they are made, too; warnings are errors of ours."""
    finish.check_all = True
    warnings.simplefilter("error")


def door_of(seed: str, only: str | None = None, kind: str = "calls") -> str:
    """The door that a seed chooses, of a kind of calls."""
    often = {name: often for name, (_, often) in KINDS[kind].items()}
    return only or Random(f"door {seed}").choices(list(often), list(often.values()))[0]


def outcome(seed: str, only: str | None = None, kind: str = "calls") -> Outcome:
    """What comes of the call that a seed stands for."""
    return broken(DOORS[door_of(seed, only, kind)][0], seed)
