"""When compressing a segment is worth it, with the reason. Every judgement can be replaced."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import numpy as np

from tersely import _native
from tersely.facts import FactKind
from tersely.memory.segments.segment import DATA_TYPES, ContextSegment, SegmentType, now_utc
from tersely.stages.facts import list_facts

__all__ = [
    "FILLER_WORDS",
    "ContextState",
    "Predicates",
    "Verdict",
    "explain_compression",
    "should_compress_segment",
    "verbosity",
]

_FILLER = """
a about above actually additionally after again all almost already also although always am an and another
any anyway apparently are around as at away back basically be because been before being below better between
bit both but by came can certainly clearly come could course currently did do does doing done down during
each either essentially etc even eventually every exactly fact fairly few first for from further furthermore
general generally get getting go goes going good got had has have having he hence her here hers him his
honest how however i if in indeed instead into is it its itself just kind know lets like little look looking
lot make makes making many maybe me mean might mine more moreover most mostly much must my myself namely
needless never next no nor not now obviously of off often oh ok okay on once one ones only or order other
others otherwise our out over own perhaps please point possible possibly pretty probably quite rather really
regarding right said same say saying see seem seemed seems several shall she should since so some somehow
something sort still stuff such sure take taking tell than that the their them then there therefore these
they thing things think this those though through thus to together too took toward try trying under until up
upon us use used using usually various very was way ways we well went were what whatever when where whether
which while who whole whose why will with within without work would yes yet you your yours
"""
#: Words that say little by themselves. Verbosity is the share of these, and of words said shortly before.
FILLER_WORDS = frozenset(_FILLER.split())
VERBOSE = 0.7
RECENT_MINUTES = 10
SMALLEST, LARGE, DETAILED = 100, 200, 400  # tokens
RELEVANT = 0.2  # share of the task's terms
_NEAR = 100  # words back that a repetition counts
_WORD = re.compile(r"[^\W_][\w'’-]*")
_SETTING = re.compile(r"^\s{0,8}[\w.-]{1,80}\s{0,4}[=:]\s{0,4}\S", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ContextState:
    """What is going on while segments are judged.

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
        """Check the time; any iterable of names becomes a frozenset."""
        if self.now is not None and self.now.utcoffset() is None:
            raise ValueError(f"now must have a time zone, not {self.now!r}")
        for name in ("ids", "files"):
            self._freeze(f"active_{name}")
        for name in ("protected_ids", "completed_ids", "completed_topics", "needed_ids", "stored_ids"):
            self._freeze(name)

    def _freeze(self, name: str) -> None:
        value = getattr(self, name)
        if isinstance(value, str):
            raise TypeError(f"{name} must be a list of str, not one str")
        object.__setattr__(self, name, frozenset(value))


def verbosity(text: str) -> float:
    """Share in [0, 1] of words that are FILLER_WORDS, or were said within the last 100 words; 0.0 for a text
    without words. O(characters)."""
    last: dict[str, int] = {}
    idle = total = 0
    for total, match in enumerate(_WORD.finditer(text.casefold().replace("’", "'")), 1):
        word = match.group()
        plain = word.partition("'")[0]
        idle += plain in FILLER_WORDS or total - last.get(word, -_NEAR - 1) <= _NEAR
        last[word] = total
    return idle / total if total else 0.0


def is_active(segment: ContextSegment, state: ContextState) -> bool:
    """Being worked on: its id, or its file, is among the active ones."""
    return segment.segment_id in state.active_ids or segment.metadata.file_path in state.active_files


def is_recent(segment: ContextSegment, state: ContextState) -> bool:
    """Younger than `recent_minutes`; so is what carries a time that has yet to come."""
    now = state.now if state.now is not None else state.clock()
    return now - segment.metadata.timestamp < timedelta(minutes=state.recent_minutes)


def is_protected(segment: ContextSegment, state: ContextState) -> bool:
    """Among the protected ids."""
    return segment.segment_id in state.protected_ids


def is_verbose(segment: ContextSegment, state: ContextState) -> bool:
    """More than 0.7 of its words say little (`verbosity`); logs, code and other data repeat themselves for
    other reasons, and are not."""
    return segment.type not in DATA_TYPES and verbosity(segment.text) > VERBOSE


def is_completed(segment: ContextSegment, state: ContextState) -> bool:
    """Finished: its id or its topic is among the completed ones."""
    topic = segment.metadata.topic
    return segment.segment_id in state.completed_ids or topic in state.completed_topics


def is_critical(segment: ContextSegment, state: ContextState) -> bool:
    """Holds an error's message, code, or settings."""
    if segment.type in (SegmentType.CODE, SegmentType.CONFIG, SegmentType.ERROR):
        return True
    kinds = {fact.kind for fact in list_facts([segment.text])}
    return bool(kinds & {FactKind.ERROR, FactKind.FENCED_CODE}) or len(_SETTING.findall(segment.text)) >= 3


def is_relevant(segment: ContextSegment, state: ContextState) -> bool:
    """Has at least a fifth of the task's terms; without a task, everything is relevant."""
    if not state.task:
        return True
    about = f"{segment.text}\n{segment.metadata.topic or ''}\n{segment.metadata.file_path or ''}"
    ids, offsets, _ = _native.terms([about, state.task])
    wanted = np.unique(ids[offsets[-2] :])
    return len(wanted) == 0 or float(np.isin(wanted, ids[: offsets[-2]]).mean()) >= RELEVANT


def is_detailed(segment: ContextSegment, state: ContextState) -> bool:
    """A log, code, a debugging session or tool output, or longer than 400 tokens."""
    return (
        segment.type in DATA_TYPES and segment.type is not SegmentType.CONFIG
    ) or segment.tokens > DETAILED


def is_needed_soon(segment: ContextSegment, state: ContextState) -> bool:
    """Among the ids that will be needed soon."""
    return segment.segment_id in state.needed_ids


Predicate = Callable[[ContextSegment, ContextState], bool]


@dataclass(frozen=True, slots=True)
class Predicates:
    """The judgements; replace the ones that you know better."""

    active: Predicate = is_active
    recent: Predicate = is_recent
    protected: Predicate = is_protected
    verbose: Predicate = is_verbose
    completed: Predicate = is_completed
    critical: Predicate = is_critical
    relevant: Predicate = is_relevant
    detailed: Predicate = is_detailed
    needed_soon: Predicate = is_needed_soon


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether to compress, and the code of the rule that said so."""

    compress: bool
    reason: str


def explain_compression(
    segment: ContextSegment, state: ContextState | None = None, predicates: Predicates | None = None
) -> Verdict:
    """Whether a segment is worth compressing: the first rule that holds decides.

    No: "active", "recent", "protected", "too_small" (under 100 tokens). Yes: "verbose", "completed", "large"
    (over 200 tokens and not critical). No: "nothing_to_gain".
    """
    state, judge = state or ContextState(), predicates or Predicates()
    for reason, holds in (("active", judge.active), ("recent", judge.recent), ("protected", judge.protected)):
        if holds(segment, state):
            return Verdict(False, reason)
    if segment.tokens < SMALLEST:
        return Verdict(False, "too_small")
    if judge.verbose(segment, state):
        return Verdict(True, "verbose")
    if judge.completed(segment, state):
        return Verdict(True, "completed")
    if segment.tokens > LARGE and not judge.critical(segment, state):
        return Verdict(True, "large")
    return Verdict(False, "nothing_to_gain")


def should_compress_segment(
    segment: ContextSegment, state: ContextState | None = None, predicates: Predicates | None = None
) -> bool:
    """Whether a segment is worth compressing (`explain_compression` says why)."""
    return explain_compression(segment, state, predicates).compress
