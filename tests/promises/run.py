"""The call that a seed stands for, and what comes of it."""

from __future__ import annotations

import warnings
from random import Random

from tersely.engine import finish

from promises.check import Call, Outcome, broken
from promises.doors import DOORS

_NAMES = list(DOORS)
_OFTEN = [often for _, often in DOORS.values()]


def prepare() -> None:
    """All results are checked where they are made, too; warnings are errors of ours."""
    finish.check_all = True
    warnings.simplefilter("error")


def door_of(seed: str, only: str | None = None) -> str:
    """The door that a seed chooses."""
    return only or Random(f"door {seed}").choices(_NAMES, _OFTEN)[0]


def made(seed: str, only: str | None = None) -> Call:
    """The call that a seed stands for, not made yet."""
    return DOORS[door_of(seed, only)][0](Random(seed))


def outcome(seed: str, only: str | None = None) -> Outcome:
    """What comes of the call that a seed stands for."""
    return broken(DOORS[door_of(seed, only)][0], seed)
