"""What other threads do while a native call runs, and where forks beside them cannot be tested."""

from __future__ import annotations

import itertools
import os
import threading
import time
from collections.abc import Callable

import pytest

# AddressSanitizer's allocator hangs in a child forked beside threads, and keeps freed memory for a while.
UNDER_ASAN = "asan" in os.environ.get("LD_PRELOAD", "")
forks = pytest.mark.skipif(UNDER_ASAN, reason="ASan and forks beside threads hang")


def assert_others_run_during(call: Callable[[], object]) -> None:
    """The main thread ticks on while another is in the call; tried five times, as a busy machine stops it."""
    for _ in range(5):
        pauses = pauses_during(call)
        if len(pauses) > 4 and max(pauses) < sum(pauses) / 2:
            return
    raise AssertionError(f"the main thread stood still for most of the call: {pauses}")


def pauses_during(call: Callable[[], object]) -> list[float]:
    ended = threading.Event()

    def work() -> None:
        call()
        ended.set()

    ticks = []
    thread = threading.Thread(target=work)
    thread.start()
    while not ended.is_set():
        ticks.append(time.perf_counter())
        time.sleep(0.001)
    thread.join()
    return [later - earlier for earlier, later in itertools.pairwise([*ticks, time.perf_counter()])]
