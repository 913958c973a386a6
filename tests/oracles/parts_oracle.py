"""csrc/kernels/relevance/topic.hpp, slow and obvious."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations

from small_corpora import Corpus


def in_parts(corpus: Corpus) -> Corpus:
    """The same corpus, its blocks being documents without titles where they are texts of their own."""
    blocks = sorted(set(corpus.blocks))
    parts = [blocks.index(block) for block in corpus.blocks]
    several = len(set(corpus.documents)) != 1 or any(row >= 0 for row in corpus.headings)
    if several or len(blocks) < 4 or len(parts) < 2 * len(blocks) or not 0.4 <= cohesion(corpus) < 1.1:
        return corpus
    return replace(corpus, documents=parts, titles=[[] for _ in blocks])


def cohesion(corpus: Corpus) -> float:
    """Mean similarity of neighbouring blocks over that of the other pairs; 0 where these have none."""
    held = [
        {term for row, its in zip(corpus.rows, corpus.blocks, strict=True) if its == block for term in row}
        for block in sorted(set(corpus.blocks))
    ]

    def weight(term: str) -> float:
        df = sum(term in terms for terms in held)
        return math.log(1 + (len(held) - df + 0.5) / (df + 0.5)) ** 2

    def similarity(one: int, other: int) -> float:
        lengths = [math.sqrt(math.fsum(weight(term) ** 2 for term in held[i])) for i in (one, other)]
        common = math.fsum(weight(term) ** 2 for term in held[one] & held[other])
        return common / (lengths[0] * lengths[1]) if common else 0.0

    pairs = list(combinations(range(len(held)), 2))
    near = [similarity(i, j) for i, j in pairs if j == i + 1]
    far = [similarity(i, j) for i, j in pairs if j > i + 1]
    return (sum(near) / len(near)) / (sum(far) / len(far)) if sum(far) > 0 else 0.0
