"""Show what compressing the results of tools saved as one page of HTML: totals, a bar a day, the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tersely.agents.savings import HEADINGS, SavingsRow
from tersely.report.page import write_page
from tersely.text import percent

_NOTE = (
    "Expanded: results that were asked for whole again, a sign of having cut too much; again: of calls that "
    "were made again within five minutes; back in: the tokens of both, which count as not saved. Money is "
    "for tokens that were sent once: that a history is sent again every turn, at a cache's price, is not "
    "in it."
)


def savings_page(rows: Sequence[SavingsRow], days: Sequence[SavingsRow], prices: Mapping[str, float]) -> str:
    """Return a self-contained page, as safe as that of a result.

    Args:
        rows: what `sum_savings` gave, the sum of all last.
        days: the same by day, for the bars.
        prices: dollars for a million tokens of input, by model.
    """
    *parts, total = rows
    share = 1 - (total.tokens_out + total.tokens_back) / total.tokens_in if total.tokens_in else 0.0
    figures = [
        (f"{total.results:,}", ["results made shorter"]),
        (f"{total.saved:,}", ["tokens saved"]),
        (percent(share), ["of what came in"]),
        (f"{total.expanded:,}", ["asked for whole again"]),
        *((money, [f"$ at the price of {model}"]) for model, money in _money(total, prices).items()),
    ]
    most = max((abs(day.saved) for day in days[:-1]), default=0)
    bars = {
        "title": "By day",
        "head": [("day",), ("saved",), ("beside the best day", "", "wide")],
        "rows": [[day.day, f"{day.saved:,}", _bar(day.saved, most)] for day in days[:-1]],
    }
    table = {
        "title": "All of it",
        "head": [(name,) for name in (*HEADINGS, *(f"$ {model}" for model in prices))],
        "rows": [_row(row, prices) for row in parts],
        "foot": [_row(total, prices)],
    }
    title = "What compressing the results of tools saved"
    return write_page(title, figures=figures, notes=[_NOTE], tables=[bars, table])


def _money(row: SavingsRow, prices: Mapping[str, float]) -> dict[str, str]:
    return {model: f"{dollars:,.2f}" for model, dollars in row.to_dict(prices)["dollars"].items()}


def _row(row: SavingsRow, prices: Mapping[str, float]) -> list[Any]:
    numbers = [f"{number:,}" for number in row.numbers]
    return [row.day, {"text": " ".join(row.tool.split())}, *numbers, *_money(row, prices).values()]


def _bar(saved: int, most: int) -> dict[str, Any]:
    """Return a bar as wide as what a day saved beside the day that saved most."""
    share = abs(saved) / most if most else 0.0
    return {"text": f"{share:.0%} of the best day", "bar": share, "look": "over" if saved < 0 else "used"}
