"""BudgetExceededError.required: the same call with it succeeds, whatever the door and the counter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import odd_counters
import pytest
import tersely
from list_retriever import ListRetriever, chunk, ten
from sample_texts import ALL, GUIDE, LOG, prose
from tersely import BudgetExceededError, Extractive
from tersely.engine.strategies import STRATEGIES, with_required
from tersely.integrations.llmlingua import PromptCompressor
from tersely.mcp.query_tools import QueryTools
from tersely.mcp.tools import ToolError
from tersely.retrieval import CompressionConfig, ContextualCompressor, TokenBudgetConfig
from tersely.retrieval.index import extract
from tersely.strategies import (
    ByDocument,
    CompressionOptions,
    ContextChunk,
    ExtractiveCompressor,
    Hierarchical,
    Hybrid,
    Incremental,
    Manager,
)
from typed_samples import SAMPLES


def letters(text: str) -> int:
    """Nothing for anything else."""
    return sum(map(str.isalpha, text))


def lavish(text: str) -> int:
    """More for the whole than for its parts."""
    return len(text.split()) + 10 * text.count("\n")


COUNTERS = [
    "o200k_base",
    letters,
    lavish,
    odd_counters.lines,
    odd_counters.checksum,
    odd_counters.squares,
    odd_counters.sawtooth,
]
OBJECTS = {
    "five levels": Hierarchical(5),
    "levels a document": ByDocument(Hierarchical(2)),
    "all facts": Extractive(preserve=("all",), strict_preserve=True),
    "clauses": Extractive(level="clause", preserve=("numbers", "names"), strict_preserve=True),  # type: ignore[arg-type]
    "a model": Hybrid(lambda prompt: "A model says so.", threshold=10),
}
PINNED = [(0, 0, 20), (1, 60, 90), (1, 300, 320)]


def names(value: Any) -> str:
    return getattr(value, "__name__", str(value))


def assert_required(call: Callable[[int], Any], budget: int) -> None:
    """A call either succeeds or says what does."""
    try:
        call(budget)
    except BudgetExceededError as error:
        assert error.budget == budget < error.required
        call(int(error.required))


@pytest.mark.parametrize("counter", COUNTERS, ids=names)
@pytest.mark.parametrize("strategy", [*STRATEGIES, "auto", *OBJECTS])
def test_every_strategy_says_what_does(counter: Any, strategy: str) -> None:
    documents, chosen = [GUIDE, LOG, SAMPLES["json"][:1500]], OBJECTS.get(strategy, strategy)
    for budget, pinned in ((0, ()), (5, ()), (7, PINNED), (60, PINNED)):
        assert_required(
            lambda budget, pinned=pinned: tersely.compress(
                documents, "sluice fee", budget=budget, counter=counter, pinned=pinned, strategy=chosen
            ),
            budget,
        )


@pytest.mark.parametrize("counter", [letters, lavish, odd_counters.checksum, "o200k_base"], ids=names)
@pytest.mark.parametrize("kind", SAMPLES)
def test_every_content_type_says_what_does(counter: Any, kind: str) -> None:
    for budget in (0, 2, 11):
        for pinned in ((), [(0, 50, 70)]):
            assert_required(
                lambda budget, pinned=pinned: tersely.compress(
                    SAMPLES[kind], budget=budget, counter=counter, pinned=pinned, strategy=kind
                ),
                budget,
            )


@pytest.mark.parametrize("counter", [letters, lavish, odd_counters.sawtooth, "o200k_base"], ids=names)
def test_levels_say_what_does_for_the_smallest(counter: Any) -> None:
    prepared = tersely.prepare([GUIDE, LOG], counter=counter, pinned=PINNED)
    budgets = [60, 30, 8]
    with pytest.raises(BudgetExceededError) as caught:
        prepared.levels(budgets)
    required = int(caught.value.required)
    assert prepared.levels([max(budget, required) for budget in budgets])


@pytest.mark.parametrize("counter", [letters, lavish, odd_counters.squares, "o200k_base"], ids=names)
def test_compressors_managers_and_drop_ins_say_what_does(counter: Any) -> None:
    chunks = [ContextChunk(str(number), text) for number, text in enumerate(ALL)]
    results = [chunk(str(number), 0.5, text) for number, text in enumerate(ALL)]
    strict, manager = ExtractiveCompressor(counter=counter, strict=True), Manager(counter=counter)
    by_shares = Manager(counter=counter, llm=lambda prompt: "A model says so.")
    prompts = PromptCompressor(counter=counter)
    model = Incremental()

    def contextual(**options: Any) -> Callable[[int], Any]:
        def call(budget: int) -> Any:
            limits = TokenBudgetConfig(total_budget=budget, reserve_for_response=0)
            made = ContextualCompressor(budget=limits, counter=counter, **options)
            return made.compress_sync(ALL, "sluice fee", pinned=[(0, 0, 50), (2, 10, 40)])

        return call

    doors: list[Callable[[int], Any]] = [
        lambda budget: strict.compress(GUIDE, CompressionOptions(target_tokens=budget)),
        lambda budget: manager.prepare_context(chunks, "fee", budget),
        lambda budget: by_shares.prepare_context(chunks, "fee", budget),
        lambda budget: prompts.compress_prompt(
            ALL, "Be brief.", "How high is the fee?", target_token=budget, keep_first_sentence=1
        ),
        lambda budget: extract(results, "fee", budget=budget, counter=counter),
        lambda budget: tersely.compress(
            GUIDE, budget=budget, counter=counter, strategy=model, pinned=[(0, 90)]
        ),
        contextual(),
        contextual(llm_client=lambda prompt: "A model says so.", default_strategy="abstractive"),
        contextual(strict=True),
    ]
    for budget in (1, 5, 30, 120):
        for call in doors:
            assert_required(call, budget)


def test_pins_just_over_what_documents_have_by_default_require_no_more_than_they_take() -> None:
    text = " ".join(f"Keeper {number} says word{number} about the winch." for number in range(1000))
    pin = text[: text.index("Keeper 435")].strip()  # 3,045 words; 4,045 leave those
    with pytest.raises(BudgetExceededError) as caught:
        ContextualCompressor(token_budget=50, counter=odd_counters.words).compress_sync(text, "x", pinned=pin)
    assert caught.value.required == 4045


def test_the_contextual_compressor_speaks_of_the_whole_budget() -> None:
    """The reserve for the response is part of what the caller sets."""

    def call(total: int) -> Any:
        return ContextualCompressor(token_budget=total).compress_sync(ALL, "fee", pinned=[(0, 0, 400)])

    assert_required(call, 90)

    def by_config(total: int) -> Any:
        config = CompressionConfig(token_budget=total)
        return ContextualCompressor().compress_sync(ALL, "fee", config=config, pinned=[(0, 0, 400)])

    assert_required(by_config, 90)


def test_the_search_tool_says_what_does() -> None:
    arguments = {"query": "tokens", "top_n": 5, "min_score": 0.3, "similarity_threshold": 0.85}
    for budget in range(1, 40):
        try:
            QueryTools(ListRetriever(ten()), reply_budget=budget).query_documents_compressed(arguments)
        except ToolError as error:
            required = int(str(error).rpartition("; ")[2].split()[0])
            QueryTools(ListRetriever(ten()), reply_budget=required).query_documents_compressed(arguments)


def test_the_first_stage_of_two_does_not_speak_for_the_call() -> None:
    """What is pinned takes more than the half that a model would read: the error named another budget."""
    strategy = Hybrid(lambda prompt: "short", threshold=1)
    with pytest.raises(BudgetExceededError) as caught:
        tersely.compress(prose(40), budget=9, strategy=strategy, pinned=[(0, 2000)])
    assert caught.value.budget == 9


def test_with_required_tries_what_it_says() -> None:
    tried: list[int] = []

    def attempt(budget: int) -> int:
        tried.append(budget)
        if budget < 40:
            raise BudgetExceededError("too small", required=budget + 1, budget=budget)
        return budget

    assert with_required(attempt, 40) == 40
    tried.clear()
    with pytest.raises(BudgetExceededError, match=r"^too small into a budget of 3; \d+ would do$") as caught:
        with_required(attempt, 3)
    assert caught.value.budget == 3
    assert caught.value.required == tried[-1] >= 40
    assert len(tried) < 10


def test_with_required_takes_what_is_known_to_be_enough() -> None:
    def attempt(budget: int) -> int:
        if budget not in (50, 2):
            raise BudgetExceededError("too small", required=budget + 7, budget=budget)
        return budget

    with pytest.raises(BudgetExceededError) as caught:
        with_required(attempt, 0, enough=50)
    assert caught.value.required == 50


def test_an_error_that_is_right_stays_as_it_is() -> None:
    def attempt(budget: int) -> int:
        if budget < 7:
            raise BudgetExceededError("six do not fit", required=7, budget=budget)
        return budget

    with pytest.raises(BudgetExceededError, match=r"^six do not fit into a budget of 3; 7 would do$"):
        with_required(attempt, 3)
