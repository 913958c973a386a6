"""Progress, what it raises, signals, and Ctrl-C."""

from __future__ import annotations

import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial

import numpy as np
import pytest
from tersely.kernels import cosine_pairs, cosine_similarity, threshold_clusters

LOW = 0.22  # few pairs reach it, but many nearly: the 8-bit codes rule little out
Call = Callable[..., object]


@cache
def rows(count: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal((count, 256), dtype=np.float32)


#: How large, and how large where a fast machine is done before it looks -> the call.
TELLING: dict[str, tuple[tuple[int, int], Callable[[int], Call]]] = {
    "pairs": ((12_000, 60_000), lambda n: partial(cosine_pairs, rows(n), LOW)),
    "representative": ((12_000, 60_000), lambda n: partial(threshold_clusters, rows(n), LOW)),
    "single": ((12_000, 60_000), lambda n: partial(threshold_clusters, rows(n), LOW, linkage="single")),
    "representative of copies": (
        (60_000, 300_000),
        lambda n: partial(threshold_clusters, np.broadcast_to(rows(1)[0, :16], (n, 16)), 0.9),
    ),
}
WIDE = np.broadcast_to(np.float32(0.5), (8000, 4096))
LONG: dict[str, Callable[[], Call]] = {
    "similarity": lambda: partial(cosine_similarity, WIDE),
    "similarity of two": lambda: partial(cosine_similarity, WIDE, WIDE),
    "single of copies": lambda: partial(
        threshold_clusters, WIDE[:1, :16].repeat(40_000, 0), 0.9, linkage="single", backend="exact"
    ),
    **{
        name: partial(make, size)
        for (name, (_, make)), size in zip(TELLING.items(), (30_000, 30_000, 30_000, 150_000), strict=True)
    },
}


def tell(call: str, threads: int, progress: Callable[[float], object]) -> None:
    """Make a call, and a larger one where nothing was told since the first ended before anybody looked."""
    told: list[float] = []

    def note(share: float) -> None:
        told.append(share)
        progress(share)

    sizes, make = TELLING[call]
    for size in sizes:
        if not told:
            make(size)(threads=threads, progress=note)


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
    tell(call, threads, progress)
    took = time.perf_counter() - begin
    assert 1 <= len(shares) <= took / 0.02 + 1
    assert shares == sorted(shares)
    assert 0 <= shares[0] <= shares[-1] <= 1
    assert tellers == {threading.get_ident()}


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
        tell(call, threads, progress)
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
@pytest.mark.parametrize("name", LONG)
def test_a_signal_is_answered_within_half_a_second(name: str, threads: int) -> None:
    """Of its own thread's time: what else the machine does is no delay of ours."""

    def stop(*_: object) -> None:
        raise Enough

    call = LONG[name]()
    begin = time.thread_time()
    with pytest.raises(Enough), alarm(0.1, stop):
        call(threads=threads)
        pytest.skip("the call was too short to tell")
    assert time.thread_time() - begin < 0.1 + 0.5


def test_a_signal_whose_handler_returns_does_not_end_the_work() -> None:
    seen: list[int] = []
    expected = threshold_clusters(rows(12_000), 0.2).labels
    with alarm(0.002, lambda *_: seen.append(1)):
        while not seen:  # it comes within the first work, but on very fast machines
            np.testing.assert_array_equal(threshold_clusters(rows(12_000), 0.2).labels, expected)
