"""What every compressor does, seen on the extractive one."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import FrozenInstanceError, fields, replace
from datetime import UTC, datetime

import odd_counters
import pytest
import tersely
from hypothesis import given
from hypothesis import strategies as st
from result_checks import check_result
from sample_texts import GUIDE, prose
from tersely import NotReversibleError
from tersely.providers.counters import resolve_counter
from tersely.strategies import (
    CompressedContext,
    CompressionMethod,
    CompressionOptions,
    ExtractiveCompressor,
)
from tersely.strategies.compressor import Compressor
from tersely.strategies.metadata import entities
from text_strategies import texts

TEXT = prose(40)
NOON = datetime(2024, 3, 5, 12, tzinfo=UTC)


def words_compressor(**options: object) -> ExtractiveCompressor:
    return ExtractiveCompressor(counter=odd_counters.words, **options)


def test_A010_fields_of_the_result() -> None:
    names = {field.name for field in fields(CompressedContext)}
    seed = {"id", "original", "compressed", "compression_ratio", "token_count", "method", "metadata"}
    assert names >= seed
    result = ExtractiveCompressor().compress(TEXT)
    with pytest.raises(FrozenInstanceError):
        result.compressed = ""  # type: ignore[misc]


def test_A011_the_original() -> None:
    result = ExtractiveCompressor(clock=lambda: NOON).compress(TEXT, source="guide.md")
    assert result.original is not None
    assert (result.original.content, result.original.source) == (TEXT, "guide.md")
    assert result.original.token_count == resolve_counter(None).count(TEXT)
    assert result.original.timestamp == NOON
    now = ExtractiveCompressor().compress(TEXT).original
    assert now is not None and now.timestamp is not None
    assert now.timestamp.tzinfo is not None


def test_A011_a_clock_without_a_time_zone_is_refused() -> None:
    compressor = ExtractiveCompressor(clock=lambda: datetime(2024, 3, 5))
    with pytest.raises(ValueError, match="time zone"):
        compressor.compress(TEXT)


def test_A013_metadata_is_filled() -> None:
    result = ExtractiveCompressor().compress(GUIDE, CompressionOptions(query_context="When did it open?"))
    metadata = result.metadata
    assert metadata.preserved_entities and metadata.key_concepts and metadata.dropped_sections
    assert set(metadata.preserved_entities) <= set(entities(GUIDE))
    assert all(name in result.compressed for name in metadata.preserved_entities)
    assert all(concept in result.compressed for concept in metadata.key_concepts)
    assert 0 <= metadata.confidence_score < 1


def test_A013_dropped_sections_cover_exactly_the_dropped_spans() -> None:
    result = ExtractiveCompressor().compress(GUIDE, CompressionOptions(target_tokens=120))
    assert result.result is not None
    sections = list(result.metadata.dropped_sections)
    at, covered = 0, []
    for section in sections:
        at = GUIDE.index(section, at)
        covered.append((at, at + len(section)))
        at += len(section)
    for span in result.result.dropped:
        assert any(start <= span.start and span.end <= end for start, end in covered)
    for span in result.result.kept:
        assert not any(start < span.end and span.start < end for start, end in covered)


@pytest.mark.parametrize(("ratio", "most"), [(0.25, 250), (0.3, 300), (0.9, 900)])
def test_A015_target_ratio(ratio: float, most: int) -> None:
    text = " ".join(f"Sentence {i} has exactly these five words." for i in range(1000))
    text = " ".join(text.split()[:1000])
    result = words_compressor().compress(text, CompressionOptions(target_ratio=ratio))
    assert 0.9 * most < result.token_count <= most


@given(st.lists(texts, min_size=1, max_size=4), st.integers(1, 60), st.sampled_from(odd_counters.ALL))
def test_A016_X09_target_tokens_under_any_counter(parts: list[str], target: int, counter: object) -> None:
    content = "\n\n".join(parts)
    compressor = ExtractiveCompressor(counter=counter)
    try:
        result = compressor.compress(content, CompressionOptions(target_tokens=target))
    except tersely.BudgetExceededError as error:
        assert error.required > error.budget == target
        return
    assert compressor.counter.count(result.compressed) == result.token_count <= target


def test_A016_in_the_default_tokenizer() -> None:
    result = ExtractiveCompressor().compress(TEXT, CompressionOptions(target_tokens=77))
    assert 60 < resolve_counter(None).count(result.compressed) <= 77


def test_A017_X13_targets() -> None:
    text = "word. " * 600
    compressor = words_compressor()

    def target(**options: object) -> int:
        result = compressor.compress(text, CompressionOptions(**options)).result
        assert result is not None
        return result.receipt.budget

    assert target(target_ratio=0.1, min_tokens=100) == 100
    assert target(target_ratio=0.5, min_tokens=100) == 300
    assert target(target_tokens=50, min_tokens=100) == 50


def test_A017_below_the_minimum_the_bytes_do_not_change() -> None:
    text = "  word.\r\n\tword\u00a0" * 45
    result = words_compressor().compress(text, CompressionOptions(min_tokens=100))
    assert (result.compressed, result.compression_ratio) == (text, 1.0)
    assert result.metadata.confidence_score == 1.0
    assert result.metadata.dropped_sections == ()


def test_X13_a_target_below_the_minimum_is_noted() -> None:
    result = words_compressor().compress("word. " * 600, CompressionOptions(target_tokens=50))
    assert "target_tokens_below_min" in result.warnings
    again = words_compressor().compress("word. " * 600, CompressionOptions(target_tokens=50, min_tokens=50))
    assert "target_tokens_below_min" not in again.warnings


def test_A023_extractive_when_preferred() -> None:
    options = CompressionOptions(preferred_method=CompressionMethod.EXTRACTIVE)
    result = ExtractiveCompressor().compress(TEXT, options)
    assert result.method == CompressionMethod.EXTRACTIVE
    assert not result.used_llm


def test_A025_sync_and_async_are_equal() -> None:
    compressor = ExtractiveCompressor()
    options = CompressionOptions(query_context="Who keeps the harbour?")
    sync = compressor.compress(TEXT, options)
    assert asyncio.run(compressor.acompress(TEXT, options)) == sync
    assert asyncio.run(compressor.acompress_batch([TEXT, TEXT], options)) == [sync, sync]


def test_A025_cancelling_ends_the_batch() -> None:
    begun, go = threading.Semaphore(0), threading.Event()

    class Slow(ExtractiveCompressor):
        def compress(self, *arguments: object, **options: object) -> CompressedContext:
            begun.release()
            go.wait(10)
            return super().compress(*arguments, **options)  # type: ignore[arg-type]

    async def scenario() -> int:
        task = asyncio.create_task(Slow().acompress_batch(["word. " * 9] * 500))
        await asyncio.to_thread(begun.acquire)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        go.set()
        return begun._value

    assert asyncio.run(scenario()) < 100


def test_A026_batch_in_order_and_one_failure() -> None:
    contents = [prose(5), "bad \ud800", prose(30), ""]
    compressor = ExtractiveCompressor()
    results = compressor.compress_batch(contents, threads=2)
    assert isinstance(results[1], ValueError)
    for i in (0, 2, 3):
        assert results[i] == compressor.compress(contents[i])
    asynchronous = asyncio.run(compressor.acompress_batch(contents))
    assert isinstance(asynchronous[1], ValueError)
    assert [asynchronous[i] for i in (0, 2, 3)] == [results[i] for i in (0, 2, 3)]


def test_A026_one_str_is_not_a_batch() -> None:
    with pytest.raises(TypeError, match="list of str"):
        ExtractiveCompressor().compress_batch("text")


@given(st.one_of(texts, st.text(st.characters(exclude_categories=["Cs"]))))
def test_A009_A027_decompress_gives_every_byte(content: str) -> None:
    compressor = ExtractiveCompressor()
    result = compressor.compress(content)
    assert compressor.decompress(result) == content


def test_A009_surrogates_are_refused() -> None:
    with pytest.raises(ValueError, match="surrogate"):
        ExtractiveCompressor().compress("bad \udc80")


def test_A027_without_the_original() -> None:
    compressor = ExtractiveCompressor()
    result = replace(compressor.compress(TEXT), original=None)
    with pytest.raises(NotReversibleError, match="without its original"):
        compressor.decompress(result)


def test_A028_the_ratio_is_of_tokens() -> None:
    count = resolve_counter(None).count
    result = ExtractiveCompressor().compress(TEXT)
    assert result.compression_ratio == pytest.approx(count(result.compressed) / count(TEXT), abs=1e-12)
    assert ExtractiveCompressor().compress("").compression_ratio == 1.0


@pytest.mark.parametrize("query", ["", "How many days did it rain?"])
def test_A033_X08_kept_text_is_verbatim(query: str) -> None:
    options = CompressionOptions(target_tokens=150, query_context=query)
    compressor = ExtractiveCompressor()
    result = compressor.compress(GUIDE, options).result
    assert result is not None
    check_result(result, compressor.counter.count)


def test_X06_a_failing_embedder_is_replaced_and_noted() -> None:
    class Broken:
        def embed(self, batch: list[str]) -> object:
            raise OSError("no model")

    options = CompressionOptions(query_context="How many days did it rain?", target_tokens=60)
    result = ExtractiveCompressor(Broken()).compress(GUIDE, options)
    assert "embedder_failed" in result.warnings
    assert "214" in result.compressed


def test_X11_confidence_follows_what_is_lost() -> None:
    options = [CompressionOptions(target_tokens=tokens) for tokens in (30, 100, 300)]
    scores = [ExtractiveCompressor().compress(GUIDE, o).metadata.confidence_score for o in options]
    assert scores == sorted(scores)
    assert "low_confidence" in ExtractiveCompressor().compress(GUIDE, options[0]).warnings


def test_X23_ids_say_what_was_asked() -> None:
    compressor = ExtractiveCompressor()
    one = compressor.compress(TEXT).id
    assert one == ExtractiveCompressor(clock=lambda: NOON).compress(TEXT).id
    assert len(one) == 64
    others = {
        compressor.compress(TEXT + " ").id,
        compressor.compress(TEXT, CompressionOptions(query_context="who")).id,
        compressor.compress(TEXT, CompressionOptions(target_ratio=0.31)).id,
        ExtractiveCompressor(counter="cl100k_base").compress(TEXT).id,
    }
    assert len(others | {one}) == 5
    assert ExtractiveCompressor(new_id=lambda: "mine").compress(TEXT).id == "mine"


def test_a_compressor_is_a_strategy_for_compress() -> None:
    assert tersely.compress(TEXT, budget=50, strategy=ExtractiveCompressor()).tokens <= 50


def test_a_compressor_must_say_its_strategy() -> None:
    with pytest.raises(NotImplementedError, match="Compressor must say"):
        Compressor().compress(TEXT)


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [(5, None, "content must be str, not int"), ("text", {}, "options must be CompressionOptions")],
)
def test_wrong_arguments(content: object, options: object, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        ExtractiveCompressor().compress(content, options)  # type: ignore[arg-type]


def test_a_wrong_embedder_is_refused_at_once() -> None:
    with pytest.raises(TypeError, match="embedder must be"):
        ExtractiveCompressor(embedder=5)
