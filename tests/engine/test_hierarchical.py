"""Levels: their sizes, that each is a part of the one before, and which one a budget gets."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import odd_counters
import pytest
import tersely
from hypothesis import given, strategies as st
from result_checks import check_result
from sample_texts import GUIDE, prose
from tersely import BudgetExceededError, Extractive, NotReversibleError
from tersely.strategies import (
    CompressionLevel,
    CompressionMethod,
    CompressionOptions,
    Compressor,
    ExtractiveCompressor,
    Hierarchical,
    HierarchicalCompressor,
    HierarchicalContext,
)
from text_strategies import texts

THOUSAND = " ".join(f"Sentence {i} has five words." for i in range(200))


def sizes(*tokens: int) -> HierarchicalContext:
    return HierarchicalContext([CompressionLevel(i, token_count=n) for i, n in enumerate(tokens)])


def places(context: HierarchicalContext, level: int) -> list[tuple[int, int]]:
    result = context.levels[level].result
    assert result is not None
    return [(span.start, span.end) for span in result.kept]


def test_A061_the_seeds_own_test() -> None:
    context = sizes(1000, 500, 250)
    assert context.select_level(600).level == 1
    assert context.select_level(100).level == 2


@pytest.mark.parametrize(("budget", "level"), [(600, 1), (100, 2), (1000, 0), (5000, 0), (250, 2), (499, 2)])
def test_A043_X01_select_level(budget: int, level: int) -> None:
    assert sizes(1000, 500, 250).select_level(budget).level == level


def test_X01_levels_that_do_not_shrink() -> None:
    assert sizes(500, 600, 100).select_level(600).level == 1
    assert sizes(500, 600, 100).select_level(50).level == 2


def test_A043_no_levels() -> None:
    with pytest.raises(ValueError, match="no levels"):
        HierarchicalContext([]).select_level(10)


def test_A007_A041_X02_a_half_a_quarter_an_eighth() -> None:
    context = HierarchicalCompressor(counter=odd_counters.words).compress(THOUSAND)
    budgets = [level.result.receipt.budget for level in context.levels if level.result]
    assert budgets == [500, 250, 125]
    tokens = [level.token_count for level in context.levels]
    assert tokens == sorted(set(tokens), reverse=True)
    assert all(0.9 * budget < count <= budget for budget, count in zip(budgets, tokens, strict=True))
    assert [level.ratio for level in context.levels] == [count / 1000 for count in tokens]


def test_A042_fields() -> None:
    context = HierarchicalCompressor(5).compress(THOUSAND)
    assert [level.level for level in context.levels] == [0, 1, 2, 3, 4]
    assert all(level.content and level.token_count for level in context.levels)


@pytest.mark.parametrize("query", ["", "Which ships may enter at any tide?"])
def test_each_level_is_a_verbatim_part_of_the_finer_one(query: str) -> None:
    context = HierarchicalCompressor(4).compress(GUIDE, CompressionOptions(query_context=query))
    for level in context.levels:
        assert level.result is not None
        check_result(level.result, ExtractiveCompressor().counter.count)
    for finer in range(3):
        assert set(places(context, finer + 1)) <= set(places(context, finer))


@given(st.lists(texts, min_size=1, max_size=5), st.integers(1, 6), st.sampled_from(odd_counters.ALL))
def test_levels_of_any_text_under_any_counter(parts: list[str], levels: int, counter: object) -> None:
    content = "\n\n".join(parts)
    compressor = HierarchicalCompressor(levels, counter=counter)
    try:
        context = compressor.compress(content)
    except BudgetExceededError as error:
        assert error.required > error.budget
        return
    original = compressor.compressor.counter.count(content)
    assert context.original is not None and context.original.token_count == original
    for level in context.levels:
        assert compressor.compressor.counter.count(level.content) == level.token_count
        assert level.token_count <= max(1, original >> (level.level + 1)) or level.content == content
    for finer, coarser in zip(context.levels, context.levels[1:], strict=False):
        assert finer.result is not None and coarser.result is not None
        whole = [(span.start, span.end) for span in finer.result.kept]
        for span in coarser.result.kept:
            assert any(start <= span.start and span.end <= end for start, end in whole)


def test_the_coarsest_level_is_as_good_as_alone() -> None:
    context = HierarchicalCompressor().compress(GUIDE)
    strategy = Extractive(**CompressionOptions().preserving)
    budget = context.original.token_count >> 3  # type: ignore[union-attr]
    alone = tersely.compress(GUIDE, budget=budget, strategy=strategy)
    assert context.levels[2].content == alone.text


def test_one_reading_and_one_scoring_for_all_levels() -> None:
    counted: list[str] = []

    def words(text: str) -> int:
        counted.append(text)
        return odd_counters.words(text)

    HierarchicalCompressor(6, counter=words).compress(THOUSAND)
    assert all(counted.count(f"Sentence {i} has five words.") == 1 for i in range(200))


def test_drill_down_by_span() -> None:
    context = HierarchicalCompressor().compress(THOUSAND)
    coarse, finer = context.levels[2].result, context.levels[1].result
    assert coarse is not None and finer is not None
    found = [span for kept in coarse.kept for span in context.drill_down(2, kept)]
    assert set(found) == set(finer.kept)
    span = coarse.kept[3]
    around = context.drill_down(2, span)
    assert span in around
    assert all(coarse.kept[2].end <= one.start and one.end <= coarse.kept[4].start for one in around)
    whole = [one for kept in context.levels[0].result.kept for one in context.drill_down(0, kept)]  # type: ignore[union-attr]
    assert len(set(whole)) == 200
    with pytest.raises(ValueError, match="does not keep"):
        context.drill_down(2, next(one for one in finer.kept if one not in list(coarse.kept)))
    with pytest.raises(ValueError, match=r"level must lie in \[0, 3\)"):
        context.drill_down(3, span)


def test_A025_A026_A027_forms() -> None:
    compressor = HierarchicalCompressor(clock=lambda: datetime(2024, 3, 5, tzinfo=UTC))
    one = compressor.compress(GUIDE, source="guide")
    assert compressor.decompress(one) == GUIDE
    assert asyncio.run(compressor.acompress(GUIDE, source="guide")) == one
    batch = compressor.compress_batch([GUIDE, b"x", THOUSAND])
    assert [type(made) for made in batch] == [HierarchicalContext, TypeError, HierarchicalContext]
    with pytest.raises(NotReversibleError):
        compressor.decompress(sizes(5))


def test_with_another_compressor_the_text_goes_down_the_levels() -> None:
    seen: list[tuple[int, int]] = []

    class Halves(Compressor):
        def strategy_for(self, options: CompressionOptions, original_tokens: int) -> Extractive:
            seen.append((original_tokens, options.target_tokens))
            return Extractive(scoring="lead")

    context = HierarchicalCompressor(compressor=Halves(counter=odd_counters.words)).compress(THOUSAND)
    assert [call for call in seen if call[0]] == [(1000, 500), (500, 250), (250, 125)]
    assert [level.ratio for level in context.levels] == [0.5, 0.25, 0.125]


def test_as_a_strategy_a_level_for_the_budget_with_all_of_the_smaller_ones() -> None:
    compressor = HierarchicalCompressor(counter=odd_counters.words)
    context = compressor.compress(THOUSAND)

    def kept(budget: int) -> set[tuple[int, int]]:
        result = tersely.compress(THOUSAND, budget=budget, counter=odd_counters.words, strategy=compressor)
        assert 0.9 * min(budget, 1000) < result.tokens <= budget
        return {(span.start, span.end) for span in result.kept}

    assert len(kept(2000)) == 200
    assert kept(500) == set(places(context, 0))
    assert kept(999) > kept(500)
    assert kept(300) > kept(250) == set(places(context, 1))
    assert kept(125) == set(places(context, 2))
    assert len(kept(30)) == 6


def test_short_and_empty_texts() -> None:
    compressor = HierarchicalCompressor()
    assert [level.content for level in compressor.compress("").levels] == ["", "", ""]
    assert [level.content for level in compressor.compress("One").levels] == ["One"] * 3
    assert compressor.compress("One two three four. Five.").levels[2].token_count == 1
    assert compressor.compress(prose(1)).levels


@pytest.mark.parametrize("levels", [0, -1, 31])
def test_wrong_levels(levels: int) -> None:
    with pytest.raises(ValueError, match="levels must be a whole number"):
        HierarchicalCompressor(levels)


def test_wrong_arguments() -> None:
    with pytest.raises(TypeError, match="levels must be a whole number"):
        HierarchicalCompressor(2.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="give counter to the compressor"):
        HierarchicalCompressor(compressor=ExtractiveCompressor(), counter="chars/4")
    with pytest.raises(TypeError, match="content must be str"):
        HierarchicalCompressor().compress(5)  # type: ignore[arg-type]
    assert Hierarchical().method == CompressionMethod.HIERARCHICAL
