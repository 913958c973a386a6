"""The stand-in for LLMLingua's PromptCompressor: budgets, structure, objects, recovery, its parameters."""

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
from tersely.integrations.llmlingua import PromptCompressor, StructuredPart, read_structure
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


def real_names(method: str) -> list[str]:
    """Names of all of its parameters."""
    return [argument.arg for argument in real_arguments(method).args]


def real_parameters(method: str) -> dict[str, Any]:
    """Parameters that have defaults, and these."""
    arguments = real_arguments(method)
    names = real_names(method)
    defaults = [ast.literal_eval(default) for default in arguments.defaults]
    return dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))


def test_every_parameter_of_the_real_one_is_known() -> None:
    real = real_parameters("compress_prompt")
    mine = inspect.signature(PromptCompressor.compress_prompt).parameters
    first = {name: mine[name].default for name in list(mine)[2:6]}
    assert list(real.items()) == [*first.items(), *llmlingua._DEFAULTS.items()]
    assert set(real_parameters("__init__")) <= set(inspect.signature(PromptCompressor).parameters)


@pytest.mark.parametrize(
    ("method", "defaults"),
    [
        ("structured_compress_prompt", llmlingua._STRUCTURED_DEFAULTS),
        ("compress_json", llmlingua._JSON_DEFAULTS),
        ("recover", {}),
    ],
)
def test_so_is_every_one_of_its_other_methods(method: str, defaults: dict[str, Any]) -> None:
    real = real_parameters(method)
    mine = inspect.signature(getattr(PromptCompressor, method)).parameters.values()
    named = [one for one in mine if one.kind is one.POSITIONAL_OR_KEYWORD]
    first = {one.name: one.default for one in named if one.default != one.empty}
    assert list(real.items()) == [*first.items(), *defaults.items()]
    without = [one.name for one in named if one.default == one.empty]
    assert real_names(method)[: len(without)] == without


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


def test_parameters_are_taken_in_their_positions() -> None:
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


TALK = " ".join(
    f"In session {number} the council heard about road {number} and its budget." for number in range(30)
)
TAGGED = (
    f"<llmlingua, compress=False>Speaker 4:</llmlingua><llmlingua, rate=0.4> {TALK}</llmlingua>"
    "<llmlingua, compress=False>\nSpeaker 0:</llmlingua>"
    "<llmlingua, rate=0.9> Thank you. Next item, item 8.</llmlingua>"
)


def test_tags_are_read() -> None:
    assert read_structure(
        "a<llmlingua, rate=0.4>b</llmlingua><llmlingua , compress=False >c</llmlingua>", 0.5
    ) == [
        StructuredPart("a", 0.5),
        StructuredPart("b", 0.4),
        StructuredPart("c", 1.0),
    ]
    assert read_structure("<llmlingua>b</llmlingua>", 0.5) == [StructuredPart("b", 0.5)]
    assert read_structure("", 0.5) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<llmlingua>a", "not closed"),
        ("a</llmlingua>", "closes none"),
        ("<llmlingua><llmlingua>a</llmlingua></llmlingua>", "within another"),
        ("<llmlingua, rate=2>a</llmlingua>", "in \\(0, 1\\]"),
        ("<llmlingua, rate=x>a</llmlingua>", "in \\(0, 1\\]"),
        ("<llmlingua, keep=1>a</llmlingua>", "compress=False"),
    ],
)
def test_wrong_tags_are_said(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        PromptCompressor().structured_compress_prompt(text)


def test_each_part_is_compressed_to_its_share() -> None:
    question = "What was said of road 17?"
    answer = PromptCompressor().structured_compress_prompt(TAGGED, "Read this.", question, 0.5)
    prompt = answer["compressed_prompt"]
    assert prompt.startswith("Read this.\n\nSpeaker 4: ") and prompt.endswith(question)
    assert "\nSpeaker 0:" in prompt and "<llmlingua" not in prompt
    talk = prompt.partition("Speaker 4:")[2].partition("\nSpeaker 0:")[0]
    assert "road 17" in talk and COUNT(talk) <= 0.4 * COUNT(TALK) + 2
    assert answer["compressed_tokens"] == COUNT(prompt) < answer["origin_tokens"]


@pytest.mark.parametrize("target", [-1, 0, 5, 60])
def test_shares_smaller_than_the_shortest_form_are_no_error(target: int) -> None:
    """The error of a part spoke of a budget that nobody gave, and what it said would do did not."""

    def framed(text: str) -> int:
        return 3 + len(text) // 4

    compressor = PromptCompressor(counter=framed)
    answer = compressor.structured_compress_prompt(TAGGED, rate=0.1, target_token=target)
    assert "Speaker 4:" in answer["compressed_prompt"]
    config = {"talk": {"rate": 0.01, "value_type": "str"}, "word": {"rate": 0.1, "value_type": "str"}}
    answer = compressor.compress_json({"talk": TALK, "word": "a"}, config, target_token=target)
    assert list(answer["compressed_prompt"]) == ["talk", "word"]


def test_a_target_makes_all_shares_smaller() -> None:
    answer = PromptCompressor().structured_compress_prompt(TAGGED, target_token=120)
    assert answer["compressed_tokens"] <= 120 and "Speaker 4:" in answer["compressed_prompt"]
    least = PromptCompressor().structured_compress_prompt(TAGGED, target_token=0)
    assert "Speaker 4:" in least["compressed_prompt"]  # what is fixed stays


def test_tagged_contexts_are_reordered_and_what_has_no_meaning_is_warned_of() -> None:
    make = PromptCompressor().structured_compress_prompt
    said = ("Milk is here.", "The sluice fee is 4 euros.")
    texts = [f"<llmlingua, compress=False>{text}</llmlingua>" for text in said]
    prompt = make(texts, question="What is the sluice fee?", reorder_context="sort")["compressed_prompt"]
    assert prompt.index("sluice fee is") < prompt.index("Milk")
    with pytest.warns(UserWarning, match="force_context_ids"):
        make(texts, force_context_ids=[0])
    with pytest.raises(TypeError, match="structured_compress_prompt has no parameter 'force_tokens'"):
        make(texts, force_tokens=["a"])
    with pytest.raises(TypeError, match="26 parameters in positions, not 27"):
        make(texts, "", "", 0.5, -1, *llmlingua._STRUCTURED_DEFAULTS.values(), 1)


def test_what_may_not_be_compressed_stays() -> None:
    text = f"<llmlingua, compress=False>{TALK}</llmlingua>"
    assert PromptCompressor().structured_compress_prompt(text)["compressed_prompt"] == TALK


DATA: dict[str, Any] = {
    "id": 987654,
    "name": "Ada Example",
    "active": True,
    "skills": ["Java", "Python programming", "Machine learning and its many uses", "Data science", "Cloud"],
    "company": {"name": "Example & Sons", "about": "They make boats. They sell nets. They own three quays."},
    "biography": "She works on engines. She lives by the harbour. She holds patents for a sluice gate.",
}
CONFIG: dict[str, dict[str, Any]] = {
    "id": {"rate": 1, "compress": False, "value_type": "int", "pair_remove": True},
    "name": {"rate": 0.7, "compress": False, "value_type": "str", "pair_remove": False},
    "active": {"rate": 0.7, "compress": True, "value_type": "bool", "pair_remove": False},
    "skills": {"rate": 0.4, "compress": True, "value_type": "list", "pair_remove": True},
    "company": {"rate": 0.6, "compress": True, "value_type": "dict", "pair_remove": True},
    "biography": {"rate": 0.5, "compress": True, "value_type": "str", "pair_remove": True},
}


def test_values_of_an_object_are_compressed_each_to_its_share() -> None:
    answer = PromptCompressor().compress_json(DATA, CONFIG, question="What are the patents for?")
    made = answer["compressed_prompt"]
    assert list(made) == list(DATA) and list(answer)[1:] == [
        "origin_tokens", "compressed_tokens", "ratio", "rate", "saving"
    ]  # fmt: skip
    assert (made["id"], made["name"], made["active"]) == (987654, "Ada Example", True)
    assert len(made["skills"]) == 5 and set(made["skills"]) <= {*DATA["skills"], ""}
    assert made["biography"] == "She holds patents for a sluice gate."
    assert set(made["company"]) == {"name", "about"}
    assert answer["compressed_tokens"] == COUNT(json.dumps(made)) < answer["origin_tokens"]
    small = PromptCompressor().compress_json(DATA, CONFIG, target_token=60)
    assert small["compressed_tokens"] <= 60 and list(small["compressed_prompt"]) == list(DATA)


def test_pairs_go_and_are_reordered() -> None:
    make, question = PromptCompressor().compress_json, "What are the patents for?"
    made = make(DATA, CONFIG, question=question, rate=0.3, use_keyvalue_level_filter=True)
    assert {"name", "active", "biography"} <= set(made["compressed_prompt"]) < set(DATA)
    assert made["compressed_tokens"] <= 0.3 * made["origin_tokens"]
    ordered = make(DATA, CONFIG, "", question, 0.5, -1, *list(llmlingua._JSON_DEFAULTS.values())[:12], "sort")
    assert next(iter(ordered["compressed_prompt"])) == "biography"
    defaults = llmlingua._JSON_DEFAULTS.values()
    assert make(DATA, CONFIG, "", "", 0.5, -1, *defaults) == make(DATA, CONFIG)
    with pytest.raises(TypeError, match="21 parameters in positions, not 22"):
        make(DATA, CONFIG, "", "", 0.5, -1, *defaults, 1)
    with pytest.warns(UserWarning, match="instruction"):
        make(DATA, CONFIG, "Read this.")


@pytest.mark.parametrize("end", ["json", "yaml"])
def test_what_becomes_of_keys_is_read_from_a_file(tmp_path: Path, end: str) -> None:
    if end == "yaml":
        pytest.importorskip("yaml")
    path = tmp_path / f"config.{end}"
    path.write_text(json.dumps(CONFIG), encoding="utf-8")  # JSON is YAML
    assert PromptCompressor().compress_json(DATA, str(path)) == PromptCompressor().compress_json(DATA, CONFIG)


@pytest.mark.parametrize(
    ("data", "config", "said"),
    [
        ({"a": "b"}, {"b": {}}, "the same keys; only one of them has a, b"),
        ({"a": "b"}, {"a": {"rate": 2}}, "the rate of 'a'"),
        ({"a": "b"}, {"a": {"keep": 1}}, "may say rate, compress"),
        ({"a": "b"}, {"a": None}, "may say rate, compress"),
        ({"a": "b"}, {"a": {"value_type": "int"}}, "value_type of 'a' is 'int'"),
        ({"a": "b"}, {"a": {"value_type": "set"}}, "value_type of 'a' is 'set'"),
        (["a"], {}, "json_data must be a dict"),
        ({1: "a"}, {1: {}}, "json_data must be a dict whose keys are str"),
        ({"a": b"b"}, {"a": {"compress": False}}, "bytes"),
    ],
)
def test_wrong_objects_are_said(data: Any, config: Any, said: str) -> None:
    with pytest.raises((ValueError, TypeError), match=said):
        PromptCompressor().compress_json(data, config)


ORIGINAL = (
    "She has several key patents for her work on sluice gates. Milk is here. She writes and speaks at fairs."
)


@pytest.mark.parametrize(
    ("compressed", "response", "whole"),
    [
        (
            "She has several patents for sluice gates. She speaks at fairs.",
            'It says: "several patents for sluice gates". Also: she SPEAKS.',
            'It says: "several key patents for her work on sluice gates". Also: she SPEAKS.',
        ),
        ("sluice gates. … She writes", "“gates … She writes”", "“gates. Milk is here. She writes”"),
        ("sluice gates. She writes", "sluice gates, they say", "sluice gates, they say"),
        ("patents gates", "gates patents", "gates patents"),
        ("", "patents gates", "patents gates"),
        ("patents gates", "", ""),
        ("boats and nets", "boats and nets", "boats and nets"),
    ],
)
def test_a_response_gets_the_words_back_that_its_quotes_lack(
    compressed: str, response: str, whole: str
) -> None:
    assert PromptCompressor().recover(ORIGINAL, compressed, response) == whole


def test_quotes_of_what_is_compressed_here_become_whole() -> None:
    text = " ".join(f"In round {one}, the pump of quay {one} failed. Rain fell." for one in range(40))
    prompt = PromptCompressor().compress_prompt(text, question="What failed in round 31?", rate=0.2)
    short = prompt["compressed_prompt"]
    assert PromptCompressor().recover(text, short, short.partition("\n\n")[0]) in text
    assert PromptCompressor().recover(text, text, f"I read: {text}") == f"I read: {text}"
    same = "the " * 20_000
    assert PromptCompressor().recover(same, same, same) == same  # and in no time
