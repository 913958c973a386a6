"""Sum up what compressions of tools' results saved, by day and tool, in tokens and money."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from itertools import compress
from typing import TYPE_CHECKING, Any

from tersely import checks
from tersely.errors import BudgetExceededError
from tersely.memory.messages import to_json
from tersely.memory.writing import Rows
from tersely.text import parse_json

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


HEADINGS = ("day", "tool", "results", "tokens in", "tokens out", "expanded", "again", "back in", "saved")
_AGAIN = timedelta(minutes=5)  # a call that is made again so soon did not get what it was for


@dataclass(frozen=True, slots=True)
class SavingsRow:
    """Tokens saved on one day with one tool; "" for the day or the tool means all of them.

    Attributes:
        day: "2026-11-23", UTC.
        tool: its name; "?" where nobody said it.
        results: how many were made shorter.
        tokens_in, tokens_out: of them, before and after.
        expanded: how many were asked for whole again.
        again: how many are of a call that was made again within five minutes.
        tokens_back: of the whole results of these, which count as not saved.
        saved: tokens_in - tokens_out - tokens_back; below 0 where too much had been cut.
    """

    day: str
    tool: str
    results: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    expanded: int = 0
    again: int = 0
    tokens_back: int = 0

    @property
    def numbers(self) -> tuple[int, ...]:
        """All of them, as tables show them."""
        counts = (self.results, self.tokens_in, self.tokens_out, self.expanded, self.again, self.tokens_back)
        return (*counts, self.saved)

    @property
    def saved(self) -> int:
        """Tokens that never went to the model."""
        return self.tokens_in - self.tokens_out - self.tokens_back

    def with_use(self, use: Use, again: bool) -> SavingsRow:
        """The row with one use more; `again`: of a call that was made before, a short while ago."""
        back = self.tokens_back + (use.tokens_in if use.expanded or again else 0)
        if use.expanded:
            return replace(self, expanded=self.expanded + 1, tokens_back=back)
        return replace(
            self,
            results=self.results + 1,
            tokens_in=self.tokens_in + use.tokens_in,
            tokens_out=self.tokens_out + use.tokens_out,
            again=self.again + again,
            tokens_back=back,
        )

    def to_dict(self, prices: Mapping[str, float]) -> dict[str, Any]:
        """The row as plain JSON types, with dollars saved by model."""
        return {**asdict(self), "saved": self.saved, "dollars": _dollars(self.saved, prices)}


def sum_savings(uses: Iterable[Use], by: str = "both") -> list[SavingsRow]:
    """Sum uses by day and tool ("both"), by "day" or by "tool": a row each, in order, and the total last.

    `uses`: the oldest first.
    """
    rows: dict[tuple[str, str], SavingsRow] = {}
    total = SavingsRow("", "total")
    made: dict[str, datetime] = {}  # when each call was made last
    for use in uses:
        again = not use.expanded and use.call in made and use.created - made[use.call] <= _AGAIN
        if use.call and not use.expanded:
            made[use.call] = use.created
        day = use.created.date().isoformat() if by != "tool" else ""
        tool = (use.tool or "?") if by != "day" else ""
        rows[day, tool] = rows.get((day, tool), SavingsRow(day, tool)).with_use(use, again)
        total = total.with_use(use, again)
    return [*(rows[key] for key in sorted(rows)), total]


def read_prices(text: str) -> dict[str, float]:
    """Read a price table: JSON, {"model": dollars for a million tokens of input}.

    Raises ValueError or TypeError, which says what is wrong.
    """
    given = parse_json(text, "it")
    if not isinstance(given, dict):
        raise ValueError('it must be an object, {"model": dollars for a million tokens of input}')
    return {model: checks.number(price, f"the price of {model!r}", least=0) for model, price in given.items()}


def savings_table(rows: Iterable[SavingsRow], prices: Mapping[str, float]) -> str:
    """The rows as a table of text, with a column of dollars for each model."""
    lines = [[*HEADINGS, *(f"$ {model}" for model in prices)]]
    for row in rows:
        numbers = row.numbers
        money = [f"{dollars:,.2f}" for dollars in _dollars(row.saved, prices).values()]
        lines.append([row.day, " ".join(row.tool.split()), *(f"{number:,}" for number in numbers), *money])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "".join(
        "  ".join(
            cell.ljust(width) if place < 2 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        + "\n"
        for line in lines
    )


def _dollars(tokens: int, prices: Mapping[str, float]) -> dict[str, float]:
    return {model: round(tokens * price / 1e6, 9) for model, price in prices.items()}
