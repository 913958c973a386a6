"""The measure of growth tells linear from quadratic work, and says when there is nothing to measure."""

from __future__ import annotations

import pytest
from growth import MOST, growth

pytestmark = pytest.mark.growth


def made(size: int) -> list[int]:
    return list(range(size))


def test_linear_work_is_two() -> None:
    assert 1.6 < growth(made, sum) < MOST


def test_quadratic_work_is_four() -> None:
    assert MOST < growth(made, lambda numbers: [numbers.count(number) for number in numbers[::500]]) < 5


def test_input_that_does_not_grow_is_refused() -> None:
    with pytest.raises(AssertionError, match="no more work"):
        growth(lambda size: made(min(size, 3_000)), sum)
