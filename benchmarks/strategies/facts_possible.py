"""The most facts that any choice of segments can keep within a budget."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_matrix
from tersely.stages.facts import choose_facts, find_facts
from tersely.stages.segment import segment

from benchmarks import tokens

__all__ = ["most_kept"]


def most_kept(text: str, budget: int, names: Collection[str] = ("all",)) -> float:
    """An upper bound of the share of distinct facts that segments of at most `budget` tokens hold.

    Maximum coverage where a part of a segment may be bought, and holds that part of each of its facts: no
    choice of whole segments does better. Separators between segments cost nothing; a fact that needs several
    segments is held by the first.
    """
    table = segment([text])
    facts = choose_facts([text], find_facts([text], table), names)
    if facts.keys == 0:
        return 1.0
    costs = np.array(tokens.counts([text[start:end] for _, start, end, _ in table]), dtype=float)
    row, key = np.divmod(np.unique(facts.segment * np.int64(facts.keys) + facts.key), facts.keys)
    size, keys = len(table), facts.keys
    # held[key] - sum(bought[row] of the segments that hold it) <= 0; sum(costs * bought) <= budget
    values = np.concatenate((-np.ones(len(row)), np.ones(keys), costs))
    at_row = np.concatenate((key, np.arange(keys), np.full(size, keys)))
    at_column = np.concatenate((row, size + np.arange(keys), np.arange(size)))
    limits = np.concatenate((np.zeros(keys), [budget]))
    wanted = np.concatenate((np.zeros(size), -np.ones(keys)))
    matrix = coo_matrix((values, (at_row, at_column)), shape=(keys + 1, size + keys)).tocsr()
    return float(-linprog(wanted, A_ub=matrix, b_ub=limits, bounds=(0, 1), method="highs").fun / keys)
