"""Compressors: options, targets, sentences, metadata, batches, caches."""

from __future__ import annotations

import asyncio
import copy
import math
import pickle
import random
import threading
from dataclasses import FrozenInstanceError, fields, replace
from datetime import UTC, datetime
from typing import Any

import odd_counters
import pytest
import tersely
from hypothesis import given, strategies as st
from result_checks import check_result
from sample_texts import GUIDE, LOG, prose
from tersely import BudgetExceededError, NotReversibleError, RelevanceScoringError
from tersely.models.counters import resolve_counter
from tersely.strategies import (
    AbstractiveCompressor,
    CompressedContext,
    CompressionMethod,
    CompressionOptions,
    ContextChunk,
    ExtractiveCompressor,
    HierarchicalCompressor,
    HybridCompressor,
    IncrementalCompressor,
    Manager,
)
from tersely.strategies.compressors import Compressor
from tersely.strategies.contexts import entities
from text_strategies import texts
from written_checks import Model

TEXT = prose(40)
NOON = datetime(2024, 3, 5, 12, tzinfo=UTC)


class Broken:
    def embed(self, batch: list[str]) -> object:
        raise OSError("no model")


def words_compressor(**options: object) -> ExtractiveCompressor:
    return ExtractiveCompressor(counter=odd_counters.words, **options)


def test_fields_of_the_result() -> None:
    names = {field.name for field in fields(CompressedContext)}
    seed = {"id", "original", "compressed", "compression_ratio", "token_count", "method", "metadata"}
    assert names >= seed
    result = ExtractiveCompressor().compress(TEXT)
    with pytest.raises(FrozenInstanceError):
        result.compressed = ""  # type: ignore[misc]


def test_the_original() -> None:
    result = ExtractiveCompressor(clock=lambda: NOON).compress(TEXT, source="guide.md")
    assert result.original is not None
    assert (result.original.content, result.original.source) == (TEXT, "guide.md")
    assert result.original.token_count == resolve_counter(None).count(TEXT)
    assert result.original.timestamp == NOON
    now = ExtractiveCompressor().compress(TEXT).original
    assert now is not None and now.timestamp is not None
    assert now.timestamp.tzinfo is not None
    with pytest.raises(ValueError, match="time zone"):
        ExtractiveCompressor(clock=lambda: datetime(2024, 3, 5)).compress(TEXT)


def test_metadata_is_filled() -> None:
    result = ExtractiveCompressor().compress(GUIDE, CompressionOptions(query_context="When did it open?"))
    metadata = result.metadata
    assert metadata.preserved_entities and metadata.key_concepts and metadata.dropped_sections
    assert set(metadata.preserved_entities) <= set(entities(GUIDE))
    assert all(name in result.compressed for name in metadata.preserved_entities)
    assert all(concept in result.compressed for concept in metadata.key_concepts)
    assert 0 <= metadata.confidence_score < 1


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (
            "Between the two, John Locke wrote of the United States. Locke left.",
            ("John Locke", "United States"),
        ),
        ("Thus it ended. Meanwhile Paris waited, and so did Paris's mayor.", ("Paris",)),
        ("The Bank of England raised rates by 5% on 3 May 2021.", ("Bank of England", "5%", "3 May 2021")),
        ("See src/auth.py for parse_row.", ("src/auth.py", "parse_row")),
    ],
)
def test_entities_are_whole_names(text: str, named: tuple[str, ...]) -> None:
    assert entities(text) == named


def test_dropped_sections_cover_exactly_the_dropped_spans() -> None:
    result = ExtractiveCompressor().compress(GUIDE, CompressionOptions(target_tokens=120))
    assert result.result is not None
    sections = list(result.metadata.dropped_sections)
    at, covered = 0, []
    for section in sections:
        at = GUIDE.index(section, at)
        covered.append((at, at + len(section)))
        at += len(section)
    for span in result.result.dropped:
        assert any(start <= span.start and span.end <= end for start, end in covered)
    for span in result.result.kept:
        assert not any(start < span.end and span.start < end for start, end in covered)


@pytest.mark.parametrize(("ratio", "most"), [(0.25, 250), (0.3, 300), (0.9, 900)])
def test_target_ratio(ratio: float, most: int) -> None:
    text = " ".join(f"Sentence {i} has exactly these five words." for i in range(1000))
    text = " ".join(text.split()[:1000])
    result = words_compressor().compress(text, CompressionOptions(target_ratio=ratio))
    assert 0.9 * most < result.token_count <= most


def test_in_the_default_tokenizer() -> None:
    result = ExtractiveCompressor().compress(TEXT, CompressionOptions(target_tokens=77))
    assert 60 < resolve_counter(None).count(result.compressed) <= 77


def test_targets() -> None:
    text = "word. " * 600
    compressor = words_compressor()

    def target(**options: object) -> int:
        result = compressor.compress(text, CompressionOptions(**options)).result
        assert result is not None
        return result.receipt.budget

    assert target(target_ratio=0.1, min_tokens=100) == 100
    assert target(target_ratio=0.5, min_tokens=100) == 300
    assert target(target_tokens=50, min_tokens=100) == 50


def test_below_the_minimum_the_bytes_do_not_change() -> None:
    text = "  word.\r\n\tword\u00a0" * 45
    result = words_compressor().compress(text, CompressionOptions(min_tokens=100))
    assert (result.compressed, result.compression_ratio) == (text, 1.0)
    assert result.metadata.confidence_score == 1.0
    assert result.metadata.dropped_sections == ()


def test_a_target_below_the_minimum_is_noted() -> None:
    result = words_compressor().compress("word. " * 600, CompressionOptions(target_tokens=50))
    assert "target_tokens_below_min" in result.warnings
    again = words_compressor().compress("word. " * 600, CompressionOptions(target_tokens=50, min_tokens=50))
    assert "target_tokens_below_min" not in again.warnings


def test_sync_and_async_are_equal() -> None:
    compressor = ExtractiveCompressor()
    options = CompressionOptions(query_context="Who keeps the harbour?")
    sync = compressor.compress(TEXT, options)
    assert asyncio.run(compressor.acompress(TEXT, options)) == sync
    assert asyncio.run(compressor.acompress_batch([TEXT, TEXT], options)) == [sync, sync]


def test_cancelling_ends_the_batch() -> None:
    begun, go = threading.Semaphore(0), threading.Event()

    class Slow(ExtractiveCompressor):
        def compress(self, *arguments: object, **options: object) -> CompressedContext:
            begun.release()
            go.wait(10)
            return super().compress(*arguments, **options)  # type: ignore[arg-type]

    async def scenario() -> int:
        task = asyncio.create_task(Slow().acompress_batch(["word. " * 9] * 500))
        await asyncio.to_thread(begun.acquire)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        go.set()
        return begun._value

    assert asyncio.run(scenario()) < 100


def test_batch_in_order_and_one_failure() -> None:
    contents: list[Any] = [prose(5), b"bad", prose(30), ""]
    compressor = ExtractiveCompressor()
    results = compressor.compress_batch(contents, threads=2)
    assert isinstance(results[1], TypeError)
    for i in (0, 2, 3):
        assert results[i] == compressor.compress(contents[i])
    asynchronous = asyncio.run(compressor.acompress_batch(contents))
    assert isinstance(asynchronous[1], TypeError)
    assert [asynchronous[i] for i in (0, 2, 3)] == [results[i] for i in (0, 2, 3)]
    with pytest.raises(TypeError, match="list of str"):
        compressor.compress_batch("text")


@given(st.one_of(texts, st.text(st.characters(exclude_categories=["Cs"]))))
def test_decompress_gives_every_byte(content: str) -> None:
    compressor = ExtractiveCompressor()
    result = compressor.compress(content)
    assert compressor.decompress(result) == content


def test_a_lone_surrogate_comes_back_and_nothing_without_the_original() -> None:
    compressor = ExtractiveCompressor()
    result = compressor.compress(f"bad \udc80. {prose(30)}")
    assert "characters_replaced" in result.warnings
    assert compressor.decompress(result) == f"bad \udc80. {prose(30)}"
    with pytest.raises(NotReversibleError, match="without its original"):
        compressor.decompress(replace(result, original=None))


def test_the_ratio_is_of_tokens() -> None:
    count = resolve_counter(None).count
    result = ExtractiveCompressor().compress(TEXT)
    assert result.compression_ratio == pytest.approx(count(result.compressed) / count(TEXT), abs=1e-12)
    assert ExtractiveCompressor().compress("").compression_ratio == 1.0


@pytest.mark.parametrize("query", ["", "How many days did it rain?"])
def test_kept_text_is_verbatim(query: str) -> None:
    options = CompressionOptions(target_tokens=150, query_context=query)
    compressor = ExtractiveCompressor()
    result = compressor.compress(GUIDE, options).result
    assert result is not None
    check_result(result, compressor.counter.count)


def test_a_failing_embedder_is_replaced_and_noted() -> None:
    options = CompressionOptions(query_context="How many days did it rain?", target_tokens=60)
    result = ExtractiveCompressor(Broken()).compress(GUIDE, options)
    assert "embedder_failed" in result.warnings
    assert "214" in result.compressed


def test_confidence_follows_what_is_lost() -> None:
    options = [CompressionOptions(target_tokens=tokens) for tokens in (30, 100, 300)]
    scores = [ExtractiveCompressor().compress(GUIDE, o).metadata.confidence_score for o in options]
    assert scores == sorted(scores)
    assert "low_confidence" in ExtractiveCompressor().compress(GUIDE, options[0]).warnings


def test_objects_and_functions_without_a_name_count_as_themselves() -> None:
    class Counter:
        def __init__(self, each: int) -> None:
            self.each = each

        def count(self, text: str) -> int:
            return len(text.split()) * self.each

    one, two = Counter(1), Counter(2)
    counters = [one, two, one, lambda text: len(text) + 1, lambda text: len(text) + 2, odd_counters.words]
    ids = [ExtractiveCompressor(counter=counter).compress(TEXT).id for counter in counters]
    assert ids[0] == ids[2] and len(set(ids)) == 5


def test_ids_say_what_was_asked_and_done() -> None:
    compressor = ExtractiveCompressor()
    one = compressor.compress(TEXT).id
    assert len(one) == 64 and one == ExtractiveCompressor(clock=lambda: NOON).compress(TEXT).id
    made = {
        one,
        compressor.compress(TEXT + " ").id,
        compressor.compress(TEXT, CompressionOptions(query_context="who")).id,
        compressor.compress(TEXT, CompressionOptions(target_ratio=0.31)).id,
        ExtractiveCompressor(level="clause").compress(TEXT).id,
        ExtractiveCompressor(counter="cl100k_base").compress(TEXT).id,
        HybridCompressor().compress(TEXT).id,
        HybridCompressor(threshold=50).compress(TEXT).id,
        HybridCompressor(lambda prompt: "a").settings(CompressionOptions()),
        HybridCompressor(Model("a")).settings(CompressionOptions()),
        *(HierarchicalCompressor(levels).compress(TEXT).id for levels in (2, 3)),
    }
    assert len(made) == 12


@pytest.mark.parametrize("compressor", [ExtractiveCompressor(), HybridCompressor()])
def test_a_fence_that_fits_stays_whole_among_numbers(compressor: Compressor) -> None:
    code = "\n".join(f"def f{i}(x):\n    return x + {i}\n" for i in range(12))
    fence = f"```python\n{code}```"
    chance = random.Random(19)  # no two sentences are alike: what is told once would leave the fence its room
    things = [
        "crane",
        "buoy",
        "harbour",
        "ledger",
        "tide",
        "valve",
        "anchor",
        "pilot",
        "cargo",
        "signal",
        "rope",
    ]
    verbs = ["carries", "weighs", "meets", "leaves", "counts", "lowers", "reports", "repairs"]
    said = [(chance.choice(things), chance.choice(verbs), chance.choice(things)) for _ in range(180)]
    lines = [
        f"The {a} {b} {i * 7} times the {c} before {i}.5 hours pass." for i, (a, b, c) in enumerate(said)
    ]
    around = [" ".join(lines[at : at + 20]) for at in range(0, 180, 20)]
    text = "\n\n".join([*around[:4], fence, *around[4:]])
    result = compressor.compress(text, CompressionOptions(target_ratio=0.3))
    assert fence in result.compressed
    facts = result.result.receipt.facts if result.result else None
    assert facts is not None and facts.of("lost") and "facts_lost" in result.warnings
    off = CompressionOptions(target_ratio=0.3, preserve_code=False)
    assert fence not in compressor.compress(text, off).compressed


@pytest.mark.parametrize("way", ["extractive", "hybrid", "preferred", "manager", "incremental"])
def test_strict_preserve_is_honoured_on_every_path(way: str) -> None:
    options = CompressionOptions(
        target_tokens=60,
        strict_preserve=True,
        preferred_method=CompressionMethod(0 if way == "preferred" else 2),
    )
    ways = {
        "extractive": lambda: ExtractiveCompressor().compress(GUIDE, options),
        "hybrid": lambda: HybridCompressor().compress(GUIDE, options),
        "preferred": lambda: HybridCompressor(Model("no")).compress(GUIDE, options),
        "manager": lambda: Manager(options).prepare_context([ContextChunk("a", GUIDE)], "", 60),
        "incremental": lambda: IncrementalCompressor().update("a", GUIDE, options),
    }
    with pytest.raises(tersely.BudgetExceededError) as raised:
        ways[way]()
    assert raised.value.required > 60


@pytest.mark.parametrize("kind", [ExtractiveCompressor, HybridCompressor])
def test_levels_have_no_budget_so_strict_makes_them_larger(kind: type[Compressor]) -> None:
    """The error named a budget that no caller could give."""
    made = HierarchicalCompressor(compressor=kind()).compress(GUIDE, CompressionOptions(strict_preserve=True))
    assert len(made.levels) == 3
    for level in made.levels:
        assert level.result is not None and level.result.receipt.facts is not None
        assert level.result.receipt.facts.retention == 1.0


@given(text=texts, levels=st.integers(1, 6), strict=st.booleans())
def test_levels_raise_no_budget_error(text: str, levels: int, strict: bool) -> None:
    options = CompressionOptions(strict_preserve=strict)
    for compressor in (
        None,
        ExtractiveCompressor(strict=strict),
        HybridCompressor(),
        HybridCompressor(Model("a")),
    ):
        made = HierarchicalCompressor(levels, compressor=compressor).compress(text, options)
        sizes = [level.token_count for level in made.levels]
        assert made.levels and sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize(
    ("method", "model", "said"), [(2, "m", True), (0, "m", False), (3, "m", False), (2, None, False)]
)
def test_levels_say_that_no_model_writes_them(method: int, model: Any, said: bool) -> None:
    compressor = HybridCompressor(model and Model("never"))
    options = CompressionOptions(preferred_method=CompressionMethod(method))
    made = HierarchicalCompressor(compressor=compressor).compress(GUIDE, options)
    assert ("model_not_used" in made.warnings) == said
    assert [level.content for level in made.levels] == [
        level.content for level in HierarchicalCompressor().compress(GUIDE).levels
    ]


@pytest.mark.parametrize("strategy", ["hybrid", "abstractive"])
def test_a_strategy_without_its_model_says_so_in_its_warnings(strategy: Any) -> None:
    """X76: there was a reason in the receipt, and warnings == ()."""
    receipt = tersely.compress(GUIDE, budget=150, strategy=strategy).receipt
    assert receipt.fallback_reason == "no_model" and "model_not_used" in receipt.warnings


def test_extractive_when_preferred_asks_no_model() -> None:
    options = CompressionOptions(preferred_method=CompressionMethod.EXTRACTIVE, target_tokens=90)
    for kind in (AbstractiveCompressor, HybridCompressor):
        model = Model("never")
        result = kind(model).compress(GUIDE, options)
        assert model.prompts == []
        assert (result.method, result.fallback_reason) == (CompressionMethod.EXTRACTIVE, None)
        assert result.compressed == ExtractiveCompressor().compress(GUIDE, options).compressed


@pytest.mark.parametrize("query", ["", "How many days did it rain?"])
def test_a_hybrid_without_a_model_is_the_extractive_path(query: str) -> None:
    options = CompressionOptions(query_context=query, target_tokens=150)
    one, other = (kind().compress(GUIDE, options) for kind in (ExtractiveCompressor, HybridCompressor))
    assert (one.compressed, one.metadata) == (other.compressed, other.metadata)
    assert (one.fallback_reason, other.fallback_reason) == (None, "no_model")
    assert set(other.warnings) == {*one.warnings, "model_not_used"}


def test_strict_raises_where_the_embedder_fails_or_a_segment_would_be_cut() -> None:
    options = CompressionOptions(query_context="How many days did it rain?", target_tokens=60)
    with pytest.raises(tersely.RelevanceScoringError, match="Broken failed"):
        ExtractiveCompressor(Broken(), strict=True).compress(GUIDE, options)
    with pytest.raises(tersely.RelevanceScoringError, match="Broken failed"):
        HierarchicalCompressor(compressor=ExtractiveCompressor(Broken(), strict=True)).compress(
            GUIDE, options
        )
    text = f"{'one, ' * 300}end. {'two, ' * 200}end."
    strict = words_compressor(strict=True)
    with pytest.raises(tersely.BudgetExceededError) as raised:
        strict.compress(text, CompressionOptions(target_tokens=50))
    again = strict.compress(text, CompressionOptions(target_tokens=raised.value.required))
    assert again.token_count <= raised.value.required and not again.warnings.count("segment_cut")


def test_results_can_be_pickled_and_copied_and_not_changed() -> None:
    result = ExtractiveCompressor().compress(GUIDE, CompressionOptions(target_tokens=100))
    assert pickle.loads(pickle.dumps(result)) == result == copy.deepcopy(result)
    with pytest.raises(FrozenInstanceError):
        result.metadata.content = ""  # type: ignore[misc]


def test_a_text_is_read_as_what_it_is_unless_a_level_is_asked_for() -> None:
    options = CompressionOptions(target_tokens=100, query_context="Which sluice failed?")
    text = "\n".join([LOG] * 3)
    one = ExtractiveCompressor().compress(text, options).result
    assert one is not None and one.receipt.content_types == ("log",)
    other = ExtractiveCompressor(level="paragraph").compress(text, options).result
    assert other is not None and other.receipt.content_types != ("log",)


def test_a_compressor_is_a_strategy_and_a_strategy_makes_a_compressor() -> None:
    assert tersely.compress(TEXT, budget=50, strategy=ExtractiveCompressor()).tokens <= 50
    options = CompressionOptions(target_tokens=100)
    assert Compressor().compress(TEXT, options).compressed == (
        ExtractiveCompressor().compress(TEXT, options).compressed
    )
    levels = Compressor(tersely.strategies.Hierarchical()).compress(TEXT, options)
    assert (levels.method, levels.token_count <= 100) == (CompressionMethod.HIERARCHICAL, True)
    cut = Compressor(tersely.Extractive(level="paragraph")).compress(GUIDE, options)
    assert cut.compressed == ExtractiveCompressor(level="paragraph").compress(GUIDE, options).compressed


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [(5, None, "content must be str, not int"), ("text", {}, "options must be CompressionOptions")],
)
def test_wrong_arguments(content: object, options: object, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        ExtractiveCompressor().compress(content, options)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="embedder must be"):
        ExtractiveCompressor(embedder=5)


SEED_SENTENCES = [
    "This is the most important sentence.",
    "This is less important.",
    "This is also important for the query.",
    "This is filler content.",
]
SEED_SCORES = [0.9, 0.3, 0.8, 0.2]


class Fixed:
    """An embedder for which each text's cosine with the query "q" is what is said here."""

    def __init__(self, cosines: dict[str, float]) -> None:
        self.cosines = cosines

    def embed(self, batch: list[str]) -> list[list[float]]:
        return [self._row(self.cosines.get(text, 1.0)) for text in batch]

    def _row(self, cosine: float) -> list[float]:
        return [cosine, math.sqrt(1 - cosine * cosine)]


def sentence(words: int) -> str:
    return " ".join(["word"] * words)


@pytest.mark.parametrize(
    ("options", "sentences", "query", "scores"),
    [
        ({}, ["One.", "Two.", "Three."], "", [1.0, 0.99, 0.98]),  # A029: position
        ({}, [], "", []),
        ({"embedder": Fixed({"two words": 0.5})}, ["two words"], "q", [2.0]),  # A030: relevance
        ({"embedder": Fixed({"two words": 0.5})}, ["two words"], "", [1.0]),
        ({}, ["two words"], "two words", [1.0]),  # terms only where they are wanted
        ({"lexical_fallback": True}, ["red boats", "grey cats"], "boats, red boats", [3.0, 0.99]),
        *(({}, [sentence(n)], "", [more]) for n, more in ((5, 1.0), (6, 1.3), (49, 1.3), (50, 1.0))),  # A031
        ({}, ["Word."] * 151, "", [1 - 0.01 * n for n in range(151)]),  # X05
        ({"position_floor": 0.0}, ["Word."] * 151, "", [max(1 - 0.01 * n, 0) for n in range(151)]),
    ],
)
def test_scores_of_sentences(
    options: dict[str, Any], sentences: list[str], query: str, scores: list[float]
) -> None:
    found = ExtractiveCompressor(**options).score_sentences(sentences, query)
    assert found == pytest.approx(scores, abs=1e-6)


@pytest.mark.parametrize(
    ("lengths", "scores", "target", "floor", "chosen"),
    [
        ([5, 5, 5], [0.1, 0.9, 0.5], 10, 0.5, [1, 2]),  # A032: best first, in source order
        ([3, 40, 4], [0.9, 0.8, 0.7], 10, 0.5, [0, 2]),  # X03: what does not fit is passed over
        ([6, 4, 7, 4], SEED_SCORES, 50, 0, [0, 1, 2, 3]),  # X04: without the floor
        ([6, 4, 7, 4], SEED_SCORES, 15, 0, [0, 2]),
    ],
)
def test_sentences_that_are_chosen(
    lengths: list[int], scores: list[float], target: int, floor: float, chosen: list[int]
) -> None:
    sentences = [f"{sentence(length - 1)} {n}." for n, length in enumerate(lengths)]
    found = words_compressor().select_sentences(sentences, scores, target, floor)
    assert found == [sentences[n] for n in chosen]


def test_the_seeds_own_test() -> None:
    compressor = ExtractiveCompressor()
    selected = compressor.select_sentences(SEED_SENTENCES, SEED_SCORES, 50)
    assert len(selected) == 2
    assert "most important" in selected[0]
    assert "also important" in selected[1]


def test_never_empty_never_over() -> None:
    (only,) = words_compressor().select_sentences([sentence(40)], [0.9], 10)
    assert 0 < odd_counters.words(only) <= 10
    with pytest.raises(BudgetExceededError) as raised:
        words_compressor(strict=True).select_sentences([sentence(40)], [0.9], 10)
    assert (raised.value.required, raised.value.budget) == (40, 10)


@given(
    st.lists(st.tuples(st.integers(1, 30), st.floats(-2, 3)), min_size=1, max_size=12),
    st.integers(1, 40),
    st.sampled_from([0.0, 0.5, 1.0]),
)
def test_for_any_sentences(rows: list[tuple[int, float]], target: int, floor: float) -> None:
    sentences = [sentence(words) for words, _ in rows]
    selected = words_compressor().select_sentences(sentences, [score for _, score in rows], target, floor)
    assert selected
    assert sum(map(odd_counters.words, selected)) <= target


def test_a_failing_embedder() -> None:
    with pytest.warns(RuntimeWarning, match="the embedder failed"):
        scores = ExtractiveCompressor(Broken()).score_sentences(["red boats", "cats"], "boats")
    assert scores == [3.0, 0.99]
    with pytest.raises(RelevanceScoringError, match="no model"):
        ExtractiveCompressor(Broken(), strict=True).score_sentences(["red boats"], "boats")


def test_ties_go_to_the_first() -> None:
    rng = random.Random(7)
    sentences = [f"Sentence number {i}." for i in range(30)]
    scores = [rng.choice([0.6, 0.7]) for _ in sentences]
    first = words_compressor().select_sentences(sentences, scores, 30)
    order = sorted(range(30), key=lambda i: (-scores[i], i))[:10]  # three words each
    assert first == [sentences[i] for i in sorted(order)]
    assert all(words_compressor().select_sentences(sentences, scores, 30) == first for _ in range(100))


@pytest.mark.parametrize(
    ("scores", "message"), [([1.0], "one score a sentence"), ([1.0, math.nan], "finite")]
)
def test_wrong_scores(scores: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        words_compressor().select_sentences(["a", "b"], scores, 5)
