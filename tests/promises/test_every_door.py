"""Random calls of every door keep every promise. More of them: `python -m promises --calls 1000000`."""

from __future__ import annotations

import warnings

import pytest

from promises.check import Call, outcome_of
from promises.doors import KINDS, door_of, outcome

_CALLS = 30  # of a test

#: How many calls of each other kind: large ones are for the command.
_OTHERS = {"size": 2, "rounds": 2, "results": 50, "wires": 40}
_MORE = 12  # times as many, with --slow


def _assert_kept(seeds: list[str], kind: str = "calls") -> None:
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for seed in seeds:
            if broken := outcome(seed, kind=kind).broken:
                door = door_of(seed, kind=kind)
                found[f"python -m promises --seed {seed} --door '{door}'"] = broken
    assert not found


@pytest.mark.parametrize("kind", _OTHERS)
def test_calls_of_each_kind_keep_every_promise(kind: str) -> None:
    _assert_kept([f"suite:{number}" for number in range(_OTHERS[kind])], kind)


@pytest.mark.slow
@pytest.mark.parametrize("kind", _OTHERS)
def test_more_calls_of_each_kind_keep_every_promise(kind: str) -> None:
    _assert_kept([f"slow:{number}" for number in range(_MORE * _OTHERS[kind])], kind)


@pytest.mark.parametrize("part", range(10))
def test_random_calls_keep_every_promise(part: int) -> None:
    _assert_kept([f"suite:{number}" for number in range(part * _CALLS, (part + 1) * _CALLS)])


@pytest.mark.slow
@pytest.mark.parametrize("part", range(20))
def test_20_000_random_calls_keep_every_promise(part: int) -> None:
    _assert_kept([f"slow:{number}" for number in range(part * 1000, (part + 1) * 1000)])


@pytest.mark.parametrize("door", KINDS["calls"])
def test_each_door_keeps_every_promise(door: str) -> None:
    """Doors that the random ones above seldom choose are tried, too."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        calls = 8 if KINDS["calls"][door][1] < 6 else 4
        found = {f"{door}:{number}": outcome(f"{door}:{number}", door).broken for number in range(calls)}
    assert not any(found.values()), found


def test_what_is_broken_is_found() -> None:
    kept = Call(lambda budget: "text", 4, lambda result, budget: [], str)
    assert outcome_of(kept).broken == ()
    over = Call(lambda budget: "text", 4, lambda result, budget: ["over"], str)
    assert outcome_of(over).broken == ("over",)
    answers = iter("ab")
    other = Call(lambda budget: next(answers), 4, lambda result, budget: [], str)
    assert outcome_of(other).broken == ("the same call gave something else",)
    fails = Call(lambda budget: 1 // 0, 4, lambda result, budget: [], str)
    assert "ZeroDivisionError" in outcome_of(fails).broken[0]
