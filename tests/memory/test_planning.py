"""Whether compacting pays (E029, X66)."""

from __future__ import annotations

import pytest
from tersely.memory import break_even


@pytest.mark.parametrize(
    ("cost", "price", "requests"), [(0.01, 3.0, 25), (0.05, 3.0, 124), (0.01, 0.3, 247), (0.0, 3.0, 0)]
)
def test_break_even(cost: float, price: float, requests: int) -> None:
    assert break_even(cost, 135, price) == requests


def test_what_saves_nothing_never_pays() -> None:
    assert break_even(0.01, 0, 3.0) is None
    assert break_even(0.01, 100, 0.0) is None
    with pytest.raises(ValueError):
        break_even(-1, 100, 3.0)
