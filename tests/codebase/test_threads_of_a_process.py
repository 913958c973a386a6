"""Threads of a fresh process: the first calls of all at once, and calls of daemon threads at its end."""

from __future__ import annotations

import pytest
from script_runs import run_code

FIRST = """
import sys, threading
import tersely
sys.setswitchinterval(1e-5)
text = "The river is high in May. Boats stay in the harbour until it falls. " * 40
ready, found = threading.Barrier(8), []
def call():
    ready.wait()
    found.append(tersely.compress(text, {query!r}, ratio=0.3, counter={counter!r}).text)
threads = [threading.Thread(target=call) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert len(found) == 8 and len(set(found)) == 1, found
"""
LAST = """
import threading, time
import numpy as np
import tersely
text = "The river is high in May. Boats stay in the harbour until it falls. " * 2000
rows = np.random.default_rng(1).standard_normal((3000, 64), np.float32)
def call():
    while True:
        {call}
for _ in range(3): threading.Thread(target=call, daemon=True).start()
time.sleep(0.2)
"""
CALLS = ["tersely.compress(text, 'harbour', ratio=0.3)", "tersely.kernels.cosine_pairs(rows, threshold=0.9)"]


@pytest.mark.parametrize("counter", [None, "cl100k_base"])
@pytest.mark.parametrize("query", [None, "When do boats leave the harbour?"])
def test_threads_may_make_the_first_calls_at_once(query: str | None, counter: str | None) -> None:
    done = run_code(FIRST.format(query=query, counter=counter))
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("call", CALLS)
def test_a_process_ends_while_its_daemon_threads_are_in_native_calls(call: str) -> None:
    done = run_code(LAST.format(call=call))
    assert (done.returncode, done.stderr) == (0, "")
