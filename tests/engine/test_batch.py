"""The same results on any number of threads, in children of any kind, and what importing does."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import odd_counters
import pytest
import tersely
from sample_texts import ALL, prose
from script_runs import run_code
from tersely import BudgetExceededError, Compressed, _native
from tersely.engine.reading import REASONS
from tersely.engine.render import layout_of
from tersely.models.counters import TOKEN_TABLES

ITEMS = [
    *ALL,
    prose(40),
    [prose(5), prose(9)],
    {"text": prose(12), "title": "copper"},
    "",
    "One. Two. Three. Four.",
]


@pytest.fixture(scope="module")
def expected() -> list[dict[str, object]]:
    return [tersely.compress(item, "copper storm", ratio=0.2).to_dict() for item in ITEMS]


@pytest.mark.parametrize("threads", [None, 1, 2, 4, 64])
def test_same_results_in_order(threads: int | None, expected: list[dict[str, object]]) -> None:
    results = tersely.compress_batch(ITEMS, "copper storm", ratio=0.2, threads=threads)
    assert [result.to_dict() for result in results] == expected


def test_items_and_queries() -> None:
    texts = [prose(20)] * 3
    queries = ["copper", None, "granite"]
    results = tersely.compress_batch(texts, queries, budget=40, threads=2)
    single = [tersely.compress(text, query, budget=40) for text, query in zip(texts, queries, strict=True)]
    assert [result.text for result in results] == [result.text for result in single]
    assert len({result.text for result in results}) == 3
    results = tersely.compress_batch((text for text in ["Rope.", "Fog."]), (query for query in ["a", "b"]))
    assert len(results) == 2
    assert tersely.compress_batch([]) == []
    assert tersely.compress_batch([], [], threads=3) == []


BAD_ITEMS = ["Rope. Fog.", 5, "Salt. Net.", b"x", None, "Cod. Eel."]


@pytest.mark.parametrize("threads", [1, 3])
def test_one_bad_item_does_not_lose_the_others(threads: int) -> None:
    results = tersely.compress_batch(BAD_ITEMS, budget=1, counter=odd_counters.words, threads=threads)
    kinds = [type(result) for result in results]
    assert kinds == [Compressed, TypeError, Compressed, TypeError, TypeError, Compressed]
    assert [result.text for result in results if isinstance(result, Compressed)] == ["Fog.", "Net.", "Cod."]
    with pytest.raises(TypeError, match="not int"):
        tersely.compress_batch(BAD_ITEMS, errors="raise", threads=threads)


def test_an_item_that_fails_stands_in_its_place() -> None:
    results = tersely.compress_batch(["ab", "👍"], budget=1, counter=odd_counters.utf8_bytes)
    assert results[0].text == "a"
    assert isinstance(results[1], BudgetExceededError)
    assert results[1].required == 4

    def counter(text: str) -> int:
        if "Fog" in text:
            raise RuntimeError("fog")
        return len(text.split())

    results = tersely.compress_batch(["Rope.", "Fog.", "Salt."], counter=counter, threads=2)
    assert [isinstance(result, Compressed) for result in results] == [True, False, True]
    results = tersely.compress_batch(TEXTS, budget=[40, -1, 2.5])
    assert [type(result) for result in results] == [Compressed, ValueError, TypeError]
    assert "budget must be a whole number from 0, not -1" in str(results[1])
    ratios = tersely.compress_batch(TEXTS, ratio=[0.2, 0, 2])
    assert [type(result) for result in ratios] == [Compressed, ValueError, ValueError]
    with pytest.raises(ValueError, match="budget must be a whole number from 0, not -1"):
        tersely.compress_batch(TEXTS, budget=[40, -1, 2.5], errors="raise")


@pytest.mark.parametrize("value", ["1", "3", "0", "many", ""])
def test_threads_from_the_environment(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", value)
    results = tersely.compress_batch(ITEMS, ratio=0.5)
    assert [result.text for result in results] == [tersely.compress(item, ratio=0.5).text for item in ITEMS]


TEXTS = [prose(20), prose(30), [prose(12), prose(25)]]


def test_threads_that_share_a_choice_count_the_same() -> None:
    """Texts are counted by one counter, which each has in its turn; the others wait without the GIL."""
    text = "\n".join(f'{{"id": {number}, "name": "user {number}"}}' for number in range(2000))
    reading = tersely.prepare(text, strategy="jsonl").reading
    size, layout = len(reading.table), layout_of(reading)
    columns = {"score": reading.worth, "cost": np.ones(size, np.int64), "document": reading.table.document}
    counter, original = TOKEN_TABLES["o200k_base"], reading.original
    choice = _native.Choice(**columns, layout=layout, counter=counter, original=original)
    every = np.full(size, REASONS.index("selected"), dtype=np.uint8)
    few = np.where(np.arange(size) < 10, every, np.uint8(0))

    def tokens(status: np.ndarray) -> int:
        made = choice.attempt(status)
        assert made is not None and made[0] == layout.write(status)[0]
        return made[4]

    alone = [tokens(status) for status in (few, every)]
    assert 0 < alone[0] < 200 < alone[1]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(tokens, [few, every] * 50))
    assert found == alone * 50


def test_calls_at_the_same_time_do_not_disturb_each_other() -> None:
    jobs = [
        (text, query, budget)
        for text in [*ALL, prose(50)]
        for query in (None, "storm copper")
        for budget in (9, 90)
    ]

    def run(job: tuple[str, str | None, int]) -> dict[str, object]:
        text, query, budget = job
        return tersely.compress(text, query, budget=budget).to_dict()

    alone = [run(job) for job in jobs]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(run, jobs * 5))
    assert together == alone * 5


# Fork is used on purpose: newer Pythons warn of it in a process with threads.
START = """
import multiprocessing, warnings
warnings.simplefilter("ignore")
import tersely
from sample_texts import ALL, prose

def work(sentences):
    return tersely.compress(prose(sentences), "copper", budget=200).to_dict()

def in_child(method, sentences):
    with multiprocessing.get_context(method).Pool(1) as pool:  # spawned: knows modules alone
        done = pool.apply_async(tersely.compress, (prose(sentences), "copper"), {"budget": 200})
        return done.get(timeout=120).to_dict()
"""


@pytest.mark.slow
def test_children_give_the_same_results_whatever_the_process_did_before() -> None:
    """Forked and spawned ones; then after a batch on threads; then after counting in parallel.

    More than two million characters are counted on several threads; a fork does not inherit them.
    """
    code = """
expected = work(60)
assert in_child("fork", 60) == in_child("spawn", 60) == expected
tersely.compress_batch([*ALL, prose(60)] * 3, "copper", threads=4)
assert in_child("fork", 60) == expected
expected = work(40_000)
assert in_child("fork", 40_000) == expected
"""
    done = run_code(START + code)
    assert done.returncode == 0, done.stderr[-2000:]
