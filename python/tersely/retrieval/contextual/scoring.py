"""Who scores the documents of a call, and who steps in."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

from tersely.errors import RelevanceScoringError
from tersely.relevance.scorer import RelevanceScorer
from tersely.retrieval.contextual.planning import Asked, Scored
from tersely.tables import Level

__all__ = ["Scoring"]


class Scoring:
    """Asks the caller's scorer, or a RelevanceScorer of our own where there is none or it fails.

    Attributes:
        scorer: the caller's, else ours.
    """

    def __init__(self, given: Any, level: Level, strict: bool) -> None:
        """`given`: the caller's, or None. `level`: of segments. `strict`: nobody steps in."""
        self._ours: dict[Level, RelevanceScorer] = {}
        self._given = given
        self._strict = strict
        self.scorer = given or self._our(level)

    async def score(self, asked: Asked) -> Scored:
        """What the scorer says; one that is not async runs on another thread.

        Raises RelevanceScoringError where it fails and nobody may step in.
        """
        scorer = self._for(asked)
        try:
            found = await asyncio.to_thread(scorer.score, asked.read, asked.query)
            answer = await found if inspect.isawaitable(found) else found
            return Scored.of(answer, len(asked.read))
        except Exception as error:
            return await asyncio.to_thread(self._otherwise, asked, scorer, error)

    def score_sync(self, asked: Asked) -> Scored:
        """As `score`, by the scorer's `score_sync`."""
        scorer = self._for(asked)
        try:
            return Scored.of(scorer.score_sync(asked.read, asked.query), len(asked.read))
        except Exception as error:
            return self._otherwise(asked, scorer, error)

    def _for(self, asked: Asked) -> Any:
        """Without a query the caller's has nothing to go by, and is not asked."""
        if self._given is None or not asked.query:
            return self._our(asked.config.segment_size)
        return self._given

    def _our(self, level: Level) -> RelevanceScorer:
        return self._ours.setdefault(level, RelevanceScorer(level=level))

    def _otherwise(self, asked: Asked, scorer: Any, error: Exception) -> Scored:
        described = f"{type(scorer).__name__} failed: {type(error).__name__}: {error}"
        if self._strict or isinstance(scorer, RelevanceScorer):
            known = error if isinstance(error, RelevanceScoringError) else RelevanceScoringError(described)
            raise known from error
        found = self._our(asked.config.segment_size).score_sync(asked.read, asked.query)
        return Scored(found, described)
