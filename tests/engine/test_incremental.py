"""Incremental updates: what is read again, what stays, and what the answer says of it."""

from __future__ import annotations

import copy
import pickle
import random
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import tersely
from result_checks import check_result
from sample_texts import prose
from tersely.engine.strategies import STRATEGIES, Extractive
from tersely.engine.worth import confidence
from tersely.errors import BudgetExceededError
from tersely.models.counters import resolve_counter
from tersely.strategies import (
    CompressedContext,
    CompressionOptions,
    ExtractiveCompressor,
    Incremental,
    IncrementalCompressor,
)

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
def test_a008_one_line_edit_asks_about_under_a_tenth(query: str, line: int) -> None:
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
def test_a008_what_does_not_change_is_known_wherever_it_moves(query: str | None) -> None:
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


def test_a044_first_update_compresses_fully_under_its_id() -> None:
    compressor = IncrementalCompressor()
    first = compressor.update("guide", LONG)
    assert isinstance(first, CompressedContext)
    assert first.id == "guide"
    assert first.update is not None
    assert (first.update.way, first.update.reason, first.update.recompressed) == ("full", "new", 1.0)
    assert first.compressed == ExtractiveCompressor().compress(LONG).compressed
    assert first.original is not None
    assert first.original.content == LONG == compressor.decompress(first)
    assert (compressor.hits, compressor.misses) == (0, 1)
    again = compressor.update("guide", LONG)
    assert again == first
    assert again.update is not None
    assert (again.update.way, again.update.prefix_tokens_kept) == ("same", first.token_count)
    assert (compressor.hits, compressor.misses) == (1, 1)


def test_a045_small_changes_are_incremental_and_a_tenth_is_not() -> None:
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
def test_a047_appending_keeps_the_old_text_as_a_prefix(query: str) -> None:
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


def test_x19_removed_lines_leave_the_output() -> None:
    compressor = IncrementalCompressor()
    first = compressor.update("doc", LONG)
    kept = [line for line in LINES if line and line in first.compressed]
    gone = kept[3:8]
    now = "\n".join(line for line in LINES if line not in gone)
    result = compressor.update("doc", now)
    assert result.update is not None
    assert result.update.way == "incremental"
    assert set(result.update.diff.removed) >= set(gone)
    assert not any(line in result.compressed for line in gone)
    assert result.original is not None
    assert result.original.content == now


@pytest.mark.parametrize("line", [2, 60, 200])
def test_x19_what_stands_before_the_edit_stays_byte_for_byte(line: int) -> None:
    compressor = IncrementalCompressor(options=FIXED)
    first = compressor.update("doc", LONG)
    result = compressor.update("doc", edited(LONG, line))
    assert first.result is not None
    assert result.update is not None
    assert result.update.way == "incremental"
    at = LONG.index(LINES[line])
    before = [LONG[span.start : span.end] for span in first.result.kept if span.end <= at]
    assert len(before) > 0
    prefix = first.compressed[: first.compressed.index(before[-1]) + len(before[-1])]
    assert result.compressed.startswith(prefix)
    assert COUNTER.count(prefix) - 1 <= result.update.prefix_tokens_kept <= result.token_count


def test_x19_edits_touch_only_what_changed() -> None:
    compressor = IncrementalCompressor(options=FIXED)
    first = compressor.update("doc", LONG)
    result = compressor.update("doc", edited(LONG, 120))
    assert first.result is not None
    assert result.result is not None
    old = {LONG[span.start : span.end] for span in first.result.kept}
    new = {edited(LONG, 120)[span.start : span.end] for span in result.result.kept}
    assert len(old ^ new) <= 8  # of about 180


def test_x19_nothing_remembered_is_ever_changed() -> None:
    compressor = IncrementalCompressor()
    first = compressor.update("doc", LONG)
    frozen = copy.deepcopy((first.compressed, first.metadata, first.token_count, first.original))
    compressor.update("doc", edited(LONG, 10))
    assert (first.compressed, first.metadata, first.token_count, first.original) == frozen
    with pytest.raises(AttributeError):
        first.compressed = ""  # type: ignore[misc]


def test_x19_metadata_follow_the_text() -> None:
    options = CompressionOptions(query_context="Which shipment met the herring crew?")
    compressor = IncrementalCompressor(options=options)
    compressor.update("doc", LONG)
    now = edited(LONG, 40)
    result = compressor.update("doc", now)
    assert result.result is not None
    dropped = result.metadata.dropped_sections
    assert all(section in now for section in dropped)
    assert sum(map(len, dropped)) >= sum(span.end - span.start for span in result.result.dropped)
    assert all(name in result.compressed for name in result.metadata.preserved_entities)
    assert all(concept in result.compressed for concept in result.metadata.key_concepts)
    fresh = IncrementalCompressor(options=options).update("doc", now)
    assert result.metadata.confidence_score == pytest.approx(fresh.metadata.confidence_score, abs=0.02)
    bare = confidence([now], result.compressed, options.query_context, 0.0)
    whole = confidence([now], result.compressed, options.query_context, 1.0)
    assert bare <= result.metadata.confidence_score <= whole
    assert result.compression_ratio == result.token_count / COUNTER.count(now)


def test_x19_full_again_says_why() -> None:
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


def test_x19_a_failed_update_loses_nothing() -> None:
    compressor = IncrementalCompressor()
    first = compressor.update("doc", LONG)
    with pytest.raises(BudgetExceededError):
        compressor.update("doc", edited(LONG, 3), CompressionOptions(target_tokens=30, strict_preserve=True))
    with pytest.raises(TypeError, match="id must be str"):
        compressor.update(1, LONG)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="content must be str"):
        compressor.update("doc", b"x")  # type: ignore[arg-type]
    assert compressor.update("doc", LONG) == first


class Failing:
    calls = 0

    def embed(self, texts: Sequence[str]) -> Any:
        self.calls += 1
        if self.calls > 1:  # the query with the segments
            raise ConnectionError("gone")
        return np.ones((len(texts), 2))


def test_x19_an_embedder_that_fails_is_told_of() -> None:
    options = CompressionOptions(query_context="Which shipment met the herring crew?")
    compressor = IncrementalCompressor(embedder=Failing(), options=options)
    assert "embedder_failed" not in compressor.update("doc", LONG).warnings
    result = compressor.update("doc", edited(LONG, 10))
    assert result.update is not None
    assert (result.update.way, result.update.reason) == ("full", "embedder")
    assert "embedder_failed" in result.warnings


def test_x19_strategy_knows_documents_by_their_ids() -> None:
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


def test_x19_compressor_gives_a_strategy() -> None:
    result = tersely.compress(LONG, budget=500, strategy=IncrementalCompressor())
    assert result.tokens <= 500
    assert "incremental" not in STRATEGIES
