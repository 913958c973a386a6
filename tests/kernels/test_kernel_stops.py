"""Progress, what it raises, signals, and Ctrl-C."""

from __future__ import annotations

import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import numpy as np
import pytest
from script_runs import run_code
from tersely.kernels import cosine_pairs, cosine_similarity, threshold_clusters

ROWS = np.random.default_rng(0).standard_normal((30_000, 256), dtype=np.float32)
LOW = 0.22  # few pairs reach it, but many nearly: the 8-bit codes rule little out
WIDE = np.broadcast_to(ROWS[0, :1], (8000, 4096))
COPIES = np.broadcast_to(ROWS[0, :16], (150_000, 16))
SOME = ROWS[:12_000]

TELLING: dict[str, Callable[..., object]] = {
    "pairs": partial(cosine_pairs, SOME, LOW),
    "representative": partial(threshold_clusters, SOME, LOW),
    "single": partial(threshold_clusters, SOME, LOW, linkage="single"),
    "representative of copies": partial(threshold_clusters, COPIES[:60_000], 0.9, backend="exact"),
}
LONG: dict[str, Callable[..., object]] = {
    "similarity": partial(cosine_similarity, WIDE),
    "similarity of two": partial(cosine_similarity, WIDE, WIDE),
    "pairs": partial(cosine_pairs, ROWS, LOW),
    "representative": partial(threshold_clusters, ROWS, LOW),
    "single": partial(threshold_clusters, ROWS, LOW, linkage="single"),
    "representative of copies": partial(threshold_clusters, COPIES, 0.9, backend="exact"),
    "single of copies": partial(threshold_clusters, COPIES[:40_000], 0.9, linkage="single", backend="exact"),
}


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("call", TELLING)
def test_progress_is_told_shares_that_grow(call: str, threads: int) -> None:
    shares: list[float] = []
    tellers: set[int] = set()

    def progress(share: float) -> None:
        assert isinstance(share, float)
        shares.append(share)
        tellers.add(threading.get_ident())

    begin = time.perf_counter()
    TELLING[call](threads=threads, progress=progress)
    took = time.perf_counter() - begin
    assert 1 <= len(shares) <= took / 0.02 + 1
    assert shares == sorted(shares)
    assert 0 <= shares[0] <= shares[-1] <= 1
    assert tellers == {threading.get_ident()}


def test_progress_is_called_in_the_thread_that_called() -> None:
    tellers: set[int] = set()
    thread = threading.Thread(
        target=lambda: TELLING["pairs"](threads=4, progress=lambda _: tellers.add(threading.get_ident()))
    )
    thread.start()
    caller = thread.ident
    thread.join()
    assert tellers == {caller}


def test_progress_does_not_change_the_answer_and_may_call_kernels() -> None:
    inner: list[float] = []

    def progress(_: float) -> None:
        inner.append(float(cosine_similarity(np.eye(2), threads=2)[0, 0]))

    got = threshold_clusters(SOME, 0.2, progress=progress)
    expected = threshold_clusters(SOME, 0.2)
    np.testing.assert_array_equal(got.labels, expected.labels)
    assert inner
    assert set(inner) == {1.0}


class Enough(BaseException):
    pass


@pytest.mark.parametrize(
    "error", [RuntimeError("enough"), Enough("enough"), KeyboardInterrupt(), StopIteration()]
)
@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("call", TELLING)
def test_what_progress_raises_is_raised_and_ends_the_work(
    call: str, threads: int, error: BaseException
) -> None:
    calls = []

    def progress(share: float) -> None:
        calls.append(share)
        raise error

    with pytest.raises(type(error)) as raised:
        TELLING[call](threads=threads, progress=progress)
    assert raised.value is error
    assert len(calls) == 1


@pytest.mark.parametrize("progress", [1, "dots", []])
def test_progress_must_be_callable(progress: object) -> None:
    for function in (cosine_pairs, threshold_clusters):
        with pytest.raises(TypeError, match=re.escape(f"a callable or None, not {progress!r}")):
            function(np.ones((2, 2)), 0.5, progress=progress)  # type: ignore[operator]


@contextmanager
def alarm(after: float, handler: Callable[[int, object], None]) -> Iterator[None]:
    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, after)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.seconds
@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("call", LONG)
def test_a_signal_is_answered_within_half_a_second(call: str, threads: int) -> None:
    def stop(*_: object) -> None:
        raise Enough

    begin = time.perf_counter()
    with pytest.raises(Enough), alarm(0.1, stop):
        LONG[call](threads=threads)
        pytest.skip("the call was too short to tell")
    assert time.perf_counter() - begin < 0.1 + 0.5


def test_a_signal_whose_handler_returns_does_not_end_the_work() -> None:
    seen = []
    with alarm(0.002, lambda *_: seen.append(1)):  # the work takes some 20 ms on a fast machine
        got = threshold_clusters(SOME, 0.2)
    assert seen
    np.testing.assert_array_equal(got.labels, threshold_clusters(SOME, 0.2).labels)


CTRL_C = """
import os, signal, threading, time
import numpy as np
from tersely.kernels import cosine_pairs, threshold_clusters
x = np.random.default_rng(0).standard_normal((30_000, 256), dtype=np.float32)
sent = []
signal.signal(signal.SIGINT, signal.default_int_handler)  # a process started in the background ignores it

def press():
    sent.append(time.perf_counter())
    os.kill(os.getpid(), signal.SIGINT)

for call in (cosine_pairs, threshold_clusters):
    timer = threading.Timer(0.1, press)
    timer.start()
    try:
        call(x, 0.22)
        print("was not stopped")
    except KeyboardInterrupt:
        print(time.perf_counter() - sent[-1])
    timer.join()
print(len(cosine_pairs(np.ones((3, 2)), 1.0).i))
"""


def test_ctrl_c_is_answered_and_leaves_all_in_order() -> None:
    done = run_code(CTRL_C)
    assert done.returncode == 0, done.stderr
    *answers, after = done.stdout.split()
    assert len(answers) == 2
    assert all(float(seconds) < 0.5 for seconds in answers)
    assert after == "3"
