"""sumy's LexRank within a token budget."""

from __future__ import annotations

import importlib
import re
from typing import Any

from benchmarks import tokens
from benchmarks.quality.bm25 import sentences

__all__ = ["lexrank"]

_WORD = re.compile(r"[^\W\d_]+")


class _Tokenizer:
    """What sumy asks of a tokenizer."""

    def to_sentences(self, text: str) -> tuple[str, ...]:
        return tuple(sentences(text))

    def to_words(self, text: str) -> tuple[str, ...]:
        return tuple(_WORD.findall(text))


def lexrank(text: str, budget: int) -> str:
    """The highest ranked sentences that fit, in source order, one a line."""
    ranker = importlib.import_module("sumy.summarizers.lex_rank").LexRankSummarizer(
        importlib.import_module("sumy.nlp.stemmers").Stemmer("english")
    )
    ranker.stop_words = importlib.import_module("sumy.utils").get_stop_words("english")
    parser = importlib.import_module("sumy.parsers.plaintext").PlaintextParser.from_string(text, _Tokenizer())

    def fitting(ranked: list[Any]) -> list[Any]:
        used, kept = 0, []
        for entry in ranked:
            cost = tokens.count(str(entry.sentence)) + 1
            if used + cost <= budget:
                used += cost
                kept.append(entry)
        return kept

    return "\n".join(str(sentence) for sentence in ranker(parser.document, fitting))
