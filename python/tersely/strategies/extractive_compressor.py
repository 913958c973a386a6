"""The extractive compressor, with the scoring and the selection of sentences on their own."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from tersely import _native
from tersely.errors import BudgetExceededError, RelevanceScoringError
from tersely.providers.embedders import resolve_embedder
from tersely.stages.count import count_batch
from tersely.stages.score import position_and_length
from tersely.strategies.compressor import Compressor
from tersely.strategies.cutting import longest_prefix
from tersely.strategies.extractive import Extractive
from tersely.strategies.options import CompressionMethod, CompressionOptions
from tersely.tables import Level

__all__ = ["ExtractiveCompressor"]

_RELEVANCE = 2.0  # weight of a cosine beside position and length
_SCORE_FLOOR = 0.5  # of the best score


class ExtractiveCompressor(Compressor):
    """Keeps whole segments, verbatim, in source order, with the gaps of the source.

    `compress` scores and selects with the strategy `Extractive`. `score_sentences` and `select_sentences` are
    a simple way to do both, for callers that bring sentences of their own.
    """

    method = CompressionMethod.EXTRACTIVE

    def __init__(
        self,
        embedder: Any = None,
        counter: Any = None,
        *,
        level: Level | str = Level.SENTENCE,
        position_decay: float = 0.01,
        position_floor: float | None = None,
        lexical_fallback: bool = False,
        strict: bool = False,
        clock: Callable[[], datetime] | None = None,
        new_id: Callable[[], str] | None = None,
    ) -> None:
        """See `Compressor`; further:

        Args:
            embedder, counter: as for `Compressor`.
            level: how finely `compress` cuts texts.
            position_decay, position_floor: `score_sentences` takes so much off for each sentence before, but
                does not go below the floor (None: it does).
            lexical_fallback: `score_sentences` without an embedder goes by the query's terms.
            strict: raise instead of falling back or cutting a sentence.
        """
        super().__init__(embedder=embedder, counter=counter, clock=clock, new_id=new_id)
        self._strategy = Extractive(
            level=level,  # type: ignore[arg-type]  # made a Level there
            embedder=embedder,
            position_decay=position_decay,
            position_floor=position_floor,
        )
        self.lexical_fallback = lexical_fallback
        self.strict = strict

    def strategy_for(self, options: CompressionOptions, original_tokens: int) -> Extractive:
        """`Extractive`, with what is to be preserved."""
        return replace(self._strategy, preserve=options.preserve, strict_preserve=options.strict_preserve)

    def score_sentences(self, sentences: Sequence[str], query: str = "") -> list[float]:
        """What each sentence is worth: position, relevance to the query, length.

        1 - i * position_decay for sentence i, not below position_floor; + 2 * its cosine with the query,
        where there is a query and an embedder; + 0.3 where it has more than 5 and fewer than 50 words
        (between white space). With `lexical_fallback`, and where the embedder fails, the share of the query's
        terms that the sentence holds stands for the cosine; of a failure a RuntimeWarning tells. Raises
        RelevanceScoringError for that instead where `strict`.
        """
        words = [len(sentence.split()) for sentence in sentences]
        options = self._strategy
        scores = position_and_length(words, options.position_decay, options.position_floor)
        relevance = self._relevance(list(sentences), query) if query.strip() and sentences else 0.0
        return [float(score) for score in scores + _RELEVANCE * np.asarray(relevance)]

    def select_sentences(
        self,
        sentences: Sequence[str],
        scores: Sequence[float],
        target_tokens: int,
        score_floor: float = _SCORE_FLOOR,
    ) -> list[str]:
        """The best sentences whose tokens together are at most `target_tokens`, in source order.

        Each is taken if it still fits, in descending order of score (ties: the first). Left out is what
        scores less than `score_floor` times the best score, where that is above 0. Where no sentence fits,
        the best is cut and marked with "…", or BudgetExceededError raised where `strict`.
        """
        if len(scores) != len(sentences):
            raise ValueError(f"there must be one score a sentence: {len(scores)} for {len(sentences)}")
        if not all(map(math.isfinite, scores)):
            raise ValueError("scores must be finite")
        if not sentences or target_tokens < 1:
            return []
        tokens = count_batch(self.counter, list(sentences)).tolist()
        best = max(scores)
        least = score_floor * best if best > 0 else -math.inf
        order = sorted(range(len(sentences)), key=lambda i: (-scores[i], i))
        left, selected = target_tokens, []
        for i in order:
            if scores[i] >= least and tokens[i] <= left:
                selected.append(i)
                left -= tokens[i]
        if selected:
            return [sentences[i] for i in sorted(selected)]
        return self._cut([sentences[i] for i in order], min(tokens), target_tokens)

    def _cut(self, sentences: list[str], required: int, target: int) -> list[str]:
        """The start of the best sentence of which at least a letter fits."""
        if not self.strict:
            starts = count_batch(self.counter, [sentence[:1] for sentence in sentences]).tolist()
            for sentence, tokens in zip(sentences, starts, strict=True):
                if tokens <= target and sentence:
                    size, mark = longest_prefix(sentence, lambda text: self.counter.count(text) <= target)
                    return [sentence[:size] + mark]
        raise BudgetExceededError(
            f"no sentence fits into {target} tokens: the smallest needs {required}",
            required=required,
            budget=target,
        )

    def _relevance(self, sentences: list[str], query: str) -> npt.NDArray[np.float64] | float:
        if self.embedder is None:
            return _shares(sentences, query) if self.lexical_fallback else 0.0
        try:
            return resolve_embedder(self.embedder).similarity(query, sentences).astype(np.float64)
        except Exception as error:  # whatever a model does
            if self.strict:
                raise RelevanceScoringError(f"the embedder failed: {error!r}") from error
            warnings.warn(f"the embedder failed, terms stand in: {error!r}", RuntimeWarning, stacklevel=3)
            return _shares(sentences, query)


def _shares(sentences: list[str], query: str) -> npt.NDArray[np.float64]:
    """float64[n]: share of the query's distinct terms that each sentence holds."""
    ids, offsets, _ = _native.terms([query, *sentences])
    wanted = set(ids[: offsets[1]].tolist())
    held = [len(wanted.intersection(ids[start:end].tolist())) for start, end in pairwise(offsets[1:])]
    return np.array(held, dtype=np.float64) / max(len(wanted), 1)
