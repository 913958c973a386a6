"""The checks of arguments: what each accepts, what it refuses, and that messages name both."""

from __future__ import annotations

import math
from decimal import Decimal
from enum import Flag, IntEnum, StrEnum
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tersely import checks

NOT_WHOLE = [True, False, None, "3", 3.0, np.float64(3), np.True_, [3], np.array([3, 4]), int, Decimal(3)]
NOT_NUMBERS = [True, None, "0.5", [0.5], np.True_, 1j, float, np.array([0.5]), Decimal(1)]


@pytest.mark.parametrize("value", NOT_WHOLE, ids=repr)
def test_only_whole_numbers_are_whole_numbers(value: object) -> None:
    with pytest.raises(TypeError, match=r"^size must be a whole number, not "):
        checks.whole_number(value, "size")


@pytest.mark.parametrize("value", [3, np.int8(3), np.uint64(3), np.array(3)], ids=repr)
def test_whole_numbers_of_any_library_become_int(value: object) -> None:
    result = checks.whole_number(value, "size", least=3, most=3)
    assert type(result) is int
    assert result == 3


@given(st.integers(), st.integers(-9, 9), st.none() | st.integers(-9, 9))
def test_a_whole_number_is_returned_or_refused_by_its_range(value: int, least: int, most: int | None) -> None:
    if value >= least and (most is None or value <= most):
        assert checks.whole_number(value, "size", least=least, most=most) == value
        return
    with pytest.raises(ValueError, match="size must be a whole number from") as caught:
        checks.whole_number(value, "size", least=least, most=most)
    to = "" if most is None else f" to {most}"
    assert str(caught.value) == f"size must be a whole number from {least}{to}, not {value}"


@pytest.mark.parametrize("value", NOT_NUMBERS, ids=repr)
def test_only_real_numbers_are_numbers(value: object) -> None:
    with pytest.raises(TypeError, match=r"^weight must be a number, not "):
        checks.number(value, "weight")


@pytest.mark.parametrize("value", [2, 2.0, np.float32(2), np.int64(2), Fraction(2)], ids=repr)
def test_numbers_of_any_library_become_float(value: object) -> None:
    result = checks.number(value, "weight")
    assert type(result) is float
    assert result == 2


@pytest.mark.parametrize(
    ("value", "bounds", "message"),
    [
        (2, {"least": 0, "most": 1}, "weight must lie in [0, 1], not 2.0"),
        (0, {"above": 0, "most": 1}, "weight must lie in (0, 1], not 0.0"),
        (-0.5, {"least": 0}, "weight must be a finite number from 0, not -0.5"),
        (0, {"above": 0}, "weight must be a finite number above 0, not 0.0"),
        (2, {"most": 1.5}, "weight must be a finite number up to 1.5, not 2.0"),
        (math.nan, {}, "weight must be a finite number, not nan"),
        (math.nan, {"least": 0, "most": 1}, "weight must lie in [0, 1], not nan"),
        (-math.inf, {"most": 1}, "weight must be a finite number up to 1, not -inf"),
        (10**400, {"least": 0}, "weight must be a finite number from 0, not inf"),
    ],
)
def test_a_number_out_of_range_is_refused(value: float, bounds: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match="weight") as caught:
        checks.number(value, "weight", **bounds)
    assert str(caught.value) == message


@pytest.mark.parametrize("value", [1, 1e-300, 0.3])
def test_shares(value: float) -> None:
    assert checks.share(value, "ratio") == value


@pytest.mark.parametrize("value", [0, -0.1, 1.0000001, math.nan, math.inf])
def test_what_is_no_share(value: float) -> None:
    with pytest.raises(ValueError, match=r"^ratio must lie in \(0, 1\], not "):
        checks.share(value, "ratio")


class Color(StrEnum):
    """Something to choose from."""

    RED = "red"
    DARK_RED = "dark-red"


def test_a_choice_comes_back_as_it_is_listed() -> None:
    assert checks.one_of("red", "color", Color) is Color.RED
    assert type(checks.one_of(Color.RED, "color", ["red"])) is str
    assert checks.one_of(None, "color", ("red", None)) is None


@pytest.mark.parametrize("value", ["green", None, 3, ["red"], np.array(["red", "red"]), {}], ids=repr)
def test_what_is_no_choice_is_told_the_choices(value: object) -> None:
    with pytest.raises(ValueError, match=r"^color must be one of red, dark-red, not "):
        checks.one_of(value, "color", Color)


def test_choices_that_are_hard_to_see_are_quoted() -> None:
    with pytest.raises(ValueError, match=r"must be one of ',', '\\t', '', 1, None, not ';'"):
        checks.one_of(";", "delimiter", (",", "\t", "", 1, None))


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


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        (Size.LARGE, Size, Size.LARGE),
        (1, Size, Size.LARGE),
        ("Large", Size, Size.LARGE),
        ("dark_red", Color, Color.DARK_RED),
        (Part.LEFT | Part.RIGHT, Part, Part.BOTH),
        ("both", Part, Part.BOTH),
    ],
)
def test_members_by_themselves_their_value_or_their_name(value: object, kind: Any, expected: object) -> None:
    assert checks.member(value, "choice", kind) is expected


@pytest.mark.parametrize("value", [True, 2, None, "huge", [1], np.array([1, 0]), Part.LEFT], ids=repr)
def test_what_is_no_member(value: object) -> None:
    with pytest.raises(ValueError, match=r"^size must be one of small, large, not "):
        checks.member(value, "size", Size)


@pytest.mark.parametrize("value", [Part.LEFT | Part.TOP, 5, "left|top"], ids=repr)
def test_a_sum_of_flags_without_a_name_is_no_member(value: object) -> None:
    with pytest.raises(ValueError, match=r"^part must be one of left, right, top, both, not "):
        checks.member(value, "part", Part)


@pytest.mark.parametrize("value", [0, 1, None, "yes", np.True_], ids=repr)
def test_a_flag_is_true_or_false(value: object) -> None:
    assert checks.flag(True, "whole") is True
    assert checks.flag(False, "whole") is False
    with pytest.raises(TypeError, match=r"^whole must be True or False, not "):
        checks.flag(value, "whole")


@given(st.text(st.characters(codec="utf-8")))
def test_texts_that_have_a_utf_8_form(value: str) -> None:
    assert checks.text(value, "query") is value


def test_what_is_no_text() -> None:
    with pytest.raises(TypeError, match=r"^query must be str, not bytes$"):
        checks.text(b"a", "query")


def test_half_a_character_is_replaced_and_names_nothing() -> None:
    assert checks.text("a b\ud83d", "query") == "a b\ufffd"
    with pytest.raises(ValueError, match="id must be a name that UTF-8 can write, not 'a\\\\ud83d'"):
        checks.identifier("a\ud83d", "id")


def test_lists_of_texts() -> None:
    class Name(str):
        """A str by another name."""

    assert checks.texts([], "ids") == []
    assert checks.texts(("a", Name("b")), "ids") == ["a", "b"]
    assert checks.texts((letter for letter in "ab"), "ids") == ["a", "b"]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("ab", "ids must be a list of str, not one str"),
        (b"ab", "ids must be a list of str, not one bytes"),
        (3, "ids must be a list of str, not int"),
        (["a", 3], "ids[1] must be str, not int"),
    ],
)
def test_what_is_no_list_of_texts(value: object, message: str) -> None:
    with pytest.raises(TypeError) as caught:
        checks.texts(value, "ids")
    assert str(caught.value) == message


def test_callables() -> None:
    assert checks.callable_or_none(None, "progress") is None
    assert checks.callable_or_none(print, "progress") is print
    refused: Any = 3
    with pytest.raises(TypeError, match=r"^progress must be a callable or None, not 3$"):
        checks.callable_or_none(refused, "progress")


def test_threads() -> None:
    assert checks.threads(None) is None
    assert checks.threads(np.int32(2)) == 2
    with pytest.raises(ValueError, match="threads must be a whole number from 1, not 0"):
        checks.threads(0)


@given(st.integers(0, 10**9), st.floats(0, 1, exclude_min=True))
def test_a_budget_of_a_ratio_is_rounded_down_and_never_nothing(original: int, ratio: float) -> None:
    budget = checks.budget_of(None, ratio, original)
    assert budget >= 1
    assert budget == 1 or budget <= original * ratio < budget + 1


def test_a_budget_that_is_given_stands() -> None:
    assert checks.budget_of(0, 0.5, 100) == 0
    assert checks.budget_of(7, 0.5, 100) == 7


class Unshown:
    """Raises when it is shown, as classes of callers may."""

    def __repr__(self) -> str:
        raise RuntimeError("no")


def test_messages_stay_short_and_are_always_there() -> None:
    with pytest.raises(TypeError) as caught:
        checks.whole_number("x" * 10**6, "size")
    assert len(str(caught.value)) < 200
    with pytest.raises(TypeError, match="not a value of type Unshown"):
        checks.number(Unshown(), "weight")
    with pytest.raises(ValueError, match="from 0 to 9, not a value of type int"):
        checks.whole_number(10**5000, "size", most=9)


@pytest.mark.parametrize("value", [20.0, np.float64(20)], ids=repr)
def test_a_float_that_looks_whole_is_called_a_float(value: object) -> None:
    with pytest.raises(TypeError, match=r"^size must be a whole number, not .*20\.0\)?, a float$"):
        checks.whole_number(value, "size")


def test_a_word_that_is_almost_a_choice_is_told_which_was_meant() -> None:
    with pytest.raises(ValueError, match=r"one of red, green, not 'Gren'; did you mean 'green'\?$"):
        checks.one_of("Gren", "colour", ("red", "green"))
    with pytest.raises(ValueError, match=r"not 'gren'; did you mean 'green'\?$"):
        checks.member("gren", "colour", StrEnum("Colour", ["RED", "GREEN"]))
    assert checks.meant("gren", StrEnum("Colour", ["RED", "GREEN"])) == "; did you mean 'green'?"
    with pytest.raises(ValueError, match=r"one of red, green, not 'x'$"):
        checks.one_of("x", "colour", ("red", "green"))
    assert checks.meant(7, ("red", 7)) == checks.meant("", ("red",)) == ""


def test_what_was_meant_is_found_quickly_for_a_whole_document() -> None:
    assert checks.meant("green " * 1_000_000, ("red", "green")) == ""


@pytest.mark.parametrize(("budget", "ratio"), [(-5, 0.3), (None, 0.0), (None, 1.5)])
def test_a_budget_is_checked_whoever_asks(budget: int | None, ratio: float) -> None:
    with pytest.raises(ValueError, match=r"budget must be a whole number from 0|ratio must lie in"):
        checks.budget_of(budget, ratio, 100)
