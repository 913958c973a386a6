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


def test_good_candidates() -> None:
    done = replace(LATER, completed_topics=frozenset({"login"}))
    assert explain_compression(note(VERBOSE), LATER).reason == "verbose"
    assert explain_compression(plain(120, topic="login"), done).reason == "completed"
    assert explain_compression(plain(120), replace(LATER, completed_ids=frozenset({"plain"}))).compress
    assert explain_compression(note(DENSE), LATER).reason == "large"


def test_bad_candidates() -> None:
    on_file = replace(LATER, active_files=frozenset({"src/auth.py"}))
    by_id = replace(LATER, active_ids=frozenset({"plain"}))
    errors = "ValueError: bad token at src/auth.py:42. " + DENSE
    code = "```python\ndef f():\n    return 1\n```\n" + DENSE
    config = "retries = 3\ntimeout = 30\nhost: db.internal\n" + DENSE
    assert explain_compression(plain(500, file_path="src/auth.py"), on_file).reason == "active"
    assert explain_compression(plain(500), by_id).reason == "active"
    for text in (errors, code, config):
        assert explain_compression(note(text), LATER).reason == "nothing_to_gain"
    for kind in ("code", "config", "error"):
        assert not should_compress_segment(note(DENSE, type=kind), LATER)
    assert explain_compression(note(VERBOSE), ContextState(now=NOON)).reason == "recent"
    kept = replace(LATER, protected_ids=frozenset({"note"}))
    assert explain_compression(note(VERBOSE), kept).reason == "protected"


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


def decided(segment: ContextSegment, state: ContextState = LATER, **judgements: Any) -> tuple[Action, str]:
    decision = plan_context([segment], state, replace(Predicates(), **judgements)).decisions[0]
    return decision.action, decision.reason


def test_one_fixture_a_branch() -> None:
    stored = replace(LATER, stored_ids=frozenset({"plain"}), task="repair the login page")
    about = note(f"The login page. {VERBOSE}", "plain")
    assert decided(plain(150), replace(LATER, active_ids=frozenset({"plain"}))) == (Action.KEEP, "active")
    assert decided(plain(150), ContextState(now=NOON)) == (Action.KEEP, "recent")
    assert decided(about, stored) == (Action.COMPRESS, "verbose")
    assert decided(note(VERBOSE, "plain", type="log"), stored) == (Action.STASH, "detailed")
    assert decided(plain(401), stored) == (Action.STASH, "detailed")
    assert decided(plain(150), stored) == (Action.REMOVE, "irrelevant")
    finished = replace(stored, task=None, completed_topics=frozenset({"colours"}))
    assert decided(plain(150, topic="colours"), finished) == (Action.REMOVE, "completed")
    assert decided(plain(150), LATER) == (Action.KEEP, "nothing_to_gain")


def test_first_match_wins_in_that_order() -> None:
    every = dict.fromkeys(["verbose", "relevant", "detailed", "completed"], ALWAYS)
    assert decided(plain(150), **every)[0] is Action.COMPRESS
    assert decided(plain(150), **{**every, "verbose": NEVER["verbose"]})[0] is Action.STASH
    needed = {**every, "verbose": NEVER["verbose"], "needed_soon": ALWAYS}
    stored = replace(LATER, stored_ids=frozenset({"plain"}))
    assert decided(plain(150), stored, **needed) == (Action.REMOVE, "completed")
    assert decided(plain(150), stored, **needed, active=ALWAYS) == (Action.KEEP, "active")


def test_complete_and_protected_critical_or_not_stored_stays() -> None:
    done = replace(LATER, completed_ids=frozenset({"plain"}), stored_ids=frozenset({"plain"}))
    assert decided(plain(150), done)[0] is Action.REMOVE
    assert decided(plain(150), replace(done, protected_ids=frozenset({"plain"}))) == (
        Action.KEEP,
        "protected",
    )
    assert decided(plain(150), done, critical=ALWAYS) == (Action.KEEP, "critical")
    assert decided(plain(150), replace(done, stored_ids=frozenset())) == (Action.KEEP, "not_stored")
    tells = note("I'm cleaning up the fixtures. Last error was: 'no such table' in db/init.sql.", "plain")
    assert decided(tells, done) == (Action.KEEP, "critical")  # a last error is critical
    broken = note("It stopped in the Makefile with 'missing separator'. That is all there is.", "plain")
    assert decided(broken, replace(done, task="paint the fence")) == (Action.KEEP, "critical")
    large = note("Last error was: 'no such table'. " + DENSE)
    assert explain_compression(large, LATER).reason == "nothing_to_gain"
    verbose = note(VERBOSE, "plain")
    assert decided(verbose, done)[0] is Action.COMPRESS  # complete, verbose and relevant: the tree's order


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
