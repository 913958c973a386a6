"""ContextualCompressor: its parts, its settings, its budgets, and what stands in its results."""

from __future__ import annotations

import asyncio
from dataclasses import asdict, fields, replace
from typing import Any

import pytest
from hypothesis import given, strategies as st
from odd_counters import words
from retrieval_corpus import CORPUS, QUERY, HitScorer, Model, Scorer, check_result, chunk, prose
from sample_texts import GUIDE
from tersely.errors import BudgetExceededError, CompressionError, RelevanceScoringError
from tersely.retrieval import (
    AllocationStrategy,
    CompressedDocument,
    CompressionConfig,
    CompressionResult,
    CompressionStrategy,
    ContentSummarizer,
    ContextualCompressor,
    ExtractiveCompressor,
    RelevanceScorer,
    SearchResult,
    SegmentSize,
    StrategySelector,
    TokenBudgetConfig,
    TokenBudgetManager,
)
from tersely.retrieval.scoring import to_uuid
from tersely.retrieval.settings import limits_for, total_for
from tersely.strategies import Manager

TIGHT = TokenBudgetConfig(total_budget=200, reserve_for_response=100, min_per_document=20)


def tight(**options: Any) -> ContextualCompressor:
    """100 words for documents."""
    return ContextualCompressor(budget=TIGHT, counter=words, **options)


def test_the_parts_and_their_defaults() -> None:
    compressor = ContextualCompressor()
    assert isinstance(compressor.budget_manager, TokenBudgetManager)
    assert isinstance(compressor.relevance_scorer, RelevanceScorer)
    assert isinstance(compressor.strategy_selector, StrategySelector)
    assert compressor.config == CompressionConfig()
    assert compressor.budget_manager.config == TokenBudgetConfig()
    assert compressor.llm is None
    other = ContextualCompressor(Model(), CompressionStrategy.HYBRID, 8000)
    assert other.llm is not None
    assert other.config.default_strategy is CompressionStrategy.HYBRID
    assert other.budget_manager.available() == 7000


@pytest.mark.parametrize(
    ("start", "wanted"),
    [
        (lambda: ContextualCompressor().compress(CORPUS, QUERY), "text"),
        (lambda: RelevanceScorer().score(CORPUS, QUERY), "warnings"),
        (lambda: ExtractiveCompressor().compress(CORPUS[0], QUERY, 9), "text"),
        (lambda: ContentSummarizer(lambda prompt: "Keys.").summarize("Keys rotate."), "text"),
    ],
)
def test_a_prescribed_coroutine_says_at_once_that_it_was_not_awaited(start: Any, wanted: str) -> None:
    pending = start()
    with pytest.raises(AttributeError, match=rf"is a coroutine: await it.* only then has it '{wanted}'"):
        getattr(pending, wanted)
    pending.close()

    async def both() -> tuple[Any, Any]:
        return await start(), await asyncio.wait_for(asyncio.create_task(start()), 60)

    first, second = asyncio.run(both())
    assert hasattr(first, wanted) and type(first) is type(second)


def test_one_model_goes_by_either_name_and_two_are_refused() -> None:
    assert ContextualCompressor(model=Model()).llm is not None and Manager(model=Model()).workers > 1
    for kind, name in ((ContextualCompressor, "llm_client"), (Manager, "llm")):
        with pytest.raises(ValueError, match="one language model"):
            kind(**{name: Model(), "model": Model()})


def test_compress_is_async_and_the_sync_form_says_the_same() -> None:
    for allocation in AllocationStrategy:
        config = CompressionConfig(token_budget=200, allocation_strategy=allocation)
        compressor = ContextualCompressor(
            budget=replace(TIGHT, allocation_strategy=allocation), config=config, counter=words
        )
        result = asyncio.run(compressor.compress(CORPUS, QUERY))
        assert isinstance(result, CompressionResult)
        assert result.strategy_used is CompressionStrategy.EXTRACTIVE
        check_result(result, words, 100)
        again = ContextualCompressor(
            budget=replace(TIGHT, allocation_strategy=allocation), counter=words
        ).compress_sync(CORPUS, QUERY)
        assert again.text == result.text
        assert "rotated every 24 hours" in result.text
        if allocation is not AllocationStrategy.GREEDY:  # the best document takes all
            assert "stays valid for five minutes" in result.text


def test_search_results_are_their_documents() -> None:
    results = [SearchResult(document=document, score=9.0) for document in CORPUS]
    compressor = tight()
    found = asyncio.run(compressor.compress_results(results, QUERY))
    assert found.text == asyncio.run(tight().compress(CORPUS, QUERY)).text
    small = replace(compressor.config, token_budget=140)
    config = asyncio.run(compressor.compress_results(results, QUERY, small))
    check_result(config, words, 40)
    assert compressor.compress_sync(results, QUERY).usage.available == 100


def test_stats_add_up() -> None:
    compressor = tight(llm_client=Model())
    first = compressor.compress_sync(CORPUS, QUERY, "extractive")
    second = compressor.compress_sync(CORPUS[:2], QUERY, "abstractive")
    stats = compressor.get_compression_stats()
    assert stats.calls == 2
    assert stats.tokens_in == first.original_token_count + second.original_token_count
    assert stats.tokens_out == first.compressed_token_count + second.compressed_token_count
    assert stats.by_strategy == {CompressionStrategy.EXTRACTIVE: 1, CompressionStrategy.ABSTRACTIVE: 1}
    assert stats.cache_hits == 0
    compressor.compress_sync(CORPUS, QUERY, "extractive")
    assert compressor.get_compression_stats().cache_hits == 1


def test_headings_come_along_and_tables_lists_and_code_stay_whole() -> None:
    compressor = ContextualCompressor(
        config=CompressionConfig(context_window=0, min_relevance_threshold=0.0),
        budget=TokenBudgetConfig(total_budget=90, reserve_for_response=1, min_per_document=1),
        counter=words,
    )
    document = chunk(GUIDE)
    for query, whole in [
        ("What is the length of berth W2?", GUIDE[GUIDE.index("| berth") : GUIDE.index("## 2.")].strip()),
        ("Where do fishing boats moor?", GUIDE[GUIDE.index("- Yachts") : GUIDE.index("> The west")].strip()),
        (
            "signal flag dictionary red green",
            GUIDE[GUIDE.index("```python") : GUIDE.index("    raw_signal")].strip(),
        ),
    ]:
        result = compressor.compress_sync([document], query)
        check_result(result, words, 89)
        assert whole in result.text
        assert "# The Harbour Handbook" in result.text
        heading = "## 2. Signals" if "signal" in query else "## 1. Arriving"
        assert result.text.index(heading) < result.text.index(whole)
    config = replace(compressor.config, preserve_structure=False)
    plain = compressor.compress_sync([document], "What is the length of berth W2?", config=config)
    assert "| W2 " in plain.text
    assert not {span.reason for one in plain.compressed_documents for span in one.preserved_segments} & {
        "heading"
    }


def test_settings_and_their_defaults() -> None:
    assert asdict(CompressionConfig()) == {
        "default_strategy": CompressionStrategy.EXTRACTIVE,
        "allocation_strategy": AllocationStrategy.PROPORTIONAL,
        "segment_size": SegmentSize.SENTENCE,
        **dict.fromkeys(("auto_select", "cache_results", "preserve_structure"), True),
        **{"token_budget": 4000, "context_window": 2, "batch_size": 5},
        **{"summary_ratio": 0.3, "min_summary_length": 50, "max_summary_length": 500},
        "min_relevance_threshold": 0.5,
    }
    assert asdict(TokenBudgetConfig()) == {
        **{"total_budget": 4000, "reserve_for_response": 1000},
        **{"min_per_document": 100, "max_per_document": 2000},
        "allocation_strategy": AllocationStrategy.PROPORTIONAL,
    }


@pytest.mark.parametrize(
    ("kind", "options", "error", "message"),
    [
        (CompressionConfig, {"token_budget": 0}, ValueError, "token_budget"),
        (CompressionConfig, {"context_window": -1}, ValueError, "context_window"),
        (CompressionConfig, {"summary_ratio": 0}, ValueError, "summary_ratio"),
        (CompressionConfig, {"min_relevance_threshold": float("nan")}, ValueError, "min_relevance_threshold"),
        (CompressionConfig, {"max_summary_length": 49}, ValueError, "max_summary_length"),
        (CompressionConfig, {"cache_results": 1}, TypeError, "cache_results"),
        (CompressionConfig, {"default_strategy": "passthrough"}, ValueError, "default_strategy"),
        (CompressionConfig, {"segment_size": "line"}, ValueError, "segment_size must be one of character"),
        (
            TokenBudgetConfig,
            {"total_budget": 0},
            ValueError,
            "total_budget must be a whole number from 1, not 0",
        ),
        (TokenBudgetConfig, {"total_budget": 1000}, ValueError, "must be less than the total budget"),
        (TokenBudgetConfig, {"max_per_document": 99}, ValueError, "must be a whole number from 100, not 99"),
        (TokenBudgetConfig, {"allocation_strategy": "fair"}, ValueError, "must be one of uniform, .*'fair'"),
    ],
)
def test_settings_that_make_no_sense(
    kind: Any, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        kind(**options)


def around_a_hit(window: int, budget: int) -> CompressedDocument:
    """What is kept of thirty sentences of ten words, of which the sixteenth is about tokens."""
    sentences = prose(30).split(". ")
    sentences[15] = "Tokens are rotated every single day by our own gateway"
    limits = TokenBudgetConfig(total_budget=budget + 1, reserve_for_response=1, min_per_document=1)
    config = CompressionConfig(context_window=window)
    scorer = HitScorer("Tokens")
    compressor = ContextualCompressor(budget=limits, config=config, counter=words, relevance_scorer=scorer)
    result = compressor.compress_sync([chunk(". ".join(sentences))], QUERY)
    check_result(result, words, budget)
    assert "every single day" in result.text
    return result.compressed_documents[0]


@pytest.mark.parametrize("window", [0, 1, 2])
def test_neighbours_of_a_hit_come_along_where_there_is_room(window: int) -> None:
    document = around_a_hit(window, 150)
    reasons = [span.reason for span in document.preserved_segments]
    assert reasons == ["context"] * window + ["selected"] + ["context"] * window
    numbers = [f"number{i}" for i in range(15 - window, 16 + window) if i != 15]
    assert [word for word in document.content.split() if word.startswith("number")] == numbers


@pytest.mark.parametrize(("budget", "before", "after"), [(10, 0, 0), (29, 1, 0), (30, 1, 1), (45, 2, 1)])
def test_and_as_many_as_there_is_room_for(budget: int, before: int, after: int) -> None:
    document = around_a_hit(2, budget)
    reasons = [span.reason for span in document.preserved_segments]
    assert reasons == ["context"] * before + ["selected"] + ["context"] * after


@pytest.mark.parametrize("model", [None, Model()])
def test_the_same_call_again_asks_nobody(model: Model | None) -> None:
    scorer = Scorer()
    compressor = tight(relevance_scorer=scorer, llm_client=model)
    strategy = "abstractive" if model else None
    first = asyncio.run(compressor.compress(CORPUS, QUERY, strategy))
    asked = len(model.prompts) if model else 0
    second = asyncio.run(compressor.compress(list(CORPUS), QUERY, strategy))
    assert scorer.calls == 1
    assert (len(model.prompts) if model else 0) == asked
    assert (first.cached, second.cached) == (False, True)
    assert first.text == second.text
    asyncio.run(compressor.compress(CORPUS, "another query", strategy))
    assert scorer.calls == 2
    assert (len(model.prompts) if model else 0) == 2 * asked


def test_the_cache_can_be_off_and_knows_what_a_result_depends_on() -> None:
    scorer = Scorer()
    compressor = tight(relevance_scorer=scorer)
    off = replace(compressor.config, cache_results=False)
    for _ in range(2):
        compressor.compress_sync(CORPUS, QUERY, config=off)
    assert scorer.calls == 2
    compressor.compress_sync(CORPUS, QUERY)
    renamed = [replace(document, metadata={"title": "x"}) for document in CORPUS]
    for arguments in [
        {"documents": CORPUS[::-1]},
        {"documents": renamed},
        {"documents": CORPUS, "pinned": "24 hours"},
        {"documents": CORPUS, "strategy": "extractive"},
        {"documents": CORPUS, "config": replace(compressor.config, context_window=0)},
    ]:
        before = scorer.calls
        assert not compressor.compress_sync(query=QUERY, **arguments).cached
        assert scorer.calls == before + 1


def test_what_is_under_the_threshold_is_dropped_and_reported() -> None:
    result = tight(relevance_scorer=Scorer(0.51, 0.49, 0.5)).compress_sync(CORPUS, QUERY)
    assert [(one.index, one.reason) for one in result.dropped_documents] == [(1, "irrelevant")]
    assert "documents_dropped" in result.warnings
    check_result(result, words, 100)
    nothing = tight(relevance_scorer=Scorer(0.1, 0.2, 0.3)).compress_sync(CORPUS, QUERY)
    assert (nothing.text, nothing.compressed_token_count, nothing.compressed_documents) == ("", 0, ())
    assert "nothing_relevant" in nothing.warnings
    assert {one.reason for one in nothing.dropped_documents} == {"irrelevant"}


def test_the_default_threshold_leaves_out_documents_on_other_subjects() -> None:
    bread = chunk("Bread is baked at four. The oven is old. Flour comes by boat from the mill.", "bread")
    compressor = ContextualCompressor(config=CompressionConfig(token_budget=60), counter=words)
    result = compressor.compress_sync([*CORPUS[:2], bread], QUERY)
    assert {one.id: one.reason for one in result.dropped_documents} == {"bread": "irrelevant"}
    scores = [score.overall_score for score in result.relevance_scores]
    assert min(scores[:2]) > 0.6 > 0.45 > scores[2]
    alone = compressor.compress_sync([bread], QUERY)
    assert (alone.text, "nothing_relevant" in alone.warnings) == ("", True)
    assert alone.relevance_scores[0].overall_score == pytest.approx(scores[2], abs=0.05), (
        "whatever is beside it"
    )


@pytest.mark.parametrize(
    ("total", "available"), [(1, 1), (400, 400), (3000, 3000), (3001, 3000), (4000, 3000), (5000, 4000)]
)
def test_documents_come_before_a_reserve_that_nobody_gave(total: int, available: int) -> None:
    """A quarter of a small budget was reserved, and all but one token of 1,001."""
    compressor = ContextualCompressor(token_budget=total, counter=words)
    assert (compressor.config.token_budget, compressor.budget_manager.available()) == (total, available)
    result = compressor.compress_sync(["Tokens are rotated."], "tokens", pinned=())
    assert ("reserve_shrunk" in result.warnings) is (total < 4000)
    for other in (ContextualCompressor(counter=words), ContextualCompressor(token_budget=9, counter=words)):
        by_call = other.compress_sync(CORPUS, QUERY, config=CompressionConfig(token_budget=total))
        assert by_call.usage.available == available
        assert ("reserve_shrunk" in by_call.warnings) is (total < 4000)


@pytest.mark.parametrize(("total", "available"), [(300, 200), (100, 50), (1, 1)])
def test_a_reserve_that_was_given_shrinks_only_where_it_does_not_fit(total: int, available: int) -> None:
    config = replace(CompressionConfig(), token_budget=total)
    result = ContextualCompressor(budget=TIGHT, counter=words).compress_sync(CORPUS, QUERY, config=config)
    assert result.usage.available == available
    assert ("reserve_shrunk" in result.warnings) is (total <= TIGHT.reserve_for_response)


def test_a_budget_given_twice_is_an_error_unless_it_is_the_same() -> None:
    config, limits = CompressionConfig(token_budget=2000), TokenBudgetConfig(total_budget=3000)
    for twice in ({"config": config, "budget": limits}, {"token_budget": 5000, "budget": limits}):
        with pytest.raises(ValueError, match=r"give one budget, not .*3000"):
            ContextualCompressor(**twice)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"give one budget, not 2000 and 5000"):
        ContextualCompressor(token_budget=5000, config=config)
    assert (
        ContextualCompressor(config=replace(config, token_budget=3000), budget=limits).config.token_budget
        == 3000
    )
    assert ContextualCompressor(token_budget=2000, config=config).config.token_budget == 2000


def test_the_fields_of_a_result_and_of_its_documents() -> None:
    names = "original_documents compressed_documents original_token_count compressed_token_count "
    names += "compression_ratio strategy_used relevance_scores"
    assert [field.name for field in fields(CompressionResult)][:7] == names.split()
    names = "original_id content token_count compression_method preserved_segments relevance_score"
    assert [field.name for field in fields(CompressedDocument)][:6] == names.split()
    result = tight().compress_sync(CORPUS, QUERY)
    assert result.original_documents == tuple(CORPUS) and len(result.relevance_scores) == 3
    assert result.compression_ratio == result.compressed_token_count / result.original_token_count
    assert result.reduction == 1 - result.compression_ratio
    assert result.expand(0) == CORPUS[0].content
    for document in result.compressed_documents:
        assert document.original_id == to_uuid(CORPUS[document.index].id)
        assert document.compression_method == "extractive"
        assert document.relevance_score == result.relevance_scores[document.index].overall_score
        source = result.expand(document)
        assert source == CORPUS[document.index].content
        squeezed = "".join(source[span.start : span.end] for span in document.preserved_segments)
        assert "".join(squeezed.split()) == "".join(document.content.split())


def test_errors_and_their_triggers() -> None:
    with pytest.raises(BudgetExceededError) as caught:
        tight().compress_sync(CORPUS, QUERY, pinned=[CORPUS[0].content])
    error = caught.value
    assert error.required > error.budget == 200, "the budget that the caller sets: 100 are for the response"
    enough = ContextualCompressor(budget=replace(TIGHT, total_budget=int(error.required)), counter=words)
    assert CORPUS[0].content in enough.compress_sync(CORPUS, QUERY, pinned=[CORPUS[0].content]).text
    with pytest.raises(BudgetExceededError):
        tight(strict=True).compress_sync([chunk(prose(9, f"rower{i}")) for i in range(9)], "rower lamp1")
    broken = Scorer(error=ConnectionError("no route"))
    with pytest.raises(RelevanceScoringError, match="Scorer failed: ConnectionError: no route"):
        tight(relevance_scorer=broken, strict=True).compress_sync(CORPUS, QUERY)

    class Embedder:
        def embed(self, texts: list[str]) -> list[list[float]]:
            raise ConnectionError("no route")

    fell_back = RelevanceScorer(embedder=Embedder())
    reason = tight(relevance_scorer=fell_back).compress_sync(CORPUS, QUERY).fallback_reason
    assert "embedder failed" in str(reason)
    with pytest.raises(RelevanceScoringError, match="the embedder failed: ConnectionError: no route"):
        tight(relevance_scorer=fell_back, strict=True).compress_sync(CORPUS, QUERY)
    for error in (BudgetExceededError, RelevanceScoringError):
        assert issubclass(error, CompressionError)


@pytest.mark.parametrize(
    "scorer", [Scorer(error=ConnectionError("no route")), Scorer(0.9), Scorer(2.0, 1, 1)]
)
def test_another_scorer_steps_in_and_the_result_says_so(scorer: Scorer) -> None:
    compressor = tight(relevance_scorer=scorer)
    for result in (compressor.compress_sync(CORPUS, QUERY), asyncio.run(compressor.compress(CORPUS, QUERY))):
        assert result.text == tight().compress_sync(CORPUS, QUERY).text
        assert str(result.fallback_reason).startswith("Scorer failed: ")
        assert "scorer_failed" in result.warnings
    assert scorer.calls == 2, "a failure is not remembered"


def test_usage_stands_beside_the_documents() -> None:
    result = tight().compress_sync(CORPUS, QUERY)
    usage = result.usage
    assert usage.available == 100
    assert usage.used + usage.unused == usage.available
    assert sum(usage.allocated) <= usage.available
    for document in result.compressed_documents:
        assert (
            usage.used_by_document[document.index] == document.token_count <= usage.allocated[document.index]
        )
    assert [usage.used_by_document[one.index] for one in result.dropped_documents] == [0] * len(
        result.dropped_documents
    )


BIG = 10_000


def manager(name: str = "proportional", **limits: int) -> TokenBudgetManager:
    return TokenBudgetManager(
        TokenBudgetConfig(allocation_strategy=AllocationStrategy[name.upper()], **limits)
    )


@pytest.mark.parametrize(
    ("name", "limits", "sizes", "scores", "allocations"),
    [
        ("uniform", {}, [BIG] * 3, [0.9, 0.1, 0.5], (1000, 1000, 1000)),  # the same for all
        ("proportional", {}, [BIG] * 3, [0.8, 0.4, 0.2], (1714, 857, 429)),  # exact
        ("proportional", {}, [300, BIG, BIG], [0.8, 0.4, 0.2], (300, 1800, 900)),  # the others have the rest
        ("proportional", {}, [BIG] * 2, [0.9, 0.001], (2000, 1000)),
        ("proportional", {}, [BIG] * 3, [0.9, 0.8, 0.001], (1535, 1365, 100)),
        ("proportional", {"total_budget": 1040}, [500, 500], [0.2, 0.4], (0, 40)),  # under the least
        ("threshold", {"total_budget": 1500}, [BIG] * 3, [0.9, 0.6, 0.3], (100 + 180, 100 + 120, 0)),  # X53
        ("greedy", {}, [1500] * 3, [0.9, 0.5, 0.7], (1500, 0, 1500)),  # the best first
        ("greedy", {}, [1450] * 3, [0.9, 0.5, 0.7], (1450, 100, 1450)),
        ("greedy", {}, [1451] * 3, [0.9, 0.5, 0.7], (1451, 0, 1451)),
    ],
)
def test_shares(
    name: str, limits: dict[str, int], sizes: list[int], scores: list[float], allocations: tuple[int, ...]
) -> None:
    assert manager(name, **limits).allocate(sizes, scores).allocations == allocations


def test_the_reserve_is_inside_the_total() -> None:
    assert TokenBudgetConfig().available() == TokenBudgetManager(4000).available() == 3000


@given(st.integers(1, 9000), st.none() | st.tuples(st.integers(1, 5000), st.floats(0, 1, exclude_max=True)))
def test_the_total_that_leaves_so_much_for_documents_is_the_least(
    tokens: int, limits: tuple[int, float] | None
) -> None:
    given = None
    if limits is not None:
        given = TokenBudgetConfig(total_budget=limits[0], reserve_for_response=int(limits[0] * limits[1]))
    total = total_for(tokens, given)

    def enough(total: int) -> bool:
        return limits_for(total, AllocationStrategy.PROPORTIONAL, given)[0].available() >= tokens

    assert enough(total)
    assert not any(map(enough, range(1, total)))


def test_too_many_documents_drop_the_least_relevant() -> None:
    scores = [0.5 + i / 100 for i in range(40)]
    plan = manager().allocate([500] * 40, scores)
    assert plan.dropped == tuple(range(10))
    assert set(plan.allocations[10:]) == {100}
    strict = TokenBudgetManager(strict=True)
    with pytest.raises(BudgetExceededError) as caught:
        strict.allocate([500] * 40, scores)
    assert (caught.value.required, caught.value.budget) == (4000, 3000)


def test_what_is_required_always_raises_where_it_does_not_fit() -> None:
    plan = manager().allocate([500] * 40, [0.9] * 39 + [0.0], required=[0] * 39 + [2500])
    assert plan.allocations[39] == 2500
    assert sum(map(bool, plan.allocations)) == 6
    with pytest.raises(BudgetExceededError) as caught:
        manager().allocate([500] * 2, [0.9, 0.9], required=[3000, 1])
    assert isinstance(caught.value, CompressionError)
    assert caught.value.required == 3001


documents = st.lists(
    st.tuples(st.integers(0, 5000), st.floats(0, 1, allow_nan=False), st.sampled_from([0, 0, 0, 40, 300])),
    max_size=60,
)
shares = st.sampled_from(["uniform", "proportional", "threshold", "greedy"])


@given(documents, shares, st.integers(1, 6000), st.integers(1, 200), st.integers(200, 3000))
def test_shares_obey_every_limit(
    given_documents: list[tuple[int, float, int]], name: str, available: int, least: int, most: int
) -> None:
    sizes = [size for size, _, _ in given_documents]
    scores = [score for _, score, _ in given_documents]
    required = [must for _, _, must in given_documents]
    limited = manager(
        name,
        total_budget=available + 1,
        reserve_for_response=1,
        min_per_document=least,
        max_per_document=most,
    )
    if sum(required) > available:
        with pytest.raises(BudgetExceededError):
            limited.allocate(sizes, scores, required=required)
        return
    plan = limited.allocate(sizes, scores, required=required)
    assert sum(plan.allocations) <= available
    assert plan.dropped == tuple(i for i, share in enumerate(plan.allocations) if not share)
    for share, size, must in zip(plan.allocations, sizes, required, strict=True):
        assert must <= share <= max(min(size, most), must)
        alone = sum(map(bool, plan.allocations)) == 1
        assert share == 0 or share >= min(size, least, most) or alone or must
    wanted = [i for i in range(len(sizes)) if sizes[i] or required[i]]
    if name == "threshold":
        wanted = [i for i in wanted if scores[i] >= 0.5 or required[i]]
    if wanted:
        assert any(plan.allocations), "something of what could be kept is kept"
    if name in ("uniform", "proportional") and wanted and all(plan.allocations[i] for i in wanted):
        full = sum(max(min(sizes[i], most), required[i]) for i in wanted)
        assert sum(plan.allocations) == min(available, full), "nothing is left unused"


def test_usage_is_told_by_document_and_over_the_budget_is_an_error() -> None:
    plan = manager().allocate([BIG] * 2, [0.5, 0.5])
    usage = manager().usage(plan, [1500, 20], 1521)
    assert (usage.available, usage.used, usage.unused) == (3000, 1521, 1479)
    assert (usage.used_by_document, usage.unused_by_document) == ((1500, 20), (0, 1480))
    with pytest.raises(BudgetExceededError):
        manager().usage(plan, [1500, 1501])


@pytest.mark.parametrize(
    ("sizes", "scores"), [([1], []), ([1], [float("nan")]), ([1], [-0.1]), ([-1], [0.5])]
)
def test_wrong_arguments(sizes: list[int], scores: list[float]) -> None:
    with pytest.raises(ValueError, match=r"scores?|sizes"):
        manager().allocate(sizes, scores)
    with pytest.raises(TypeError, match="a number is token_budget="):
        ContextualCompressor(budget=400)  # type: ignore[arg-type]
