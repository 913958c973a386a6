"""Decide what to do with each segment of a context: keep, compress, stash or remove. Nothing changes here.

Every judgement (`Predicates`) can be replaced.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from enum import StrEnum

from tersely import checks
from tersely.checks import brief
from tersely.memory.planning import break_even
from tersely.memory.segments.clauses import Role
from tersely.memory.segments.preservation import shared_terms
from tersely.memory.segments.reading import read_segment
from tersely.memory.segments.segment import DATA_TYPES, ContextSegment, SegmentType, checked_segment, now_utc
from tersely.memory.segments.words import read_words
from tersely.types import FactKind

#: Words that say little by themselves. Verbosity is the share of these, and of words said shortly before.
FILLER_WORDS = frozenset(" ".join(read_words("filler")).split())
VERBOSE = 0.7
RECENT_MINUTES = 10
SMALLEST, LARGE, DETAILED = 100, 200, 400  # tokens
RELEVANT = 0.2  # share of the task's terms
TARGET_RATIO = 0.6
_NEAR = 100  # words back that a repetition counts
_WORD = re.compile(r"[^\W_][\w'’-]*")
_SETTING = re.compile(r"^\s{0,8}[\w.-]{1,80}\s{0,4}[=:]\s{0,4}\S", re.MULTILINE)


@brief
@dataclass(frozen=True, slots=True)
class ContextState:
    """The state of an agent's work, which decides what happens to its segments.

    Attributes:
        now: the time that "recent" counts from; None: the clock's, when it is asked.
        task: what is being done; segments that share its words are relevant. None: all are.
        active_ids: segments that are being worked on.
        active_files: files that are being worked on; segments about them are active.
        protected_ids: segments that must stay as they are.
        completed_ids, completed_topics: segments, and topics of segments, that are finished.
        needed_ids: segments that will be needed soon.
        stored_ids: segments whose original is in a store; no other is ever removed.
        recent_minutes: younger segments are recent.
    """

    now: datetime | None = None
    task: str | None = None
    active_ids: frozenset[str] = frozenset()
    active_files: frozenset[str] = frozenset()
    protected_ids: frozenset[str] = frozenset()
    completed_ids: frozenset[str] = frozenset()
    completed_topics: frozenset[str] = frozenset()
    needed_ids: frozenset[str] = frozenset()
    stored_ids: frozenset[str] = frozenset()
    recent_minutes: float = RECENT_MINUTES
    clock: Callable[[], datetime] = field(default=now_utc, repr=False)

    def __post_init__(self) -> None:
        if self.now is not None and self.now.utcoffset() is None:
            raise ValueError(f"now must have a time zone, not {self.now!r}")
        for name in (one.name for one in fields(self) if one.type == "frozenset[str]"):
            object.__setattr__(self, name, frozenset(checks.texts(getattr(self, name), name)))
        checks.number(self.recent_minutes, "recent_minutes", least=0)


def verbosity(text: str) -> float:
    """Measure the share in [0, 1] of words that are FILLER_WORDS, or were said within the last 100 words; 0.0
    for a text without words. O(characters)."""
    last: dict[str, int] = {}
    idle = total = 0
    for total, match in enumerate(_WORD.finditer(text.casefold().replace("’", "'")), 1):
        word = match.group()
        plain = word.partition("'")[0]
        idle += plain in FILLER_WORDS or total - last.get(word, -_NEAR - 1) <= _NEAR
        last[word] = total
    return idle / total if total else 0.0


def _is_active(segment: ContextSegment, state: ContextState) -> bool:
    return segment.segment_id in state.active_ids or segment.metadata.file_path in state.active_files


def _is_recent(segment: ContextSegment, state: ContextState) -> bool:
    """Also where its time has yet to come."""
    now = state.now if state.now is not None else state.clock()
    return now - segment.metadata.timestamp < timedelta(minutes=state.recent_minutes)


def _is_verbose(segment: ContextSegment, state: ContextState) -> bool:
    """Data repeat themselves for other reasons, and are not verbose."""
    return segment.type not in DATA_TYPES and verbosity(segment.text) > VERBOSE


def _is_completed(segment: ContextSegment, state: ContextState) -> bool:
    topic = segment.metadata.topic
    return segment.segment_id in state.completed_ids or topic in state.completed_topics


def is_critical(segment: ContextSegment, state: ContextState) -> bool:
    """Say whether it tells a last error, or holds an error's message, code or settings."""
    if segment.type in (SegmentType.CODE, SegmentType.CONFIG, SegmentType.ERROR):
        return True
    reading = read_segment(segment)
    kinds = {fact.kind for fact in reading.facts}
    return (
        bool(reading.last[Role.ERROR] or kinds & {FactKind.ERROR, FactKind.FENCED_CODE})
        or len(_SETTING.findall(segment.text)) >= 3
    )


def _is_relevant(segment: ContextSegment, state: ContextState) -> bool:
    about = f"{segment.text}\n{segment.metadata.topic or ''}\n{segment.metadata.file_path or ''}"
    return not state.task or shared_terms(about, state.task) >= RELEVANT


def _is_detailed(segment: ContextSegment, state: ContextState) -> bool:
    is_data = segment.type in DATA_TYPES and segment.type is not SegmentType.CONFIG
    return is_data or segment.tokens > DETAILED


Predicate = Callable[[ContextSegment, ContextState], bool]


@dataclass(frozen=True, slots=True)
class Predicates:
    """The rules that judge segments; pass your own to replace any of them.

    Attributes:
        active: whether its id or its file is being worked on.
        recent: whether it is younger than `recent_minutes`.
        protected: whether its id is protected.
        verbose: whether more than 0.7 of its words say little (`verbosity`), and it is no data.
        completed: whether its id or its topic is finished.
        critical: whether it tells a last error, or holds an error's message, code or settings.
        relevant: whether it has at least a fifth of the task's terms; without a task, everything is.
        detailed: whether it is a log, code, a debugging session or tool output, or longer than 400 tokens.
        needed_soon: whether its id will be needed soon.
    """

    active: Predicate = _is_active
    recent: Predicate = _is_recent
    protected: Predicate = lambda segment, state: segment.segment_id in state.protected_ids
    verbose: Predicate = _is_verbose
    completed: Predicate = _is_completed
    critical: Predicate = is_critical
    relevant: Predicate = _is_relevant
    detailed: Predicate = _is_detailed
    needed_soon: Predicate = lambda segment, state: segment.segment_id in state.needed_ids


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether to compress, and the code of the rule that said so."""

    compress: bool
    reason: str


def explain_compression(
    segment: ContextSegment, state: ContextState | None = None, predicates: Predicates | None = None
) -> Verdict:
    """Return whether a segment should be compressed, and the rule that decided.

    No: "active", "recent", "protected", "too_small" (under 100 tokens). Yes: "verbose", "completed", "large"
    (over 200 tokens and not critical). No: "nothing_to_gain".
    """
    checked_segment(segment)
    state, judge = state or ContextState(), predicates or Predicates()
    if reason := _left_alone(segment, state, judge):
        return Verdict(False, reason)
    if segment.tokens < SMALLEST:
        return Verdict(False, "too_small")
    if judge.verbose(segment, state):
        return Verdict(True, "verbose")
    if judge.completed(segment, state):
        return Verdict(True, "completed")
    large = segment.tokens > LARGE and not judge.critical(segment, state)
    return Verdict(large, "large" if large else "nothing_to_gain")


def _left_alone(segment: ContextSegment, state: ContextState, judge: Predicates) -> str:
    """Name the first reason to leave a segment as it is; "" where there is none."""
    reasons = ("active", "recent", "protected")
    return next((reason for reason in reasons if getattr(judge, reason)(segment, state)), "")


def should_compress_segment(
    segment: ContextSegment, state: ContextState | None = None, predicates: Predicates | None = None
) -> bool:
    """Return whether a segment should be compressed (`explain_compression` also gives the reason)."""
    return explain_compression(segment, state, predicates).compress


class Action(StrEnum):
    """An action on a segment. Nothing is ever deleted."""

    KEEP = "keep"
    COMPRESS = "compress"
    STASH = "stash"  # out of the context, found by search
    REMOVE = "remove"  # out of the context, found by id


@dataclass(frozen=True, slots=True)
class ContextDecision:
    """The decision about a segment, with its reasons."""

    segment_id: str  #: which
    action: Action  #: what
    reason: str  #: code of the rule that decided
    tokens: int  #: that it has now
    tokens_after: int  #: at most so many that it will have in the context
    digest: str  #: SHA-256 of the text that was judged, in hexadecimal


@brief
@dataclass(frozen=True, slots=True)
class ContextPlan:
    """A decision for each segment, in their order."""

    decisions: tuple[ContextDecision, ...]  #: one per segment
    target_compression_ratio: float  #: the ratio for the segments that are to be compressed

    @property
    def tokens(self) -> int:
        """Tokens of all segments."""
        return sum(decision.tokens for decision in self.decisions)

    @property
    def tokens_after(self) -> int:
        """The most tokens after the plan was applied, if every compression succeeds."""
        return sum(decision.tokens_after for decision in self.decisions)

    def of(self, action: Action | str) -> list[ContextDecision]:
        """List the decisions with this action, or the name of one; ValueError for another name."""
        wanted = Action(action)
        return [decision for decision in self.decisions if decision.action is wanted]


def plan_context(
    segments: Sequence[ContextSegment],
    state: ContextState | None = None,
    predicates: Predicates | None = None,
    *,
    target_compression_ratio: float = TARGET_RATIO,
) -> ContextPlan:
    """Decide what to do with each segment; changes nothing. Raises ValueError for a ratio outside (0, 1]."""
    target_compression_ratio = checks.share(target_compression_ratio, "target_compression_ratio")
    state, judge = state or ContextState(), predicates or Predicates()
    decisions = []
    for segment in segments:
        action, reason = decide(segment, state, judge)
        tokens = segment.tokens
        after = {Action.KEEP: tokens, Action.COMPRESS: int(tokens * target_compression_ratio)}.get(action, 0)
        digest = hashlib.sha256(segment.text.encode("utf-8", "surrogatepass")).hexdigest()
        decisions.append(ContextDecision(segment.segment_id, action, reason, tokens, after, digest))
    return ContextPlan(tuple(decisions), target_compression_ratio)


def decide(segment: ContextSegment, state: ContextState, judge: Predicates) -> tuple[Action, str]:
    """Decide about one segment: the first branch that holds.

    Active, recent or protected: KEEP. Verbose and relevant, from 100 tokens on, not compressed yet: COMPRESS.
    Detailed and not needed soon: STASH. Irrelevant or complete: REMOVE, unless it is critical or its original
    is in no store: KEEP. Anything else: KEEP.
    """
    if reason := _left_alone(segment, state, judge):
        return Action.KEEP, reason
    relevant = judge.relevant(segment, state)
    can_shrink = segment.tokens >= SMALLEST and not segment.compression_state.is_compressed
    if can_shrink and relevant and judge.verbose(segment, state):
        return Action.COMPRESS, "verbose"
    if judge.detailed(segment, state) and not judge.needed_soon(segment, state):
        return Action.STASH, "detailed"
    if relevant and not judge.completed(segment, state):
        return Action.KEEP, "nothing_to_gain"
    if judge.critical(segment, state):
        return Action.KEEP, "critical"
    if segment.segment_id not in state.stored_ids:
        return Action.KEEP, "not_stored"
    return Action.REMOVE, "completed" if relevant else "irrelevant"


@dataclass(frozen=True, slots=True)
class CompressionCost:
    """The cost of a compression by a model, which saves tokens in each later request.

    Attributes:
        per_compression: the price of one call of the model.
        price_per_million: the price of a million input tokens, in the same currency; if they are cached, the
            cached price.
        requests_expected: how many requests will still carry the segment.
    """

    per_compression: float
    price_per_million: float
    requests_expected: int

    def __post_init__(self) -> None:
        self.requests_to_pay(1)
        checks.whole_number(self.requests_expected, "requests_expected")

    @property
    def least_saving(self) -> int | None:
        """Tokens that a compression must save to pay for itself in the expected requests; None: never."""
        return break_even(self.per_compression, self.requests_expected, self.price_per_million)

    def requests_to_pay(self, saved_tokens: int) -> int | None:
        """Return the number of requests after which a compression has paid for itself; None: never."""
        return break_even(self.per_compression, saved_tokens, self.price_per_million)
