"""LLMLingua's tagged prompts and objects, whose parts have shares of their own; quotes made whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tersely.integrations import llmlingua
from tersely.integrations.llmlingua import PromptCompressor, StructuredPart, read_structure
from tersely.models.counters import resolve_counter

COUNT = resolve_counter("cl100k_base").count
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
