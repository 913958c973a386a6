"""The manager with a language model, and with one that fails."""

from __future__ import annotations

from dataclasses import replace

from sample_texts import prose
from tersely.providers.counters import resolve_counter
from tersely.strategies import (
    CompressionOptions,
    ContextChunk,
    ExtractiveCompressor,
    HybridCompressor,
    Manager,
    PreparedContext,
)
from written_checks import Model, first_sentences

CHUNKS = [ContextChunk("a", prose(60)), ContextChunk("b", prose(45)), ContextChunk("c", "A short one.")]
OPTIONS = CompressionOptions(min_confidence=0.3)
count = resolve_counter(None).count


def check_extractive(prepared: PreparedContext) -> None:
    """Each part is what an extractive compressor makes of its chunk for its share."""
    for chunk, source in zip(prepared.report.chunks, CHUNKS, strict=True):
        options = replace(OPTIONS, query_context="Which crew?", target_tokens=chunk.allocation)
        assert chunk.text == ExtractiveCompressor().compress(source.content, options).compressed


def test_A049_its_compressor_is_hybrid() -> None:
    model = Model("x")
    compressor = Manager(OPTIONS, llm=model).compressor
    assert isinstance(compressor, HybridCompressor) and compressor.llm is model
    assert isinstance(Manager().compressor, HybridCompressor)


def test_X17_a_model_writes_and_the_budget_holds() -> None:
    model = Model(first_sentences)
    manager = Manager(OPTIONS, llm=model)
    prepared = manager.prepare_context(CHUNKS, "Which crew?", 900)
    assert count(prepared.text) <= 900
    assert len(model.prompts) == 2  # the short one fits
    assert manager.prepare_context(CHUNKS, "Which crew?", 900).text == prepared.text
    assert len(model.prompts) == 2  # cached


def test_X17_ten_times_too_long_stays_within_the_budget() -> None:
    manager = Manager(OPTIONS, llm=Model(prose(600)))
    prepared = manager.prepare_context(CHUNKS, "Which crew?", 900)
    assert count(prepared.text) <= 900
    check_extractive(prepared)


def test_X18_a_failure_is_said_and_not_cached() -> None:
    model = Model(OSError("down"), OSError("down"), first_sentences)
    manager = Manager(OPTIONS, llm=model)
    prepared = manager.prepare_context(CHUNKS, "Which crew?", 900)
    check_extractive(prepared)
    assert "model_failed" in str(prepared.report)
    manager.prepare_context(CHUNKS, "Which crew?", 900)
    assert len(model.prompts) == 4
