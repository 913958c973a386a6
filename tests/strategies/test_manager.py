"""Manager: chunks within a budget, with and without a model, in memory that stops growing."""

from __future__ import annotations

import asyncio
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import odd_counters
import pytest
from sample_texts import CHAT, GUIDE, LOG, prose
from tersely import BudgetExceededError, metrics
from tersely.engine.finish import broken_promises
from tersely.models.counters import resolve_counter
from tersely.strategies import (
    CompressedContext,
    CompressionCache,
    CompressionOptions,
    ContextChunk,
    ExtractiveCompressor,
    HybridCompressor,
    Manager,
)
from tersely.strategies.contexts import PreparedContext
from tersely.strategies.manager import SEPARATOR
from tersely.types import Request
from written_checks import Model, first_sentences

CHUNKS = [
    ContextChunk(id="guide", content=GUIDE, relevance=0.9),
    ContextChunk(id="log", content=LOG, relevance=0.5),
    ContextChunk(id="chat", content=CHAT),
    ContextChunk(id="prose", content=prose(40), relevance=0.2),
]
QUERY = "Which sluice failed?"
count = resolve_counter(None).count


class Spy(ExtractiveCompressor):
    """Counts its calls, and fails on texts that hold a word."""

    def __init__(self, bad: str = "\0", counter: Any = None) -> None:
        super().__init__(counter=counter)
        self.bad = bad
        self.calls: list[tuple[str, CompressionOptions]] = []

    def compress(self, content: str, options: Any = None, *, source: Any = None) -> CompressedContext:
        self.calls.append((content, options))
        if self.bad in content:
            raise RuntimeError("out of order")
        return super().compress(content, options, source=source)


def test_defaults() -> None:
    options = CompressionOptions(target_ratio=0.5)
    manager = Manager(options)
    assert manager.hierarchy.levels == 3 and isinstance(manager.compressor, HybridCompressor)
    assert manager.hierarchy.compressor is manager.compressor
    assert manager.options is options
    assert len(manager.cache) == 0
    levels = manager.hierarchy.compress(GUIDE).levels  # without a model: verbatim, one in the other
    assert all(level.result is not None for level in levels)


def test_parts_in_order() -> None:
    two = [ContextChunk(id="a", content="One here."), ContextChunk(id="b", content="Two there.")]
    output = Manager().prepare_context(two, "", 1000)
    assert output.parts == ("One here.", "Two there.")
    assert str(output) == output.text == "One here.\n\n---\n\nTwo there."
    assert output.text.split("\n\n---\n\n") == list(output.parts)
    assert not output.report.compressed


@pytest.mark.parametrize("budget", [60, 90, 150, 400, 700])
def test_parts_under_the_budget_and_what_became_of_each(budget: int) -> None:
    output = Manager().prepare_context(CHUNKS, QUERY, budget)
    assert output.text.split(SEPARATOR) == list(output.parts)
    ids = [chunk.id for chunk in output.report.chunks]
    assert ids == [chunk.id for chunk in CHUNKS if chunk.id in ids]
    assert sorted([*ids, *(chunk.id for chunk in output.report.dropped)]) == ["chat", "guide", "log", "prose"]
    assert {chunk.reason for chunk in output.report.dropped} <= {"budget"}
    assert count(output.text) == output.token_count <= budget
    assert output.token_count > 0.8 * budget
    assert "ERROR sluice 3 failed" in output.text, "the query decides what stays, wherever it is"
    assert "chunk_fell_back" not in output.report.warnings
    contents = {chunk.id: chunk.content for chunk in CHUNKS}
    for chunk in output.report.chunks:
        assert chunk.token_count == count(chunk.text) == chunk.allocation
        assert chunk.original_tokens == count(contents[chunk.id])
    assert output.result is not None
    request = Request(output.result.documents, QUERY, None, 1.0, resolve_counter(None), (), (), SEPARATOR)
    assert broken_promises(output.result, request) == []
    assert pickle.loads(pickle.dumps(output)) == output


def test_pieces_of_a_chunk_are_not_parted_like_chunks() -> None:
    output = Manager().prepare_context([ContextChunk("a", prose(60)), CHUNKS[0]], QUERY, 300)
    assert output.text.count(SEPARATOR) == len(output.parts) - 1
    assert any("\n\n" in part for part in output.parts)


def test_a_failing_chunk_does_not_abort_the_call() -> None:
    chunks = [*CHUNKS[:1], ContextChunk(id="bad", content=b"bad"), *CHUNKS[1:2]]  # type: ignore[arg-type]
    output = Manager().prepare_context(chunks, QUERY, 200)
    assert [chunk.id for chunk in output.report.chunks] == ["guide", "log"]
    (dropped,) = output.report.dropped
    assert (dropped.id, dropped.reason) == ("bad", "failed")
    assert "content must be str, not bytes" in dropped.detail
    assert "chunks_dropped" in output.report.warnings


def test_a_chunk_with_a_lone_surrogate_is_used_and_told() -> None:
    chunks = [*CHUNKS[:1], ContextChunk(id="half", content="bad \ud800"), *CHUNKS[1:2]]
    for output in (
        Manager().prepare_context(chunks, QUERY, 200),
        Manager().prepare_context_for_call(chunks, QUERY, 9000),
        Manager(compressor=Spy("bad \ud800")).prepare_context(chunks, QUERY, 200),
    ):
        assert "bad \ufffd" in output.text and not output.report.dropped
    assert "characters_replaced" in Manager().prepare_context(chunks, QUERY, 200).report.warnings


def test_a_failing_compressor_gives_way_to_the_extractive_one() -> None:
    manager = Manager(compressor=Spy("sluice 3"))
    output = manager.prepare_context(CHUNKS, QUERY, 150)
    fallen = {chunk.id: chunk.fallback_reason for chunk in output.report.chunks}
    assert fallen == {"guide": None, "log": "compressor_failed", "chat": "compressor_failed", "prose": None}
    assert "chunk_fell_back" in output.report.warnings
    assert all(part for part in output.parts)


def test_then_it_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    manager = Manager(compressor=Spy("sluice 3"))
    output = manager.prepare_context(CHUNKS, QUERY, 150)
    monkeypatch.setattr(manager, "_extractive", Spy("sluice 3"))
    again = manager.prepare_context(CHUNKS, QUERY, 150)
    assert [chunk.id for chunk in again.report.chunks] == ["guide", "prose"]
    assert [(chunk.id, chunk.reason) for chunk in again.report.dropped] == [
        ("log", "failed"),
        ("chat", "failed"),
    ]
    assert "RuntimeError" in again.report.dropped[0].detail
    assert again.token_count > output.token_count - 80


def test_a_compressor_that_goes_over_its_target() -> None:
    class Chatty(ExtractiveCompressor):
        def compress(self, content: str, options: Any = None, *, source: Any = None) -> CompressedContext:
            return super().compress(content, CompressionOptions(target_ratio=1.0), source=source)

    output = Manager(compressor=Chatty()).prepare_context(CHUNKS, QUERY, 100)
    assert count(output.text) <= 100
    assert {chunk.fallback_reason for chunk in output.report.chunks} == {"over_budget"}


@pytest.mark.parametrize("compressor", [None, Spy()])
def test_chunks_without_room_are_dropped_the_least_relevant_first(compressor: Any) -> None:
    sentences = prose(100).split(". ")
    chunks = [
        ContextChunk(id=str(i), content=sentence + ".", relevance=(i % 10 + 1) / 10)
        for i, sentence in enumerate(sentences[:100])
    ]
    output = Manager(compressor=compressor).prepare_context(chunks, "", 200)
    assert 200 >= output.token_count > 150
    kept = [chunks[int(chunk.id)].relevance for chunk in output.report.chunks]
    dropped = [chunks[int(chunk.id)].relevance for chunk in output.report.dropped]
    assert {chunk.reason for chunk in output.report.dropped} == {"budget"}
    assert sum(kept) / len(kept) > 1.5 * sum(dropped) / len(dropped)


def test_nothing_fits_and_empty_chunks_and_no_chunks() -> None:
    with pytest.raises(BudgetExceededError) as raised:
        Manager().prepare_context(CHUNKS, QUERY, 0)
    assert raised.value.required > 0
    assert Manager().prepare_context([], QUERY, 10).text == ""
    output = Manager().prepare_context([ContextChunk(id="e", content=""), CHUNKS[1]], QUERY, 1000)
    assert output.parts == (LOG,)
    assert [(chunk.id, chunk.reason) for chunk in output.report.dropped] == [("e", "empty")]
    blank = [ContextChunk(id="blank", content="\n " * 900), CHUNKS[1]]
    again = Manager().prepare_context(blank, QUERY, 90).report
    assert {chunk.id for chunk in (*again.chunks, *again.dropped)} == {"blank", "log"}


def test_what_fits_is_joined_as_it_is() -> None:
    spy = Spy(counter=odd_counters.words)
    manager = Manager(compressor=spy)
    chunks = [ContextChunk(id=str(i), content="  " + "word\r\n" * 10) for i in range(3)]
    output = manager.prepare_context_for_call(chunks, "", 100)
    assert output.parts == tuple(chunk.content for chunk in chunks)
    assert output.text == SEPARATOR.join(output.parts)
    assert (spy.calls, output.report.compressed) == ([], False)


def test_else_it_is_prepared_and_separators_count() -> None:
    manager = Manager()
    output = manager.prepare_context_for_call(CHUNKS, QUERY, 150)
    assert output.parts == manager.prepare_context(CHUNKS, QUERY, 150).parts
    assert output.report.compressed
    spy = Spy(counter=odd_counters.words)
    chunks = [ContextChunk(id=str(i), content="word " * 33, token_count=1) for i in range(3)]
    output = Manager(compressor=spy).prepare_context_for_call(chunks, "", 100)  # 99 words and 2 separators
    assert spy.calls
    assert output.token_count <= 100


def test_a_bad_chunk_among_those_that_fit() -> None:
    chunks = [ContextChunk(id="bad", content=5), ContextChunk(id="ok", content="One.")]  # type: ignore[arg-type]
    output = Manager().prepare_context_for_call(chunks, "", 100)
    assert output.parts == ("One.",)
    assert "content must be str, not int" in output.report.dropped[0].detail


def test_repeated_contexts_come_from_the_cache() -> None:
    chunks = [ContextChunk(id=str(i), content=prose(20) + f" Chunk {i}.") for i in range(10)]
    manager = Manager()
    outputs = [manager.prepare_context(chunks, QUERY, 500) for _ in range(5)]
    assert all(output.text == outputs[0].text for output in outputs)
    assert manager.cache.hit_rate >= 0.8
    assert (outputs[0].report.cache_hits, outputs[4].report.cache_misses) == (0, 0)
    other = manager.prepare_context(chunks, "Who is the keeper?", 500)
    assert other.report.cache_hits == 0


def test_a_hit_is_counted() -> None:
    prometheus = pytest.importorskip("prometheus_client")
    registry = prometheus.CollectorRegistry()
    metrics.enable(registry)
    try:
        manager = Manager()
        for _ in range(2):
            manager.prepare_context([ContextChunk("a", GUIDE)], QUERY, 80)
    finally:
        metrics.disable()
    assert registry.get_sample_value("rlm_compression_cache_hits_total") == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m.prepare_context([ContextChunk("a", GUIDE + " More.")], QUERY, 80),
        lambda m: m.prepare_context([ContextChunk("a", GUIDE)], "Who was the third keeper?", 80),
        lambda m: (
            setattr(m, "options", CompressionOptions(preserve_code=False))
            or m.prepare_context([ContextChunk("a", GUIDE)], QUERY, 80)
        ),
    ],
    ids=["content", "query", "options"],
)
def test_no_wrong_hit(change: Any) -> None:
    manager = Manager()
    manager.prepare_context([ContextChunk("a", GUIDE)], QUERY, 80)
    assert change(manager).report.cache_hits == 0


@pytest.mark.parametrize("budget", [40, 79, 120])
def test_another_budget_is_a_hit_and_not_the_old_text(budget: int) -> None:
    manager, chunks = Manager(), [ContextChunk("a", GUIDE), ContextChunk("b", prose(20))]
    manager.prepare_context(chunks, QUERY, 80)
    output = manager.prepare_context(chunks, QUERY, budget)
    assert (output.report.cache_hits, output.report.cache_misses) == (2, 0)
    assert output.text == Manager().prepare_context(chunks, QUERY, budget).text


def test_a_list_that_grows_by_a_chunk_a_turn_hits() -> None:
    manager, counter = Manager(), resolve_counter(None)
    chunks = [ContextChunk(str(i), prose(20 + i)) for i in range(10)]
    for turn in range(1, 11):
        output = manager.prepare_context(chunks[:turn], QUERY, 100)
        assert (output.report.cache_hits, output.report.cache_misses) == (turn - 1, 1)
        assert output.text == Manager(cache_bytes=0).prepare_context(chunks[:turn], QUERY, 100).text
        assert counter.count(output.text) <= 100
    assert manager.cache.hit_rate > 0.8


def test_what_is_known_is_not_counted_or_embedded_again() -> None:
    asked: list[str] = []

    class Embedder:
        def embed(self, batch: list[str]) -> Any:
            asked.extend(batch)
            return [[len(text), 1.0] for text in batch]

    def words(text: str) -> int:
        asked.append(text)
        return odd_counters.words(text)

    manager = Manager(counter=words, embedder=Embedder())
    manager.prepare_context(CHUNKS[:3], QUERY, 60)
    asked.clear()
    manager.prepare_context(CHUNKS, QUERY, 60)
    lines = [line for chunk in CHUNKS[:3] for line in chunk.content.split("\n") if len(line) > 40]
    assert asked and not set(lines) & set(asked)


def test_the_same_request_is_a_hit_whatever_the_chunk_is_called() -> None:
    manager = Manager()
    manager.prepare_context([ContextChunk("a", GUIDE)], QUERY, 80)
    again = manager.prepare_context([ContextChunk("b", GUIDE)], f"  {QUERY}\n", 80)
    assert (again.report.cache_hits, again.report.chunks[0].cached) == (1, True)
    assert again.report.chunks[0].id == "b"


def test_a_cached_chunk_does_not_eat_the_share_of_the_next() -> None:
    manager = Manager()
    big, other = ContextChunk("big", prose(60)), ContextChunk("other", GUIDE)
    manager.prepare_context([big], QUERY, 190)
    output = manager.prepare_context([big, other], QUERY, 200)
    assert [chunk.cached for chunk in output.report.chunks] == [True, False]
    assert output.text == Manager().prepare_context([big, other], QUERY, 200).text
    spy = Manager(compressor=Spy())  # each gets its share
    spy.prepare_context([big], QUERY, 190)
    shared = spy.prepare_context([big, other], QUERY, 200)
    assert [chunk.token_count > 70 for chunk in shared.report.chunks] == [True, True]


def test_little_of_the_budget_is_left() -> None:
    words = [" ".join(f"word{i}x{n}." for n in range(400)) for i in range(4)]
    chunks = [ContextChunk(str(i), words[i], relevance=r) for i, r in enumerate([0.9, 0.8, 0.5, 0.2])]
    output = Manager(counter=odd_counters.words).prepare_context(chunks, "", 1000)
    assert 1000 - len(chunks) < output.token_count <= 1000


@pytest.mark.parametrize("query", ["", QUERY])
@pytest.mark.parametrize(
    ("relevances", "shares"), [((0.5, 0.5, 0.5), (150, 150, 150)), ((0.9, 0.5, 0.1), (270, 150, 30))]
)
def test_without_a_model_parts_follow_the_relevances_too(
    query: str, relevances: tuple[float, ...], shares: tuple[int, ...]
) -> None:
    texts = [" ".join(prose(120).split("\n\n")[part::3]) for part in range(3)]
    chunks = [ContextChunk(str(k), texts[k], relevance=one) for k, one in enumerate(relevances)]
    made = Manager().prepare_context(chunks, query, 450 + 10)
    assert [chunk.id for chunk in made.report.chunks] == ["0", "1", "2"]
    for chunk, share in zip(made.report.chunks, shares, strict=True):
        assert abs(chunk.token_count - share) <= 20, "whole sentences"


def test_the_cache_keeps_to_its_bytes() -> None:
    manager = Manager(cache_bytes=30_000)
    for i in range(50):
        manager.prepare_context([ContextChunk("a", prose(30) + str(i))], QUERY, 80)
    assert 0 < manager.cache.nbytes <= 30_000
    assert Manager(cache_bytes=0).prepare_context(CHUNKS, QUERY, 150).parts


def test_a_cache_for_64_threads() -> None:
    cache = CompressionCache(2**20)
    contexts = [ExtractiveCompressor().compress(f"Text number {i}.") for i in range(8)]

    def work(seed: int) -> bool:
        for which in ((seed * 7 + i) % 8 for i in range(1000)):
            cache.set(str(which), contexts[which])
            if cache.get(str(which)) is not contexts[which]:
                return False
        return True

    with ThreadPoolExecutor(64) as pool:
        assert all(pool.map(work, range(64)))
    assert (cache.hits, len(cache)) == (64_000, 8)


def test_a_manager_for_many_threads() -> None:
    manager = Manager()
    expected = manager.prepare_context(CHUNKS, QUERY, 150).text
    with ThreadPoolExecutor(16) as pool:
        found = pool.map(lambda _: manager.prepare_context(CHUNKS, QUERY, 150).text, range(80))
        assert set(found) == {expected}


def test_async_gives_the_same() -> None:
    manager = Manager()
    output = manager.prepare_context(CHUNKS, QUERY, 150)
    again = asyncio.run(manager.aprepare_context(CHUNKS, QUERY, 150))
    assert (again.text, again.parts) == (output.text, output.parts)
    assert asyncio.run(manager.aprepare_context_for_call(CHUNKS, QUERY, 5000)).report.compressed is False


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((CHUNKS, QUERY, -1), ValueError, "(token_budget|max_tokens) must be a whole number from 0"),
        ((CHUNKS, QUERY, 1.5), TypeError, "(token_budget|max_tokens) must be a whole number"),
        ((CHUNKS, None, 10), TypeError, "query must be str"),
        ((["text"], QUERY, 10), TypeError, "chunk 0 must be a ContextChunk, not str"),
        (([None], QUERY, 10), TypeError, "chunk 0 must be a ContextChunk, not NoneType"),
        *(((wrong, QUERY, 10), TypeError, "chunks must be a list of Context") for wrong in (None, "text", 5)),
    ],
)
def test_wrong_arguments(arguments: Any, error: type[Exception], message: str) -> None:
    for prepare in (Manager().prepare_context, Manager().prepare_context_for_call):
        with pytest.raises(error, match=message):
            prepare(*arguments)
    with pytest.raises(ValueError, match="to the compressor"):
        Manager(compressor=Spy(), counter="chars/4")


@pytest.mark.parametrize(("fails", "asked"), [(False, 1), (True, 2)])
def test_a_refused_reply_is_not_asked_for_again_and_a_failure_is(fails: bool, asked: int) -> None:
    prompts = []

    def model(prompt: str) -> str:
        prompts.append(prompt)
        if fails:
            raise ConnectionError
        return "Something else, said by nobody, with 99321 in it."

    manager = Manager(llm=model)
    for _ in range(2):
        output = manager.prepare_context([ContextChunk("a", GUIDE)], QUERY, 60)
    assert output.report.chunks[0].fallback_reason is not None
    assert len(prompts) == asked * len(set(prompts))


CHUNKS_MODEL = [ContextChunk("a", prose(60)), ContextChunk("b", prose(45)), ContextChunk("c", "A short one.")]
OPTIONS = CompressionOptions(min_confidence=0.3)


def check_extractive(prepared: PreparedContext) -> None:
    """Each part is what an extractive compressor makes of its chunk for its share."""
    for chunk, source in zip(prepared.report.chunks, CHUNKS_MODEL, strict=True):
        options = replace(OPTIONS, query_context="Which crew?", target_tokens=chunk.allocation)
        assert chunk.text == ExtractiveCompressor().compress(source.content, options).compressed


def test_a_model_writes_and_the_budget_holds() -> None:
    model = Model(first_sentences)
    manager = Manager(OPTIONS, llm=model)
    prepared = manager.prepare_context(CHUNKS_MODEL, "Which crew?", 900)
    assert count(prepared.text) <= 900
    assert len(model.prompts) == 2  # the short one fits
    assert manager.prepare_context(CHUNKS_MODEL, "Which crew?", 900).text == prepared.text
    assert len(model.prompts) == 2  # cached
    too_long = Manager(OPTIONS, llm=Model(prose(600))).prepare_context(CHUNKS_MODEL, "Which crew?", 900)
    assert count(too_long.text) <= 900
    check_extractive(too_long)


def test_a_failure_is_said_and_not_cached() -> None:
    model = Model(OSError("down"), OSError("down"), first_sentences)
    manager = Manager(OPTIONS, llm=model)
    prepared = manager.prepare_context(CHUNKS_MODEL, "Which crew?", 900)
    check_extractive(prepared)
    assert "model_failed" in {chunk.fallback_reason for chunk in prepared.report.chunks}
    manager.prepare_context(CHUNKS_MODEL, "Which crew?", 900)
    assert len(model.prompts) == 4


@pytest.mark.parametrize("relevances", [[None], [0.9, 0.3, 0.6]])
def test_a_list_that_grows_hits_with_a_model_too(relevances: list[float | None]) -> None:
    model = Model(first_sentences)
    manager = Manager(OPTIONS, llm=model)
    chunks = [
        ContextChunk(str(i), prose(20 + 3 * i), relevance=relevances[i % len(relevances)]) for i in range(20)
    ]
    reports = [manager.prepare_context(chunks[:turn], "Which crew?", 2000).report for turn in range(10, 21)]
    hits = sum(report.cache_hits for report in reports)
    assert hits / sum(report.cache_hits + report.cache_misses for report in reports) > 0.65
    assert len(model.prompts) < 50  # of 165 chunks
    assert all(0.85 * 2000 < report.token_count <= 2000 for report in reports)
    again = Manager(OPTIONS, llm=model).prepare_context(chunks, "Which crew?", 2000)
    assert (
        again.text == manager.prepare_context(chunks, "Which crew?", 2000).text
    )  # whatever was asked before


class Picky(ExtractiveCompressor):
    """Gives nothing under 81 tokens."""

    def compress(self, content: str, options: Any = None, *, source: str | None = None) -> Any:
        if options.target_tokens < 81:
            raise BudgetExceededError("81", required=81, budget=options.target_tokens)
        return super().compress(content, options, source=source)


def test_a_chunk_that_needs_more_than_a_step_gets_its_share() -> None:
    manager = Manager(OPTIONS, compressor=Picky())
    prepared = manager.prepare_context([ContextChunk(str(i), prose(30 + i)) for i in range(3)], "", 260)
    assert [chunk.id for chunk in prepared.report.chunks] == ["0", "1", "2"]  # shares of 85, steps of 64
    assert count(prepared.text) <= 260
