"""Promise 7: the native stages let other threads run."""

from __future__ import annotations

import itertools
import threading
import time

import pytest
from tersely import _native

TEXT = "The winch on the north quay was oiled again, and nobody noticed. " * 150_000  # 10 MB


@pytest.mark.slow
@pytest.mark.parametrize("name", ["segment", "terms", "analyze"])
def test_other_threads_run_meanwhile(name: str) -> None:
    calls = {
        "segment": lambda: _native.segment([TEXT], 2, 200),
        "terms": lambda: _native.terms([TEXT])[2],
        "analyze": lambda: _native.analyze([TEXT], [], 2, 200),
    }
    ended = threading.Event()

    def work() -> None:
        calls[name]()
        ended.set()

    ticks = []
    thread = threading.Thread(target=work)
    thread.start()
    while not ended.is_set():
        ticks.append(time.perf_counter())
        time.sleep(0.001)
    thread.join()
    busy = time.perf_counter() - ticks[0]
    pauses = [later - earlier for earlier, later in itertools.pairwise(ticks)]
    assert len(ticks) > 5, "the call was too short to tell"
    assert max(pauses) < busy / 2, "the main thread stood still for most of the call"
