"""Promise 3 where many call at once; across processes: tests/kernels/test_isa.py."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import tersely
from sample_texts import ALL, prose


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
