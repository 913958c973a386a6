"""tersely on the tool outputs of Squeez, by its own metrics (`pip install squeez`; written against 0.1.4).

    python examples/harnesses/squeez_rows.py test.jsonl --ratio 0.1

`test.jsonl` has rows in its canonical form:
{"query", "tool_output", "gold_spans": [{"start_line", "end_line"}]}.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from statistics import mean

import tersely
from squeez.data.canonical import extract_relevant_lines
from squeez.training.evaluate import compute_span_metrics


def kept_lines(output: str, query: str, ratio: float) -> list[str]:
    """The lines of a tool's output of which something is kept."""
    result = tersely.compress(output, query, ratio=ratio, counter="cl100k_base")
    rows = {output.count("\n", 0, at) for span in result.kept for at in (span.start, span.end - 1)}
    return [line.strip() for row, line in enumerate(output.split("\n")) if row in rows and line.strip()]


def main() -> None:
    """Print means over the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=Path)
    parser.add_argument("--ratio", type=float, default=0.1)
    given = parser.parse_args()
    rows = [json.loads(line) for line in given.rows.read_text(encoding="utf-8").splitlines() if line.strip()]
    found = []
    for row in rows:
        wanted = [line.strip() for line in extract_relevant_lines(row["tool_output"], row["gold_spans"])]
        kept = kept_lines(row["tool_output"], row["query"], given.ratio)
        found.append(compute_span_metrics(kept, [line for line in wanted if line]))
    print(f"{len(rows)} rows at {given.ratio:.0%} of the tokens")
    for name in ("precision", "recall", "f1", "exact_match"):
        print(f"{name:12} {mean(one[name] for one in found):.3f}")


if __name__ == "__main__":
    main()
