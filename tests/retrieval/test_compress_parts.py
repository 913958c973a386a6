"""Backends get an answer for every document, in time, whatever happens; and where each kept span stands."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from typing import Any

import pytest
import tersely
from hypothesis import given, strategies as st
from promises.documents import document
from sample_texts import prose
from tersely.errors import OverloadedError
from tersely.retrieval.parts import acompress_parts, compress_parts
from tersely.threads import Turns

TEXTS = [prose(20), "The fee for copper is 40 euros. It is due in May.", "", prose(9)]
GIVEN = [({"text": text}, n / 4) for n, text in enumerate(TEXTS)]


def test_order_number_and_scores_stay() -> None:
    parts = compress_parts(GIVEN, "copper fee", budget=30, timeout=60)
    assert parts.result is not None and parts.reason is None
    assert parts.texts == parts.result.parts and len(parts.texts) == len(TEXTS)
    assert parts.scores == (0.0, 0.25, 0.5, 0.75) and "40 euros" in parts.texts[1]
    assert parts.texts == compress_parts(GIVEN, "copper fee", budget=30).texts
    assert compress_parts(GIVEN, "copper fee", budget=5000).texts == tuple(TEXTS)


def slow(text: str) -> int:
    time.sleep(0.2)
    return len(text.split())


def fails(text: str) -> int:
    raise OSError("the tokenizer is gone")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"counter": slow, "timeout": 0.05}, "timeout"),
        ({"timeout": 1e-9}, "timeout"),
        ({"counter": fails}, "ValueError: the token counter fails failed"),
        ({"pinned": [TEXTS[0]]}, "BudgetExceededError: "),
        ({"pinned": ["what no document says"]}, "ValueError: "),
    ],
)
def test_the_originals_come_back_with_a_reason(options: dict[str, Any], reason: str) -> None:
    started = time.monotonic()
    texts = [*TEXTS[:3], TEXTS[3] + "\ud800"]
    parts = compress_parts(texts, "copper fee", budget=30, **options)
    assert parts.texts == tuple(texts) and parts.result is None  # as they came, to the bit
    assert parts.reason is not None and parts.reason.startswith(reason)
    assert time.monotonic() - started < 5


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"strategy": "nothing"}, "unknown strategy 'nothing'"),
        ({"strategy": 5}, "strategy must be a name or an object"),
        ({"min_score": 0.5}, "compress has no option min_score"),
        ({"counter": "xx"}, "xx"),
        ({"counter": 5}, "counter"),
        ({"budget": -5}, "budget must be a whole number from 0, not -5"),
        ({"budget": "5"}, "budget must be a whole number"),
        ({"budget": None, "ratio": 2}, "ratio must lie"),
        ({"ratio": 0.5}, "budget and ratio both say how much stays"),
        ({"separator": 5}, "separator must be str"),
        ({"query": 5}, "query must be str"),
    ],
)
@pytest.mark.parametrize("timeout", [None, 60])
def test_what_the_calling_program_has_wrong_is_an_error(
    options: dict[str, Any], said: str, timeout: float | None
) -> None:
    with pytest.raises((TypeError, ValueError), match=said):
        compress_parts(TEXTS, timeout=timeout, **{"budget": 30, **options})


def test_what_is_no_document_is_an_error() -> None:
    with pytest.raises(TypeError, match="documents must be"):
        compress_parts(5, timeout=1)
    with pytest.raises(ValueError, match="timeout"):
        compress_parts("text", timeout=0)


@given(st.integers(0, 10_000), st.integers(8, 200), st.sampled_from(["\n\n", " | ", "…"]))
def test_each_kept_span_has_its_place_in_the_text(seed: int, budget: int, separator: str) -> None:
    """Ascending, apart, outside of what is generated, and with the very characters of the source."""
    import random

    chance = random.Random(seed)
    texts = [document(chance) for _ in range(chance.randrange(1, 4))]
    try:
        result = tersely.compress(texts, budget=budget, separator=separator)
    except tersely.BudgetExceededError:
        return
    at = 0
    for span, place in zip(result.kept, result.places, strict=True):
        if place is None:
            assert result.generated
            continue
        assert at <= place[0] < place[1] <= len(result.text)
        assert result.text[slice(*place)] == result.documents[span.document].text[span.start : span.end]
        assert not any(a < place[1] and place[0] < b for a, b in result.generated)
        at = place[1]


def test_places_of_prose_and_of_rows_are_all_known() -> None:
    rows = json.dumps([{"id": n, "name": f"gate {n}"} for n in range(50)])
    for given_text, budget in ((prose(40), 90), (rows, 60), ([rows, prose(20)], 120)):
        result = tersely.compress(given_text, "gate 7", budget=budget)
        assert result.kept and None not in result.places


def test_an_event_loop_gets_what_a_call_gives() -> None:
    parts = asyncio.run(acompress_parts(GIVEN, "copper fee", budget=30, timeout=60))
    assert parts.texts == compress_parts(GIVEN, "copper fee", budget=30).texts and parts.reason is None
    failed = asyncio.run(acompress_parts(TEXTS, "copper fee", budget=30, counter=fails))
    assert failed.texts == tuple(TEXTS) and failed.reason is not None and "is gone" in failed.reason
    with pytest.raises(ValueError, match="unknown strategy"):
        asyncio.run(acompress_parts(TEXTS, strategy="nothing"))
    with pytest.raises(ValueError, match="waiting"):
        asyncio.run(acompress_parts(TEXTS, waiting=-1))


def test_calls_wait_for_their_turn_and_one_too_many_is_refused() -> None:
    turns, go, running = Turns(), threading.Event(), threading.Semaphore(0)

    def work() -> str:
        running.release()
        go.wait()
        return "done"

    async def run() -> None:
        calls = [asyncio.ensure_future(turns.run(work, None, 1)) for _ in range(turns.threads + 1)]
        await asyncio.sleep(0)
        with pytest.raises(OverloadedError, match="1 calls wait, of at most 1"):
            await turns.run(work, None, 1)
        go.set()
        assert await asyncio.gather(*calls) == ["done"] * len(calls)
        assert await turns.run(work, None, 1) == "done"

    asyncio.run(run())


def test_a_task_that_is_cancelled_ends_its_native_work() -> None:
    """The thread is free again long before a text of this size is read."""
    text, turns = prose(60_000), Turns()
    ended: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(1000):
                tersely.compress(text, budget=100)
        except BaseException as error:
            ended.append(error)

    async def run() -> None:
        task = asyncio.ensure_future(turns.run(work, None, 1))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        while not ended:
            await asyncio.sleep(0.01)

    asyncio.run(asyncio.wait_for(run(), 60))
    assert isinstance(ended[0], TimeoutError)
