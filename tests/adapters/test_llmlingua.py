"""LLMLingua's interface: same parameters, same keys, and our promises."""

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
from hypothesis import given
from hypothesis import strategies as st
from tersely import BudgetExceededError
from tersely.adapters import llmlingua
from tersely.adapters.llmlingua import PromptCompressor
from tersely.providers.counters import resolve_counter
from text_strategies import some_texts

CONTEXT = [text for _, _, text in DOCUMENTS]
INSTRUCTION = "Answer from the documents alone."
COUNT = resolve_counter("cl100k_base").count
KEYS = ["compressed_prompt", "origin_tokens", "compressed_tokens", "ratio", "rate", "saving"]


def real_parameters(method: str) -> dict[str, Any]:
    """Parameters and defaults of the real package, read from its source: importing it takes torch."""
    found = importlib.util.find_spec("llmlingua")
    if found is None or found.submodule_search_locations is None:
        pytest.skip("pip install --no-deps llmlingua")
    source = Path(found.submodule_search_locations[0]) / "prompt_compressor.py"
    functions = [
        node
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name == method
    ]
    arguments = functions[0].args
    names = [argument.arg for argument in arguments.args]
    defaults = [ast.literal_eval(default) for default in arguments.defaults]
    return dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))


def test_every_parameter_of_the_real_one_is_known() -> None:
    real = real_parameters("compress_prompt")
    mine = inspect.signature(PromptCompressor.compress_prompt).parameters
    others = {**llmlingua._NO_MEANING, **llmlingua._ONLY}
    assert set(real) == set(others) | (set(mine) - {"self", "context", "others", "with_result"})
    for name, default in real.items():
        assert (others[name] if name in others else mine[name].default) == default, name
    assert list(mine)[1:6] == ["context", *list(real)[:4]]
    assert set(real_parameters("__init__")) <= set(inspect.signature(PromptCompressor).parameters)


@pytest.mark.parametrize("target", [80, 120])
def test_X09_the_prompt_keeps_to_the_target(target: int) -> None:
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
def test_X09_budget_whatever_counts(context: list[str], target: int, counter: Any, question: str) -> None:
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


def test_rate_is_of_the_whole_prompt() -> None:
    answer = PromptCompressor()(CONTEXT, INSTRUCTION, QUERY)
    assert 0 < answer["compressed_tokens"] <= 0.5 * answer["origin_tokens"]
    alone = PromptCompressor().compress_prompt(CONTEXT[0], rate=1.0)
    assert alone["compressed_prompt"] == CONTEXT[0]
    without = PromptCompressor().compress_prompt(CONTEXT, INSTRUCTION, QUERY, concate_question=False)
    assert QUERY not in without["compressed_prompt"]
    for wrong in (0, -0.1, 1.5, float("nan")):
        with pytest.raises(ValueError, match="rate"):
            PromptCompressor().compress_prompt(CONTEXT, rate=wrong)


def test_the_form_of_llmlingua2() -> None:
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


@pytest.mark.parametrize("name", sorted(llmlingua._NO_MEANING))
def test_what_has_no_meaning_is_warned_of(name: str) -> None:
    make = PromptCompressor().compress_prompt
    plain = make(CONTEXT, question=QUERY, **{name: llmlingua._NO_MEANING[name]})
    with pytest.warns(UserWarning, match=name):
        assert make(CONTEXT, question=QUERY, **{name: "something else"}) == plain


@pytest.mark.parametrize("name", sorted(llmlingua._ONLY))
def test_what_would_change_the_answer_raises(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        PromptCompressor().compress_prompt(CONTEXT, **{name: "something else"})


def test_other_names_and_models() -> None:
    with pytest.raises(TypeError, match="tarket"):
        PromptCompressor().compress_prompt(CONTEXT, tarket=3)
    with pytest.warns(UserWarning, match="model_name, device_map"):
        PromptCompressor("some/model", device_map="cpu")
    with pytest.warns(UserWarning, match="instruction"):
        PromptCompressor(use_llmlingua2=True).compress_prompt(CONTEXT, INSTRUCTION)
    assert PromptCompressor().compress_prompt([])["compressed_prompt"] == ""
    alone = PromptCompressor().compress_prompt([], INSTRUCTION, target_token=COUNT(INSTRUCTION))
    assert alone["compressed_prompt"] == INSTRUCTION
