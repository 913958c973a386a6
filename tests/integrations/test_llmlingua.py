"""The stand-in for LLMLingua's PromptCompressor: budgets and parameters."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import json
from pathlib import Path
from typing import Any

import odd_counters
import pytest
from adapter_samples import DOCUMENTS, QUERY
from hypothesis import given, strategies as st
from tersely import BudgetExceededError
from tersely.integrations import llmlingua
from tersely.integrations.llmlingua import PromptCompressor
from tersely.models.counters import resolve_counter
from text_strategies import some_texts

CONTEXT = [text for _, _, text in DOCUMENTS]
INSTRUCTION = "Answer from the documents alone."
COUNT = resolve_counter("cl100k_base").count
KEYS = ["compressed_prompt", "origin_tokens", "compressed_tokens", "ratio", "rate", "saving"]


def real_arguments(method: str) -> ast.arguments:
    """Arguments of the real package's method, read from its source: importing it takes torch."""
    found = importlib.util.find_spec("llmlingua")
    if found is None or found.submodule_search_locations is None:
        pytest.skip("pip install --no-deps llmlingua")
    source = Path(found.submodule_search_locations[0]) / "prompt_compressor.py"
    functions = [
        node
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name == method
    ]
    return functions[0].args


def real_parameters(method: str) -> dict[str, Any]:
    """Parameters that have defaults, and these."""
    arguments = real_arguments(method)
    names = [argument.arg for argument in arguments.args]
    defaults = [ast.literal_eval(default) for default in arguments.defaults]
    return dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))


def test_every_parameter_of_the_real_one_is_known() -> None:
    real = real_parameters("compress_prompt")
    mine = inspect.signature(PromptCompressor.compress_prompt).parameters
    first = {name: mine[name].default for name in list(mine)[2:6]}
    assert list(real.items()) == [*first.items(), *llmlingua._DEFAULTS.items()]
    assert set(real_parameters("__init__")) <= set(inspect.signature(PromptCompressor).parameters)


@pytest.mark.parametrize("target", [80, 120])
def test_the_prompt_keeps_to_the_target(target: int) -> None:
    answer = PromptCompressor().compress_prompt(
        CONTEXT, INSTRUCTION, QUERY, target_token=target, with_result=True
    )
    result = answer.pop("result")
    assert list(answer) == KEYS
    prompt = answer["compressed_prompt"]
    assert prompt == f"{INSTRUCTION}\n\n{result.text}\n\n{QUERY}"
    assert COUNT(prompt) == answer["compressed_tokens"] <= target
    assert answer["origin_tokens"] == COUNT("\n\n".join([INSTRUCTION, *CONTEXT, QUERY]))
    assert "The sluice fee is 4 euros" in prompt
    assert [result.expand(row) for row in range(len(CONTEXT))] == CONTEXT
    factor = answer["origin_tokens"] / answer["compressed_tokens"]
    assert (answer["ratio"], answer["rate"]) == (f"{factor:.1f}x", f"{100 / factor:.1f}%")
    json.dumps(answer)


@given(some_texts, st.integers(0, 80), st.sampled_from(odd_counters.ALL), st.sampled_from(["", "the fee?"]))
def test_budget_whatever_counts(context: list[str], target: int, counter: Any, question: str) -> None:
    compressor = PromptCompressor(counter=counter)
    try:
        answer = compressor.compress_prompt(context, "Say.", question, target_token=target)
    except BudgetExceededError as error:
        assert error.required > target == error.budget or error.required > error.budget
        return
    prompt = answer["compressed_prompt"]
    assert compressor.counter.count(prompt) == answer["compressed_tokens"] <= target
    assert prompt.startswith("Say.")
    assert prompt.endswith(question)


def test_rates_and_the_form_of_llmlingua2() -> None:
    answer = PromptCompressor()(CONTEXT, INSTRUCTION, QUERY)
    assert 0 < answer["compressed_tokens"] <= 0.5 * answer["origin_tokens"]
    alone = PromptCompressor().compress_prompt(CONTEXT[0], rate=1.0)
    assert alone["compressed_prompt"] == CONTEXT[0]
    without = PromptCompressor().compress_prompt(CONTEXT, INSTRUCTION, QUERY, concate_question=False)
    assert QUERY not in without["compressed_prompt"]
    for wrong in (0, -0.1, 1.5, float("nan")):
        with pytest.raises(ValueError, match="rate"):
            PromptCompressor().compress_prompt(CONTEXT, rate=wrong)
    answer = PromptCompressor(use_llmlingua2=True).compress_prompt(CONTEXT, question=QUERY, target_token=60)
    assert set(answer) == {*KEYS, "compressed_prompt_list"}
    assert answer["compressed_prompt"] == "\n\n".join(answer["compressed_prompt_list"])
    assert answer["origin_tokens"] == COUNT("\n\n".join(CONTEXT))
    assert QUERY not in answer["compressed_prompt"]


def test_what_is_forced_is_there() -> None:
    make = PromptCompressor().compress_prompt
    assert (
        CONTEXT[1]
        in make(CONTEXT, question=QUERY, target_token=120, force_context_ids=[1])["compressed_prompt"]
    )
    kept = make(CONTEXT, question=QUERY, target_token=90, keep_first_sentence=1, keep_last_sentence=1)
    for sentence in (
        "The harbour opens at six.",
        "Nobody gives change.",
        "Rain on Monday",
        "The council met",
    ):
        assert sentence in kept["compressed_prompt"]
    with pytest.raises(BudgetExceededError):
        make(CONTEXT, target_token=20, force_context_ids=[1])
    with pytest.raises(BudgetExceededError):
        make(CONTEXT, INSTRUCTION, target_token=3)
    with pytest.raises(ValueError, match="force_context_ids"):
        make(CONTEXT, force_context_ids=[3])
    assert "7 euros" in make(CONTEXT, rate=0.35, force_reserve_digit=True)["compressed_prompt"]


NO_MEANING = sorted(llmlingua._DEFAULTS.keys() - llmlingua._HEEDED - llmlingua._ONLY_DEFAULT)


def test_reordered_contexts_stand_with_the_most_relevant_first_or_at_both_ends() -> None:
    make = PromptCompressor().compress_prompt
    texts = ["The ferry waits at noon.", "Rain on Monday.", "The sluice fee is 4 euros.", "The sluice opens."]
    question = "How much is the sluice fee?"

    def order(how: str, *more: Any) -> list[int]:
        result = make(texts, "", question, 1.0, -1, *more, reorder_context=how, with_result=True)["result"]
        prompt = result.text
        assert [document.text for document in result.documents] == sorted(texts, key=prompt.index)
        return [texts.index(document.text) for document in result.documents]

    assert order("original") == [0, 1, 2, 3]
    ranked = order("sort")
    assert ranked[:2] == [2, 3]
    assert order("two_stage") == [ranked[0], ranked[2], ranked[3], ranked[1]]
    plain = make(texts, reorder_context="sort", rate=1.0)["compressed_prompt"]
    assert plain.index("ferry") < plain.index("Rain") < plain.index("fee")  # without a question as they came
    forced = make(texts, "", question, target_token=30, reorder_context="sort", force_context_ids=[1])
    assert texts[1] in forced["compressed_prompt"]
    with pytest.raises(ValueError, match="reorder_context must be one of"):
        make(texts, reorder_context="backwards")


def test_parameters_in_positions_and_by_other_names() -> None:
    make = PromptCompressor().compress_prompt
    named = make(CONTEXT, INSTRUCTION, QUERY, target_token=120, force_context_ids=[1], keep_first_sentence=1)
    defaults = list(llmlingua._DEFAULTS.values())
    placed = make(CONTEXT, INSTRUCTION, QUERY, 0.5, 120, 200, [1], *defaults[2:7], 1)
    assert placed == named
    assert make(CONTEXT, INSTRUCTION, QUERY, 0.5, 120, *defaults) == make(
        CONTEXT, INSTRUCTION, QUERY, target_token=120
    )
    with pytest.raises(TypeError, match="40 parameters in positions, not 41"):
        make(CONTEXT, INSTRUCTION, QUERY, 0.5, 120, *defaults, 1)
    with pytest.raises(TypeError, match="two values for 'iterative_size'"):
        make(CONTEXT, INSTRUCTION, QUERY, 0.5, 120, 200, iterative_size=200)
    with pytest.raises(TypeError, match="tarket"):
        PromptCompressor().compress_prompt(CONTEXT, tarket=3)
    with pytest.warns(UserWarning, match="model_name, device_map"):
        PromptCompressor("some/model", device_map="cpu")
    with pytest.warns(UserWarning, match="instruction"):
        PromptCompressor(use_llmlingua2=True).compress_prompt(CONTEXT, INSTRUCTION)
    assert PromptCompressor().compress_prompt([])["compressed_prompt"] == ""
    alone = PromptCompressor().compress_prompt([], INSTRUCTION, target_token=COUNT(INSTRUCTION))
    assert alone["compressed_prompt"] == INSTRUCTION


@pytest.mark.parametrize("name", NO_MEANING)
def test_what_has_no_meaning_is_warned_of(name: str) -> None:
    make = PromptCompressor().compress_prompt
    plain = make(CONTEXT, question=QUERY, **{name: llmlingua._DEFAULTS[name]})
    with pytest.warns(UserWarning, match=name):
        assert make(CONTEXT, question=QUERY, **{name: "something else"}) == plain


@pytest.mark.parametrize("name", sorted(llmlingua._ONLY_DEFAULT))
def test_what_would_change_the_answer_raises(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        PromptCompressor().compress_prompt(CONTEXT, **{name: "something else"})


def test_the_published_examples_are_taken_as_they_are() -> None:
    with pytest.warns(UserWarning, match="condition_in_question, dynamic_context_compression_ratio"):
        long = PromptCompressor().compress_prompt(
            CONTEXT,
            question=QUERY,
            ratio=0.55,
            condition_in_question="after_condition",
            reorder_context="sort",
            dynamic_context_compression_ratio=0.3,
            condition_compare=True,
            context_budget="+100",
            rank_method="longllmlingua",
        )
    assert 0 < long["compressed_tokens"] <= 0.45 * long["origin_tokens"]
    with pytest.warns(UserWarning, match="force_tokens"):
        PromptCompressor(use_llmlingua2=True).compress_prompt(CONTEXT[0], rate=0.33, force_tokens=["\n", "?"])
    plain = PromptCompressor().compress_prompt(CONTEXT[0], instruction="", question="", target_token=20)
    assert plain["compressed_tokens"] <= 20
    with pytest.raises(ValueError, match="ratio"):
        PromptCompressor().compress_prompt(CONTEXT, ratio=-1)
