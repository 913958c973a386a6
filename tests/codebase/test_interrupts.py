"""Ctrl-C ends a native call within a second, and a thread's deadline ends it, too."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from tersely import _native

CALLS = {  # name -> a text's piece and the call: of seconds, so that none has ended when Ctrl-C comes
    "segment": ("The crew paid 12 euros on 4 May. ", "_native.segment([text] * 6, 2, 200)"),
    "analyze": ("The crew paid 12 euros on 4 May.\n\n", "_native.analyze([text] * 3, [], 2, 200)"),
    "terms": ("copper crew ", "_native.read_terms([text] * 12)"),
    "tokens": ("copper crew ", "TOKEN_TABLES['o200k_base'].count([text] * 20)"),
    "tokens of one word": ("abcd", "TOKEN_TABLES['o200k_base'].count([text] * 20)"),
    "json": ('{"a": 1, "b": "two words"}\n', "_native.tree_units([text], '', False)"),
    "guards": ("not 12 euros, ", "_native.guards([text] * 3)"),
    "html": ("<p>word</p>", "_native.html_texts([text * 4])"),
    "table": ("a,b,1\n", "_native.table_rows([text], ',', True)"),
    "records": ('{"a": 1, "b": "two words"}\n', "_native.tree_units([text], 'two', False)"),
    "equal": ("a\n", "_native.first_equal([text], *places(text))"),
    "embed": ("The crew paid 12 euros. ", "StaticEmbedder().embed([text] * 8)"),
    "dedup": ("Gate 12 was opened. ", "tersely.dedup([text[n:n + 97] for n in range(600_000)])"),
    "store": ("Gate 12 was opened. ", "store.put_many([text[n:n + 997] for n in range(90_000)])"),
}
PROGRAM = """
import signal, sys, tempfile, time
import numpy as np
import tersely
from tersely import StaticEmbedder, _native
from tersely.models.counters import TOKEN_TABLES
from tersely.store import Store
def places(text):
    start = np.arange(0, len(text), 2)
    kind = np.zeros(len(start), np.uint8)
    return np.zeros(len(start), np.int32), start, start + 1, kind, kind[:1], kind[:0]
folder = tempfile.TemporaryDirectory()
store = Store.open(folder.name + "/store")
signal.signal(signal.SIGINT, signal.default_int_handler)
text = sys.argv[1] * (100_000_000 // len(sys.argv[1]))
print("begins", flush=True)
try:
    {call}
except KeyboardInterrupt:
    print("interrupted", time.process_time(), flush=True)
"""


@pytest.fixture
def deadline() -> Iterator[None]:
    _native.set_deadline(_native.Deadline(0.05))
    yield
    _native.set_deadline(None)


@pytest.mark.slow
@pytest.mark.seconds
@pytest.mark.parametrize("name", CALLS)
def test_ctrl_c_ends_a_native_call_within_a_second(name: str) -> None:
    import time

    piece, call = CALLS[name]
    program = PROGRAM.format(call=call)
    with subprocess.Popen(
        [sys.executable, "-c", program, piece], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == "begins\n"
        time.sleep(0.3)
        sent = time.clock_gettime(
            ~process.pid << 3 | 2
        )  # its clock of CPU: other work on the machine does not count
        process.send_signal(signal.SIGINT)
        word, at = process.stdout.readline().split()
    assert word == "interrupted" and float(at) - sent < 1


def test_a_native_call_ends_at_the_deadline_of_its_thread(deadline: None) -> None:
    text = "The crew paid 12 euros on 4 May. " * 1_600_000
    with pytest.raises(TimeoutError, match="deadline"):
        _native.segment([text], 2, 200)
    with pytest.raises(TimeoutError, match="deadline"):
        _native.segment(["begun after it"], 2, 200)
    _native.set_deadline(None)
    assert len(_native.segment(["A word."], 2, 200)[0]) == 1


ROWS = np.random.default_rng(0).standard_normal((20_000, 128), dtype=np.float32)
NONE = np.empty(0, np.int32)
ON_ROWS: dict[str, Callable[..., object]] = {
    "similarity": lambda told: _native.cosine_similarity(
        ROWS[:8000], None, np.empty((8000, 8000), np.float32), 1, told
    ),
    "pairs": lambda told: _native.cosine_pairs(ROWS, 0.3, 1 << 20, 1, told),
    "clusters": lambda told: _native.threshold_clusters(ROWS, 0.3, np.empty(0), False, 1, told),
    "relevance": lambda told: _native.marginal_relevance(ROWS, np.ones(20_000), 2000, 0.5, NONE, 1, told),
    "facilities": lambda told: _native.facility_location(
        ROWS, np.empty(0), np.empty(0), 100.0, NONE, 32, 1, told
    ),
}


@pytest.mark.parametrize("name", ON_ROWS)
def test_work_on_rows_ends_at_the_deadline_too(name: str, deadline: None) -> None:
    told: list[float] = []

    def late(share: float) -> None:
        told.append(share)
        _native.set_deadline(_native.Deadline(-1))

    _native.set_deadline(None)
    with pytest.raises(TimeoutError, match="deadline"):
        ON_ROWS[name](late)
    assert len(told) == 1
    with pytest.raises(TimeoutError, match="deadline"):  # begun after it
        ON_ROWS[name](None)
