"""Parts of a result: nothing is lost, and each says truly where it comes from."""

from __future__ import annotations

from typing import Any

import pytest
import tersely
from hypothesis import given, strategies as st
from sample_texts import ALL
from tersely import BudgetExceededError
from tersely.retrieval.chunks import parts_of, provenance
from text_strategies import some_texts

JSON = '{"fee": [4, 5, 6, 7, 8, 9, 10, 11, 12, 13], "note": "the sluice fee is due at noon", "x": {"y": 1}}'
LOG = "\n".join(f"2026-01-{day:02d} 10:00:00 INFO worker {day} started" for day in range(1, 29))
MIXED = [ALL[0], JSON, LOG + "\n2026-01-29 10:00:00 ERROR fee gone", "", ALL[0][:300]]


def check_parts(result: tersely.Compressed, separator: str) -> None:
    parts = parts_of(result, separator)
    assert separator.join(part.text for part in parts) == result.text
    assert [index for part in parts for index in part.documents] == sorted(
        {index for part in parts for index in part.documents}
    )
    assert {span.document for span in result.kept} <= {index for part in parts for index in part.documents}
    for part in parts:
        at = 0
        for document, start, end in part.spans:
            assert document in part.documents
            piece = result.documents[document].text[start:end]
            at = part.text.index(piece, at) + len(piece)
    characters = sum(end - start for part in parts for _, start, end in part.spans)
    assert characters >= sum(span.end - span.start for span in result.kept)


@given(some_texts, st.integers(1, 80), st.sampled_from(["\n\n", "", " ", "\n---\n"]))
def test_parts_are_the_whole_text(documents: list[str], budget: int, separator: str) -> None:
    try:
        result = tersely.compress(documents, "fee", budget=budget, separator=separator)
    except BudgetExceededError:
        return
    check_parts(result, separator)


@pytest.mark.parametrize("strategy", [None, "auto", "manager", "tool_output", "log"])
@pytest.mark.parametrize("budget", [60, 90, 200, 5000])
def test_parts_of_every_strategy(strategy: Any, budget: int) -> None:
    result = tersely.compress(MIXED, "sluice fee", budget=budget, strategy=strategy)
    check_parts(result, "\n\n")
    assert all(len(part.documents) == 1 for part in parts_of(result))


def test_a_text_that_a_model_wrote_from_several_names_them_all() -> None:
    from tersely.strategies import Abstractive

    result = tersely.compress(
        MIXED,
        "fee",
        budget=60,
        strategy=Abstractive(lambda prompt: "The sluice fee is due at noon.", min_confidence=0.0),
    )
    assert result.receipt.used_llm
    (part,) = parts_of(result)
    assert part.text == result.text
    assert part.documents == tuple(range(len(MIXED)))
    assert len(provenance(result, part)["sources"]) == len(MIXED)


def test_provenance_names_what_was_dropped() -> None:
    documents = [
        {"id": "a", "text": "The sluice fee is 4 euros."},
        {"id": "b", "text": "Gulls circle over the harbour, and it rains for the third day. " * 5},
        {"text": "Nobody has seen the cat that sleeps on the quay since Tuesday. " * 5},
    ]
    result = tersely.compress(documents, "what is the sluice fee?", budget=9)
    (part,) = parts_of(result)
    told = provenance(result, part)
    assert told["dropped"] == ["b", 2]
    assert told["sources"] == [{"id": "a", "spans": [[0, 26]], "original": documents[0]["text"]}]
    assert told["tokens"] <= told["budget"] == 9
    assert "original" not in provenance(result, part, keep_original=False)["sources"][0]
