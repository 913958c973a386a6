"""Every kind of token counter: foreign code, whose answers are checked."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import odd_counters
import pytest
import tersely
import tiktoken
import tokenizers
from result_checks import check_result
from sample_texts import ALL, prose
from tersely import TokenCounter
from tersely.engine.reading import count, count_batch
from tersely.errors import MissingExtraError
from tersely.models.counters import COUNTERS, resolve_counter
from tersely.protocols import BatchTokenCounter
from tiktoken.model import MODEL_PREFIX_TO_ENCODING, MODEL_TO_ENCODING, encoding_name_for_model
from tokenizers import models, pre_tokenizers, processors

TEXT, LONG = prose(30), prose(400)


NAMES = ["o200k_base", "cl100k_base", "o200k_harmony", "qwen3.5", "jev", "chars/4"]


def byte_encoding() -> tiktoken.Encoding:
    """One token a byte: no vocabulary has to be downloaded."""
    ranks = {bytes([value]): value for value in range(256)}
    return tiktoken.Encoding(
        "bytes", pat_str=r"(?s:.)", mergeable_ranks=ranks, special_tokens={"<|end|>": 256}
    )


def word_tokenizer() -> tokenizers.Tokenizer:
    """One token a word or mark; a model's start and end tokens are added unless asked not to."""
    vocabulary = {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "Report": 3}
    tokenizer = tokenizers.Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    special = [("[CLS]", 1), ("[SEP]", 2)]
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=special)
    return tokenizer


class Plain:
    """A TokenCounter without count_batch."""

    def count(self, text: str) -> int:
        return len(text.split())


class Batched(Plain):
    name = "batched"
    calls = 0

    def count_batch(self, texts: Sequence[str]) -> Sequence[int]:
        self.calls += 1
        return [self.count(text) for text in texts]


def test_names_and_additivity_of_counters() -> None:
    assert list(COUNTERS) == NAMES
    assert tersely.compress(TEXT, budget=90).receipt.counter == "o200k_base"
    assert tersely.compress(TEXT, counter=odd_counters.words).receipt.counter == "words"
    assert resolve_counter("o200k_base").count("<|endoftext|>") > 1
    result = tersely.compress(TEXT, budget=40, counter=odd_counters.squares)
    assert "counter_not_additive" in result.receipt.warnings
    assert tersely.compress(TEXT, budget=90).receipt.warnings == ()


@pytest.mark.parametrize("name", NAMES)
def test_counters_by_name(name: str) -> None:
    counter = resolve_counter(name)
    assert isinstance(counter, BatchTokenCounter)
    assert counter.name == name
    assert counter.count("") == 0
    assert list(counter.count_batch(["", "a", TEXT])) == [0, counter.count("a"), counter.count(TEXT)]
    assert len(TEXT) / 8 < counter.count(TEXT) < len(TEXT) / 2
    result = tersely.compress(TEXT, budget=90, counter=name)
    check_result(result, counter.count)
    assert result.receipt.counter == name


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("漢字漢字漢", 2)]
)
def test_a_quarter_of_the_characters_rounded_up(text: str, tokens: int) -> None:
    assert resolve_counter("chars/4").count(text) == tokens


def test_tokenizers_of_tiktoken_and_hugging_face() -> None:
    counter = resolve_counter(byte_encoding())
    assert counter.count("é<|end|>") == 9
    result = tersely.compress(ALL, "storm", budget=300, counter=byte_encoding(), strategy="extractive")
    check_result(result, odd_counters.utf8_bytes)
    assert result.receipt.counter == "bytes"
    counter = resolve_counter(word_tokenizer())
    assert counter.count("Report one, two.") == 5
    assert list(counter.count_batch(["", "Report"])) == [0, 1]
    result = tersely.compress(TEXT, "copper", budget=60, counter=word_tokenizer())
    check_result(result, counter.count)
    assert result.receipt.counter == "tokenizers"


def test_counters_with_and_without_batches() -> None:
    assert isinstance(Plain(), TokenCounter)
    assert not isinstance(Plain(), BatchTokenCounter)
    result = tersely.compress(TEXT, budget=60, counter=Plain())
    check_result(result, odd_counters.words)
    assert result.receipt.counter == "Plain"
    counter = Batched()
    result = tersely.compress(TEXT, budget=60, counter=counter)
    check_result(result, odd_counters.words)
    assert result.receipt.counter == "batched"
    assert counter.calls <= 10


MODELS_OF_TIKTOKEN = [
    name for name, encoding in MODEL_TO_ENCODING.items() if encoding in ("o200k_base", "cl100k_base")
]
VERSIONS_OF_TIKTOKEN = [
    start + "x" if start.endswith("-") else start
    for start, encoding in MODEL_PREFIX_TO_ENCODING.items()
    if encoding in ("o200k_base", "cl100k_base", "o200k_harmony")
]


@pytest.mark.parametrize("model", [*MODELS_OF_TIKTOKEN, *VERSIONS_OF_TIKTOKEN])
def test_a_model_is_counted_as_tiktoken_says(model: str) -> None:
    assert getattr(resolve_counter(model), "encoding", None) == encoding_name_for_model(model)


@pytest.mark.parametrize(
    ("model", "encoding"),
    [
        ("gpt-4o-2024-08-06", "o200k_base"),
        ("openai/gpt-4o", "o200k_base"),
        ("gpt-5.2-codex", "o200k_base"),
        ("gpt-4.1-mini", "o200k_base"),
        ("gpt-4-turbo", "cl100k_base"),
        ("ft:gpt-4o:org", "o200k_base"),
        ("GPT-4o-mini", "o200k_base"),
        ("gpt-oss:20b", "o200k_harmony"),
    ],
)
def test_a_version_of_a_model_is_counted_as_the_model(model: str, encoding: str) -> None:
    result = tersely.compress(TEXT, budget=90, counter=model)
    assert result.receipt.counter == encoding
    check_result(result, resolve_counter(encoding).count)


OTHERS = (
    "claude-sonnet-4 gemini-2.5-pro llama-3 anthropic/claude-3 "
    "meta-llama/Llama-3.1-8B mistralai/Mistral-7B-v0.3 us.anthropic.claude-3-5-sonnet-20240620-v1:0"
)


@pytest.mark.parametrize("model", OTHERS.split())
def test_an_estimate_is_called_one_in_the_receipt(model: str) -> None:
    result = tersely.compress(TEXT, budget=90, counter=model)
    assert result.receipt.counter == f"o200k_base, an estimate for {model}"
    assert result.text == tersely.compress(TEXT, budget=90).text


def test_a_name_of_toktoks_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "toktok", None)
    with pytest.raises(MissingExtraError, match=r"toktok-rs is not installed.*tersely\[toktok\]"):
        resolve_counter("qwen3.5")


class BatchCounter:
    """Answers a batch with whatever the function makes of it."""

    name = "odd"

    def __init__(self, answer: Callable[[Sequence[str]], Any]) -> None:
        self.answer = answer

    def count(self, text: str) -> int:
        return self.answer([text])[0]

    def count_batch(self, texts: Sequence[str]) -> Any:
        return self.answer(texts)


TEXTS = ["one", "two words", ""]
GOOD = {
    "list": lambda texts: [len(text) for text in texts],
    "tuple": lambda texts: tuple(len(text) for text in texts),
    "int32 array": lambda texts: np.array([len(text) for text in texts], dtype=np.int32),
    "uint64 array": lambda texts: np.array([len(text) for text in texts], dtype=np.uint64),
    "numpy scalars": lambda texts: [np.int64(len(text)) for text in texts],
}


@pytest.mark.parametrize("name", GOOD)
def test_whole_numbers_in_any_sequence(name: str) -> None:
    counts = count_batch(BatchCounter(GOOD[name]), TEXTS)
    assert counts.dtype == np.int64
    assert counts.tolist() == [3, 9, 0]
    assert count(BatchCounter(GOOD[name]), "four") == 4


BAD = {
    "floats": (lambda texts: [1.0 for _ in texts], "must return whole numbers"),
    "whole floats in an array": (lambda texts: np.ones(len(texts)), "must return whole numbers"),
    "nan": (lambda texts: [float("nan") for _ in texts], "must return whole numbers"),
    "strings": (lambda texts: ["3" for _ in texts], "must return whole numbers"),
    "None each": (lambda texts: [None for _ in texts], "must return whole numbers"),
    "lists each": (lambda texts: [[1] for _ in texts], "must return whole numbers"),
    "negative": (lambda texts: [-1 for _ in texts], "returned -1, less than 0"),
    "beyond int64": (lambda texts: [2**70 for _ in texts], "must return whole numbers"),
    "one too few": (lambda texts: [1 for _ in texts][1:], "returned 2 counts for 3 texts"),
    "one too many": (lambda texts: [1, *(1 for _ in texts)], "returned 4 counts for 3 texts"),
    "nothing": (lambda _: None, "odd"),
    "a number": (lambda _: 3, "odd"),
    "a generator": (lambda texts: (1 for _ in texts), "odd"),
    "a table": (lambda texts: np.ones((len(texts), 1), dtype=np.int64), "odd"),
}


@pytest.mark.parametrize("name", BAD)
def test_anything_else_is_a_value_error_that_names_the_counter(name: str) -> None:
    answer, message = BAD[name]
    with pytest.raises(ValueError, match=message) as caught:
        count_batch(BatchCounter(answer), TEXTS)
    assert "odd" in str(caught.value)


def test_errors_of_counters() -> None:
    def fail(texts: Sequence[str]) -> Any:
        raise OSError("model file is gone")

    with pytest.raises(ValueError, match="odd failed on 3 texts: OSError") as caught:
        count_batch(BatchCounter(fail), TEXTS)
    assert isinstance(caught.value.__cause__, OSError)

    def interrupt(texts: Sequence[str]) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        count_batch(BatchCounter(interrupt), TEXTS)
    assert count_batch(BatchCounter(GOOD["list"]), []).tolist() == []

    def broken(text: str) -> int:
        raise KeyError("vocabulary")

    with pytest.raises(ValueError, match="the token counter broken failed") as caught:
        tersely.compress(TEXT, budget=9, counter=broken)
    assert isinstance(caught.value.__cause__, KeyError)


@pytest.mark.parametrize("query", [None, "Which shipment met the crew?"])
def test_a_function_is_asked_for_a_few_texts(query: str | None) -> None:
    for function in (odd_counters.words, odd_counters.characters, odd_counters.quarters):
        asked: list[str] = []

        def counter(text: str, function: Callable[[str], int] = function, asked: list[str] = asked) -> int:
            asked.append(text)
            return function(text)

        budget = function(LONG) // 5
        result = tersely.compress(LONG, query=query, budget=budget, counter=counter)
        assert 0.95 * budget <= function(result.text) <= budget
        assert len(asked) <= 12
