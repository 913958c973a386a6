"""What holds after any sequence of edits, with any counter, and from any thread."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from itertools import pairwise

import odd_counters
import pytest
import sample_texts
import tersely
from hypothesis import given, settings, strategies as st
from result_checks import check_counts
from tersely import Extractive
from tersely.engine.finish import broken_promises
from tersely.engine.incremental import Known, prepare_with, price
from tersely.engine.strategies import Auto
from tersely.errors import BudgetExceededError
from tersely.models.counters import resolve_counter
from tersely.strategies import CompressionOptions, Incremental, IncrementalCompressor
from tersely.strategies.compressors import IncrementalContext
from tersely.types import Document, Level, Request
from text_strategies import fragments

QUERY = "What does the pilot say about the sluice?"
PRESERVED = ("code", "quotes", "numbers", "paths", "errors", "negations", "obligations", "decisions")
BASE = "\n\n".join([*sample_texts.ALL, sample_texts.prose(60)])
edits = st.tuples(st.floats(0, 1), st.integers(0, 120), st.lists(fragments, max_size=4).map("".join))


def apply(text: str, edit: tuple[float, int, str]) -> str:
    place, size, new = edit
    at = int(place * len(text))
    return text[:at] + new + text[at + size :]


def check(result: IncrementalContext, content: str, count: Callable[[str], int]) -> None:
    """Budget, verbatim pieces in order, and nothing in the text but these."""
    assert result.result is not None
    check_counts(result.result, [content], count, "\n\n")
    assert result.token_count == count(result.compressed)
    if not result.result.dropped:
        assert result.compressed == content
        return
    assert result.original is not None
    assert result.original.content == content
    spans = [(span.start, span.end) for span in result.result.kept]
    dropped = [(span.start, span.end) for span in result.result.dropped]
    everything = sorted(spans + dropped)
    assert all(end <= start for (_, end), (start, _) in pairwise(everything))
    rest = result.compressed
    for start, end in spans:
        piece = content[start:end]
        at = rest.find(piece)
        assert at >= 0
        assert not rest[:at].strip()
        rest = rest[at + len(piece) :]
    assert rest.strip() in ("", "…")


@settings(max_examples=60)
@given(
    st.lists(edits, min_size=1, max_size=6),
    st.sampled_from(["", QUERY]),
    st.sampled_from([None, *odd_counters.ALL]),
    st.sampled_from([{"target_tokens": 300}, {"target_ratio": 0.3, "min_tokens": 20}]),
)
def test_x19_target_holds_after_any_edits_with_any_counter(
    changes: list[tuple[float, int, str]],
    query: str,
    counter: Callable[[str], int] | None,
    target: dict[str, int],
) -> None:
    options = CompressionOptions(query_context=query, **target)  # type: ignore[arg-type]
    compressor = IncrementalCompressor(counter=counter, options=options)
    count = counter or resolve_counter(None).count
    text = BASE
    for change in [None, *changes]:
        text = apply(text, change) if change else text
        try:
            result = compressor.update("doc", text)
        except BudgetExceededError:
            with pytest.raises(BudgetExceededError):
                IncrementalCompressor(counter=counter, options=options).update("doc", text)
            continue
        assert result.token_count <= options.target(count(text))
        check(result, text, count)


@pytest.mark.parametrize("query", ["", QUERY])
@pytest.mark.parametrize("target", [{"target_tokens": 2500}, {"target_ratio": 0.3}])
def test_x19_target_holds_after_fifty_updates(query: str, target: dict[str, int]) -> None:
    options = CompressionOptions(query_context=query, **target)  # type: ignore[arg-type]
    compressor = IncrementalCompressor(options=options)
    count = resolve_counter(None).count
    text = sample_texts.prose(500) + BASE
    generator = random.Random(7)
    ways = []
    compressor.update("doc", text)
    for number in range(50):
        size, new = generator.choice([0, 0, 40, 200]), f"New {number}. "
        change = (generator.random(), size, new)
        text = apply(text, change)
        result = compressor.update("doc", text)
        assert result.token_count <= options.target(count(text))
        check(result, text, count)
        assert result.update is not None
        ways.append(result.update.way)
        assert result.token_count > 0.9 * options.target(count(text))
    assert ways.count("incremental") >= 45


@settings(max_examples=100)
@given(st.lists(edits, min_size=1, max_size=3), st.sampled_from(list(Level)), st.sampled_from([None, QUERY]))
def test_x19_what_is_remembered_is_what_would_be_read(
    changes: list[tuple[float, int, str]], level: Level, query: str | None
) -> None:
    """A reading with a memory of another version is the reading without one."""
    strategy = Auto.of_text(Extractive(level=level, preserve=PRESERVED))

    def request(text: str) -> Request:
        counter = resolve_counter(None)
        return Request((Document(text, "x", "A title"), Document("Other.")), query, 300, 1.0, counter)

    known, text = [Known(), Known()], BASE
    price(known, prepare_with(known, strategy, request(BASE)).reading)
    for change in changes:
        text = apply(text, change)
    again = prepare_with(known, strategy, request(text))
    price(known, again.reading)
    fresh = strategy.prepare(request(text))
    assert again.fit().to_dict() == fresh.fit().to_dict()
    assert again.reading.prices().counts.tolist() == fresh.reading.prices().counts.tolist()
    assert again.reading.worth.tolist() == fresh.reading.worth.tolist()


@pytest.mark.parametrize("options", [{}, {"preserve": PRESERVED}, {"level": Level.PARAGRAPH}, {"context": 1}])
def test_x19_any_options_and_types_of_content(options: dict[str, object]) -> None:
    strategy = Incremental(Extractive(**options))  # type: ignore[arg-type]
    log = "\n".join(f"10:{i // 60:02}:{i % 60:02} INFO served {i} in {i % 9} ms" for i in range(300))
    documents = [{"text": BASE, "id": "a"}, {"text": log, "id": "log"}]
    generator = random.Random(3)
    for number in range(12):
        result = tersely.compress(documents, QUERY, budget=600, strategy=strategy)
        request = Request(result.documents, QUERY, 600, 1.0, resolve_counter(None))
        assert broken_promises(result, request) == []
        which = number % 2
        documents[which] = {
            **documents[which],
            "text": apply(
                documents[which]["text"], (generator.random(), 9, f"\n10:09:00 WARN sluice {number}\n")
            ),
        }
    assert strategy.cache.hits == 11


def test_a048_sixty_four_threads_update_the_same_texts() -> None:
    compressor = IncrementalCompressor(options=CompressionOptions(target_tokens=60), cache_bytes=200_000)
    texts = [sample_texts.prose(20 + number % 3) for number in range(6)]
    problems: list[BaseException] = []

    def work(seed: int) -> None:
        generator = random.Random(seed)
        try:
            for _ in range(25):
                name = generator.choice("abcd")
                text = generator.choice(texts) + generator.choice(["", " One more."])
                result = compressor.update(name, text)
                assert result.id == name
                assert result.original is not None
                assert result.original.content == text
                assert result.token_count <= 60
                if generator.random() < 0.1:
                    compressor.forget(name)
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
    assert compressor.hits + compressor.misses == 64 * 25


def test_a048_memory_is_bounded() -> None:
    compressor = IncrementalCompressor(cache_bytes=3_000_000)
    text = sample_texts.prose(400)
    for number in range(30):
        compressor.update(f"doc {number}", text)
    strategy = Incremental(cache_bytes=1_000_000)
    for number in range(10):
        tersely.compress([{"text": text, "id": str(number)}], strategy=strategy)
    assert 0 < len(strategy.cache) < 10
    assert strategy.cache.nbytes <= 1_000_000
    compressor.update("doc 29", text)
    assert compressor.hits == 1
    compressor.update("doc 0", text)
    assert compressor.hits == 1
