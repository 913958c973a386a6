"""Read data that was made shorter as JSON, so that it is data of the same shape again."""

from __future__ import annotations

import json
from typing import Any

from tersely.core.errors import BudgetExceededError
from tersely.history.messages import to_json
from tersely.history.writing import Rows

__all__ = ["read_records", "with_note"]

_MARK = "…"  # what stands where values were left out, as content/json.py writes it


def read_records(text: str, original: str) -> Any:
    """The data of a shortened JSON text: in a list of objects, "… 7 more" is an object, too.

    Raises BudgetExceededError where the text is no JSON any more, or no object or list as `original` is:
    there was no room for its shape, or a strategy for text cut it.
    """
    try:
        if text.lstrip()[:1] == original.lstrip()[:1]:
            return _records(json.loads(text))
    except ValueError:
        pass
    raise BudgetExceededError("data of its shape does not fit", required=1, budget=0)


def _records(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _records(inner) for key, inner in value.items()}
    if isinstance(value, list):
        objects = any(isinstance(inner, dict) for inner in value)
        return [
            {_MARK: inner.removeprefix(_MARK).strip()}
            if objects and isinstance(inner, str) and inner.startswith(_MARK)
            else _records(inner)
            for inner in value
        ]
    return value


def with_note(value: Any, note: str) -> Any:
    """Data with a note at the end of its largest list; of data without one, under the key "…"."""
    if isinstance(value, Rows):
        return Rows((*value.texts, note))
    if isinstance(value, list):
        objects = bool(value) and all(isinstance(inner, dict) for inner in value)
        return [*value, {_MARK: note} if objects else note]
    lists = {key: len(to_json(inner)) for key, inner in value.items() if isinstance(inner, list)}
    if lists:
        largest = max(lists, key=lists.__getitem__)
        return {**value, largest: with_note(value[largest], note)}
    return {**value, _MARK: f"{value[_MARK]}; {note}" if _MARK in value else note}
