"""The call that a seed stands for, and what comes of it."""

from __future__ import annotations

import warnings
from random import Random

from tersely.engine import finish

from promises.check import Call, Outcome, broken
from promises.doors import DOORS, KINDS


def prepare() -> None:
    """All results are checked where they are made, too; warnings are errors of ours."""
    finish.check_all = True
    warnings.simplefilter("error")


def door_of(seed: str, only: str | None = None, kind: str = "calls") -> str:
    """The door that a seed chooses, of a kind of calls."""
    often = {name: often for name, (_, often) in KINDS[kind].items()}
    return only or Random(f"door {seed}").choices(list(often), list(often.values()))[0]


def made(seed: str, only: str | None = None, kind: str = "calls") -> Call:
    """The call that a seed stands for, not made yet."""
    return DOORS[door_of(seed, only, kind)][0](Random(seed))


def outcome(seed: str, only: str | None = None, kind: str = "calls") -> Outcome:
    """What comes of the call that a seed stands for."""
    return broken(DOORS[door_of(seed, only, kind)][0], seed)
