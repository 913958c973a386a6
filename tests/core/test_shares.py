"""Shares in words: nothing and all are said of nothing and all alone."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st
from tersely.text import percent


@pytest.mark.parametrize(
    ("share", "told"),
    [
        (0, "0%"),
        (1e-9, "under 0.1%"),
        (0.0023, "0.2%"),
        (0.01, "1%"),
        (0.286, "29%"),
        (0.99, "99%"),
        (0.9949, "99.5%"),
        (0.9999, "over 99.9%"),
        (1.0, "100%"),
        (1.38, "138%"),
    ],
)
def test_shares_in_words(share: float, told: str) -> None:
    assert percent(share) == told


@given(st.floats(0, 1))
def test_only_nothing_is_0_and_only_all_is_100_percent(share: float) -> None:
    assert (percent(share) == "0%") == (share == 0)
    assert (percent(share) == "100%") == (share == 1)
