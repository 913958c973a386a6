"""tersely.prepare: read once, for any number of budgets, with floors and caps, in levels that nest."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import odd_counters
import pytest
import tersely
from bag_embedder import BagEmbedder
from hypothesis import given, strategies as st
from sample_texts import GUIDE, prose
from tersely import BudgetExceededError, Compressed, Extractive, NotReversibleError
from tersely.content.json import Json
from tersely.content.tables import Table
from tersely.engine.api import compress_in
from tersely.engine.strategies import Auto
from tersely.models.counters import resolve_counter
from tersely.strategies import (
    CompressionLevel,
    CompressionMethod,
    Hierarchical,
    HierarchicalCompressor,
    HierarchicalContext,
)
from tersely.types import Document, Frame, Request
from typed_samples import CONVERSATION, JSON, LOG, PROSE, SAMPLES

COUNT = resolve_counter(None).count
QUERIES = [None, "Which gate was opened on day 31?"]
STRATEGIES: dict[str, Any] = {
    "none": None,
    "auto": "auto",
    "extractive": "extractive",
    "lead": "lead",
    "clauses": Extractive(level="clause"),
    "paragraphs": Extractive(level="paragraph", preserve_structure=True),
    "preserve": Extractive(preserve=("numbers", "decisions")),
    "auto with preserve": Auto(text=Extractive(preserve=("numbers",), context=1)),
    "minified": Json(minify=True),
    "tables": Json(tables=True),
    "headless": Table(header=False),
    **{kind: kind for kind in SAMPLES},
}


def characters(result: Compressed) -> set[tuple[int, int]]:
    """Places of what is kept, without commas, which belong to what stands beside them."""
    return {
        (span.document, at)
        for span in result.kept
        for at, character in enumerate(
            result.documents[span.document].text[span.start : span.end], span.start
        )
        if character != "," and not character.isspace()
    }


def test_what_is_prepared() -> None:
    prepared = tersely.prepare(PROSE)
    assert prepared.original_tokens == COUNT(PROSE)
    assert prepared.fit().receipt.budget == int(0.3 * COUNT(PROSE) + 1e-9)
    assert prepared.fit(ratio=1).text == PROSE == prepared.fit(budget=10**9).text
    assert prepared.allowed(70, None) == prepared.fit(budget=70).receipt.budget == 70
    with pytest.raises(TypeError, match="strategy must be one that reads documents, not Abstractive"):
        tersely.prepare(PROSE, strategy="abstractive")
    calls = Calls()
    prepared = tersely.prepare([PROSE, LOG], "gate", counter=calls, strategy=Extractive(embedder=calls))
    assert prepared.fit(budget=10_000).text == f"{PROSE}\n\n{LOG}"
    assert (calls.counted, calls.embedded) == (1, 0)
    text = "\n".join(f"2024-05-01 10:00:00 INFO [{i * 7919 % 17011:x}] all is well" for i in range(17_000))
    prepared = tersely.prepare(text)
    assert prepared.fit(500).to_dict() == tersely.compress(text, budget=500).to_dict()


class Calls:
    """A counter and an embedder that remember what they were asked."""

    name = "calls"

    def __init__(self) -> None:
        self.embedder, self.counted, self.embedded = BagEmbedder(), 0, 0

    def count(self, text: str) -> int:
        return self.count_batch([text])[0]

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        self.counted += len(texts)
        return [len(text.split()) for text in texts]

    def embed(self, texts: Sequence[str]) -> Any:
        self.embedded += len(texts)
        return self.embedder.embed(texts)


@pytest.mark.parametrize("query", QUERIES)
def test_another_budget_reads_nothing_again(query: str | None) -> None:
    calls = Calls()
    texts = [PROSE, LOG, CONVERSATION, JSON]
    prepared = tersely.prepare(
        texts, query, counter=calls, strategy=Auto(text=Extractive(embedder=calls, preserve=("numbers",)))
    )
    assert (calls.counted, calls.embedded) == (1, 0)  # nothing is read before a budget asks for it
    prepared.fit(budget=300)
    reading, read, embedded = prepared.reading, calls.counted, calls.embedded
    assert read > 200 and (embedded > 50) is (query is not None)
    for budget in (50, 120, 600, 300):
        before = calls.counted
        prepared.fit(budget=budget)
        assert calls.counted - before <= 40  # whole texts of the search, no units
    assert calls.embedded == embedded and prepared.reading is reading


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("name", ["none", "lead", "clauses", "preserve", *SAMPLES])
def test_levels_nest(name: str, query: str | None) -> None:
    texts = list(SAMPLES.values()) if name == "none" else [SAMPLES.get(name, PROSE)]
    # Lines that only count up are one line, at any level.
    named = re.compile(r"(case_|part_|line )(\d+)")
    texts = [named.sub(lambda found: f"{found[1]}{int(found[2]) * 37 % 61}", text) for text in texts]
    prepared = tersely.prepare(texts, query, strategy=STRATEGIES[name])
    budgets = [int(prepared.original_tokens * share) for share in (0.6, 0.3, 0.12)]
    levels = prepared.levels(budgets)
    assert len(levels) == 3
    for result, budget in zip(levels, budgets, strict=True):
        assert COUNT(result.text) == result.tokens <= budget == result.receipt.budget
    kept = [characters(result) for result in levels]
    assert kept[2] <= kept[1] <= kept[0] and len(kept[2]) < len(kept[0])
    assert levels[2].to_dict() == prepared.fit(budget=budgets[2]).to_dict()  # as good as if it were alone


def test_levels_descend_or_are_none() -> None:
    prepared = tersely.prepare(PROSE)
    assert prepared.levels([]) == []
    with pytest.raises(ValueError, match=r"budgets must descend, not \[10, 20\]"):
        prepared.levels([10, 20])
    with pytest.raises(BudgetExceededError):
        prepared.levels([0])
    assert len(prepared.levels([100, 0])) == 1  # nothing fits into 0 tokens
    assert sizes(500, 600, 100).select_level(600).level == 1
    assert sizes(500, 600, 100).select_level(50).level == 2
    with pytest.raises(ValueError, match="no levels"):
        HierarchicalContext([]).select_level(10)


@given(
    st.lists(st.integers(20, 400), min_size=3, max_size=3),
    st.integers(120, 900),
    st.sampled_from(QUERIES),
)
def test_floors_and_caps_hold(tokens: list[int], budget: int, query: str | None) -> None:
    texts = [PROSE.replace("gate", word) for word in ("gate", "door", "lock")]
    prepared = tersely.prepare(texts, query)
    longest = max(COUNT(PROSE[start:end]) for _, start, end, _ in tersely.segment(PROSE)) + 2

    capped = prepared.fit(budget=budget, caps=tokens)
    assert len(capped.parts) == 3 and capped.tokens <= budget
    for part, cap in zip(capped.parts, tokens, strict=True):
        assert COUNT(part) <= cap

    share = min(1.0, budget / (sum(tokens) + 3 * longest))
    floors = [int(floor * share) for floor in tokens]
    floored = prepared.fit(budget=budget, floors=floors)
    assert floored.tokens <= budget
    for part, floor in zip(floored.parts, floors, strict=True):
        assert COUNT(part) >= floor - longest


def test_documents_that_fit_in_the_way_they_are_sent_are_unchanged() -> None:
    """A reading with a measure: the whole is measured first, and a budget one less makes a choice."""
    frame = Frame(prefix="<<", suffix=">>", headings=("# One\n", "# Two\n"))
    documents = (Document(PROSE), Document(PROSE))
    request = Request(documents, "gate", None, 0.5, resolve_counter(None), frame=frame)
    prepared = Auto().prepare(request)
    whole = COUNT(f"<<# One\n{PROSE}\n\n# Two\n{PROSE}>>")
    assert prepared.original_tokens == whole
    assert prepared.fits(whole) and not prepared.fits(whole - 1)
    assert prepared.fit(whole).parts == (PROSE, PROSE)
    smaller = prepared.fit(whole - 1)
    assert smaller.dropped and COUNT(*frame.texts(smaller.parts, "\n\n")) == smaller.tokens <= whole - 1


@given(
    st.tuples(*[st.sampled_from(["", "In short: ", "```\n", "<context>\n\n"])] * 3),
    st.booleans(),
    st.sampled_from([0, 3]),
    st.integers(5, 200),
    st.sampled_from([None, "extractive", "log", "hierarchical"]),
)
def test_all_that_is_sent_is_within_the_budget_and_a_retry_succeeds(
    words: tuple[str, str, str], apart: bool, paid: int, budget: int, strategy: Any
) -> None:
    prefix, heading, suffix = words
    frame = Frame(prefix, suffix, (heading, "") if heading else (), apart, paid=paid)

    def sent(budget: int) -> None:
        result = compress_in(frame, [PROSE, LOG], "gate", budget=budget, strategy=strategy)
        assert COUNT(*frame.texts(result.parts, "\n\n")) - paid <= budget
        assert not apart or sum(map(COUNT, result.parts)) <= budget

    try:
        sent(budget)
    except BudgetExceededError as error:
        assert error.required > budget
        sent(error.required)


THOUSAND = " ".join(f"Sentence {i} has five words." for i in range(200))


def sizes(*tokens: int) -> HierarchicalContext:
    return HierarchicalContext([CompressionLevel(i, token_count=n) for i, n in enumerate(tokens)])


@pytest.mark.parametrize(("budget", "level"), [(600, 1), (100, 2), (1000, 0), (5000, 0), (250, 2), (499, 2)])
def test_select_level(budget: int, level: int) -> None:
    assert sizes(1000, 500, 250).select_level(budget).level == level


def test_a_half_a_quarter_an_eighth_of_one_reading() -> None:
    context = HierarchicalCompressor(counter=odd_counters.words).compress(THOUSAND)
    budgets = [level.result.receipt.budget for level in context.levels if level.result]
    assert budgets == [500, 250, 125]
    tokens = [level.token_count for level in context.levels]
    assert tokens == sorted(set(tokens), reverse=True)
    assert all(0.9 * budget < count <= budget for budget, count in zip(budgets, tokens, strict=True))
    assert [level.ratio for level in context.levels] == [count / 1000 for count in tokens]
    context = HierarchicalCompressor(5).compress(THOUSAND)
    assert [level.level for level in context.levels] == [0, 1, 2, 3, 4]
    assert all(level.content and level.token_count for level in context.levels)
    counted: list[str] = []

    def words(texts: Sequence[str]) -> list[int]:
        counted.extend(texts)
        return list(map(odd_counters.words, texts))

    HierarchicalCompressor(6, counter=odd_counters.Answers(words)).compress(THOUSAND)
    assert all(counted.count(f"Sentence {i} has five words.") == 1 for i in range(200))


def test_each_form_of_input_can_be_prepared() -> None:
    compressor = HierarchicalCompressor(clock=lambda: datetime(2024, 3, 5, tzinfo=UTC))
    one = compressor.compress(GUIDE, source="guide")
    assert compressor.decompress(one) == GUIDE
    assert asyncio.run(compressor.acompress(GUIDE, source="guide")) == one
    batch = compressor.compress_batch([GUIDE, b"x", THOUSAND])
    assert [type(made) for made in batch] == [HierarchicalContext, TypeError, HierarchicalContext]
    with pytest.raises(NotReversibleError):
        compressor.decompress(sizes(5))
    compressor = HierarchicalCompressor()
    assert [level.content for level in compressor.compress("").levels] == ["", "", ""]
    assert [level.content for level in compressor.compress("One").levels] == ["One"] * 3
    assert compressor.compress("One two three four. Five.").levels[2].token_count == 1
    assert compressor.compress(prose(1)).levels
    assert Hierarchical().method == CompressionMethod.HIERARCHICAL
