"""The manager with a language model, and with one that fails."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from sample_texts import prose
from tersely import BudgetExceededError
from tersely.models.counters import resolve_counter
from tersely.strategies import (
    CompressionOptions,
    ContextChunk,
    ExtractiveCompressor,
    HybridCompressor,
    Manager,
)
from tersely.strategies.contexts import PreparedContext
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


@pytest.mark.parametrize("relevances", [[None], [0.9, 0.3, 0.6]])
def test_A067_a_list_that_grows_hits_with_a_model_too(relevances: list[float | None]) -> None:
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


def test_A067_a_chunk_that_needs_more_than_a_step_gets_its_share() -> None:
    manager = Manager(OPTIONS, compressor=Picky())
    prepared = manager.prepare_context([ContextChunk(str(i), prose(30 + i)) for i in range(3)], "", 260)
    assert [chunk.id for chunk in prepared.report.chunks] == ["0", "1", "2"]  # shares of 85, steps of 64
    assert count(prepared.text) <= 260
