"""`tersely savings`: what compressing the results of tools saved."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from tersely.cli.arguments import PAGE, Commands, add_command
from tersely.cli.files import read_text
from tersely.cli.store import store_path
from tersely.cli.terminal import InputError, write, write_json

_EXAMPLES = """examples:
  tersely savings
  tersely savings --by tool
  tersely savings --report savings.html
  tersely savings --store results.sqlite --json
  echo '{"my-model": 3.0}' > ~/.config/tersely/prices.json && tersely savings

Counted are results that `tersely hook`, `tersely run`, `tersely mcp --wrap` and, with a store,
compress_tool_result made shorter. "expanded": how many were asked for whole again, a sign of having cut too
much; "again": how many are of a call that was made again within five minutes; "back in": the tokens of both,
which count as not saved. Money is for tokens that were sent once: that a history is sent again every turn, at
a cache's price, is not in it. The price table is JSON, {"model": dollars for a million tokens of input}.
"""


def add_savings(commands: Commands) -> None:
    """Add the subcommand `savings`."""
    text = "what compressing the results of tools saved, by day and tool, in tokens and money"
    parser = add_command(commands, "savings", text, _EXAMPLES)
    parser.flag("--store FILE", "the store (TERSELY_STORE, or the user's)")
    parser.flag("--by", "one row for each of these (both)", choices=["both", "day", "tool"], default="both")
    parser.flag("--prices FILE", f"the price table ({_prices_path(None)})")
    parser.flag(*PAGE)
    parser.flag("--json", "print rows as JSON, the sum of all last")


def run_savings(arguments: argparse.Namespace) -> None:
    """Print the table, or JSON."""
    from tersely.agents.savings import savings_table, sum_savings
    from tersely.store import Store

    path = store_path(arguments.store)
    if not path.is_file():
        raise InputError(f"there is no store {path}: nothing was made shorter yet")
    prices = _prices(arguments.prices)
    with Store.open(path) as store:  # to write: an older one is brought up to date
        uses = store.uses()
    rows = sum_savings(uses, arguments.by)
    if arguments.report is not None:
        from tersely.report.savings import savings_page

        to_stdout = arguments.report == "-"
        page = savings_page(rows, sum_savings(uses, "day"), prices)
        write(page, None if to_stdout else arguments.report)
        if to_stdout:
            return
    if arguments.json:
        write_json([row.to_dict(prices) for row in rows])
    else:
        write(savings_table(rows, prices))


def _prices_path(given: str | None) -> Path:
    if given:
        return Path(given)
    folder = os.environ.get("XDG_CONFIG_HOME")
    return (Path(folder) if folder else Path("~/.config").expanduser()) / "tersely" / "prices.json"


def _prices(given: str | None) -> dict[str, float]:
    from tersely.agents.savings import read_prices

    path = _prices_path(given)
    if given is None and not path.exists():
        return {}
    try:
        return read_prices(read_text(path))
    except (ValueError, TypeError) as error:
        raise InputError(f"cannot read the prices in {path}: {error}") from error
