"""Every door that takes texts, with random arguments: a literal registry."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from random import Random
from typing import Any

import numpy as np
import tersely
from tersely.adapters.llmlingua import PromptCompressor
from tersely.content.registry import CONTENT_TYPES
from tersely.core.types import Compressed
from tersely.engine.auto import Auto
from tersely.engine.facts import PRESERVABLE
from tersely.retrieval import (
    AllocationStrategy,
    ChunkResult,
    CompressionConfig,
    ContextualCompressor,
    TokenBudgetConfig,
    compress_results,
    extract_sentences,
    within_budget,
)
from tersely.search.index import extract
from tersely.server.query_tools import QueryTools
from tersely.server.text_tools import text_tools
from tersely.server.tools import ToolError, check_arguments
from tersely.strategies import (
    STRATEGIES,
    Abstractive,
    AbstractiveCompressor,
    ByDocument,
    CompressionMethod,
    CompressionOptions,
    ContextChunk,
    ExtractiveCompressor,
    Hierarchical,
    HierarchicalCompressor,
    Hybrid,
    HybridCompressor,
    Incremental,
    IncrementalCompressor,
    Manager,
)

from promises.check import Call, Door, budget_for, check_compressed
from promises.counters import COUNTERS, counter_named, function_of
from promises.documents import KINDS, MUTATIONS, document, documents, word, words
from promises.histories import history_doors

__all__ = ["DOORS"]

_LEVELS = ["character", "word", "clause", "sentence", "paragraph", "section"]
_SEPARATORS = ["\n\n", "\n\n", "\n", "", " ", "\n---\n", "é…", "[...]", "separator " * 5]
_DAY = datetime(2024, 5, 1, tzinfo=UTC)


def query(random: Random, texts: Sequence[str]) -> str | None:
    """A question: none, of words that may be there, a piece of a text, or nonsense."""
    text = random.choice(texts) if texts else ""
    at = random.randint(0, len(text))
    return random.choice([None, None, words(random, 5), text[at : at + 30], "", " ", "xyzzy", "the"])


def span(random: Random, texts: Sequence[str]) -> Any:
    """A place in a text, in some form; None: there is none."""
    places = [index for index, text in enumerate(texts) if text]
    if not places:
        return None
    index = random.choice(places)
    start = random.randrange(len(texts[index]))
    end = min(start + random.choice([1, 5, 40, 400]), len(texts[index]))
    piece = texts[index][start:end]
    return random.choice([(index, start, end), (index, start, end), piece])


def spans(random: Random, texts: Sequence[str], share: float) -> list[Any]:
    """Mostly none."""
    found = [span(random, texts) for _ in range(random.choice([1, 1, 2, 4]))] if random.random() < share else []
    return [one for one in found if one is not None]


def extractive(random: Random) -> tersely.Extractive:
    """Options for text."""
    if random.random() < 0.3:
        return tersely.Extractive()
    preserve = random.sample(list(PRESERVABLE), random.choice([0, 0, 1, 2, 4]))
    return tersely.Extractive(
        level=random.choice(_LEVELS),  # type: ignore[arg-type]
        scoring=random.choice(["auto", "relevance", "lexical", "centrality", "lead"]),
        redundancy=random.choice([None, 0.0, 0.3, 1.0]),
        context=random.choice([0, 0, 1, 3]),
        preserve_structure=random.random() < 0.3,
        preserve=tuple(preserve),
        strict_preserve=bool(preserve) and random.random() < 0.5,
        window=random.choice([1, 7, 30, 200]),
        position_floor=random.choice([None, 0.1]),
    )


def reader(random: Random) -> Any:
    """A reader of a content type, with options."""
    from tersely.content.code import Code
    from tersely.content.conversation import Conversation
    from tersely.content.diff import Diff
    from tersely.content.html import Html
    from tersely.content.json import Json
    from tersely.content.logs import Logs
    from tersely.content.stack_trace import StackTrace
    from tersely.content.tables import Table
    from tersely.content.tool_output import ToolOutput

    yes = random.random() < 0.5
    number = random.randrange(4)
    return random.choice(
        [
            lambda: Code(language=random.choice([None, "python", "go", "c"]), show_lines=yes),
            lambda: Conversation(recent=number, with_query=yes),
            lambda: Diff(applies=yes),
            lambda: Html(),
            lambda: Json(minify=yes, tables=random.random() < 0.5),
            lambda: Logs(context=number, notes=yes),
            lambda: StackTrace(own=random.choice([(), ("app",), ("com.acme",)])),
            lambda: Table(delimiter=random.choice(["", ",", "|"]), header=yes),
            lambda: ToolOutput(context=number),
        ]
    )()


def model(random: Random) -> Callable[[str], str]:
    """A language model: says again what it read, nothing, too much, or fails."""
    kind = random.choice(["echo", "short", "nothing", "long", "raises", "made up"])

    def complete(prompt: str) -> str:
        if kind == "raises":
            raise RuntimeError("the model is away")
        kept = prompt.split()
        return {
            "echo": " ".join(kept[30:80]),
            "short": " ".join(kept[40:44]) or "a",
            "nothing": "",
            "long": prompt * 3,
            "made up": "Gate 99 was moved to Atlantis on 2031-01-01. `x = 1`",
        }[kind]

    return complete


def strategy(random: Random) -> Callable[[], Any]:
    """What makes a strategy, anew for each call: some have a memory."""
    options, texts = extractive(random), model(random)
    preserve = tuple(random.sample(["code", "quotes", "numbers"], random.randrange(4)))
    strict = random.random() < 0.3
    written: dict[str, Any] = {
        "preserve": preserve,
        "strict_preserve": strict,
        "min_confidence": random.choice([0.0, 0.7]),
        "fallback": True,
        "max_prompt_tokens": random.choice([None, 2000]),
    }
    number, made = random.randint(1, 5), reader(random)
    name = random.choice([*STRATEGIES, *CONTENT_TYPES])
    as_type = random.choice([None, None, *CONTENT_TYPES])
    threshold = random.choice([10, 2000])
    makers: list[Callable[[], Any]] = [
        lambda: None,
        lambda: name,
        lambda: options,
        lambda: made,
        lambda: Auto(as_type=as_type, text=options),
        lambda: Auto(as_type=made, text=options),
        lambda: Hierarchical(number, options),
        lambda: ByDocument(Auto(text=options)),
        lambda: ByDocument(Hierarchical(number, options)),
        lambda: ByDocument(Hybrid(texts, threshold=threshold, **written)),
        lambda: Incremental(options),
        lambda: Abstractive(texts, extractive=options, **written),
        lambda: Hybrid(texts, extractive=options, threshold=threshold, **written),
        lambda: ExtractiveCompressor(level=options.level),
        lambda: HierarchicalCompressor(number),
    ]
    return random.choice([makers[0], makers[0], *makers])


def given(random: Random, texts: Sequence[str]) -> Any:
    """Texts as documents, in some form; what is known of them, too."""
    if len(texts) == 1 and random.random() < 0.3:
        return texts[0]
    if random.random() < 0.5:
        return list(texts)
    return [
        {
            "text": text,
            "id": random.choice([None, f"id {index}"]),
            "title": random.choice([None, words(random, 3)]),
            "score": random.choice([None, 0.0, 0.5, 2.0]),
            "name": random.choice([None, "a.py", "b.log", "c.json", "d.md", "notes"]),
            "metadata": random.choice([{}, {"content_type": random.choice([*CONTENT_TYPES, "text/html"])}]),
        }
        for index, text in enumerate(texts)
    ]


def _seen(result: Compressed) -> Any:
    return result.to_dict()


def _whole(texts: Sequence[str], separator: str, counter: str) -> int:
    return function_of(counter)(separator.join(texts))


def compress(random: Random) -> Call:
    texts, counter, separator = documents(random), counter_named(random), random.choice(_SEPARATORS)
    pinned, groups = spans(random, texts, 0.2), [some for some in [spans(random, texts, 0.15)] if some]
    arguments: dict[str, Any] = {
        "query": query(random, texts),
        "counter": COUNTERS[counter],
        "pinned": pinned,
        "groups": groups,
        "separator": separator,
    }
    make, shown = strategy(random), given(random, texts)
    alone = {len({one[0] if isinstance(one, tuple) else -1 for one in group}) for group in groups} <= {1}

    def check(result: Compressed, budget: int) -> list[str]:
        return check_compressed(
            result, counter, budget, separator=separator, pinned=pinned, groups=groups
        )

    return Call(
        lambda budget: tersely.compress(shown, budget=budget, strategy=make(), **arguments),
        budget_for(random, _whole(texts, separator, counter)),
        check,
        _seen,
        may_refuse=bool(groups) and not (alone and len(texts) == 1),  # ByDocument: of one document each
        told={"documents": shown, "strategy": make(), **arguments},
    )


def compress_ratio(random: Random) -> Call:
    """By ratio; `budget` is what the ratio allows, so that a retry can be checked."""
    texts, counter = documents(random), counter_named(random)
    ratio, make, asked = random.choice([0.01, 0.1, 0.3, 0.5, 0.9]), strategy(random), query(random, texts)
    allowed = max(1, int(_whole(texts, "\n\n", counter) * ratio + 1e-9))

    def run(budget: int) -> Compressed:
        by = {"ratio": ratio} if budget == allowed else {"budget": budget}
        return tersely.compress(texts, asked, counter=COUNTERS[counter], strategy=make(), **by)

    def check(result: Compressed, budget: int) -> list[str]:
        return check_compressed(result, counter, budget)

    return Call(run, allowed, check, _seen, told={"texts": texts, "ratio": ratio, "query": asked, "strategy": make()})


def prepare_fit(random: Random) -> Call:
    """Several budgets of one reading, each of which is as if it were alone."""
    texts, counter, separator = documents(random), counter_named(random), random.choice(_SEPARATORS)
    pinned = spans(random, texts, 0.2)
    asked, options = query(random, texts), random.choice([None, extractive(random), Auto(text=extractive(random))])
    others = [budget_for(random, _whole(texts, separator, counter)) for _ in range(2)]

    def run(budget: int) -> list[Compressed | None]:
        prepared = tersely.prepare(
            texts, asked, counter=COUNTERS[counter], strategy=options, pinned=pinned, separator=separator
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
        budget_for(random, _whole(texts, separator, counter)),
        check,
        lambda results: [result and _seen(result) for result in results],
        told={"texts": texts, "query": asked, "strategy": options, "pinned": pinned},
    )


def prepare_levels(random: Random) -> Call:
    """Levels, each a part of the one before."""
    texts, counter = documents(random), counter_named(random)
    pinned, asked = spans(random, texts, 0.15), query(random, texts)
    options = random.choice([None, "extractive", extractive(random), reader(random)])
    first = budget_for(random, _whole(texts, "\n\n", counter))
    number = random.randint(1, 4)

    def run(least: int) -> list[Compressed]:
        prepared = tersely.prepare(texts, asked, counter=COUNTERS[counter], strategy=options, pinned=pinned)
        return prepared.levels([max(first >> level, least) for level in range(number)])

    def check(results: list[Compressed], budget: int) -> list[str]:
        wrong = []
        for result in results:
            wrong += check_compressed(result, counter, result.receipt.budget, pinned=pinned)
        for larger, smaller in zip(results, results[1:], strict=False):
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
    for one in smaller.kept:
        text = smaller.documents[one.document].text
        has = np.zeros(len(text), dtype=bool)
        for other in larger.kept:
            if other.document == one.document:
                has[other.start : other.end] = True
        missing = [c for c, there in zip(text[one.start : one.end], has[one.start : one.end], strict=True)
                   if not there and not c.isspace() and c != ","]  # fmt: skip
        if missing:
            return [f"{''.join(missing)[:60]!r} is in a smaller level, not in the larger"]
    return []


def compress_batch(random: Random) -> Call:
    items = [documents(random) for _ in range(random.randint(0, 4))]
    counter, threads = counter_named(random), random.choice([1, 2, None])
    sizes = [_whole(texts, "\n\n", counter) for texts in items]
    budgets = [budget_for(random, size) for size in sizes]
    queries = [query(random, texts) for texts in items]

    def run(budget: int) -> list[Any]:
        return tersely.compress_batch(
            items, queries, budget=budgets, counter=COUNTERS[counter], threads=threads
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
    texts, level, window = documents(random), random.choice(_LEVELS), random.choice([1, 7, 200])

    def check(table: Any, _: int) -> list[str]:
        at = dict.fromkeys(range(len(texts)), 0)
        wrong = []
        for index, start, end, _kind in table:
            if texts[index][at[index] : start].strip().strip("\ufeff").strip():
                wrong.append(f"{texts[index][at[index] : start][:60]!r} is in no segment")
            if not at[index] <= start < end:
                wrong.append(f"segments overlap or are empty at {index}:{start}")
            at[index] = end
        wrong += [f"the end of {i} is in no segment" for i, e in at.items() if texts[i][e:].strip("\ufeff \n\t").strip()]
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
        return [f"{fact} does not stand there" for fact in facts if texts[fact.document][fact.start : fact.end] != fact.text]

    return Call(lambda _: tersely.find_facts(texts), 0, check, repr, told={"texts": texts})


def options(random: Random, texts: Sequence[str]) -> dict[str, Any]:
    return {
        "min_tokens": random.choice([0, 100]),
        "preferred_method": random.choice(list(CompressionMethod)),
        "allow_hybrid": random.random() < 0.8,
        "preserve_code": random.random() < 0.5,
        "preserve_quotes": random.random() < 0.5,
        "preserve_numbers": random.random() < 0.5,
        "query_context": query(random, texts) or "",
        "min_confidence": random.choice([0.0, 0.7]),
        "strict_preserve": random.random() < 0.2,
    }


def compressor(random: Random) -> Call:
    """Compressors: a text and options in, a context out."""
    text, counter = document(random), counter_named(random)
    chosen, strict = options(random, [text]), random.random() < 0.2
    level, says = random.choice(["sentence", "sentence", *_LEVELS]), model(random)
    common: dict[str, Any] = {"counter": COUNTERS[counter], "clock": lambda: _DAY}
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
        max(budget_for(random, _whole([text], "", counter)), 1),
        check,
        lambda context: (context.id, context.compressed, context.warnings, _seen(context.result)),
        told={"text": text, "options": chosen, "compressor": make()},
    )


def hierarchical_compressor(random: Random) -> Call:
    text, counter, levels = document(random), counter_named(random), random.randint(1, 4)
    chosen = options(random, [text]) | {"strict_preserve": False}
    common: dict[str, Any] = {"counter": COUNTERS[counter], "clock": lambda: _DAY}

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
        for larger, smaller in zip(context.levels, context.levels[1:], strict=False):
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
        text = random.choice([text + "\n" + words(random), random.choice(list(MUTATIONS.values()))(random, text)])
        versions.append(text[:12_000])
    asked, made = query(random, versions), extractive(random)
    by_compressor = random.random() < 0.5

    def run(budget: int) -> Compressed:
        result = None
        strategy = Incremental(made)
        compressor = IncrementalCompressor(counter=COUNTERS[counter], clock=lambda: _DAY)
        chosen = CompressionOptions(target_tokens=max(budget, 1), min_tokens=0, query_context=asked or "")
        for number, version in enumerate(versions):
            try:
                if by_compressor:
                    result = compressor.update("a", version, chosen).result
                else:
                    result = tersely.compress(
                        version, asked, budget=budget, counter=COUNTERS[counter], strategy=strategy
                    )
            except tersely.BudgetExceededError:
                if number == len(versions) - 1:
                    raise
        assert result is not None
        return result

    return Call(
        run,
        max(budget_for(random, _whole([versions[-1]], "", counter)), 1),
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
    texts, counter, separator = documents(random, 6), counter_named(random), random.choice(_SEPARATORS)
    chunks, asked = _chunks(random, texts), query(random, texts) or ""
    chosen, says = CompressionOptions(**options(random, texts) | {"strict_preserve": False}), model(random)
    llm, for_call = random.choice([None, None, says]), random.random() < 0.5

    def run(budget: int) -> Any:
        made = Manager(chosen, llm=llm, counter=COUNTERS[counter], separator=separator)
        prepare = made.prepare_context_for_call if for_call else made.prepare_context
        return prepare(chunks, asked, budget)

    def check(prepared: Any, budget: int) -> list[str]:
        tokens = function_of(counter)(prepared.text)
        wrong = [f"{tokens} tokens for a budget of {budget}"] if tokens > budget else []
        if tokens != prepared.report.token_count:
            wrong.append(f"{tokens} tokens, {prepared.report.token_count} in the report")
        if prepared.result is not None:
            wrong += check_compressed(prepared.result, counter, budget, separator=separator)
        told = [one.id for one in (*prepared.report.chunks, *prepared.report.dropped)]
        if sorted(told) != sorted(chunk.id for chunk in chunks):
            wrong.append("the report does not tell of each chunk once")
        return wrong

    return Call(
        run,
        budget_for(random, _whole(texts, separator, counter)),
        check,
        lambda prepared: (prepared.text, prepared.report),
        told={"texts": texts, "query": asked, "options": chosen, "separator": separator, "llm": llm},
    )


def contextual(random: Random) -> Call:
    texts, counter, separator = documents(random, 6), counter_named(random), random.choice(_SEPARATORS)
    asked, pinned = query(random, texts) or "", spans(random, texts, 0.15)
    reserve, strict = random.choice([0, 0, 5]), random.random() < 0.15
    least = random.choice([1, 20, 100])
    first = max(budget_for(random, _whole(texts, separator, counter)), 1)
    reserve = min(reserve, first - 1)
    limits: dict[str, Any] = {
        "min_per_document": least,
        "max_per_document": random.choice([2000, least]),
        "allocation_strategy": random.choice(list(AllocationStrategy)),
    }
    if random.random() < 0.5:
        limits = {}
    config: dict[str, Any] = {
        "segment_size": random.choice(["sentence", "paragraph", "word", "section"]),
        "context_window": random.choice([0, 2]),
        "min_relevance_threshold": random.choice([0.0, 0.5, 0.9]),
        "preserve_structure": random.random() < 0.5,
    }
    says, how = random.choice([None, None, model(random)]), random.choice([None, "extractive", "hybrid", "abstractive"])

    def run(budget: int) -> Any:
        total = TokenBudgetConfig(total_budget=budget, reserve_for_response=reserve, **limits)
        made = ContextualCompressor(
            says,
            config=CompressionConfig(**config),
            budget=total,
            counter=COUNTERS[counter],
            separator=separator,
            strict=strict and says is None,
        )
        return made.compress_sync(texts, asked, how, pinned=pinned)

    def check(result: Any, budget: int) -> list[str]:
        tokens = function_of(counter)(result.text)
        room = budget - reserve
        wrong = [f"{tokens} tokens for a budget of {room}"] if tokens > room else []
        wrong += [f"pinned {one!r} is gone" for one in _pieces(pinned, texts) if one.strip() not in result.text]
        told = [one.index for one in (*result.compressed_documents, *result.dropped_documents)]
        if sorted(told) != list(range(len(texts))):
            wrong.append("the result does not tell of each document once")
        for one in result.compressed_documents:
            wrong += _not_covered(texts[one.index], one)
        return wrong

    return Call(
        run,
        first,
        check,
        lambda result: (result.text, result.warnings, result.fallback_reason, result.dropped_documents),
        told={"texts": texts, "query": asked, "limits": limits, "config": config, "pinned": pinned, "how": how,
              "separator": separator, "strict": strict, "llm": says},
    )  # fmt: skip


def _pieces(pinned: Sequence[Any], texts: Sequence[str]) -> list[str]:
    return [one if isinstance(one, str) else texts[one[0]][one[1] : one[2]] for one in pinned]


def _not_covered(text: str, one: Any) -> list[str]:
    """What kept and dropped segments of a document do not cover, and what of its content is from nowhere."""
    places = sorted((s.start, s.end) for s in (*one.preserved_segments, *one.dropped_segments))
    at = 0
    for start, end in places:
        if text[at:start].strip().strip("\ufeff").strip():
            return [f"{text[at:start][:60]!r} is neither kept nor dropped"]
        if start < at:
            return [f"segments overlap at {start}"]
        at = end
    return [f"{text[at:][:60]!r} is neither kept nor dropped"] if text[at:].strip().strip("\ufeff").strip() else []


def _results(random: Random, most: int = 6) -> list[ChunkResult]:
    return [
        ChunkResult(
            chunk_id=f"c{index}",
            doc_id=f"d{index // 2}",
            score=round(random.random(), 3),
            header_path=random.choice(["", "Guide > Tokens", words(random, 3)]),
            file_path=random.choice(["guide.md", "src/a.py", "é.txt"]),
            content=document(random)[:3000],
        )
        for index in range(random.randrange(most))
    ]


def results(random: Random) -> Call:
    """`compress_results`: filtered, deduplicated, cut."""
    found, counter = _results(random), counter_named(random)
    asked, sentences = words(random, 5), random.choice([None, 1, 5])
    chosen: dict[str, Any] = {
        "min_score": random.choice([0.0, 0.3]),
        "top_n": random.choice([None, 1, 5]),
        "linkage": random.choice(["representative", "single"]),
        "strategy": random.choice(["threshold", "kmeans"]),
        "keep_facts": random.random() < 0.7,
        "max_sentences": sentences,
    }

    def check(left: Any, budget: int) -> list[str]:
        tokens = sum(map(function_of(counter), left.texts))
        wrong = [f"{tokens} tokens for {budget}"] if tokens > budget else []
        for item, places, text in zip(left.results, left.spans, left.texts, strict=True):
            if sentences is None and text != item.content:
                wrong.append("a result is not whole")
            wrong += [f"{item.content[a:b][:60]!r} is not in it" for a, b in places if item.content[a:b] not in text]
        return wrong

    return Call(
        lambda budget: compress_results(found, asked, max_tokens=budget, counter=COUNTERS[counter], **chosen),
        max(budget_for(random, _whole([one.content for one in found], "", counter)), 1),
        check,
        lambda left: (left.indices, left.texts, left.spans, left.duplicates, left.compression_stats),
        told={"results": found, "query": asked, **chosen},
    )


def search_extract(random: Random) -> Call:
    """What `search --budget` writes of results."""
    found, counter = _results(random), counter_named(random)
    asked = query(random, [one.content for one in found]) or ""

    def check(extracted: Any, budget: int) -> list[str]:
        tokens = function_of(counter)(extracted.text)
        wrong = [f"{tokens} tokens for {budget}"] if extracted.text and tokens > budget else []
        wrong += [f"{one.content[:60]!r} is not in the text" for one in extracted.results if one.content not in extracted.text]
        return wrong

    whole = _whole([one.content + "heading" for one in found], "\n\n", counter)
    return Call(
        lambda budget: extract(found, asked, budget=budget, counter=COUNTERS[counter]),
        max(budget_for(random, whole), 1),
        check,
        lambda extracted: (extracted.text, extracted.tokens, extracted.results),
        told={"results": found, "query": asked},
    )


class _List:
    """A retriever over a list."""

    def __init__(self, chunks: Sequence[ChunkResult]) -> None:
        self.chunks = list(chunks)

    def search(self, query: str, top_n: int = 5) -> list[ChunkResult]:
        return sorted(self.chunks, key=lambda one: -one.score)[:top_n]

    def chunk(self, chunk_id: str) -> ChunkResult:
        return {one.chunk_id: one for one in self.chunks}[chunk_id]


def query_tool(random: Random) -> Call:
    """`query_documents_compressed` as a plain function."""
    found = _results(random)
    count = function_of("o200k_base")
    reply = random.random() < 0.7
    arguments = {
        "query": words(random, 5),
        "top_n": random.randint(1, 5),
        "min_score": random.choice([0.0, 0.3]),
        "similarity_threshold": random.choice([0.5, 0.85, 1.0]),
    }

    def run(budget: int) -> Any:
        tools = QueryTools(_List(found), reply_budget=budget if reply else None)
        try:
            return tools.query_documents_compressed(arguments)
        except ToolError as error:
            return error

    def check(made: Any, budget: int) -> list[str]:
        if isinstance(made, ToolError):
            return [] if "tokens would do" in str(made) else [f"raised {made!r}"]
        tokens = count(made.text)
        if reply and made.text != "No results." and tokens > budget:
            return [f"{tokens} tokens for a reply of {budget}"]
        return []

    return Call(
        run,
        max(budget_for(random, _whole([one.content for one in found], "\n\n", "o200k_base")), 1),
        check,
        lambda made: str(made) if isinstance(made, ToolError) else (made.text, dict(made.data)),
        told={"results": found, "arguments": arguments, "reply": reply},
    )


def text_tool(random: Random) -> Call:
    """`compress_text` as a plain function."""
    text, count = document(random), function_of("o200k_base")
    asked = query(random, [text])
    (tool,) = text_tools()

    def run(budget: int) -> Any:
        arguments = {"text": text, "budget": budget} | ({"query": asked} if asked else {})
        return tool.run(check_arguments(tool.input_schema, arguments))

    def check(made: Any, budget: int) -> list[str]:
        tokens = count(made.text)
        return [f"{tokens} tokens for {budget}"] if tokens > budget else []

    return Call(
        run,
        max(budget_for(random, count(text)), 1),
        check,
        lambda made: (made.text, dict(made.data)),
        told={"text": text, "query": asked},
    )


def llmlingua(random: Random) -> Call:
    """The drop-in for LLMLingua."""
    texts, counter = documents(random), counter_named(random)
    asked, instruction = words(random, 5), random.choice(["", words(random, 5)])
    plain = random.random() < 0.3
    chosen: dict[str, Any] = {
        "keep_first_sentence": random.choice([0, 0, 1]),
        "keep_last_sentence": random.choice([0, 0, 1]),
        "force_context_ids": random.choice([None, [0] if texts else None]),
        "concate_question": random.random() < 0.8,
        "force_reserve_digit": random.random() < 0.3,
    }

    def run(budget: int) -> Any:
        made = PromptCompressor(use_llmlingua2=plain, counter=COUNTERS[counter])
        instructed = "" if plain else instruction
        return made.compress_prompt(texts, instructed, asked, target_token=budget, with_result=True, **chosen)

    def check(made: Any, budget: int) -> list[str]:
        tokens = function_of(counter)(made["compressed_prompt"])
        return [f"{tokens} tokens for {budget}"] if tokens > budget else []

    whole = [*texts] if plain else [instruction, *texts, asked]
    return Call(
        run,
        budget_for(random, _whole(whole, "\n\n", counter)),
        check,
        lambda made: {name: value for name, value in made.items() if name != "result"},
        told={"texts": texts, "question": asked, "instruction": instruction, "llmlingua2": plain, **chosen},
    )


def langchain(random: Random) -> Call:
    """The document compressor for LangChain."""
    from langchain_core.documents import Document
    from tersely.adapters.langchain import TerselyCompressor

    texts, counter, separator = documents(random), counter_named(random), random.choice(_SEPARATORS)
    asked = words(random, 5)

    def run(budget: int) -> Any:
        made = TerselyCompressor(budget=budget, counter=COUNTERS[counter], separator=separator)
        return made.compress_documents([Document(page_content=text) for text in texts], asked)

    def check(found: Any, budget: int) -> list[str]:
        tokens = function_of(counter)(separator.join(one.page_content for one in found))
        return [f"{tokens} tokens for {budget}"] if tokens > budget else []

    return Call(
        run,
        budget_for(random, _whole(texts, separator, counter)),
        check,
        lambda found: [one.model_dump() for one in found],
        told={"texts": texts, "query": asked, "separator": separator},
    )


def sentences(random: Random) -> Call:
    """`extract_sentences` and `within_budget`."""
    texts, asked, number = documents(random), words(random, 5), random.randint(0, 6)
    counter = counter_named(random)

    def run(budget: int) -> Any:
        return extract_sentences(texts, asked, max(number, 1)), within_budget(texts, budget, COUNTERS[counter])

    def check(found: Any, budget: int) -> list[str]:
        excerpts, (fit, _) = found
        tokens = sum(map(function_of(counter), texts[:fit]))
        wrong = [f"{tokens} tokens for {budget}"] if tokens > budget else []
        for text, one in zip(texts, excerpts, strict=True):
            wrong += [f"{text[a:b][:60]!r} is not in it" for a, b in one.spans if text[a:b] not in one.text]
        return wrong

    return Call(
        run,
        max(budget_for(random, _whole(texts, "", counter)), 1),
        check,
        repr,
        told={"texts": texts, "query": asked, "sentences": number},
    )


def _junk(random: Random) -> Any:
    return random.choice(
        [None, True, -1, 10**40, 1.5, float("nan"), "", "nonsense", b"x", [], [None], {}, {1}, object(),
         [(0, 5, 1)], [("a", 1, 2)], np.array([1.0]), lambda: None, [[]], Random, "\ud800"]
    )  # fmt: skip


def wrong_arguments(random: Random) -> Call:
    """One argument of `compress` that is nonsense: it does, or ValueError or TypeError say what is wrong."""
    arguments: dict[str, Any] = {"documents": documents(random), "query": words(random, 4), "counter": "chars/4"}
    name = random.choice(["documents", "query", "budget", "ratio", "counter", "strategy", "pinned", "groups", "separator"])
    junk = _junk(random)
    arguments |= {name: junk}

    def run(budget: int) -> Compressed:
        return tersely.compress(**({"budget": budget} | arguments))

    return Call(run, 40, lambda result, _: [], _seen, may_refuse=True, told=arguments)


DOORS: dict[str, tuple[Door, int]] = {  # and how often each is tried
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
    "ContextualCompressor": (contextual, 5),
    "compress_results": (results, 2),
    "search --budget": (search_extract, 3),
    "query_documents_compressed": (query_tool, 2),
    "compress_text": (text_tool, 2),
    "LLMLingua": (llmlingua, 3),
    "LangChain": (langchain, 2),
    "extract_sentences": (sentences, 1),
    "wrong arguments": (wrong_arguments, 3),
    **history_doors(),
}
