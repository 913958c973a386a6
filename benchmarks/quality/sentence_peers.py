"""Plain peers that take whole sentences: the first, the best by BM25, sumy's ranks, and evidence by hand."""

from __future__ import annotations

import importlib
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from benchmarks import tokens
from benchmarks.quality.tasks import ENCODING, SENTENCE, Task

__all__ = ["best_bm25", "bm25", "evidence_by_hand", "fill", "first_sentences", "sentences", "sumy_ranker"]

_WORD = re.compile(r"\w+")
_LETTERS = re.compile(r"[^\W\d_]+")
_K1, _B = 1.2, 0.75


def sentences(text: str) -> list[str]:
    """Sentences by a regular expression; a line end ends one."""
    return [piece for match in SENTENCE.finditer(text) if (piece := match.group().strip())]


def fill(pieces: list[str], order: Iterable[int], budget: int) -> str:
    """The pieces that fit when taken in that order, one a line, in source order."""
    costs = tokens.counts(pieces, ENCODING)
    used, kept = 0, []
    for index in order:
        cost = costs[index] + 1
        if used + cost <= budget:
            used += cost
            kept.append(index)
    return "\n".join(pieces[index] for index in sorted(kept))


def first_sentences(task: Task) -> str:
    """The first sentences that fit."""
    pieces = _all_sentences(task)
    return fill(pieces, range(len(pieces)), task.budget)


def best_bm25(task: Task) -> str:
    """The sentences with the highest BM25 to the query that fit; a query is needed."""
    pieces = _all_sentences(task)
    scores = bm25(pieces, task.query or "")
    return fill(pieces, sorted(range(len(pieces)), key=lambda index: -scores[index]), task.budget)


def evidence_by_hand(task: Task) -> str:
    """The sentences of the evidence itself, the shortest first, as many as fit: the ceiling of the metric."""
    wanted = list(dict.fromkeys(part for piece in task.evidence for part in sentences(piece)))
    return fill(wanted, sorted(range(len(wanted)), key=lambda index: len(wanted[index])), task.budget)


def sumy_ranker(module: str, summarizer: str) -> Callable[[str], list[int]]:
    """Numbers of `sentences(text)`, the best first, by one of sumy's summarizers.

    English stemmer and stop words. Sentences and words come from regular expressions, since sumy's own
    tokenizer needs a download.
    """
    ranker = getattr(importlib.import_module(f"sumy.summarizers.{module}"), summarizer)(
        importlib.import_module("sumy.nlp.stemmers").Stemmer("english")
    )
    ranker.stop_words = importlib.import_module("sumy.utils").get_stop_words("english")
    model = importlib.import_module("sumy.models.dom")
    tokenizer = _Tokenizer()

    def rank(text: str) -> list[int]:
        order: list[int] = []

        def take(ranked: list[Any]) -> list[Any]:
            order.extend(entry.order for entry in ranked)
            return ranked

        made = [model.Sentence(piece, tokenizer) for piece in sentences(text)]
        ranker(model.ObjectDocumentModel([model.Paragraph(made)]), take)
        return order

    return rank


class _Tokenizer:
    """What sumy asks of a tokenizer."""

    def to_words(self, text: str) -> tuple[str, ...]:
        return tuple(_LETTERS.findall(text))


def _all_sentences(task: Task) -> list[str]:
    return [piece for text in task.documents for piece in sentences(text)]


def bm25(pieces: list[str], query: str) -> list[float]:
    """The BM25 of each piece to the query, the pieces being the collection."""
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
