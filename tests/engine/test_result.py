"""Compressed, Spans and Receipt: access, expand, JSON, equality, no changes."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable, Sequence
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
import tersely
from sample_texts import GUIDE, prose
from tersely import Compressed, Document, Kind
from tersely.engine.finish import broken_promises
from tersely.memory import compact_messages
from tersely.retrieval import ContextualCompressor, compress_results
from tersely.strategies import ExtractiveCompressor
from tersely.types import Span, span_columns

TEXTS = [GUIDE, "", prose(20)]


@pytest.fixture(scope="module")
def result() -> Compressed:
    return tersely.compress(
        [Document(text, id=str(i)) for i, text in enumerate(TEXTS)], "copper fee", budget=150
    )


def test_spans_are_expanded_one_by_one_and_together(result: Compressed) -> None:
    for span in [*result.kept, *result.dropped]:
        assert result.expand(span) == TEXTS[span.document][span.start : span.end]
    span = result.kept[1]
    text = TEXTS[span.document]
    assert result.expand(span, context=7) == text[max(0, span.start - 7) : span.end + 7]
    assert result.expand(span, context=10**9) == text
    for spans in (result.kept, result.dropped):
        one_by_one = [spans[at] for at in range(len(spans))]
        assert list(spans) == spans[:] == one_by_one
        assert spans[::-2] == one_by_one[::-2] and spans[-1] == one_by_one[-1]
        assert np.array_equal(span_columns(spans), span_columns(one_by_one))
        with pytest.raises(IndexError):
            spans[len(spans)]
    made = replace(result, kept=tuple(result.kept), dropped=tuple(result.dropped))
    assert list(tersely.check_facts(made).facts) == list(tersely.check_facts(result).facts)


@pytest.mark.parametrize("separator", [" | ", ""])
@pytest.mark.parametrize("budget", [3, 40, 150, 10**6])
def test_parts_are_what_is_left_of_each_document(budget: int, separator: str) -> None:
    """conftest.py has it checked that parts with separators are the text."""
    result = tersely.compress([*TEXTS, "", prose(12)], "copper fee", budget=budget, separator=separator)
    assert result.parts[1] == result.parts[3] == ""
    for index, part in enumerate(result.parts):
        mine = [result.expand(span) for span in result.kept if span.document == index]
        assert bool(part) == bool(mine)
        at = 0
        for piece in mine:
            at = part.index(piece, at) + len(piece)


def test_numbers_and_data_of_a_result(result: Compressed) -> None:
    assert result.tokens == result.receipt.tokens
    assert result.ratio == result.tokens / result.original_tokens
    assert 0 < result.ratio < 1
    assert result.receipt.counter == "o200k_base"
    assert result.receipt.segments == len(result.kept) + len(result.dropped)
    assert result.receipt.recounts >= 1
    data = json.loads(json.dumps(result.to_dict()))
    assert data == result.to_dict()
    assert data["text"] == result.text
    assert data["tokens"] == result.tokens
    assert len(data["kept"]) == len(result.kept)
    first = data["kept"][0]
    assert (first["document"], first["start"], first["end"]) == (0, result.kept[0].start, result.kept[0].end)
    assert first["kind"] == result.kept[0].kind.name.lower()
    assert data["receipt"]["budget"] == 150
    assert data["receipt"]["warnings"] == []


def test_spans_are_a_sequence_of_plain_python(result: Compressed) -> None:
    kept = result.kept
    assert isinstance(kept, Sequence)
    assert isinstance(kept[0], Span)
    assert kept != list(kept)[1:]
    assert kept[0] in kept
    assert kept.index(kept[2]) == 2
    assert [*reversed(kept)] == list(kept)[::-1]
    assert f"<{len(kept)} spans: " in repr(kept)
    with pytest.raises((TypeError, IndexError)):
        kept["0"]
    span = result.kept[0]
    assert [type(value) for value in (span.document, span.start, span.end)] == [int] * 3
    assert type(span.score) is float
    assert type(span.kind) is Kind


def test_results_cannot_be_changed_and_are_their_text(result: Compressed) -> None:
    for part, name in ((result.receipt, "tokens"), (result.kept[0], "start"), (result.documents[0], "text")):
        with pytest.raises(FrozenInstanceError):
            setattr(part, name, 0)
    with pytest.raises(TypeError):
        result.kept[0] = result.kept[1]
    with pytest.raises((AttributeError, TypeError)):
        result.extra = 1
    assert f"{result}" == str(result) == result.text
    chunks = ["Keys rotate daily. " * 9, "Milk is in the fridge. " * 9]
    contextual = ContextualCompressor(token_budget=40).compress_sync(chunks, "Where is the milk?")
    assert str(contextual) == contextual.text
    context = ExtractiveCompressor().compress(chunks[0])
    assert str(context) == context.compressed
    result = tersely.compress("Keys rotate daily. Milk is cold. " * 10_000, budget=9_000)
    assert len(repr(result)) < 200
    assert f"{result.tokens} of {result.original_tokens} tokens" in repr(result)


LOG = "".join(f"12:00:{n:02} INFO took a fee of {n * 37 % 11}\n" for n in range(60)) + "ERROR no fee\n"


@pytest.mark.parametrize("separator", ["\n\n---\n\n", ".", "[...]", " | ", "e"])
@pytest.mark.parametrize("strategy", ["auto", "extractive", "log"])
@pytest.mark.parametrize("budget", [40, 150, 10**6])
def test_separators_that_say_something_are_generated_and_no_place_lies_in_one(
    separator: str, strategy: str, budget: int
) -> None:
    result = tersely.compress([GUIDE, LOG, GUIDE], budget=budget, separator=separator, strategy=strategy)
    said = separator.strip()
    between = sum(map(bool, result.parts)) - 1
    assert [result.text[start:end] for start, end in result.generated].count(said) >= between
    assert broken_promises(result) == []
    for place in filter(None, result.places):
        assert all(end <= place[0] or place[1] <= start for start, end in result.generated)


MADE: dict[str, Callable[[str], object]] = {
    "compress": lambda text: tersely.compress(text, "copper fee", budget=150, strategy=tersely.Extractive()),
    "facts": lambda text: tersely.compress(
        text, budget=150, strategy=tersely.Extractive(preserve=("numbers",))
    ),
    "segment": tersely.segment,
    "dedup": lambda text: tersely.dedup([text, GUIDE, "Milk is out."]),
    "results": lambda text: compress_results([(text, 0.9)], "copper fee"),
    "contextual": lambda text: ContextualCompressor(token_budget=99).compress_sync([text], "copper fee"),
    "history": lambda text: compact_messages([{"role": "user", "content": text}], budget=99),
}


@pytest.mark.parametrize("name", MADE)
def test_a_result_is_equal_to_its_copies_and_to_the_same_made_again(name: str) -> None:
    """Not to another one; equal ones have equal hashes."""
    made, other = MADE[name](GUIDE), MADE[name](f"{GUIDE}\nMilk is out again.")
    for again in (pickle.loads(pickle.dumps(made)), copy.deepcopy(made), MADE[name](GUIDE)):
        assert again == made and again is not made and hash(again) == hash(made)
    assert made != other and made != GUIDE
