"""score.lead: the seed's formula, exactly."""

from __future__ import annotations

import numpy as np
import pytest
from tersely.engine.worth import lead


def test_A029_position_score() -> None:
    assert lead([1, 1, 1]).tolist() == np.float32([1.0, 0.99, 0.98]).tolist()


@pytest.mark.parametrize(("words", "bonus"), [(0, 0.0), (5, 0.0), (6, 0.3), (49, 0.3), (50, 0.0), (500, 0.0)])
def test_A031_length_bonus_is_strict(words: int, bonus: float) -> None:
    assert lead([words]).tolist() == [np.float32(1.0 + bonus)]


def test_A029_and_A031_add_up() -> None:
    assert lead([6, 3, 20]).tolist() == np.float32([1.3, 0.99, 1.28]).tolist()


def test_X05_negative_without_a_floor() -> None:
    scores = lead([1] * 151)
    assert scores[100] == 0
    assert scores[101] < 0
    assert scores[150] == np.float32(-0.5)


def test_X05_position_floor() -> None:
    scores = lead([1] * 151, position_floor=0.0)
    assert scores[150] == 0
    assert scores[99] == np.float32(0.01)
    assert lead([1] * 151, position_floor=0.5)[150] == 0.5


def test_the_floor_is_under_the_position_not_under_the_sum() -> None:
    assert lead([10] * 151, position_floor=0.0)[150] == np.float32(0.3)


def test_X05_position_decay() -> None:
    assert lead([1, 1, 1], position_decay=0.5).tolist() == [1.0, 0.5, 0.0]
    assert lead([1, 1, 1], position_decay=0.0).tolist() == [1.0, 1.0, 1.0]


def test_no_segments() -> None:
    scores = lead([])
    assert scores.dtype == np.float32
    assert scores.tolist() == []
