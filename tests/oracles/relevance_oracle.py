"""csrc/kernels/relevance/features.hpp, slow and obvious."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from reference import idf
from small_corpora import Corpus, Row


class Oracle:
    """Each method gives one feature as a list, a value a segment."""

    def __init__(self, corpus: Corpus, cosine: Sequence[float] = ()) -> None:
        self.rows, self.documents, self.blocks = corpus.rows, corpus.documents, corpus.blocks
        self.headings, self.titles = corpus.headings, corpus.titles
        self.n = len(self.rows)
        self.rarity = idf(self.rows)
        met = {term for row in [*self.rows, *self.titles] for term in row}
        self.wanted = {term for term in corpus.query if term in met}
        self.total = math.fsum(self.rarity(term) ** 2 for term in self.wanted)
        self.cosine = list(cosine)

    def of_run(self, keys: Sequence[int], i: int) -> list[int]:
        return [j for j in range(self.n) if keys[j] == keys[i]]

    def many(self) -> bool:
        return len(set(self.documents)) > 1

    def held(self, terms: Iterable[str]) -> float:
        if not self.total:
            return 0.0
        return math.fsum(self.rarity(term) ** 2 for term in self.wanted & set(terms)) / self.total

    def share(self) -> list[float]:
        return [self.held(row) for row in self.rows]

    def ranked(self, row: Row, weight: dict[str, float], mean: float) -> float:
        if not mean:
            return 0.0
        norm = 1.2 * (1 - 0.75 + 0.75 * len(row) / mean)
        parts = [weight[t] * row.count(t) * 2.2 / (row.count(t) + norm) for t in weight if t in row]
        total = math.fsum(weight.values())
        return math.fsum(parts) / total / 2.2 if parts else 0.0

    def bm25(self) -> list[float]:
        mean = sum(map(len, self.rows)) / max(self.n, 1)
        weight = {term: self.rarity(term) ** 2 for term in self.wanted}
        return [self.ranked(row, weight, mean) for row in self.rows]

    def match(self) -> list[float]:
        return [(held + 2.2 * ranked) / 2 for held, ranked in zip(self.share(), self.bm25(), strict=True)]

    def beside(self, values: Sequence[float], step: int) -> list[float]:
        def value(i: int) -> float:
            j = i + step
            return values[j] if 0 <= j < self.n and self.documents[j] == self.documents[i] else 0.0

        return [value(i) for i in range(self.n)]

    def best_of(self, values: Sequence[float], keys: Sequence[int]) -> list[float]:
        return [max(values[j] for j in self.of_run(keys, i)) for i in range(self.n)]

    def headings_above(self) -> list[float]:
        def above(i: int) -> list[str]:
            terms = list(self.titles[self.documents[i]])
            while self.headings[i] >= 0:
                i = self.headings[i]
                terms += self.rows[i]
            return terms

        return [self.held(above(i)) for i in range(self.n)]

    def lead(self) -> list[float]:
        firsts = [self.of_run(self.documents, i)[0] for i in range(self.n)]
        return [
            self.held(self.rows[first] + self.titles[self.documents[i]]) for i, first in enumerate(firsts)
        ]

    def first(self) -> list[float]:
        places = [self.of_run(self.documents, i).index(i) for i in range(self.n)]
        return [1 / (1 + place) if self.many() else 0.0 for place in places]

    def document(self) -> list[float]:
        if not self.many():
            return [0.0] * self.n
        whole = {
            d: [term for i in range(self.n) if self.documents[i] == d for term in self.rows[i]]
            for d in set(self.documents)
        }
        rarity = idf(list(whole.values()))
        mean = sum(map(len, whole.values())) / len(whole)
        weight = {term: rarity(term) for term in self.wanted}
        return [self.ranked(whole[d], weight, mean) for d in self.documents]

    def strength(self) -> list[float]:
        match, headings = self.match(), self.headings_above()
        before, after = self.beside(match, -1), self.beside(match, 1)
        return [
            match[i]
            + 0.2 * (before[i] + after[i])
            + 0.5 * self.held(term for j in self.of_run(self.blocks, i) for term in self.rows[j])
            + 0.2 * self.held(term for j in self.of_run(self.documents, i) for term in self.rows[j])
            + 0.5 * headings[i]
            for i in range(self.n)
        ]

    def feedback(self, best: int) -> list[float]:
        strength = self.strength()
        gained: dict[str, float] = {}
        for i in sorted(range(self.n), key=lambda i: (-strength[i], i))[:best]:
            total = math.fsum(map(self.rarity, set(self.rows[i])))
            for term in set(self.rows[i]) - self.wanted:
                gained[term] = gained.get(term, 0.0) + self.rarity(term) / total * strength[i]
        raw = [
            math.fsum(gained.get(term, 0.0) for term in set(row)) / math.sqrt(len(row) or 1)
            for row in self.rows
        ]
        largest = max(raw, default=0.0)
        return [value / largest if largest > 0 else 0.0 for value in raw]

    def name_of(self, i: int) -> list[str]:
        title = self.titles[self.documents[i]]
        return list(dict.fromkeys(title or self.rows[self.of_run(self.documents, i)[0]]))[:3]

    def named(self) -> list[float]:
        names = [self.name_of(i) if self.many() else [] for i in range(self.n)]
        return [
            math.fsum(map(self.rarity, self.wanted & set(name))) / (math.fsum(map(self.rarity, name)) or 1)
            for name in names
        ]

    def bridge(self) -> list[float]:
        strength = self.strength()
        largest = max(strength, default=0.0)
        if not self.many() or largest <= 0:
            return [0.0] * self.n

        def reach(term: str, i: int) -> float:
            others = [j for j in range(self.n) if self.documents[j] != self.documents[i]]
            return max((strength[j] / largest for j in others if term in self.rows[j]), default=0.0)

        def value(i: int) -> float:
            name = self.name_of(i)
            total = math.fsum(map(self.rarity, name)) or 1
            return math.fsum(self.rarity(t) / total * reach(t, i) for t in name if t not in self.wanted)

        return [value(i) for i in range(self.n)]

    def standard(self) -> list[float]:
        if not self.cosine:
            return [0.0] * self.n
        mean = math.fsum(self.cosine) / self.n
        deviation = math.sqrt(math.fsum((c - mean) ** 2 for c in self.cosine) / self.n)
        return [(c - mean) / deviation if deviation > 1e-6 else 0.0 for c in self.cosine]

    def cosine_document(self) -> list[float]:
        standard = self.standard()
        best = [sorted(standard[j] for j in self.of_run(self.documents, i))[-3:] for i in range(self.n)]
        return [math.fsum(three) / len(three) if self.many() else 0.0 for three in best]

    def cosine_lead(self) -> list[float]:
        standard = self.standard()
        return [standard[self.of_run(self.documents, i)[0]] if self.many() else 0.0 for i in range(self.n)]

    def features(self) -> dict[str, list[float]]:
        """Everything but "answer"."""
        match, standard, none = self.match(), self.standard(), [0.0] * self.n
        found = bool(self.total)
        return {
            "share": self.share(), "bm25": self.bm25(), "previous": self.beside(match, -1),
            "next": self.beside(match, 1), "headings": self.headings_above(), "lead": self.lead(),
            "first": self.first() if found else none, "block_best": self.best_of(match, self.blocks),
            "document": self.document(), "feedback": self.feedback(2) if found else none,
            "feedback_wide": self.feedback(5) if found else none, "bridge": self.bridge() if found else none,
            "named": self.named() if found else none, "cosine": standard,
            "cosine_previous": self.beside(standard, -1), "cosine_next": self.beside(standard, 1),
            "cosine_block": self.best_of(standard, self.blocks), "cosine_document": self.cosine_document(),
            "cosine_lead": self.cosine_lead(), "reranked": none,
        }  # fmt: skip
