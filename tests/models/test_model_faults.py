"""Models that hang, or answer what cannot be used, behind every door that takes one: a reason or an error."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tersely
from list_retriever import chunk
from sample_texts import prose
from tersely.errors import CompressionError, ModelReplyError, ModelTimeoutError, OversizedReplyError
from tersely.mcp.answers import Answerer
from tersely.memory import MemoryCompactor, REPLHistory, SegmentMemory
from tersely.models.embedders import resolve_cross_encoder, resolve_embedder
from tersely.models.language_models import resolve_language_model
from tersely.retrieval import ContentSummarizer, ContextualCompressor, compress_results
from tersely.retrieval.index import Index
from tersely.retrieval.results import ChunkSummarizer, extract_sentences
from tersely.retrieval.scoring import RelevanceScorer
from tersely.store import Store
from tersely.strategies import (
    Abstractive,
    CompressionOptions,
    ContextChunk,
    Hybrid,
    HybridCompressor,
    Manager,
)

TEXT = prose(60)
QUERY = "When does the ferry leave?"
ABOUT = "Where did the willow shipment meet the barley crew?"
TEXTS = ["The ferry leaves at six.", "Gulls cry all day.", "Ropes are wet."]
ENDLESS = 60.0  # seconds: far more than any test waits


@pytest.fixture
def asleep() -> Iterator[threading.Event]:
    """Set at the end, so that no thread of a test outlives it for long."""
    made = threading.Event()
    yield made
    made.set()


class Hanging:
    """A model of any kind that does not answer. `calls`: how often it was asked."""

    name = "hanging"

    def __init__(self, until: threading.Event) -> None:
        self.until, self.calls = until, 0

    def _hang(self, *_: Any) -> Any:
        self.calls += 1
        self.until.wait(ENDLESS)
        return None

    complete = embed = score = _hang


class Replying:
    """A language model that always says the same."""

    name = "replying"

    def __init__(self, reply: Any) -> None:
        self.reply, self.calls = reply, 0

    def complete(self, prompt: str) -> Any:
        self.calls += 1
        return self.reply


class Giving:
    """An embedder, and a cross-encoder, that gives what `made` makes for n texts."""

    name = "giving"

    def __init__(self, made: Callable[[int], Any]) -> None:
        self.made = made

    def embed(self, texts: list[str]) -> Any:
        return self.made(len(texts))

    def score(self, query: str, texts: list[str]) -> Any:
        return self.made(len(texts))


def steps() -> REPLHistory:
    history = REPLHistory()
    for number in range(12):
        history = history.append(f"Step {number}: {TEXTS[number % 3]}", "x", "ok")
    return history


def through_memory(model: Any, folder: Path) -> Any:
    with Store.open(folder / "context.sqlite") as store:
        memory = SegmentMemory(store, model=model)
        memory.store_context_segment(TEXT, segment_id="note")
        return memory.compress_context_segment(["note"]).errors[0].code


def ask_async(model: Any, _: Path) -> Any:
    options = CompressionOptions(min_confidence=0.5)
    return asyncio.run(HybridCompressor(model).acompress(TEXT, options)).fallback_reason


#: A call through each door that takes a language model -> the reason that it gives; or it raises.
LANGUAGE_MODEL_DOORS: dict[str, Callable[[Any, Path], Any]] = {
    "Hybrid": lambda model, _: tersely.compress(TEXT, strategy=Hybrid(model)).receipt.fallback_reason,
    "Abstractive": lambda model, _: (
        tersely.compress(TEXT, strategy=Abstractive(model)).receipt.fallback_reason
    ),
    "HybridCompressor, async": ask_async,
    "Manager": lambda model, _: (
        Manager(llm=model).prepare_context([ContextChunk("a", TEXT)], QUERY, 300).report.warnings
    ),
    "ContentSummarizer": lambda model, _: ContentSummarizer(model).summarize_sync(TEXT, QUERY),
    "ChunkSummarizer": lambda model, _: (
        ChunkSummarizer(model).summarize(chunk("a", 1, TEXT), QUERY, 20).fallback_reason
    ),
    "ContextualCompressor": lambda model, _: (
        ContextualCompressor(model, token_budget=300)
        .compress_sync([TEXT], ABOUT, "abstractive")
        .fallback_reason
    ),
    "RelevanceScorer": lambda model, _: (
        RelevanceScorer("llm", model=model).score_sync(TEXTS, QUERY).fallback_reason
    ),
    "MemoryCompactor": lambda model, _: MemoryCompactor(model=model).compact(steps()).fallback_reason,
    "SegmentMemory": through_memory,
    "Answerer": lambda model, _: (
        Answerer(resolve_language_model(model)).answer(QUERY, [chunk("a", 1, TEXT)]).fallback
    ),
}


@pytest.mark.parametrize("door", LANGUAGE_MODEL_DOORS)
def test_a_language_model_that_hangs_costs_its_timeout(
    door: str, tmp_path: Path, asleep: threading.Event
) -> None:
    hanging = Hanging(asleep)
    started = time.monotonic()
    try:
        reason = LANGUAGE_MODEL_DOORS[door](resolve_language_model(hanging, timeout=0.05), tmp_path)
    except CompressionError as error:
        assert isinstance(error.__cause__ or error, ModelTimeoutError)
    else:
        assert reason, "a result must say that the model failed"
    assert hanging.calls == 1, "a model that is late is not asked again for the same"
    assert time.monotonic() - started < ENDLESS / 3


@pytest.mark.parametrize("reply", ["word " * 2_000_000, None, b"bytes", "", " \n", 7, ["text"], "\ud800"])
@pytest.mark.parametrize("door", LANGUAGE_MODEL_DOORS)
def test_replies_that_cannot_be_used_give_a_reason_or_an_error(door: str, reply: Any, tmp_path: Path) -> None:
    model = Replying(reply)
    started = time.monotonic()
    try:
        reason = LANGUAGE_MODEL_DOORS[door](model, tmp_path)
    except CompressionError as error:
        assert str(error)
    else:
        assert reason
    assert model.calls <= 6
    assert time.monotonic() - started < ENDLESS / 3


def test_a_reply_of_ten_megabytes_is_not_read() -> None:
    model = Replying("word " * 2_000_000)
    with pytest.raises(OversizedReplyError, match=r"replying replied with 10000000 characters, over 1048576"):
        resolve_language_model(model).complete("?")
    assert LANGUAGE_MODEL_DOORS["Hybrid"](model, Path()) == "reply_too_long"


def test_async_models_are_timed_too() -> None:
    async def hang(prompt: str) -> str:
        await asyncio.sleep(ENDLESS)
        return prompt

    model = resolve_language_model(hang, timeout=0.05)
    with pytest.raises(ModelTimeoutError, match=r"hang gave no answer within 0\.05 seconds"):
        model.complete("?")
    with pytest.raises(ModelTimeoutError, match=r"hang gave no answer within 0\.05 seconds"):
        asyncio.run(model.acomplete("?"))


def test_a_model_that_hangs_does_not_hold_an_event_loop(asleep: threading.Event) -> None:
    model = resolve_language_model(Hanging(asleep), timeout=0.05)
    started = time.monotonic()
    with pytest.raises(ModelTimeoutError):
        asyncio.run(model.acomplete("?"))
    assert time.monotonic() - started < ENDLESS / 3


def test_a_models_own_timeout_is_its_own_error() -> None:
    def slow(prompt: str) -> str:
        raise TimeoutError("mine")

    with pytest.raises(TimeoutError, match="mine") as raised:
        resolve_language_model(slow, timeout=5).complete("?")
    assert not isinstance(raised.value, ModelTimeoutError)


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf"), True, "5"])
@pytest.mark.parametrize("resolve", [resolve_language_model, resolve_embedder, resolve_cross_encoder])
def test_a_timeout_is_checked(resolve: Any, timeout: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="timeout must"):
        resolve(Hanging(threading.Event()), timeout=timeout)


def through_index(embedder: Any, folder: Path) -> Any:
    (folder / "docs").mkdir()
    (folder / "docs" / "a.md").write_text("\n\n".join(TEXTS), encoding="utf-8")
    return Index.build(folder / "docs", folder / "index", embedder=embedder)


def through_store(embedder: Any, folder: Path) -> Any:
    with Store.open(folder / "store.sqlite", embedder=embedder) as store:
        store.put_many(TEXTS)
        return store.search(QUERY)


#: A call through each door that takes an embedder; it gives a reason, or raises.
EMBEDDER_DOORS: dict[str, Callable[[Any, Path], Any]] = {
    "compress": lambda embedder, _: (
        tersely.compress(TEXT, QUERY, strategy=tersely.Extractive(embedder=embedder)).receipt.warnings
    ),
    "dedup": lambda embedder, _: tersely.dedup([*TEXTS, *TEXTS[:1]], embedder=embedder),
    "RelevanceScorer": lambda embedder, _: (
        RelevanceScorer("embedding", embedder=embedder).score_sync(TEXTS, QUERY).fallback_reason
    ),
    "compress_results": lambda embedder, _: compress_results(
        [chunk(str(row), 0.9, text) for row, text in enumerate(TEXTS)], embedder=embedder
    ),
    "extract_sentences": lambda embedder, _: extract_sentences([TEXT], QUERY, 2, embedder=embedder),
    "Manager": lambda embedder, _: Manager(embedder=embedder).prepare_context(
        [ContextChunk("a", TEXT)], ABOUT, 300
    ),
    "Index": through_index,
    "Store": through_store,
}

WRONG_VECTORS: dict[str, Callable[[int], Any]] = {
    "NaN": lambda count: np.full((count, 4), np.nan),
    "infinite": lambda count: np.full((count, 4), np.inf),
    "one row too few": lambda count: np.ones((count - 1, 4)),
    "one dimension": np.ones,
    "three dimensions": lambda count: np.ones((count, 2, 2)),
    "no numbers": lambda count: [["a"] * 4] * count,
    "ragged": lambda count: [[1.0] * (1 + row % 2) for row in range(count + 1)],
    "nothing": lambda count: None,
    "far too wide": lambda count: np.ones((count, 2**16 + 1), dtype=np.float16),
}


@pytest.mark.parametrize("wrong", WRONG_VECTORS)
@pytest.mark.parametrize("door", EMBEDDER_DOORS)
def test_vectors_that_cannot_be_used_give_an_error_or_a_reason(door: str, wrong: str, tmp_path: Path) -> None:
    try:
        reason = EMBEDDER_DOORS[door](Giving(WRONG_VECTORS[wrong]), tmp_path)
    except ModelReplyError as error:
        assert "giving" in str(error)
    except CompressionError as error:
        assert isinstance(error.__cause__, ModelReplyError)
    else:
        assert reason


@pytest.mark.parametrize("door", EMBEDDER_DOORS)
def test_an_embedder_that_hangs_costs_its_timeout(door: str, tmp_path: Path, asleep: threading.Event) -> None:
    started = time.monotonic()
    try:
        reason = EMBEDDER_DOORS[door](resolve_embedder(Hanging(asleep), timeout=0.05), tmp_path)
    except CompressionError as error:
        assert isinstance(error.__cause__ or error, ModelTimeoutError)
    else:
        assert reason
    assert time.monotonic() - started < ENDLESS / 3


@pytest.mark.parametrize("wrong", ["NaN", "one row too few", "three dimensions", "no numbers", "nothing"])
def test_scores_that_cannot_be_used_give_a_reason(wrong: str) -> None:
    scorer = RelevanceScorer("cross_encoder", cross_encoder=Giving(WRONG_VECTORS[wrong]))
    assert "giving" in str(scorer.score_sync(TEXTS, QUERY).fallback_reason)


def test_a_cross_encoder_that_hangs_costs_its_timeout(asleep: threading.Event) -> None:
    model = resolve_cross_encoder(Hanging(asleep), timeout=0.05)
    found = RelevanceScorer("cross_encoder", cross_encoder=model).score_sync(TEXTS, QUERY)
    assert "no answer within 0.05 seconds" in str(found.fallback_reason)
