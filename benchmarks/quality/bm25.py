"""The plain baseline: BM25 of each sentence to the query, the best that fit, in source order."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable

from benchmarks import tokens
from benchmarks.peers import Compressor
from benchmarks.quality.tasks import SENTENCE

__all__ = ["bm25_compressor", "fill", "sentences"]

_WORD = re.compile(r"\w+")
_K1, _B = 1.2, 0.75


def bm25_compressor(encoding: str) -> Compressor:
    """BM25 over sentences; a query is needed."""

    def call(documents: list[str], query: str | None, budget: int, ratio: float) -> str:
        pieces = [piece for text in documents for piece in sentences(text)]
        scores = _scores(pieces, query or "")
        best_first = sorted(range(len(pieces)), key=lambda index: -scores[index])
        return fill(pieces, best_first, budget, encoding)

    return Compressor("BM25 sentences", call)


def sentences(text: str) -> list[str]:
    """Sentences by a regular expression; a line end ends one."""
    return [piece for match in SENTENCE.finditer(text) if (piece := match.group().strip())]


def fill(pieces: list[str], order: Iterable[int], budget: int, encoding: str) -> str:
    """The pieces that fit when taken in that order, one a line, in source order."""
    used, kept = 0, []
    for index in order:
        cost = tokens.count(pieces[index], encoding) + 1
        if used + cost <= budget:
            used += cost
            kept.append(index)
    return "\n".join(pieces[index] for index in sorted(kept))


def _scores(pieces: list[str], query: str) -> list[float]:
    bags = [Counter(_words(piece)) for piece in pieces]
    lengths = [bag.total() for bag in bags]
    average = sum(lengths) / max(len(lengths), 1) or 1
    within = Counter(word for bag in bags for word in bag)
    wanted = set(_words(query))
    rarity = {word: math.log(1 + (len(bags) - within[word] + 0.5) / (within[word] + 0.5)) for word in wanted}
    return [
        sum(
            rarity[word] * bag[word] * (_K1 + 1) / (bag[word] + _K1 * (1 - _B + _B * length / average))
            for word in wanted
            if word in bag
        )
        for bag, length in zip(bags, lengths, strict=True)
    ]


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]
