"""The checks of arguments: what each accepts, what it refuses, and that messages name both."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from enum import Flag, IntEnum, StrEnum
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tersely import checks


class Color(StrEnum):
    """Something to choose from."""

    RED = "red"
    DARK_RED = "dark-red"


class Size(IntEnum):
    """Something to choose from by number."""

    SMALL = 0
    LARGE = 1


class Part(Flag):
    """Something of which sums are no choice, unless they have a name."""

    LEFT = 1
    RIGHT = 2
    TOP = 4
    BOTH = LEFT | RIGHT


class Name(str):
    """A str by another name."""


class Unshown:
    """Raises when it is shown, as classes of callers may."""

    def __repr__(self) -> str:
        raise RuntimeError("no")


whole, number, member, budget_of = checks.whole_number, checks.number, checks.member, checks.budget_of
whole_three = partial(whole, least=3, most=3)
size, color, part = (partial(member, kind=kind) for kind in (Size, Color, Part))
choice = partial(checks.one_of, allowed=Color)
odd_choice = partial(checks.one_of, allowed=(",", "\t", "", 1, None))
red_or_green = partial(checks.one_of, allowed=("red", "green"))

#: A check, values that it takes, and what it gives for each of them.
TAKEN: list[tuple[Callable[..., Any], list[Any], Any]] = [
    (whole_three, [3, np.int8(3), np.uint64(3), np.array(3)], 3),
    (number, [2, 2.0, np.float32(2), np.int64(2), Fraction(2)], 2.0), (checks.share, [1, 1.0], 1.0),
    (checks.share, [1e-300], 1e-300), (choice, ["red", Color.RED], Color.RED),
    (partial(checks.one_of, allowed=["red"]), [Color.RED], "red"),
    (partial(checks.one_of, allowed=("red", None)), [None], None),
    (size, [Size.LARGE, 1, "Large"], Size.LARGE), (color, ["dark_red"], Color.DARK_RED),
    (part, [Part.LEFT | Part.RIGHT, "both"], Part.BOTH), (checks.flag, [True], True),
    (checks.flag, [False], False), (checks.text, ["a b\ud83d"], "a b\ufffd"), (checks.texts, [[]], []),
    (checks.texts, [("a", Name("b")), iter("ab")], ["a", "b"]), (checks.callable_or_none, [None], None),
    (checks.callable_or_none, [print], print),
]  # fmt: skip


@pytest.mark.parametrize(("check", "values", "expected"), TAKEN)
def test_what_is_taken_has_one_form(check: Callable[..., Any], values: list[Any], expected: Any) -> None:
    for value in values:
        found = check(value, name="it")
        assert found == expected and type(found) is type(expected)


#: A check, values that it refuses, and how the error begins.
REFUSED: list[tuple[Callable[..., Any], list[Any], type[Exception], str]] = [
    (whole, [True, False, None, "3", 3.0, np.float64(3), np.True_, [3], np.array([3, 4]), int, Decimal(3)],
     TypeError, "it must be a whole number, not "),
    (number, [True, None, "0.5", [0.5], np.True_, 1j, float, np.array([0.5]), Decimal(1)], TypeError,
     "it must be a number, not "),
    (number, [Unshown()], TypeError, "it must be a number, not a value of type Unshown"),
    (partial(number, least=0, most=1), [2], ValueError, "it must lie in [0, 1], not 2.0"),
    (partial(number, above=0, most=1), [0], ValueError, "it must lie in (0, 1], not 0.0"),
    (partial(number, least=0), [-0.5], ValueError, "it must be a finite number from 0, not -0.5"),
    (partial(number, above=0), [0], ValueError, "it must be a finite number above 0, not 0.0"),
    (partial(number, most=1.5), [2], ValueError, "it must be a finite number up to 1.5, not 2.0"),
    (number, [math.nan], ValueError, "it must be a finite number, not nan"),
    (partial(number, least=0, most=1), [math.nan], ValueError, "it must lie in [0, 1], not nan"),
    (partial(number, most=1), [-math.inf], ValueError, "it must be a finite number up to 1, not -inf"),
    (partial(number, least=0), [10**400], ValueError, "it must be a finite number from 0, not inf"),
    (checks.share, [0, -0.1, 1.0000001, math.nan, math.inf], ValueError, "it must lie in (0, 1], not "),
    (choice, ["green", None, 3, ["red"], np.array(["red", "red"]), {}], ValueError,
     "it must be one of red, dark-red, not "),
    (odd_choice, [";"], ValueError, "it must be one of ',', '\\t', '', 1, None, not ';'"),
    (red_or_green, ["Gren"], ValueError, "it must be one of red, green, not 'Gren'; did you mean 'green'?"),
    (red_or_green, ["x"], ValueError, "it must be one of red, green, not 'x'"),
    (size, [True, 2, None, "huge", [1], np.array([1, 0]), Part.LEFT], ValueError,
     "it must be one of small, large, not "),
    (part, [Part.LEFT | Part.TOP, 5, "left|top"], ValueError,
     "it must be one of left, right, top, both, not "),
    (size, ["larg"], ValueError, "it must be one of small, large, not 'larg'; did you mean 'large'?"),
    (checks.flag, [0, 1, None, "yes", np.True_], TypeError, "it must be True or False, not "),
    (checks.text, [b"a"], TypeError, "it must be str, not bytes"),
    (checks.identifier, ["a\ud83d"], ValueError, "it must be a name that UTF-8 can write, not 'a\\ud83d'"),
    (checks.texts, ["ab"], TypeError, "it must be a list of str, not one str"),
    (checks.texts, [b"ab"], TypeError, "it must be a list of str, not one bytes"),
    (checks.texts, [3], TypeError, "it must be a list of str, not int"),
    (checks.texts, [["a", 3]], TypeError, "it[1] must be str, not int"),
    (checks.callable_or_none, [3], TypeError, "it must be a callable or None, not 3"),
    (partial(whole, most=9), [10**5000], ValueError, "it must be a whole number from 0 to 9, not a value of"),
]  # fmt: skip


@pytest.mark.parametrize(("check", "values", "error", "message"), REFUSED)
def test_what_is_refused_and_how_messages_begin(
    check: Callable[..., Any], values: list[Any], error: type[Exception], message: str
) -> None:
    for value in values:
        with pytest.raises(error) as caught:
            check(value, name="it")
        assert str(caught.value).startswith(message)


@given(st.integers(), st.integers(-9, 9), st.none() | st.integers(-9, 9))
def test_a_whole_number_is_returned_or_refused_by_its_range(value: int, least: int, most: int | None) -> None:
    if value >= least and (most is None or value <= most):
        assert whole(value, "size", least=least, most=most) == value
        return
    with pytest.raises(ValueError, match="size must be a whole number from") as caught:
        whole(value, "size", least=least, most=most)
    to = "" if most is None else f" to {most}"
    assert str(caught.value) == f"size must be a whole number from {least}{to}, not {value}"


@given(st.text(st.characters(codec="utf-8")))
def test_texts_that_have_a_utf_8_form(value: str) -> None:
    assert checks.text(value, "query") is value


@given(st.integers(0, 10**9), st.floats(0, 1, exclude_min=True))
def test_a_budget_of_a_ratio_is_rounded_down_and_never_nothing(original: int, ratio: float) -> None:
    budget = budget_of(None, ratio, original)
    assert budget >= 1
    assert budget == 1 or budget <= original * ratio < budget + 1


def test_budgets_and_threads() -> None:
    assert (budget_of(0, 0.5, 100), budget_of(7, 0.5, 100)) == (0, 7)
    for budget, ratio in ((-5, 0.3), (None, 0.0), (None, 1.5)):
        with pytest.raises(ValueError, match=r"budget must be a whole number from 0|ratio must lie in"):
            budget_of(budget, ratio, 100)
    assert checks.threads(None) is None and checks.threads(np.int32(2)) == 2
    with pytest.raises(ValueError, match="threads must be a whole number from 1, not 0"):
        checks.threads(0)


def test_messages_stay_short_and_say_what_was_meant() -> None:
    with pytest.raises(TypeError) as caught:
        whole("x" * 10**6, "size")
    assert len(str(caught.value)) < 200
    for value in (20.0, np.float64(20)):
        with pytest.raises(TypeError, match=r"^size must be a whole number, not .*20\.0\)?, a float$"):
            whole(value, "size")
    assert checks.meant("gren", StrEnum("Colour", ["RED", "GREEN"])) == "; did you mean 'green'?"
    assert checks.meant(7, ("red", 7)) == checks.meant("", ("red",)) == ""
    assert checks.meant("green " * 1_000_000, ("red", "green")) == ""  # a whole document, quickly
