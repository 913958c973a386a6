"""Work spread over threads (threads.py)."""

import threading
import time

import pytest
from tersely.threads import map_in_threads


@pytest.mark.parametrize("threads", [1, 2, 7])
@pytest.mark.parametrize("count", [0, 1, 2, 50])
def test_results_stand_in_the_order_of_the_items(threads: int, count: int) -> None:
    assert map_in_threads(lambda item: item * item, range(count), threads) == [i * i for i in range(count)]


def test_the_caller_works_too_and_no_more_threads_than_asked() -> None:
    seen: set[int] = set()

    def note(_: int) -> None:
        seen.add(threading.get_ident())
        time.sleep(0.01)

    map_in_threads(note, range(12), 3)
    assert threading.get_ident() in seen
    assert len(seen) <= 3


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("error", [IndexError, KeyboardInterrupt])
def test_what_the_function_raises_is_raised_and_ends_the_work(
    threads: int, error: type[BaseException]
) -> None:
    done: list[int] = []

    def fail_at_five(item: int) -> None:
        if item == 5:
            raise error("five")
        time.sleep(0.001)
        done.append(item)

    before = threading.active_count()
    with pytest.raises(error, match="five"):
        map_in_threads(fail_at_five, range(1000), threads)
    assert len(done) < 100
    assert threading.active_count() == before
