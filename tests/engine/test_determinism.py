"""Promise 3 across processes: hash seeds, threads, order of use."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
import tersely
from sample_texts import ALL, prose
from script_runs import run_script


@pytest.fixture(scope="module")
def digest() -> str:
    done = run_script("fixed_run.py", PYTHONHASHSEED="0")
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("seed", ["1", "4294967295", "random"])
def test_the_hash_seed_does_not_matter(seed: str, digest: str) -> None:
    done = run_script("fixed_run.py", PYTHONHASHSEED=seed)
    assert done.stdout == digest, done.stderr


@pytest.mark.parametrize("threads", ["1", "7"])
def test_the_number_of_threads_does_not_matter(threads: str, digest: str) -> None:
    done = run_script("fixed_run.py", OMP_NUM_THREADS=threads)
    assert done.stdout == digest, done.stderr


@pytest.mark.parametrize("locale", ["C", "C.UTF-8", "POSIX"])
def test_the_locale_does_not_matter(locale: str, digest: str) -> None:
    done = run_script("fixed_run.py", LC_ALL=locale, LANG=locale)
    assert done.stdout == digest, done.stderr


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
