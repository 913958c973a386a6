"""BudgetExceededError.required: a retry with it succeeds (tests/promises makes one at every door)."""

from __future__ import annotations

import odd_counters
import pytest
import tersely
from list_retriever import ListRetriever, ten
from sample_texts import ALL, prose
from tersely import BudgetExceededError
from tersely.engine.strategies import with_required
from tersely.mcp.query_tools import QueryTools
from tersely.mcp.tools import ToolError
from tersely.retrieval import CompressionConfig, ContextualCompressor
from tersely.strategies import Hybrid


def test_what_is_required_is_of_the_whole_call() -> None:
    text = " ".join(f"Keeper {number} says word{number} about the winch." for number in range(1000))
    pin = text[: text.index("Keeper 435")].strip()  # 3,045 words; 4,045 leave those
    with pytest.raises(BudgetExceededError) as caught:
        ContextualCompressor(token_budget=50, counter=odd_counters.words).compress_sync(text, "x", pinned=pin)
    assert caught.value.required == 4045
    with pytest.raises(BudgetExceededError) as caught:
        ContextualCompressor(token_budget=90).compress_sync(ALL, "fee", pinned=[(0, 0, 400)])
    config = CompressionConfig(token_budget=int(caught.value.required))
    ContextualCompressor().compress_sync(ALL, "fee", config=config, pinned=[(0, 0, 400)])
    strategy = Hybrid(lambda prompt: "short", threshold=1)
    with pytest.raises(BudgetExceededError) as caught:
        tersely.compress(prose(40), budget=9, strategy=strategy, pinned=[(0, 2000)])
    assert caught.value.budget == 9
    arguments = {"query": "tokens", "top_n": 5, "min_score": 0.3, "similarity_threshold": 0.85}
    for budget in range(1, 40):
        try:
            QueryTools(ListRetriever(ten()), reply_budget=budget).query_documents_compressed(arguments)
        except ToolError as error:
            required = int(str(error).rpartition("; ")[2].split()[0])
            QueryTools(ListRetriever(ten()), reply_budget=required).query_documents_compressed(arguments)


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

    def attempt(budget: int) -> int:
        if budget not in (50, 2):
            raise BudgetExceededError("too small", required=budget + 7, budget=budget)
        return budget

    with pytest.raises(BudgetExceededError) as caught:
        with_required(attempt, 0, enough=50)
    assert caught.value.required == 50

    def attempt(budget: int) -> int:
        if budget < 7:
            raise BudgetExceededError("six do not fit", required=7, budget=budget)
        return budget

    with pytest.raises(BudgetExceededError, match=r"^six do not fit into a budget of 3; 7 would do$"):
        with_required(attempt, 3)
