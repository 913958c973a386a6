"""Random calls of what stands behind a search, of drop-ins and of tools."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from list_retriever import ListRetriever
from tersely.integrations.llmlingua import PromptCompressor
from tersely.mcp.query_tools import QueryTools
from tersely.mcp.tools import ToolError
from tersely.retrieval import (
    AllocationStrategy,
    ChunkResult,
    CompressionConfig,
    ContextualCompressor,
    TokenBudgetConfig,
    compress_results,
)
from tersely.retrieval.index import extract
from tersely.retrieval.results import extract_sentences, within_budget

from promises.arguments import SEPARATORS, model, query, spans, tokens_of
from promises.check import Call, Door, budget_for, grown
from promises.counters import counter_named, counter_of, function_of
from promises.documents import as_read, document, documents, words


def contextual(random: Random) -> Call:
    texts, counter, separator = documents(random, 6), counter_named(random), random.choice(SEPARATORS)
    asked, pinned = query(random, texts) or "", spans(random, texts, 0.15)
    reserve, strict = random.choice([0, 0, 5]), random.random() < 0.15
    least = random.choice([1, 20, 100])
    first = max(budget_for(random, tokens_of(texts, separator, counter)), 1)
    reserve = min(reserve, first - 1)
    limits: dict[str, Any] = {
        "min_per_document": least,
        "max_per_document": random.choice([2000, least]),
        "allocation_strategy": random.choice(list(AllocationStrategy)),
    }
    if random.random() < 0.5:
        limits = {}
    alone = not limits and random.random() < 0.5  # a number, whose reserve nobody gave
    config: dict[str, Any] = {
        "segment_size": random.choice(["sentence", "paragraph", "word", "section"]),
        "context_window": random.choice([0, 2]),
        "min_relevance_threshold": random.choice([0.0, 0.5, 0.9]),
        "preserve_structure": random.random() < 0.5,
    }
    says, how = (
        random.choice([None, None, model(random)]),
        random.choice([None, "extractive", "hybrid", "abstractive"]),
    )

    def run(budget: int) -> Any:
        total = TokenBudgetConfig(total_budget=budget, reserve_for_response=reserve, **limits)
        made = ContextualCompressor(
            says,
            config=CompressionConfig(**config, **{"token_budget": budget} if alone else {}),
            budget=None if alone else total,
            counter=counter_of(counter),
            separator=separator,
            strict=strict and says is None,
        )
        return made.compress_sync(texts, asked, how, pinned=pinned)

    def check(result: Any, budget: int) -> list[str]:
        tokens = function_of(counter)(result.text)
        room = budget if alone else budget - reserve
        wrong = [f"{tokens} tokens for a budget of {room}"] if tokens > room else []
        wrong += grown(counter, tokens, tokens_of(texts, separator, counter))
        wrong += [
            f"pinned {one!r} is gone"
            for one in map(as_read, _pieces(pinned, texts))
            if one.strip() not in result.text
        ]
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
        told={
            "texts": texts,
            "query": asked,
            "limits": limits,
            "config": config,
            "pinned": pinned,
            "how": how,
            "separator": separator,
            "strict": strict,
            "llm": says,
        },
    )


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
    return (
        [f"{text[at:][:60]!r} is neither kept nor dropped"]
        if text[at:].strip().strip("\ufeff").strip()
        else []
    )


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
        "strategy": random.choice(["threshold", "kmeans"]),
        "max_sentences": sentences,
    }

    def check(left: Any, budget: int) -> list[str]:
        tokens = sum(map(function_of(counter), left.texts))
        wrong = [f"{tokens} tokens for {budget}"] if tokens > budget else []
        wrong += grown(counter, tokens, sum(function_of(counter)(one.content) for one in found))
        for item, places, text in zip(left.results, left.spans, left.texts, strict=True):
            content = as_read(item.content)
            if sentences is None and as_read(text) != content:
                wrong.append("a result is not whole")
            wrong += [
                f"{content[a:b][:60]!r} is not in it" for a, b in places if content[a:b] not in as_read(text)
            ]
        return wrong

    return Call(
        lambda budget: compress_results(
            found, asked, max_tokens=budget, counter=counter_of(counter), **chosen
        ),
        max(budget_for(random, tokens_of([one.content for one in found], "", counter)), 1),
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
        wrong += grown(counter, tokens if extracted.text else 0, extracted.original_tokens)
        wrong += [
            f"{one.content[:60]!r} is not in the text"
            for one in extracted.results
            if as_read(one.content) not in extracted.text
        ]
        return wrong

    whole = tokens_of([one.content + "heading" for one in found], "\n\n", counter)
    return Call(
        lambda budget: extract(found, asked, budget=budget, counter=counter_of(counter)),
        max(budget_for(random, whole), 1),
        check,
        lambda extracted: (extracted.text, extracted.tokens, extracted.results),
        told={"results": found, "query": asked},
    )


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
        limit = {"max_tokens": budget} if reply else {}
        try:
            return QueryTools(ListRetriever(found)).query_documents_compressed(arguments | limit)
        except ToolError as error:
            return error

    def check(made: Any, budget: int) -> list[str]:
        if isinstance(made, ToolError):
            return [] if "tokens would do" in str(made) else [f"raised {made!r}"]
        tokens = count(made.text)
        if reply and made.text != "No results." and tokens > budget:
            return [f"{tokens} tokens for a reply of {budget}"]
        if not found:
            return []  # the stats say so
        whole = QueryTools(ListRetriever(found)).query_documents(arguments)
        return grown("o200k_base", tokens, count(whole.text))

    return Call(
        run,
        max(budget_for(random, tokens_of([one.content for one in found], "\n\n", "o200k_base")), 1),
        check,
        lambda made: str(made) if isinstance(made, ToolError) else (made.text, dict(made.data)),
        told={"results": found, "arguments": arguments, "reply": reply},
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
        made = PromptCompressor(use_llmlingua2=plain, counter=counter_of(counter))
        instructed = "" if plain else instruction
        return made.compress_prompt(texts, instructed, asked, target_token=budget, with_result=True, **chosen)

    def check(made: Any, budget: int) -> list[str]:
        tokens = function_of(counter)(made["compressed_prompt"])
        return grown(counter, tokens, made["origin_tokens"]) + (
            [f"{tokens} tokens for {budget}"] if tokens > budget else []
        )

    whole = [*texts] if plain else [instruction, *texts, asked]
    return Call(
        run,
        budget_for(random, tokens_of(whole, "\n\n", counter)),
        check,
        lambda made: {name: value for name, value in made.items() if name != "result"},
        told={"texts": texts, "question": asked, "instruction": instruction, "llmlingua2": plain, **chosen},
    )


def sentences(random: Random) -> Call:
    """`extract_sentences` and `within_budget`."""
    texts, asked, number = documents(random), words(random, 5), random.randint(0, 6)
    counter = counter_named(random)

    def run(budget: int) -> Any:
        return extract_sentences(texts, asked, max(number, 1)), within_budget(
            texts, budget, counter_of(counter)
        )

    def check(found: Any, budget: int) -> list[str]:
        excerpts, (fit, _) = found
        tokens = sum(map(function_of(counter), texts[:fit]))
        wrong = [f"{tokens} tokens for {budget}"] if tokens > budget else []
        for text, one in zip(texts, excerpts, strict=True):
            text = as_read(text)  # noqa: PLW2901
            wrong += grown(counter, function_of(counter)(one.text), function_of(counter)(text))
            wrong += [f"{text[a:b][:60]!r} is not in it" for a, b in one.spans if text[a:b] not in one.text]
        return wrong

    return Call(
        run,
        max(budget_for(random, tokens_of(texts, "", counter)), 1),
        check,
        repr,
        told={"texts": texts, "query": asked, "sentences": number},
    )


def search_doors() -> dict[str, tuple[Door, int]]:
    """These doors, and how often each is tried."""
    return {
        "ContextualCompressor": (contextual, 5),
        "compress_results": (results, 2),
        "search --budget": (search_extract, 3),
        "query_documents_compressed": (query_tool, 2),
        "LLMLingua": (llmlingua, 3),
        "extract_sentences": (sentences, 1),
    }
