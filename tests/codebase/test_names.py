"""The names in the types are those of the tables."""

from __future__ import annotations

from typing import get_args

from tersely.content.registry import CONTENT_TYPES
from tersely.engine.strategies import STRATEGIES
from tersely.types import KINDS, ContentTypeName, DetectedName, Level, LevelName, StrategyName


def test_names_in_types_are_those_of_the_tables() -> None:
    assert get_args(StrategyName) == tuple(STRATEGIES)
    assert set(get_args(ContentTypeName)) == set(CONTENT_TYPES)
    assert get_args(DetectedName) == KINDS
    assert get_args(LevelName) == tuple(level.name.lower() for level in Level)
