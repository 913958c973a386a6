"""What to do with each segment of a context: a plan, which changes nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from tersely.memory.segments.policy import SMALLEST, ContextState, Predicates
from tersely.memory.segments.segment import ContextSegment

__all__ = ["Action", "ContextDecision", "ContextPlan", "check_ratio", "decide", "plan_context", "text_digest"]

TARGET_RATIO = 0.6


class Action(StrEnum):
    """What can be done with a segment. Nothing is ever deleted."""

    KEEP = "keep"
    COMPRESS = "compress"
    STASH = "stash"  # out of the context, found by search
    REMOVE = "remove"  # out of the context, found by id


@dataclass(frozen=True, slots=True)
class ContextDecision:
    """What to do with a segment.

    Attributes:
        segment_id: which.
        action: what.
        reason: code of the rule that decided.
        tokens: that it has now.
        tokens_after: at most so many that it will have in the context.
        digest: SHA-256 of the text that was judged, in hexadecimal.
    """

    segment_id: str
    action: Action
    reason: str
    tokens: int
    tokens_after: int
    digest: str


@dataclass(frozen=True, slots=True)
class ContextPlan:
    """A decision for each segment, in their order.

    Attributes:
        decisions: one a segment.
        target_compression_ratio: for those to be compressed.
    """

    decisions: tuple[ContextDecision, ...]
    target_compression_ratio: float

    @property
    def tokens(self) -> int:
        """Tokens of all segments."""
        return sum(decision.tokens for decision in self.decisions)

    @property
    def tokens_after(self) -> int:
        """At most so many tokens after the plan was applied, if every compression succeeds."""
        return sum(decision.tokens_after for decision in self.decisions)

    def of(self, action: Action) -> list[ContextDecision]:
        """The decisions with this action."""
        return [decision for decision in self.decisions if decision.action is action]


def plan_context(
    segments: Sequence[ContextSegment],
    state: ContextState | None = None,
    predicates: Predicates | None = None,
    *,
    target_compression_ratio: float = TARGET_RATIO,
) -> ContextPlan:
    """Decide what to do with each segment; nothing changes. Raises ValueError for a ratio outside (0, 1]."""
    check_ratio(target_compression_ratio)
    state, judge = state or ContextState(), predicates or Predicates()
    decisions = []
    for segment in segments:
        action, reason = decide(segment, state, judge)
        after = {
            Action.KEEP: segment.tokens,
            Action.COMPRESS: int(segment.tokens * target_compression_ratio),
        }.get(action, 0)
        decisions.append(
            ContextDecision(
                segment.segment_id, action, reason, segment.tokens, after, text_digest(segment.text)
            )
        )
    return ContextPlan(tuple(decisions), target_compression_ratio)


def text_digest(text: str) -> str:
    """SHA-256 of a text, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def decide(segment: ContextSegment, state: ContextState, judge: Predicates) -> tuple[Action, str]:
    """The first branch that holds.

    Active, recent or protected: KEEP. Verbose and relevant, from 100 tokens on, not compressed yet: COMPRESS.
    Detailed and not needed soon: STASH. Irrelevant or complete: REMOVE, unless it is critical or its original
    is in no store: KEEP. Anything else: KEEP.
    """
    for reason, holds in (("active", judge.active), ("recent", judge.recent), ("protected", judge.protected)):
        if holds(segment, state):
            return Action.KEEP, reason
    relevant = judge.relevant(segment, state)
    can_shrink = segment.tokens >= SMALLEST and not segment.compression_state.is_compressed
    if can_shrink and relevant and judge.verbose(segment, state):
        return Action.COMPRESS, "verbose"
    if judge.detailed(segment, state) and not judge.needed_soon(segment, state):
        return Action.STASH, "detailed"
    if not relevant or judge.completed(segment, state):
        if judge.critical(segment, state):
            return Action.KEEP, "critical"
        if segment.segment_id not in state.stored_ids:
            return Action.KEEP, "not_stored"
        return Action.REMOVE, "completed" if relevant else "irrelevant"
    return Action.KEEP, "nothing_to_gain"


def check_ratio(ratio: float) -> None:
    """Raise ValueError unless `ratio` lies in (0, 1]."""
    if isinstance(ratio, bool) or not isinstance(ratio, (int, float)) or not 0 < ratio <= 1:
        raise ValueError(f"target_compression_ratio must be over 0 and at most 1, not {ratio!r}")
