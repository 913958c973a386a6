"""Every door that takes texts, with random arguments: a literal registry."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    Incremental,
    IncrementalCompressor,
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
from promises.check import Call, Door, budget_for, check_compressed, grown
from promises.counters import WRONG, counter_named, counter_of, function_of
from promises.documents import MUTATIONS, as_read, document, documents, words
from promises.histories import history_doors
from promises.real_files import OwnFiles, RealFiles
from promises.results import results_doors
from promises.rounds import rounds_doors
from promises.search_doors import search_doors
from promises.sizes import Large, Sized
from promises.wide_documents import Wide
from promises.wide_doors import wide_doors
from promises.wires import wires_doors

_DAY = datetime(2024, 5, 1, tzinfo=UTC)


def _seen(result: Compressed) -> Any:
    return result.to_dict()


def compress(random: Random) -> Call:
    texts, counter, separator = documents(random), counter_named(random), random.choice(SEPARATORS)
    pinned, groups = spans(random, texts, 0.2), [some for some in [spans(random, texts, 0.15)] if some]
    arguments: dict[str, Any] = {
        "query": query(random, texts),
        "counter": counter_of(counter),
        "pinned": pinned,
        "groups": groups,
        "separator": separator,
    }
    make, shown = strategy(random), given(random, texts)

    def check(result: Compressed, budget: int) -> list[str]:
        return check_compressed(
            result,
            counter,
            budget,
            separator=separator,
            pinned=pinned,
            groups=groups,
            fills=fills(make()),
        )

    return Call(
        lambda budget: tersely.compress(shown, budget=budget, strategy=make(), **arguments),
        budget_for(random, tokens_of(texts, separator, counter)),
        check,
        _seen,
        told={"documents": shown, "strategy": make(), **arguments},
    )


def compress_ratio(random: Random) -> Call:
    """By ratio; `budget` is what the ratio allows, so that a retry can be checked."""
    texts, counter = documents(random), counter_named(random)
    ratio, make, asked = random.choice([0.01, 0.1, 0.3, 0.5, 0.9]), strategy(random), query(random, texts)
    allowed = max(1, int(tokens_of(texts, "\n\n", counter) * ratio + 1e-9))

    def run(budget: int) -> Compressed:
        by = {"ratio": ratio} if budget == allowed else {"budget": budget}
        return tersely.compress(texts, asked, counter=counter_of(counter), strategy=make(), **by)

    def check(result: Compressed, budget: int) -> list[str]:
        return check_compressed(result, counter, budget, fills=fills(make()))

    return Call(
        run, allowed, check, _seen, told={"texts": texts, "ratio": ratio, "query": asked, "strategy": make()}
    )


def prepare_fit(random: Random) -> Call:
    """Several budgets of one reading, each of which is as if it were alone."""
    texts, counter, separator = documents(random), counter_named(random), random.choice(SEPARATORS)
    pinned = spans(random, texts, 0.2)
    asked, options = (
        query(random, texts),
        random.choice([None, extractive(random), Auto(text=extractive(random))]),
    )
    others = [budget_for(random, tokens_of(texts, separator, counter)) for _ in range(2)]

    def run(budget: int) -> list[Compressed | None]:
        prepared = tersely.prepare(
            texts, asked, counter=counter_of(counter), strategy=options, pinned=pinned, separator=separator
        )
        found: list[Compressed | None] = []
        for other in others:
            try:
                found.append(prepared.fit(other))
            except tersely.BudgetExceededError:
                found.append(None)
        return [prepared.fit(budget), *found]

    def check(results: list[Compressed | None], budget: int) -> list[str]:
        wrong = []
        for result, allowed in zip(results, [budget, *others], strict=True):
            if result is not None:
                wrong += check_compressed(result, counter, allowed, separator=separator, pinned=pinned)
        return wrong

    return Call(
        run,
        budget_for(random, tokens_of(texts, separator, counter)),
        check,
        lambda results: [result and _seen(result) for result in results],
        told={"texts": texts, "query": asked, "strategy": options, "pinned": pinned},
    )


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
        lambda results: list(map(_seen, results)),
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
    items = [documents(random) for _ in range(random.randint(0, 4))]
    counter, threads = counter_named(random), random.choice([1, 2, None])
    sizes = [tokens_of(texts, "\n\n", counter) for texts in items]
    budgets = [budget_for(random, size) for size in sizes]
    queries = [query(random, texts) for texts in items]

    def run(budget: int) -> list[Any]:
        return tersely.compress_batch(
            items, queries, budget=budgets, counter=counter_of(counter), threads=threads
        )

    def check(results: list[Any], budget: int) -> list[str]:
        wrong = [] if len(results) == len(items) else ["not one result an item"]
        for result, allowed in zip(results, budgets, strict=False):
            if isinstance(result, tersely.BudgetExceededError):
                wrong += [] if result.budget == allowed else ["an error of another budget"]
            elif isinstance(result, Exception):
                wrong.append(f"raised {result!r}")
            else:
                wrong += check_compressed(result, counter, allowed)
        return wrong

    return Call(
        run,
        0,
        check,
        lambda results: [str(one) if isinstance(one, Exception) else _seen(one) for one in results],
        told={"items": items, "queries": queries, "budgets": budgets},
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


def incremental(random: Random) -> Call:
    """A text that changes: all versions within the budget, the last one checked."""
    text, counter = document(random), counter_named(random)
    versions = [text]
    for _ in range(random.randint(1, 3)):
        text = random.choice(
            [text + "\n" + words(random), random.choice(list(MUTATIONS.values()))(random, text)]
        )
        versions.append(text[:12_000])
    asked, made = query(random, versions), extractive(random)
    by_compressor = random.random() < 0.5

    def run(budget: int) -> Compressed:
        result = None
        strategy = Incremental(made)
        compressor = IncrementalCompressor(counter=counter_of(counter), clock=lambda: _DAY)
        chosen = CompressionOptions(target_tokens=max(budget, 1), min_tokens=0, query_context=asked or "")
        for number, version in enumerate(versions):
            try:
                if by_compressor:
                    result = compressor.update("a", version, chosen).result
                else:
                    result = tersely.compress(
                        version, asked, budget=budget, counter=counter_of(counter), strategy=strategy
                    )
            except tersely.BudgetExceededError:
                if number == len(versions) - 1:
                    raise
        assert result is not None
        return result

    return Call(
        run,
        max(budget_for(random, tokens_of([versions[-1]], "", counter)), 1),
        lambda result, budget: check_compressed(result, counter, budget),
        _seen,
        told={"versions": versions, "query": asked, "strategy": made, "compressor": by_compressor},
    )


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


def _with_documents(door: Door, of: type[Random] = Wide) -> Door:
    return lambda random: door(of(random.random()))


class _WrongCounters(Wide):
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
    "compress_text",
    "MemoryCompactor",
}
_PLAIN: dict[str, tuple[Door, int]] = {  # and how often each is tried
    "compress": (compress, 12),
    "compress by ratio": (compress_ratio, 4),
    "prepare.fit": (prepare_fit, 4),
    "prepare.levels": (prepare_levels, 4),
    "compress_batch": (compress_batch, 2),
    "segment": (segment, 1),
    "dedup": (dedup, 1),
    "find_facts": (find_facts, 1),
    "compressors": (compressor, 5),
    "HierarchicalCompressor": (hierarchical_compressor, 2),
    "Incremental": (incremental, 4),
    "Manager": (manager, 5),
    **search_doors(),
    "wrong arguments": (wrong_arguments, 3),
    **history_doors(),
}

_CALLS: dict[str, tuple[Door, int]] = {
    **_PLAIN,
    **wide_doors(),
    **{f"{name}, wide documents": (_with_documents(door), often) for name, (door, often) in _PLAIN.items()},
    **{
        f"{name}, wrong counter": (_with_wrong_counter(door), 1)
        for name, (door, _) in (_PLAIN | wide_doors()).items()
        if name not in _OWN_COUNTER
    },
}


def _of(documents: type[Random], name: str) -> dict[str, tuple[Door, int]]:
    return {
        f"{door}, {name}": (_with_documents(made, documents), often)
        for door, (made, often) in (_PLAIN | wide_doors()).items()
        if door != "wrong arguments"
    }


#: Kinds of calls: the doors of each, and how often each is tried.
KINDS: dict[str, dict[str, tuple[Door, int]]] = {
    "calls": _CALLS,
    "size": _of(Sized, "thousands of units"),
    "large": _of(Large, "many thousands of units"),
    "rounds": rounds_doors(),
    "files": _of(OwnFiles, "files of ours"),
    "real files": _of(RealFiles, "real files"),
    "results": results_doors(_PLAIN | wide_doors()),
    "wires": wires_doors(),
}
DOORS: dict[str, tuple[Door, int]] = {name: door for doors in KINDS.values() for name, door in doors.items()}
