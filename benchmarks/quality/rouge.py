"""ROUGE-N recall: the share of a reference's n-grams that a text has."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice

__all__ = ["rouge_recall"]

_WORD = re.compile(r"[a-z0-9]+")


def rouge_recall(text: str, references: list[str], n: int) -> float:
    """The best over the references; lower case, letters and digits, no stemming, counts clipped."""
    given = _grams(text, n)
    return max((_recall(given, _grams(reference, n)) for reference in references), default=0.0)


def _recall(given: Counter[tuple[str, ...]], wanted: Counter[tuple[str, ...]]) -> float:
    return (given & wanted).total() / wanted.total() if wanted else 0.0


def _grams(text: str, n: int) -> Counter[tuple[str, ...]]:
    words = _WORD.findall(text.lower())
    return Counter(zip(*(islice(words, start, None) for start in range(n)), strict=False))
