"""Segments are counted of documents that can have a share of the budget, and that changes nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from unittest import mock

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from odd_counters import words
from tersely.errors import BudgetExceededError
from tersely.retrieval import CompressionConfig, ContextualCompressor, TokenBudgetConfig
from tersely.retrieval.contextual import extracts
from tersely.retrieval.contextual.call import Call
from tersely.retrieval.contextual.reading import needs
from tersely.tables import Int64s
from text_strategies import texts

QUERY = "the kettle and the keeper"


def all_counted(call: Call, live: Sequence[int], room: int) -> Int64s:
    call.reading.prices.count(range(len(call.documents)))
    size = np.minimum(call.sizes, needs(call.reading, len(call.documents)) * 21 // 20 + 8)
    return np.where(call.live, size, 0)


@given(
    st.lists(texts, min_size=1, max_size=12),
    st.integers(1, 60),
    st.integers(1, 25),
    st.sampled_from(["uniform", "proportional", "threshold", "greedy"]),
    st.sampled_from([QUERY, "item 2", ""]),
    st.integers(0, 1),
)
def test_d010_shares_are_those_of_documents_that_are_all_counted(
    documents: list[str], available: int, least: int, allocation: Any, query: str, context: int
) -> None:
    def made() -> Any:
        compressor = ContextualCompressor(
            config=CompressionConfig(context_window=context, cache_results=False),
            budget=TokenBudgetConfig(available + 1, 1, least, 2000, allocation),
            counter=words,
        )
        try:
            result = compressor.compress_sync(documents, query)
        except BudgetExceededError as error:
            return str(error)
        return [
            (document.content, document.preserved_segments, document.dropped_segments)
            for document in result.compressed_documents
        ], (result.dropped_documents, result.usage)

    with mock.patch.object(extracts, "_could_use", all_counted):
        expected = made()
    assert made() == expected


def test_segments_of_documents_without_a_share_are_not_counted() -> None:
    documents = [f"{QUERY} " * (40 - place) + f". Number {place} waits. And goes." for place in range(40)]
    counted: list[str] = []

    class Counter:
        def count(self, text: str) -> int:
            counted.append(text)
            return len(text.split())

    budget = TokenBudgetConfig(101, 1, 50, 2000)
    result = ContextualCompressor(budget=budget, counter=Counter()).compress_sync(documents, QUERY)
    assert len(result.compressed_documents) <= 2
    alone = {text for text in counted if re.fullmatch(r"Number \d+ waits\.", text)}
    assert 1 <= len(alone) <= 4  # not 40
