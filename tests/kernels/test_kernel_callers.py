"""Several callers at once, forks, and what a call leaves behind."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from other_threads import UNDER_ASAN, assert_others_run_during, forks
from script_runs import run_code
from tersely import _native
from tersely.kernels import cosine_pairs, cosine_similarity, threshold_clusters
from vector_oracles import all_answers, gaussian


def test_four_callers_with_arrays_of_their_own_and_shared() -> None:
    xs = [gaussian(700 + 50 * k, 48, k, np.float64) for k in range(3)]
    y = gaussian(300, 48, 9, np.float64)
    expected = [all_answers(x, y, 0.4, 1) for x in xs]
    together = threading.Barrier(4)

    def caller(number: int) -> list[str]:
        together.wait()
        return [all_answers(xs[(number + k) % 3], y, 0.4, threads=1 + (number + k) % 4) for k in range(6)]

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(caller, range(4)))
    for number, answers in enumerate(results):
        assert answers == [expected[(number + k) % 3] for k in range(6)]


# .3 is a threshold that the first columns do not settle, so each call takes a tenth of a second or more.
X = np.random.default_rng(0).standard_normal((20_000, 256), dtype=np.float32)
TEXT = "The winch on the north quay was oiled again, and nobody noticed. " * 150_000  # 10 MB
CALLS: dict[str, Callable[..., object]] = {
    "similarity": partial(cosine_similarity, X[:1400], X, threads=1),
    "pairs": partial(cosine_pairs, X, 0.3, threads=1),
    "representative": partial(threshold_clusters, X, 0.3, threads=1),
    "single": partial(threshold_clusters, X, 0.3, linkage="single", threads=1),
    "segment": lambda: _native.segment([TEXT], 3, 200),
    "terms": lambda: _native.terms([TEXT])[2],
    "analyze": lambda: _native.analyze([TEXT], [], 3, 200),
}


@pytest.mark.parametrize("name", CALLS)
def test_other_threads_run_meanwhile(name: str) -> None:
    assert_others_run_during(CALLS[name])


# Fork is used on purpose: newer Pythons warn of it in a process with threads.
START = """
import multiprocessing, os, threading, time, warnings
warnings.simplefilter("ignore")
import numpy as np
from tersely import _native
from tersely.kernels import cosine_pairs
from vector_oracles import fixed_answers, gaussian

def in_child(method):
    with multiprocessing.get_context(method).Pool(1) as pool:
        return pool.apply_async(fixed_answers, (4,)).get(timeout=120)
"""


def run(code: str) -> None:
    done = run_code(START + code)
    assert done.returncode == 0, done.stderr[-2000:]


@forks
def test_forked_and_spawned_children_of_a_process_that_used_threads() -> None:
    run("""
expected = fixed_answers(4)
assert in_child("fork") == expected
assert in_child("spawn") == expected
""")


@forks
def test_a_fork_while_another_thread_is_in_a_kernel() -> None:
    run("""
expected = fixed_answers(4)
busy = threading.Thread(target=cosine_pairs, args=(gaussian(15_000, 256), 0.99), kwargs={"threads": 3})
busy.start()
time.sleep(0.1)
child = os.fork()
if child == 0:
    os._exit(0 if fixed_answers(4) == expected else 3)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
busy.join()
""")


def resident() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def one_of_everything(x: np.ndarray, bad: np.ndarray, progress: Callable[[float], object]) -> None:
    cosine_similarity(x, x[:10], threads=2)
    pairs = cosine_pairs(x, 0.0, threads=2, progress=progress)
    with pytest.raises(ValueError, match="more than max_pairs"):
        cosine_pairs(x, 0.0, max_pairs=len(pairs.i) - 1)
    for linkage in ("representative", "single"):
        threshold_clusters(x, 0.3, np.arange(len(x)), linkage=linkage, progress=progress)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="row 3 holds"):
            threshold_clusters(bad, 0.3, linkage=linkage)  # type: ignore[arg-type]


@pytest.mark.skipif(UNDER_ASAN, reason="ASan keeps freed memory for a while")
def test_calls_leave_no_memory_behind() -> None:
    x = gaussian(120, 64)
    bad = x.copy()
    bad[3] = np.nan
    for _ in range(30):
        one_of_everything(x, bad, id)
    before = resident()
    for _ in range(200):
        one_of_everything(x, bad, id)
    assert resident() - before < 1_500_000  # a leak of the pairs alone would be 15 MB


def test_calls_keep_no_references() -> None:
    x, scores = gaussian(20, 4), np.arange(20.0)

    def progress(share: float) -> None:
        raise AssertionError(share)

    def counts() -> list[int]:
        return [sys.getrefcount(thing) for thing in (x, scores, progress)]

    before = counts()
    for _ in range(10):
        cosine_similarity(x, x, out=np.empty((20, 20), np.float32))
        cosine_pairs(x, 0.5, progress=progress)
        threshold_clusters(x, 0.5, scores, progress=progress)
    assert counts() == before


def test_results_own_their_memory() -> None:
    x = gaussian(100, 8)
    pairs, clusters = cosine_pairs(x, 0.3), threshold_clusters(x, 0.3)
    kept = [array.copy() for array in (*pairs, *clusters[:3])]
    for _ in range(50):
        cosine_pairs(x, 0.2)
        threshold_clusters(x, 0.2)
    x[:] = 0
    for array, copy in zip((*pairs, *clusters[:3]), kept, strict=True):
        np.testing.assert_array_equal(array, copy)
        assert array.flags.writeable
        array[:1] = 1
