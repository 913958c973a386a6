"""csrc/kernels/relevance/columns.hpp, slow and obvious."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import fmean

import numpy as np
from relevance_oracle import Oracle
from small_corpora import Corpus
from tersely.engine.worth import COLUMNS, FEATURES
from tersely.models.weights import Forest


def columns(
    corpus: Corpus,
    features: np.ndarray,
    weights: Sequence[float],
    length: Sequence[int],
    cosine: Sequence[float] = (),
    classes: str = "",
    answer: int = 0,
) -> dict[str, list[float]]:
    """A value a segment for each column; `features` as the kernel gives them."""
    oracle, n = Oracle(corpus, cosine), len(corpus.rows)
    feature = {name: features[row].astype(float) for row, name in enumerate(FEATURES)}
    s = np.array(weights[:-1]) @ features[:-1].astype(float)
    order = sorted(range(n), key=lambda i: (-s[i], i))
    place = {i: rank for rank, i in enumerate(order)}
    inside = {i: oracle.of_run(corpus.documents, i) for i in range(n)}
    beside = {i: oracle.of_run(corpus.blocks, i) for i in range(n)}
    best = {
        document: max(s[i] for i in range(n) if corpus.documents[i] == document)
        for document in set(corpus.documents)
    }
    wanted = [set(row) & oracle.wanted for row in corpus.rows]
    rarest = max((oracle.rarity(term) for term in oracle.wanted), default=0.0)
    three = set().union(*(wanted[i] for i in order[:3]))
    asked = set(pairwise(corpus.query))
    phrases = [
        len({pair for pair in pairwise(row) if pair in asked and pair[0] in oracle.wanted})
        for row in corpus.rows
    ]
    most = max(phrases) or 1
    deviation = math.sqrt(fmean((s - s.mean()) ** 2))

    def of(terms: set[str]) -> float:
        return max((oracle.rarity(term) for term in terms), default=0.0) / rarest

    def union(rows: Sequence[int]) -> list[str]:
        return [term for row in rows for term in corpus.rows[row]]

    def near(i: int, step: int) -> float:
        return s[i + step] if 0 <= i + step < n and i + step in inside[i] else s.min()

    by_terms: dict[str, Callable[[int], float]] = {
        "rarest": lambda i: of(wanted[i]),
        "rarest missed": lambda i: of(oracle.wanted - wanted[i]),
        "matched": lambda i: len(wanted[i]) / len(oracle.wanted),
        "beyond best": lambda i: oracle.held(wanted[i] - wanted[order[0]]),
        "beyond three": lambda i: oracle.held(wanted[i] - three),
        "left by best": lambda i: oracle.held(oracle.wanted - wanted[order[0]]),
        "left by three": lambda i: oracle.held(oracle.wanted - three),
        "hop": lambda i: feature["bridge"][i] * oracle.held(oracle.wanted - wanted[order[0]]),
        "document share": lambda i: oracle.held(union(inside[i])),
        "block share": lambda i: oracle.held(union(beside[i])),
        "phrases": lambda i: phrases[i] / most,
        "document phrases": lambda i: max(phrases[j] for j in inside[i]) / most,
    }
    made: dict[str, Callable[[int], float]] = {
        "above median": lambda i: s[i] - sorted(s)[(n - 1) // 2],
        "standard": lambda i: (s[i] - s.mean()) / deviation if deviation > 1e-6 else 0.0,
        "rank": lambda i: place[i],
        "text above": lambda i: (
            (sum(length[j] for j in order[: place[i]]) + length[i] / 2) / max(1, sum(length))
        ),
        "below best": lambda i: s[i] - s.max(),
        "previous below": lambda i: near(i, -1) - s.max(),
        "next below": lambda i: near(i, 1) - s.max(),
        "block below": lambda i: max(s[j] for j in beside[i]) - s.max(),
        "document below": lambda i: best[corpus.documents[i]] - s.max(),
        "in block": lambda i: s[i] - max(s[j] for j in beside[i]),
        "in document": lambda i: s[i] - best[corpus.documents[i]],
        "document rank": lambda i: sum(
            (-value, other) < (-best[corpus.documents[i]], corpus.documents[i])
            for other, value in best.items()
        ),
        "cosine below": lambda i: feature["cosine"][i] - feature["cosine"].max(),
        "size": lambda i: length[i] / (max(1, sum(length)) / n),
        "place": lambda i: inside[i].index(i),
        "place share": lambda i: inside[i].index(i) / len(inside[i]),
        "cosine itself": lambda i: cosine[i] if len(cosine) else 0.0,
        "quantity": lambda i: 0.0,
        "time": lambda i: float(any(term in classes for term in corpus.rows[i])),
        "asked": lambda i: answer,
        "own terms": lambda i: fmean(
            [0.0 if term in oracle.wanted else oracle.rarity(term) for term in set(corpus.rows[i])] or [0.0]
        ),
        "most held": lambda i: feature["share"].max(),
    }
    made |= by_terms if oracle.wanted else dict.fromkeys(by_terms, lambda i: 0.0)
    found = {}
    for name in COLUMNS:
        base = name.removesuffix(" over largest")
        if base != name:
            largest = feature[base].max()
            found[name] = [value / largest if largest > 0 else 0.0 for value in feature[base]]
        elif name in feature:
            found[name] = feature[name].tolist()
        else:
            found[name] = [float(made[name](i)) for i in range(n)]
    return found


def forest_sums(forest: Forest, columns: np.ndarray) -> list[float]:
    """What the trees add to each row of float32[len(COLUMNS), n]."""
    sums = []
    for row in columns.T:
        bins = [
            int((forest.borders[begin:end] < value).sum())
            for value, begin, end in zip(row, forest.first[:-1], forest.first[1:], strict=True)
        ]
        total = 0
        for tree in range(len(forest.leaf) // 16):
            leaf = 0
            for test in range(4 * tree, 4 * tree + 4):
                leaf = 2 * leaf + (bins[forest.column[test]] > forest.bin[test])
            total += int(forest.leaf[16 * tree + leaf])
        sums.append(forest.scale * total)
    return sums
