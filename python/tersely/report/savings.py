"""Show what compressing the results of tools saved as one page of HTML: totals, a bar a day, the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tersely.agents.savings import HEADINGS, SavingsRow
from tersely.report.page import content_policy, figures
from tersely.report.pieces import escape
from tersely.text import percent

_STYLE = """
:root { color-scheme: light dark; --bar: #0b6b5f; --over: #a8452f; --line: #8884; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
.brand { margin: 0; color: light-dark(#0b6b5f, #6fd0bd); font-weight: 650; }
h1 { margin: 0.1rem 0 1.4rem; font-size: 1.5rem; line-height: 1.2; }
h2 { font-size: 1.1rem; margin-top: 2rem; }
dl { display: flex; flex-wrap: wrap; gap: 0.75rem 2.5rem; }
dl div { display: flex; flex-direction: column-reverse; }
dt { opacity: 0.75; font-size: 0.85rem; }
dd { margin: 0; font-size: 1.75rem; line-height: 1.2; font-weight: 600; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; } table { border-collapse: collapse; min-width: 100%; }
th, td { padding: 0.3rem 0.8rem; border-bottom: 1px solid var(--line); }
th, td { text-align: right; white-space: nowrap; }
th[scope=row], .name { text-align: left; } td { font-variant-numeric: tabular-nums; }
tfoot { font-weight: 600; } svg { width: 100%; height: 1.2rem; min-width: 10rem; display: block; }
.bar { fill: var(--bar); } .over { fill: var(--over); } .note { opacity: 0.8; max-width: 45rem; }
@media (max-width: 40rem) {
  .wide { font-size: 0.85rem; } th, td { padding-inline: 0.4rem; } svg { min-width: 4rem; }
}
"""
_NOTE = (
    "Expanded: results that were asked for whole again, a sign of having cut too much; again: of calls that "
    "were made again within five minutes; back in: the tokens of both, which count as not saved. Money is "
    "for tokens that were sent once: that a history is sent again every turn, at a cache's price, is not "
    "in it."
)


def savings_page(rows: Sequence[SavingsRow], days: Sequence[SavingsRow], prices: Mapping[str, float]) -> str:
    """Return a self-contained page.

    Args:
        rows: what `sum_savings` gave, the sum of all last.
        days: the same by day, for the bars.
        prices: dollars for a million tokens of input, by model.

    The page loads and runs nothing; its Content-Security-Policy forbids it. All text is escaped. O(rows).
    """
    *parts, total = rows
    share = 1 - (total.tokens_out + total.tokens_back) / total.tokens_in if total.tokens_in else 0.0
    numbers = {"results made shorter": f"{total.results:,}", "tokens saved": f"{total.saved:,}"}
    numbers |= {"of what came in": percent(share), "asked for whole again": f"{total.expanded:,}"}
    numbers |= {f"$ at the price of {model}": money for model, money in _money(total, prices).items()}
    totals = figures([(value, escape(name)) for name, value in numbers.items()])
    headings = "".join(f'<th scope="col">{escape(name)}</th>' for name in _headings(prices))
    body = "".join(_row(row, prices) for row in parts)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{content_policy(_STYLE)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Savings – tersely</title>
<style>{_STYLE}</style>
</head>
<body>
<main>
<p class="brand">tersely</p>
<h1>What compressing the results of tools saved</h1>
<dl>{totals}</dl>
<h2>By day</h2>
<div class="wide"><table>
<thead><tr><th scope="col" class="name">day</th><th scope="col">saved</th>
<th scope="col" class="name">beside the best day</th></tr></thead>
<tbody>{_bars(days[:-1])}</tbody></table></div>
<h2>All of it</h2>
<div class="wide"><table><thead><tr>
<th scope="col" class="name">day</th><th scope="col" class="name">tool</th>
{headings}</tr></thead><tbody>{body}</tbody><tfoot>{_row(total, prices)}</tfoot></table></div>
<p class="note">{escape(_NOTE)}</p>
</main>
</body>
</html>
"""


def _headings(prices: Mapping[str, float]) -> list[str]:
    return [*HEADINGS[2:], *(f"$ {model}" for model in prices)]


def _money(row: SavingsRow, prices: Mapping[str, float]) -> dict[str, str]:
    return {model: f"{dollars:,.2f}" for model, dollars in row.to_dict(prices)["dollars"].items()}


def _row(row: SavingsRow, prices: Mapping[str, float]) -> str:
    cells = [*(f"{number:,}" for number in row.numbers), *_money(row, prices).values()]
    tool = escape(" ".join(row.tool.split()))
    return (
        f'<tr><th scope="row">{escape(row.day)}</th><td class="name"><bdi>{tool}</bdi></td>'
        + "".join(f"<td>{cell}</td>" for cell in cells)
        + "</tr>"
    )


def _bars(days: Sequence[SavingsRow]) -> str:
    """A bar for each day, as wide as what it saved beside the day that saved most."""
    most = max((abs(day.saved) for day in days), default=0)
    return "".join(_bar(day, most) for day in days)


def _bar(day: SavingsRow, most: int) -> str:
    width = 100 * abs(day.saved) / most if most else 0
    look = "over" if day.saved < 0 else "bar"
    return (
        f'<tr><th scope="row">{escape(day.day)}</th><td>{day.saved:,}</td><td>'
        '<svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="{look}" width="{width:.1f}" height="4"/></svg></td></tr>'
    )
