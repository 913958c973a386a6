"""When to compress, and what a plan does with each segment (seed 004, sections 8 and 10)."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from segment_samples import NOON, note
from tersely.memory import (
    ContextSegment,
    ContextState,
    Predicates,
    explain_compression,
    plan_context,
    should_compress_segment,
)
from tersely.memory.segments.policy import FILLER_WORDS, Action, verbosity

LATER = ContextState(now=NOON + timedelta(hours=1))
VERBOSE = (
    "So it is just that we are, well, as you know, really going to have to be doing this all over again. "
    * 12
)
WORDS = ("harbor", "violet", "engine", "marble", "copper", "falcon", "timber", "orchid", "canyon", "saddle")
DENSE = " ".join(f"{word}{number}" for number in range(48) for word in WORDS)  # no word comes twice


def plain(tokens: int, segment_id: str = "plain", **known: Any) -> ContextSegment:
    """A segment that is neither verbose nor anything else, of so many tokens."""
    segment = note(DENSE[:200], segment_id, **known)
    return replace(segment, metadata=replace(segment.metadata, tokens=tokens))


NEVER = {field.name: (lambda segment, state: False) for field in fields(Predicates)}
ALWAYS = lambda segment, state: True  # noqa: E731  a judgement


@pytest.mark.parametrize(
    ("tokens", "holds", "expected", "reason"),
    [
        (500, ["active"], False, "active"),
        (500, ["recent"], False, "recent"),
        (500, ["protected"], False, "protected"),
        (99, ["verbose", "completed"], False, "too_small"),
        (100, ["verbose"], True, "verbose"),
        (100, ["completed"], True, "completed"),
        (201, [], True, "large"),
        (201, ["critical"], False, "nothing_to_gain"),
        (200, [], False, "nothing_to_gain"),
        (100, [], False, "nothing_to_gain"),
        (99, [], False, "too_small"),
    ],
)
def test_each_rule_alone(tokens: int, holds: list[str], expected: bool, reason: str) -> None:
    judge = Predicates(**{**NEVER, **dict.fromkeys(holds, ALWAYS)})
    verdict = explain_compression(plain(tokens), LATER, judge)
    assert (verdict.compress, verdict.reason) == (expected, reason)
    assert should_compress_segment(plain(tokens), LATER, judge) is expected


def test_the_order_of_the_rules() -> None:
    order = ["active", "recent", "protected", "verbose", "completed"]
    for first in range(len(order)):
        judge = Predicates(**{**NEVER, **dict.fromkeys(order[first:], ALWAYS)})
        assert explain_compression(plain(300), LATER, judge).reason == order[first]


@pytest.mark.parametrize(
    ("segment", "known", "reason"),
    [
        (note(VERBOSE), {}, "verbose"),
        (plain(120, topic="login"), {"completed_topics": ["login"]}, "completed"),
        (plain(120), {"completed_ids": ["plain"]}, "completed"),
        (note(DENSE), {}, "large"),
        (plain(500, file_path="src/auth.py"), {"active_files": ["src/auth.py"]}, "active"),
        (plain(500), {"active_ids": ["plain"]}, "active"),
        (note(VERBOSE), {"now": NOON}, "recent"),
        (note(VERBOSE), {"protected_ids": ["note"]}, "protected"),
        *[(note(DENSE, type=kind), {}, "nothing_to_gain") for kind in ("code", "config", "error")],
        (note(f"ValueError: bad token at src/auth.py:42. {DENSE}"), {}, "nothing_to_gain"),
        (note(f"Last error was: 'no such table'. {DENSE}"), {}, "nothing_to_gain"),
        (note(f"```python\ndef f():\n    return 1\n```\n{DENSE}"), {}, "nothing_to_gain"),
        (note(f"retries = 3\ntimeout = 30\nhost: db.internal\n{DENSE}"), {}, "nothing_to_gain"),
    ],
)
def test_good_and_bad_candidates(segment: ContextSegment, known: dict[str, Any], reason: str) -> None:
    assert explain_compression(segment, replace(LATER, **known)).reason == reason


def test_recent_is_ten_minutes_of_a_clock_that_can_be_given() -> None:
    segment = note(VERBOSE)

    def reason(minutes: float, limit: float = 10) -> str:
        state = ContextState(now=NOON + timedelta(minutes=minutes), recent_minutes=limit)
        return explain_compression(segment, state).reason

    assert [reason(9.99), reason(10), reason(-5)] == ["recent", "verbose", "recent"]
    assert [reason(10, 20), reason(1, 0.5)] == ["recent", "verbose"]
    clocked = ContextState(clock=lambda: NOON + timedelta(minutes=9))
    assert explain_compression(segment, clocked) == explain_compression(segment, clocked)
    assert explain_compression(segment, clocked).reason == "recent"
    with pytest.raises(ValueError, match="now must have a time zone"):
        ContextState(now=datetime(2024, 1, 1))


def test_verbosity_is_filler_and_repetition() -> None:
    assert verbosity("") == verbosity("...") == 0.0
    assert verbosity("well as you know it is just so") == 1.0
    assert verbosity("harbor violet engine marble") == 0.0
    assert verbosity("harbor violet harbor violet") == 0.5  # said again
    apart = " ".join(f"w{number}" for number in range(100))
    assert verbosity(f"harbor {apart} harbor") == 0.0  # too far apart
    assert verbosity(VERBOSE) > 0.7 > verbosity(DENSE)
    assert {"just", "basically", "the"} <= FILLER_WORDS and not FILLER_WORDS & {"error", "file"}


STORED = {"stored_ids": ["plain"]}
LOGIN = {**STORED, "task": "repair the login page"}
DONE = {**STORED, "completed_ids": ["plain"]}
EVERY = dict.fromkeys(["verbose", "relevant", "detailed", "completed"], ALWAYS)
NOT_VERBOSE = {**EVERY, "verbose": NEVER["verbose"]}
NEEDED = {**NOT_VERBOSE, "needed_soon": ALWAYS}


@pytest.mark.parametrize(
    ("segment", "known", "judgements", "action", "reason"),
    [  # each branch alone
        (plain(150), {"active_ids": ["plain"]}, {}, "keep", "active"),
        (plain(150), {"now": NOON}, {}, "keep", "recent"),
        (note(f"The login page. {VERBOSE}", "plain"), LOGIN, {}, "compress", "verbose"),
        (note(VERBOSE, "plain", type="log"), LOGIN, {}, "stash", "detailed"),
        (plain(401), LOGIN, {}, "stash", "detailed"),
        (plain(150), LOGIN, {}, "remove", "irrelevant"),
        (plain(150, topic="colours"), {**STORED, "completed_topics": ["colours"]}, {}, "remove", "completed"),
        (plain(150), {}, {}, "keep", "nothing_to_gain"),
        # the first that matches
        (plain(150), {}, EVERY, "compress", "verbose"),
        (plain(150), {}, NOT_VERBOSE, "stash", "detailed"),
        (plain(150), STORED, NEEDED, "remove", "completed"),
        (plain(150), STORED, {**NEEDED, "active": ALWAYS}, "keep", "active"),
        (note(VERBOSE, "plain"), DONE, {}, "compress", "verbose"),
        # what is complete, and stays
        (plain(150), DONE, {}, "remove", "completed"),
        (plain(150), {**DONE, "protected_ids": ["plain"]}, {}, "keep", "protected"),
        (plain(150), DONE, {"critical": ALWAYS}, "keep", "critical"),
        (plain(150), {"completed_ids": ["plain"]}, {}, "keep", "not_stored"),
    ],
)
def test_decisions(
    segment: ContextSegment, known: dict[str, Any], judgements: dict[str, Any], action: str, reason: str
) -> None:
    [made] = plan_context([segment], replace(LATER, **known), replace(Predicates(), **judgements)).decisions
    assert (made.action.value, made.reason) == (action, reason)


def test_plans_say_what_they_would_save() -> None:
    segments = [note(VERBOSE, "a"), plain(401, "b"), plain(150, "c")]
    plan = plan_context(segments, LATER, target_compression_ratio=0.5)
    assert [decision.action for decision in plan.decisions] == [Action.COMPRESS, Action.STASH, Action.KEEP]
    assert plan.tokens == sum(segment.tokens for segment in segments)
    assert plan.tokens_after == int(segments[0].tokens * 0.5) + 150
    assert [decision.segment_id for decision in plan.of(Action.STASH)] == ["b"]
    assert {action.value for action in Action} == {"keep", "compress", "stash", "remove"}
    for ratio in (0, 1.01, float("nan"), True):
        with pytest.raises((TypeError, ValueError), match=r"target_compression_ratio must .*, not "):
            plan_context(segments, LATER, target_compression_ratio=ratio)


def test_states_take_any_list_of_names() -> None:
    state = ContextState(active_ids=["a", "b"])  # type: ignore[arg-type]
    assert state.active_ids == frozenset({"a", "b"})
    with pytest.raises(TypeError, match="needed_ids must be a list of str, not one str"):
        ContextState(needed_ids="a")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "critical"),
    [
        ("Segmentation fault in main.c.", True),
        ("The stack overflow in parse came back.", True),
        ("Bus error in x.c.", True),
        ("undefined reference to `draw'", True),
        ("The build broke on arm64.", True),
        ("Exited with code 137.", True),
        ("I'm cleaning up the fixtures. Last error was: 'no such table' in db/init.sql.", True),
        ("It stopped in the Makefile with 'missing separator'. That is all there is.", True),
        ("No errors were found.", False),
        ("The tests passed without errors.", False),
        ("I fixed the bug in main.c.", False),
        ("The office has a red door.", False),
    ],
)
def test_what_fails_is_critical_whether_or_not_it_is_called_an_error(text: str, critical: bool) -> None:
    state = replace(LATER, task="paint the fence", stored_ids=frozenset(["one"]))
    [decision] = plan_context([note(text, "one")], state).decisions
    assert decision.action is (Action.KEEP if critical else Action.REMOVE)
