"""The most facts that any choice of segments can keep within a budget."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_matrix
from tersely.engine.facts import preserved_facts
from tersely.engine.reading import segment
from tersely.types import Level

from benchmarks import tokens

__all__ = ["most_kept"]


def most_kept(
    text: str, budget: int, names: Collection[str] = ("all",), level: Level = Level.SENTENCE
) -> float:
    """An upper bound of the share of distinct facts that segments of at most `budget` tokens hold.

    Maximum coverage where a part of a segment may be bought, and holds that part of each of its facts: no
    choice of whole segments does better. An occurrence that needs several segments is held as far as the
    least of them is bought. Separators between segments cost nothing.
    """
    table = segment([text], level)
    facts = preserved_facts([text], table, level, names)
    if facts.keys == 0:
        return 1.0
    costs = np.array(tokens.counts([text[start:end] for _, start, end, _ in table]), dtype=float)
    places = np.unique(np.stack((facts.key, facts.segment, facts.last)), axis=1)
    key, first, last = places.astype(np.int64)
    size, found, keys = len(table), len(key), facts.keys
    # The columns: bought[segment], held[occurrence], kept[fact]; the rows, each at most 0 but for the last:
    # held - bought of each of its segments; kept - the sum of held of its occurrences; what is spent - budget
    lengths = last - first + 1
    held = np.repeat(np.arange(found), lengths)
    bought = (
        np.arange(len(held)) - np.repeat(np.cumsum(lengths) - lengths, lengths) + np.repeat(first, lengths)
    )
    pairs = np.arange(len(held))
    fact = len(held) + key
    spent = np.full(size, len(held) + keys)
    row = np.concatenate((pairs, pairs, fact, len(held) + np.arange(keys), spent))
    column = np.concatenate(
        (size + held, bought, size + np.arange(found), size + found + np.arange(keys), np.arange(size))
    )
    ones = [
        sign * np.ones(number) for sign, number in ((1, len(held)), (-1, len(held)), (-1, found), (1, keys))
    ]
    matrix = coo_matrix((np.concatenate((*ones, costs)), (row, column))).tocsr()
    limits = np.concatenate((np.zeros(len(held) + keys), [budget]))
    wanted = np.concatenate((np.zeros(size + found), -np.ones(keys)))
    return float(-linprog(wanted, A_ub=matrix, b_ub=limits, bounds=(0, 1), method="highs").fun / keys)
