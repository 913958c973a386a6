"""Goals and tables of the seed, on text made by chance. Measured on real text by benchmarks/strategies."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import fields
from math import comb

import pytest
import tersely
from sample_texts import prose
from tersely.engine.strategies import Auto
from tersely.models.counters import resolve_counter
from tersely.strategies import (
    CompressionMethod,
    CompressionOptions,
    ContextChunk,
    ExtractiveCompressor,
    HybridCompressor,
    Manager,
    profile,
)

_SUBJECTS = ["The keeper", "A pilot", "The council", "Every skipper", "The ice house", "One of the clerks"]
_VERBS = ["repaired", "counted", "painted", "described", "forgot", "inspected", "bought", "moved"]
_OBJECTS = ["the ropes", "a lantern", "the quay", "two ledgers", "the old winch", "many nets", "the bell"]
_WHEN = [
    "before noon",
    "during the storm",
    "without a word",
    "as in other years",
    "in the end",
    "at low tide",
]


def sentence(chance: random.Random) -> str:
    return " ".join(map(chance.choice, (_SUBJECTS, _VERBS, _OBJECTS, _WHEN))) + "."


def essay(chance: random.Random, sentences: int) -> str:
    said = [sentence(chance) for _ in range(sentences)]
    parts = [" ".join(said[at : at + 6]) for at in range(0, sentences, 6)]
    return "\n\n".join(f"## Part {n}\n\n{part}" if n % 5 == 0 else part for n, part in enumerate(parts))


def questioned(chance: random.Random, sentences: int) -> tuple[str, str, str]:
    """A text with one sentence that answers a question, the answer, the question."""
    name, room = chance.choice(["Ilse Varga", "Tom Brandt", "Mira Okafor"]), chance.randrange(100, 999)
    answer = f"{name} keeps the spare key in room {room}."
    said = [sentence(chance) for _ in range(sentences)]
    said.insert(chance.randrange(sentences), answer)
    return " ".join(said), answer, f"Where does {name} keep the spare key?"


def test_documentation_five_to_one() -> None:
    text = essay(random.Random(2), 2000)
    result = tersely.compress(text, strategy=Auto(as_type="markdown", goal="expected"))
    assert result.original_tokens >= 20_000
    assert result.original_tokens / result.tokens >= 5.0


def _by_compress(text: str, query: str) -> str:
    return tersely.compress(text, query or None, ratio=0.1).text


def _by_extractive(text: str, query: str) -> str:
    options = CompressionOptions(target_ratio=0.1, min_tokens=0, query_context=query)
    return ExtractiveCompressor().compress(text, options).compressed


def _by_hybrid(text: str, query: str) -> str:
    options = CompressionOptions(target_ratio=0.1, min_tokens=0, query_context=query)
    return HybridCompressor().compress(text, options).compressed


def _by_manager(text: str, query: str) -> str:
    budget = resolve_counter(None).count(text) // 10
    return Manager().prepare_context([ContextChunk("a", text)], query, budget).text


@pytest.mark.parametrize("door", [_by_compress, _by_extractive, _by_hybrid, _by_manager])
def test_the_answer_stays_with_the_query_at_every_door(door: Callable[[str, str], str]) -> None:
    chance = random.Random(6)
    trials = [questioned(chance, 60) for _ in range(200)]
    assert sum(answer in door(text, question) for text, answer, question in trials) >= 0.95 * 200


def test_and_rarely_without() -> None:
    chance = random.Random(6)
    asked, unasked = [], []
    for _ in range(200):
        text, answer, question = questioned(chance, 60)
        asked.append(answer in _by_compress(text, question))
        unasked.append(answer in _by_compress(text, ""))
    better = sum(a and not b for a, b in zip(asked, unasked, strict=True))
    differ = better + sum(b and not a for a, b in zip(asked, unasked, strict=True))
    assert sum(comb(differ, k) for k in range(better, differ + 1)) / 2**differ < 0.05  # sign test


def test_the_methods_in_their_order() -> None:
    assert [method.name for method in CompressionMethod][:4] == [
        "EXTRACTIVE",
        "ABSTRACTIVE",
        "HYBRID",
        "HIERARCHICAL",
    ]
    assert [int(method) for method in CompressionMethod][:4] == [0, 1, 2, 3]


def test_the_ten_options() -> None:
    assert {field.name for field in fields(CompressionOptions)} >= {
        "target_ratio",
        "target_tokens",
        "min_tokens",
        "preferred_method",
        "allow_hybrid",
        "preserve_code",
        "preserve_quotes",
        "preserve_numbers",
        "query_context",
        "min_confidence",
    }


def test_three_to_one_over_mixed_content() -> None:
    chance = random.Random(63)
    texts = [
        essay(chance, 300),
        "\n".join(f"Anna: {sentence(chance)}\nBen: {sentence(chance)}" for _ in range(150)),
        "\n".join(
            f"2024-05-01 10:{n // 60:02}:{n % 60:02} INFO served {n} in {n % 9} ms" for n in range(500)
        ),
        "def add(a: int, b: int) -> int:\n    total = a + b\n    return total\n\n\n" * 100,
    ]
    results = ExtractiveCompressor().compress_batch(texts, CompressionOptions())
    original = sum(result.original.token_count for result in results if result.original)
    assert original / sum(result.token_count for result in results) >= 3.0


@pytest.mark.seconds
def test_ten_thousand_tokens_in_a_second() -> None:
    text = essay(random.Random(66), 900)
    compressor, options = ExtractiveCompressor(), CompressionOptions(query_context="Who painted the quay?")
    times = []
    for _ in range(20):
        begun = time.process_time()
        result = compressor.compress(text, options)
        times.append(time.process_time() - begun)
    assert result.original is not None and result.original.token_count >= 9_000
    assert sorted(times)[18] < 1.0


@pytest.mark.parametrize("goal", ["default", "expected"])
def test_documentation_is_for_its_key_concepts(goal: str) -> None:
    told = profile("documentation", goal)  # type: ignore[arg-type]
    extracted = tersely.compress(prose(40), ratio=told.ratio, strategy=told.method.name.lower())
    assert extracted.receipt.fallback_reason == "no_model" and not extracted.receipt.used_llm
    assert (told.method, told.preserve) == (CompressionMethod.ABSTRACTIVE, ("key_concepts",))
    assert told.ratio == (0.3 if goal == "default" else 0.2)
