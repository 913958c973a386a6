"""Sum up the savings of compressed tool results; write notes at the end of data."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import compress
from typing import TYPE_CHECKING, Any

from tersely.errors import BudgetExceededError
from tersely.memory.messages import to_json
from tersely.memory.writing import Rows

if TYPE_CHECKING:
    from tersely.store.versions import Use

_MARK = "…"  # what stands where values were left out, as content/json.py writes it


def read_records(text: str, original: str) -> Any:
    """The data of a shortened JSON text: in a list of objects, "… 7 more" is an object, too.

    Raises BudgetExceededError where the text is no JSON any more, or no object or list as `original` is:
    there was no room for its shape, or a strategy for text cut it.
    """
    try:
        if text.lstrip()[:1] == original.lstrip()[:1]:
            return _mark_objects(json.loads(text))
    except ValueError:
        pass
    raise BudgetExceededError("data of its shape does not fit", required=1, budget=0)


def _mark_objects(data: Any) -> Any:
    """The data, in whose lists of objects marks have become objects; no call for each value."""
    containers = [data]
    while containers:
        inner = containers.pop()
        if type(inner) is dict:
            inner = list(inner.values())
        elif dict in map(type, inner):
            for place, value in enumerate(inner):
                if type(value) is str and value.startswith(_MARK):
                    inner[place] = {_MARK: value.removeprefix(_MARK).strip()}
        containers += compress(inner, map({dict, list}.__contains__, map(type, inner)))
    return data


def with_note(value: Any, note: str) -> Any:
    """Data with a note at the end of its largest list; of data without one, under the key "…"."""
    if isinstance(value, Rows):
        return Rows((*value.texts, note))
    if isinstance(value, list):
        objects = {*map(type, value)} == {dict}
        return [*value, {_MARK: note} if objects else note]
    lists = {key: len(to_json(inner)) for key, inner in value.items() if isinstance(inner, list)}
    if lists:
        largest = max(lists, key=lists.__getitem__)
        return {**value, largest: with_note(value[largest], note)}
    return {**value, _MARK: f"{value[_MARK]}; {note}" if _MARK in value else note}


_AGAIN = timedelta(minutes=5)  # a call that is made again so soon did not get what it was for


@dataclass(slots=True)
class Savings:
    """Tokens that compressing the results of tools saved.

    Attributes:
        results: how many were made shorter.
        tokens_in, tokens_out: of them, before and after.
        expanded: how many were asked for whole again, a sign of having cut too much.
        again: how many are of a call that was made again within five minutes.
        tokens_back: of the whole results of these, which count as not saved.
    """

    results: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    expanded: int = 0
    again: int = 0
    tokens_back: int = 0

    @property
    def saved(self) -> int:
        """Tokens that never went to the model; below 0 where too much had been cut."""
        return self.tokens_in - self.tokens_out - self.tokens_back

    def __str__(self) -> str:
        return (
            f"{self.saved:,} of {self.tokens_in:,} tokens in {self.results:,} results; asked for whole "
            f"again: {self.expanded:,}, calls made again within five minutes: {self.again:,} (not saved)"
        )


def sum_savings(uses: Iterable[Use]) -> Savings:
    """Sum up uses, the oldest first."""
    total = Savings()
    made: dict[str, datetime] = {}  # when each call was made last
    for use in uses:
        again = not use.expanded and use.call in made and use.created - made[use.call] <= _AGAIN
        total.tokens_back += use.tokens_in if use.expanded or again else 0
        if use.expanded:
            total.expanded += 1
            continue
        if use.call:
            made[use.call] = use.created
        total.results += 1
        total.tokens_in += use.tokens_in
        total.tokens_out += use.tokens_out
        total.again += again
    return total
