"""Print, for several budgets, how many of the facts of a text are kept, and which numbers are lost.

python examples/compare_budgets.py [TEXT]
"""

from __future__ import annotations

import sys
from pathlib import Path

import tersely
from tersely.types import FactKind


def main(name: str = "examples/incident.md") -> None:
    """Read the text once, and fit it into four budgets."""
    text = Path(name).read_text(encoding="utf-8")
    prepared = tersely.prepare(text, strategy=tersely.Extractive(preserve=("numbers", "names")))
    for budget in (60, 120, 240, 480):
        result = prepared.fit(budget=budget)
        facts = tersely.check_facts(result)
        lost = ", ".join(sorted({fact.text for fact in facts.of("lost") if fact.kind == FactKind.NUMBER})[:4])
        print(f"{budget:>4} tokens: {facts.retention:4.0%} of the facts; numbers lost: {lost or 'none'}")


if __name__ == "__main__":
    main(*sys.argv[1:])
