"""Compress texts by keeping whole segments of them; score and select sentences one by one."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from tersely import _native
from tersely.compat.compressor import Compressor
from tersely.core.errors import BudgetExceededError, RelevanceScoringError
from tersely.core.options import CompressionMethod, CompressionOptions
from tersely.core.protocols import Strategy
from tersely.core.tables import Level
from tersely.core.types import Compressed
from tersely.engine.auto import Auto
from tersely.engine.count import count, count_batch
from tersely.engine.cutting import longest_prefix
from tersely.engine.extractive import Extractive
from tersely.engine.score import position_and_length
from tersely.providers.embedders import resolve_embedder

__all__ = ["ExtractiveCompressor"]

_RELEVANCE = 2.0  # weight of a cosine beside position and length, in score_sentences
_SCORE_FLOOR = 0.5  # of the best score, in select_sentences


class ExtractiveCompressor(Compressor):
    """Keeps whole segments, verbatim, in source order, with the gaps of the source.

    `compress` does what `tersely.compress` does, with the facts of `CompressionOptions.preserve`: a text is
    read as what it is (prose, code, JSON, a log ...), or, with another `level` than SENTENCE, as prose.

    `score_sentences` and `select_sentences` are two functions apart, for callers that bring sentences of
    their own: the seed's formulas of position, length and cosine. `compress` uses neither; what it scores by
    instead keeps more of what answers a query (`Extractive(scoring="lead")` scores by position and length).
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
            strict: raise where the embedder fails or no whole segment fits, instead of going by terms alone
                or cutting one; `compress` and the functions for sentences alike.
        """
        super().__init__(embedder=embedder, counter=counter, clock=clock, new_id=new_id)
        self._text = Extractive(
            level=level,  # type: ignore[arg-type]  # made a Level there
            embedder=embedder,
            position_decay=position_decay,
            position_floor=position_floor,
        )
        self.lexical_fallback = lexical_fallback
        self.strict = strict

    def extractive_for(self, options: CompressionOptions) -> Auto:
        """As `Compressor.extractive_for`, cut as the level says."""
        return Auto.of_text(replace(self._text, **options.preserving))

    def strategy_for(self, options: CompressionOptions, original_tokens: int) -> Strategy:
        """What keeps segments of the text, with what is to be preserved."""
        return self.extractive_for(options)

    def checked(self, result: Compressed) -> Compressed:
        """Raise RelevanceScoringError for an embedder that failed, BudgetExceededError for a cut segment,
        where `strict`."""
        if not self.strict:
            return result
        codes = result.receipt.warnings
        if "embedder_failed" in codes:
            name = resolve_embedder(self.embedder).name
            raise RelevanceScoringError(f"the embedder {name} failed, and strict=True allows nothing else")
        if "segment_cut" in codes:
            text, budget = result.documents[0].text, result.receipt.budget
            kept, ends = list(result.kept), {span.start: span.end for span in result.dropped}
            pieces = [text]  # as it is, all of it fits
            if len(kept) == 1:
                head = kept[0]
                pieces = [text[start:end] for start, end in ends.items() if start != head.end]
                pieces.append(text[head.start : ends.get(head.end, head.end)])
            required = max(int(count_batch(self.counter, pieces).min()), budget + 1)
            raise BudgetExceededError(
                "no whole segment (strict=True cuts none) fits",
                required=required,
                budget=budget,
            )
        return result

    def score_sentences(self, sentences: Sequence[str], query: str = "") -> list[float]:
        """What each sentence is worth by the seed's formula: position, relevance to the query, length.

        1 - i * position_decay for sentence i, not below position_floor; + 2 * its cosine with the query,
        where there is a query and an embedder; + 0.3 where it has more than 5 and fewer than 50 words
        (between white space). With `lexical_fallback`, and where the embedder fails, the share of the query's
        terms that the sentence holds stands for the cosine; of a failure a RuntimeWarning tells. Raises
        RelevanceScoringError for that instead where `strict`. `compress` does not score like this.
        """
        words = [len(sentence.split()) for sentence in sentences]
        options = self._text
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
        the best is cut and marked with "…", or BudgetExceededError raised where `strict`. `compress` selects
        by worth per token, and leaves out what says the same again.
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
        """Cut the best sentence of which at least a letter fits."""
        if not self.strict:
            starts = count_batch(self.counter, [sentence[:1] for sentence in sentences]).tolist()
            for sentence, tokens in zip(sentences, starts, strict=True):
                if tokens <= target and sentence:
                    size, mark = longest_prefix(sentence, partial(count, self.counter), target)
                    return [sentence[:size] + mark]
        raise BudgetExceededError(
            "no sentence fits",
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
