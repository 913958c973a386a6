"""Incremental updates: what is read again, what stays, the line diff, and what holds after any edits."""

from __future__ import annotations

import copy
import pickle
import random
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import sample_texts
import tersely
from growth import MOST, growth
from hypothesis import given, settings, strategies as st
from result_checks import check_result
from sample_texts import prose
from tersely.engine import incremental
from tersely.engine.incremental import Known, compare, compute_diff, prepare_with, price
from tersely.engine.strategies import STRATEGIES, Auto, Extractive
from tersely.errors import BudgetExceededError
from tersely.models.counters import resolve_counter
from tersely.strategies import (
    CompressionOptions,
    Diff,
    Incremental,
    IncrementalCompressor,
)
from tersely.types import Document, Level, Request
from text_strategies import fragments

LONG = prose(600)  # about 10,000 tokens
LINES = LONG.split("\n")
NEW_LINE = "The willow lantern was lost in dock 17 on Sunday."
COUNTER = resolve_counter(None)
FIXED = CompressionOptions(target_tokens=3000)


def edited(text: str, line: int, new: str = NEW_LINE) -> str:
    lines = text.split("\n")
    lines[line] = new
    return "\n".join(lines)


class Spy:
    """Notes what is read, counted and embedded."""

    name = "spy"

    def __init__(self) -> None:
        self.texts: list[str] = []

    def count_batch(self, texts: Sequence[str]) -> Sequence[int]:
        self.texts.extend(texts)
        return COUNTER.count_batch(texts)

    def count(self, text: str) -> int:
        return self.count_batch([text])[0]

    def embed(self, texts: Sequence[str]) -> Any:
        self.texts.extend(texts)
        return np.array([[len(text), text.count("e") + 1.0, text.count("a")] for text in texts])


@pytest.mark.parametrize("query", ["", "Which shipment met the herring crew?"])
@pytest.mark.parametrize("line", [0, 100, len(LINES) // 2, len(LINES) - 3])
def test_one_line_edit_asks_about_under_a_tenth(query: str, line: int) -> None:
    embedder, counter = Spy(), Spy()
    compressor = IncrementalCompressor(
        counter=counter, embedder=embedder, options=CompressionOptions(query_context=query)
    )
    compressor.update("doc", LONG)
    embedder.texts.clear()
    counter.texts.clear()
    now = edited(LONG, line - line % 2)
    result = compressor.update("doc", now)
    assert result.update is not None
    assert result.update.way == "incremental"
    assert 0 < result.update.recompressed < 0.02
    # the counter sees the whole text once, what comes out, and else only what is new
    assert counter.texts.count(now) == 1
    pieces = [text for text in counter.texts if text in LINES or text in NEW_LINE]
    assert 0 < sum(map(len, pieces)) < 0.02 * len(now)
    asked = [text for text in counter.texts if len(text) < 200]
    assert sum(map(len, asked)) < 0.02 * len(now)
    assert len(counter.texts) - len(asked) <= 1 + 3  # choices as they are written, each 30% of the text
    assert sum(map(len, embedder.texts)) < 0.02 * len(now)
    assert bool(embedder.texts) == bool(query)


@pytest.mark.parametrize("query", [None, "Which shipment met the herring crew?"])
def test_what_does_not_change_is_known_wherever_it_moves(query: str | None) -> None:
    """Of several documents, pages among them; edits before, inside and behind a unit of a long line."""
    page = (
        "<html><body><h1>Quay</h1>" + "".join(f"<p>{line}</p>\n" for line in LINES[:200:2]) + "</body></html>"
    )
    long_line = " ".join(LINES[0:200:2])
    texts = [LONG, page, long_line]
    spy = Spy()
    strategy = Incremental(Extractive(embedder=spy))

    def compress() -> Any:
        documents = [{"text": text, "id": str(number)} for number, text in enumerate(texts)]
        return tersely.compress(documents, query, budget=2000, strategy=strategy, counter=spy)

    compress()
    for number, at in ((0, 0), (1, page.index("</p>")), (2, len(long_line) // 2), (2, len(long_line))):
        spy.texts.clear()
        texts[number] = f"{texts[number][:at]} It was moored twice. {texts[number][at:]}"
        result = compress()
        assert result.tokens == COUNTER.count(result.text) <= 2000
        whole = "\n\n".join(texts)
        assert spy.texts.count(whole) == 1
        asked = [text for text in spy.texts if len(text) < 200]
        assert sum(map(len, asked)) < 0.02 * len(whole)
        assert len(spy.texts) - len(asked) <= 1 + 6


def test_a_small_edit_makes_no_choice_afresh(monkeypatch: pytest.MonkeyPatch) -> None:
    compressor = IncrementalCompressor(options=FIXED)
    compressor.update("a", LONG)
    monkeypatch.setattr(incremental, "choose", lambda *given: pytest.fail("a fresh choice"))
    for turn in range(5):
        made = compressor.update("a", edited(LONG, 100, f"{NEW_LINE} {turn}"))
        assert made.update.way == "incremental"


def test_small_changes_are_incremental_and_a_tenth_is_not() -> None:
    options = CompressionOptions(target_ratio=0.3)
    equal = "\n".join(["The ferry to Tessmouth leaves the quay at nine."] * 100)
    compressor = IncrementalCompressor(options=options)
    compressor.update("a", equal)
    appended = compressor.update("a", equal + "\nThe ferry to Tessmouth leaves the quay at nine." * 5)
    assert appended.update is not None
    assert appended.update.diff.change_ratio == pytest.approx(5 / 105, rel=0.01)
    assert appended.update.way == "incremental"

    different = [f"Ferry {i:03} to Tessmouth leaves quay {i * 7 % 100:02}." for i in range(100)]
    text = "".join(line + "\n" for line in different)
    for count, way in ((4, "incremental"), (5, "full"), (20, "full")):
        compressor.update("b", text, options)
        changed = [line.replace("Ferry", "Yacht") if i < count else line for i, line in enumerate(different)]
        result = compressor.update("b", "".join(line + "\n" for line in changed))
        assert result.update is not None
        assert (result.update.diff.change_ratio, result.update.way) == (count * 2 / 100, way)
        compressor.forget("b")


@pytest.mark.parametrize("query", ["", "Which shipment met the herring crew?"])
def test_appending_keeps_the_old_text_as_a_prefix(query: str) -> None:
    compressor = IncrementalCompressor(options=CompressionOptions(query_context=query))
    draw = random.Random(
        4
    )  # sentences that are not all made alike: what is added is no odder than what stands
    words = re.findall(r"[a-z]+", LONG)
    text = " ".join(f"The {' '.join(draw.sample(words, 9))} {n}." for n in range(600))
    before = compressor.update("log", text)
    for number in range(12):
        text += f"\n\nEntry {number}: the {NEW_LINE[4:]} Nobody saw anchor {number}."
        now = compressor.update("log", text)
        assert now.update is not None
        assert now.update.way == "incremental"
        assert now.update.recompressed < 0.02
        assert now.compressed.startswith(before.compressed)
        assert now.update.prefix_tokens_kept >= before.token_count - 1
        assert now.token_count == COUNTER.count(now.compressed)
        before = now
    for number in range(12):
        assert f"Nobody saw anchor {number}." in before.compressed or f"Entry {number}: " in before.compressed


def test_failures_and_updates_change_nothing_remembered() -> None:
    compressor = IncrementalCompressor()
    first = compressor.update("doc", LONG)
    frozen = copy.deepcopy((first.compressed, first.metadata, first.token_count, first.original))
    compressor.update("doc", edited(LONG, 10))
    assert (first.compressed, first.metadata, first.token_count, first.original) == frozen
    with pytest.raises(AttributeError):
        first.compressed = ""  # type: ignore[misc]
    compressor = IncrementalCompressor()
    first = compressor.update("doc", LONG)
    with pytest.raises(BudgetExceededError):
        compressor.update("doc", edited(LONG, 3), CompressionOptions(target_tokens=30, strict_preserve=True))
    with pytest.raises(TypeError, match="id must be str"):
        compressor.update(1, LONG)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="content must be str"):
        compressor.update("doc", b"x")  # type: ignore[arg-type]
    assert compressor.update("doc", LONG) == first
    options = CompressionOptions(query_context="Which shipment met the herring crew?")
    compressor = IncrementalCompressor(embedder=Failing(), options=options)
    assert "embedder_failed" not in compressor.update("doc", LONG).warnings
    result = compressor.update("doc", edited(LONG, 10))
    assert result.update is not None
    assert (result.update.way, result.update.reason) == ("full", "embedder")
    assert "embedder_failed" in result.warnings


def test_full_again_says_why() -> None:
    compressor = IncrementalCompressor()

    def reason(content: str, options: CompressionOptions | None = None) -> tuple[str, str]:
        update = compressor.update("doc", content, options).update
        assert update is not None
        return update.way, update.reason

    assert reason(LONG) == ("full", "new")
    assert reason(LONG, FIXED) == ("full", "options")
    assert reason(edited(LONG, 0, "```"), FIXED) == ("full", "structure")
    assert reason(prose(10), FIXED) == ("full", "change_ratio")
    assert reason(prose(10) + "Two.", FIXED) == ("full", "fits")
    assert compressor.forget("doc")
    assert not compressor.forget("doc")
    assert reason(LONG) == ("full", "new")


class Failing:
    calls = 0

    def embed(self, texts: Sequence[str]) -> Any:
        self.calls += 1
        if self.calls > 1:  # the query with the segments
            raise ConnectionError("gone")
        return np.ones((len(texts), 2))


def test_strategy_knows_documents_by_their_ids() -> None:
    strategy = Incremental()
    documents = [{"text": LONG, "id": "a"}, {"text": prose(100)[::-1], "id": "b", "title": "Backwards"}]
    query = "Which shipment met the herring crew?"
    tersely.compress(documents, query, budget=3000, strategy=strategy)
    documents[0]["text"] = edited(LONG, 50)
    documents[1]["text"] += "\n\nA new end."
    result = tersely.compress(documents, query, budget=3000, strategy=strategy, pinned=[NEW_LINE])
    assert NEW_LINE in result.text
    check_result(result, COUNTER.count)
    assert (strategy.cache.hits, strategy.cache.misses) == (1, 1)
    documents[0]["id"] = "c"
    tersely.compress(documents, query, budget=3000, strategy=strategy)
    assert (strategy.cache.hits, strategy.cache.misses) == (1, 2)
    for other in (pickle.loads(pickle.dumps(strategy)), copy.deepcopy(strategy)):
        assert other == strategy
        assert len(other.cache) == 0
    result = tersely.compress(LONG, budget=500, strategy=IncrementalCompressor())
    assert result.tokens <= 500
    assert "incremental" not in STRATEGIES


QUERY = "What does the pilot say about the sluice?"
PRESERVED = ("code", "quotes", "numbers", "paths", "errors", "negations", "obligations", "decisions")
BASE = "\n\n".join([*sample_texts.ALL, sample_texts.prose(30)])
edits = st.tuples(st.floats(0, 1), st.integers(0, 120), st.lists(fragments, max_size=4).map("".join))


def apply(text: str, edit: tuple[float, int, str]) -> str:
    place, size, new = edit
    at = int(place * len(text))
    return text[:at] + new + text[at + size :]


@pytest.mark.parametrize(("query", "target"), [("", {"target_tokens": 2500}), (QUERY, {"target_ratio": 0.3})])
def test_target_holds_after_fifty_updates(query: str, target: dict[str, int]) -> None:
    options = CompressionOptions(query_context=query, **target)  # type: ignore[arg-type]
    compressor = IncrementalCompressor(options=options)
    count = resolve_counter(None).count
    text = sample_texts.prose(300) + BASE
    generator = random.Random(7)
    ways = []
    compressor.update("doc", text)
    for number in range(50):
        size, new = generator.choice([0, 0, 40, 200]), f"New {number}. "
        change = (generator.random(), size, new)
        text = apply(text, change)
        result = compressor.update("doc", text)
        assert result.token_count <= options.target(count(text))
        assert result.token_count == count(result.compressed)
        assert result.update is not None
        ways.append(result.update.way)
        assert result.token_count > 0.9 * options.target(count(text))
    assert ways.count("incremental") >= 45


@settings(max_examples=50)
@given(st.lists(edits, min_size=1, max_size=3), st.sampled_from(list(Level)), st.sampled_from([None, QUERY]))
def test_what_is_remembered_is_what_would_be_read(
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


@pytest.mark.slow
def test_sixty_four_threads_update_the_same_texts() -> None:
    compressor = IncrementalCompressor(options=CompressionOptions(target_tokens=60), cache_bytes=200_000)
    texts = [sample_texts.prose(20 + number % 3) for number in range(6)]

    def work(seed: int) -> None:
        generator = random.Random(seed)
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

    with ThreadPoolExecutor(64) as pool:
        list(pool.map(work, range(64)))
    assert compressor.cache.hits + compressor.cache.misses == 64 * 25


def test_memory_is_bounded() -> None:
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
    assert compressor.cache.hits == 1
    compressor.update("doc 0", text)
    assert compressor.cache.hits == 1


few_lines = st.lists(st.sampled_from(["a", "b", "cc", "", "  ", "é\r", "d1", "d2", "d3"]), max_size=12)
diffed = few_lines.map("\n".join)


def check_diff(old: str, new: str) -> None:
    diff, places = compare(old, new)
    left = right = 0
    for place in places:
        assert left <= place.old_start <= place.old_end
        assert right <= place.new_start <= place.new_end
        assert old[left : place.old_start] == new[right : place.new_start]
        left, right = place.old_end, place.new_end
    assert old[left:] == new[right:]
    assert (old == new) == (not places)
    assert (diff.change_ratio == 0) == (old == new)
    assert diff.change_ratio <= 2
    kept = new.split("\n")
    for line in diff.added:
        kept.remove(line)
    before = old.split("\n")
    for line in diff.removed:
        before.remove(line)
    assert sorted(kept) == sorted(before)


@given(diffed, diffed)
def test_diff_tiles_both_texts(old: str, new: str) -> None:
    check_diff(old, new)


def test_a_diff_names_lines_and_counts_characters() -> None:
    assert compute_diff("a\nb", "a\nc") == Diff(("c",), ("b",), 2 / 3)
    assert compute_diff("a", "a") == Diff((), (), 0.0)
    assert compute_diff("", "") == Diff((), (), 0.0)
    assert compute_diff("a\nb", "a") == Diff((), ("b",), 2 / 3)
    assert compute_diff("a", "a\nb") == Diff(("b",), (), 2 / 3)
    old = "\n".join(["The ferry leaves."] * 100)
    assert compute_diff(old, old + "\nThe ferry leaves." * 5).change_ratio == pytest.approx(5 / 105, rel=0.01)
    changed = old.split("\n")
    changed[10:90:20] = ["The train leaves."] * 4
    assert compute_diff(old, "\n".join(changed)).change_ratio == pytest.approx(0.08, rel=0.01)
    ten = "".join(f"line {i:04}\n" for i in range(100))
    assert compute_diff(ten, ten.replace("0\n", "1\n", 5)).change_ratio == 0.1


@pytest.mark.growth
@pytest.mark.parametrize("line", ["same", "line {}"])
def test_diff_is_linear_where_lines_repeat(line: str) -> None:
    def diffed(size: int) -> tuple[str, str]:
        old = [line.format(i) for i in range(size // 5)]
        return "\n".join(old), "\n".join(text if i % 7 else "other" for i, text in enumerate(old))

    assert growth(diffed, lambda given: compute_diff(*given)) < MOST
