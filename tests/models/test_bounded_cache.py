"""BoundedCache against an ordered dict that is trimmed by hand."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given, strategies as st
from tersely.cache import BoundedCache

ENTRY = 200  # bytes of an entry besides its value


@given(
    st.integers(0, 2000),
    st.lists(st.tuples(st.booleans(), st.integers(0, 6), st.integers(0, 900)), max_size=40),
)
def test_least_recently_used_values_go_first(size: int, calls: list[tuple[bool, int, int]]) -> None:
    cache: BoundedCache[int] = BoundedCache(size)
    model: dict[bytes, int] = {}
    for is_put, key, nbytes in calls:
        name = bytes([key])
        if is_put:
            model.pop(name, None)
            if nbytes + ENTRY <= size:
                model[name] = nbytes
            while sum(model.values()) + ENTRY * len(model) > size:
                del model[next(iter(model))]
            cache.put(name, nbytes, nbytes)
        else:
            assert cache.get(name) == model.get(name)
            if name in model:
                model[name] = model.pop(name)
        assert len(cache) == len(model)
        assert cache.nbytes == sum(model.values()) + ENTRY * len(model) <= size


def test_counts_and_clearing() -> None:
    cache: BoundedCache[str] = BoundedCache(1000)
    cache.put(b"a", "A", 1)
    assert (cache.get(b"a"), cache.get(b"b")) == ("A", None)
    assert (cache.hits, cache.misses) == (1, 1)
    cache.clear()
    assert (len(cache), cache.nbytes, cache.get(b"a")) == (0, 0, None)
    assert (cache.hits, cache.misses) == (1, 2)


def test_A048_threads_see_whole_values() -> None:
    """64 threads x 1000 reads and writes: no exception, no torn value."""
    cache: BoundedCache[tuple[int, int]] = BoundedCache(20 * (ENTRY + 16))
    failures: list[object] = []

    def work(seed: int) -> None:
        try:
            for turn in range(1000):
                key = (seed * 31 + turn * 7) % 40
                if turn % 2:
                    cache.put(bytes([key]), (key, key * 2), 16)
                elif (found := cache.get(bytes([key]))) is not None and found != (key, key * 2):
                    failures.append((key, found))
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert cache.nbytes <= cache.size
    assert cache.hits + cache.misses == 64 * 500


@pytest.mark.parametrize(("size", "error"), [(-1, ValueError), (1.5, TypeError), (True, TypeError)])
def test_the_size_is_checked(size: int, error: type[Exception]) -> None:
    with pytest.raises(error, match="size must be"):
        BoundedCache(size)
