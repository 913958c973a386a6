"""Texts that share the rarest words of a question: what a search returns beside the one that answers."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import islice
from math import log

__all__ = ["Distractors"]

_TEXTS = 10  # of a question
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|\w+")  # a kana or Chinese character is a word


class Distractors:
    """Distinct texts, found by the words of a question."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._where: dict[str, list[int]] = defaultdict(list)
        for at, text in enumerate(texts):
            for word in set(_WORD.findall(text.casefold())):
                self._where[word].append(at)

    def among(self, question: str, own: Sequence[str], fits: Callable[[str], bool]) -> list[str]:
        """A question's own texts and others that fit beside them, ten where there are so many.

        Those that share its rarest words are taken. All stand in the order of their characters, as otherwise
        the first would always be the one.
        """
        shared: dict[int, float] = defaultdict(float)
        for word in dict.fromkeys(_WORD.findall(question.casefold())):
            for place in self._where.get(word, ()):
                shared[place] += log(len(self._texts) / len(self._where[word]))
        near = (self._texts[place] for place in sorted(shared, key=lambda place: (-shared[place], place)))
        others = (text for text in near if text not in own and fits(text))
        return sorted([*own, *islice(others, max(_TEXTS - len(own), 0))])
