"""Texts that look like what people ask, made of the corpus' own words."""

from __future__ import annotations

import hashlib
import math
import random
import re
from collections import Counter
from collections.abc import Sequence

__all__ = ["made_queries"]

ONE_IN = 6  # sentences
_FEWEST, _MOST = 6, 40  # words of a sentence that is asked about
_WORD = re.compile(r"[^\W\d_][\w'-]*")
_OPENINGS = (
    *(
        "what is",
        "what is the",
        "what are",
        "what was the name of",
        "what type of",
        "who",
        "who was",
        "which",
    ),
    *("when did", "when was", "where is", "where did", "in what year was", "why did", "how", "how many"),
    *("how long", "is there", "does"),
)


def made_queries(sentences: Sequence[str]) -> list[str]:
    """A query for about one sentence in six: two to six of its words, rare ones rather than common ones, in
    their order and in lower case, more often than not after the opening of a question.

    Queries are short and lack the words that sentences are held together by; a table that is fitted on
    sentences alone places them less well. Which words: by the digest of the sentence, so always the same.
    """
    words = [_WORD.findall(sentence.lower()) for sentence in sentences]
    known = Counter(word for row in words for word in set(row))
    queries = []
    for sentence, row in zip(sentences, words, strict=True):
        seed = int.from_bytes(hashlib.blake2b(sentence.encode("utf-8", "replace"), digest_size=8).digest())
        if seed % ONE_IN == 0 and _FEWEST <= len(row) <= _MOST:
            queries.append(_query(row, known, random.Random(seed)))
    return queries


def _query(words: Sequence[str], known: Counter[str], chance: random.Random) -> str:
    count = 2 + int(5 * chance.random())
    rarity = [math.log(known[word]) + 2 * chance.random() for word in words]
    chosen = sorted(sorted(range(len(words)), key=rarity.__getitem__)[:count])
    opening = chance.random()
    asked = [_OPENINGS[int(opening / 0.6 * len(_OPENINGS))]] if opening < 0.6 else []
    return " ".join([*asked, *(words[place] for place in chosen)]) + (
        "?" if asked and chance.random() < 0.6 else ""
    )
