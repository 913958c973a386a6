"""One sentence that answers, at a random place of a long text: is it kept at a tenth?"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from tersely.strategies import CompressionOptions, ExtractiveCompressor

from benchmarks import data as development
from benchmarks.report import Column, Report, Target

__all__ = ["report"]

_SET = "needle_abstracts"
_TRIALS = 200
_RATIO = 0.1
_SEED = 7
_NOTHING_PRESERVED: dict[str, Any] = {  # the sentence has a number, which would be reason enough to keep it
    "preserve_code": False,
    "preserve_quotes": False,
    "preserve_numbers": False,
}


def report(report: Report, data: Path) -> None:
    """How often the sentence is kept with the query, and how often without."""
    generator = random.Random(_SEED)
    rows = list(development.rows(data, _SET))
    compressor = ExtractiveCompressor()
    kept = {"with the query": 0, "without": 0}
    for _ in range(_TRIALS):
        row = generator.choice(rows)
        needle = row["evidence"][0]["text"]
        paragraphs = row["documents"][0]["text"].replace(needle, "").split("\n\n")
        paragraphs.insert(generator.randrange(len(paragraphs) + 1), needle)
        text = "\n\n".join(paragraph for paragraph in paragraphs if paragraph.strip())
        for name, query in (("with the query", row["query"]), ("without", "")):
            options = CompressionOptions(target_ratio=_RATIO, query_context=query, **_NOTHING_PRESERVED)
            kept[name] += needle in compressor.compress(text, options).compressed
    shares = [{"compressed": name, "kept": times / _TRIALS} for name, times in kept.items()]
    title = f"The answer, planted among 30 abstracts and 3 sentences like it, {_TRIALS} trials"
    report.table(f"{title}, {_RATIO:.0%}", [Column("compressed"), Column("kept", "", ".3f")], shares)
    report.targets.append(
        Target("planted answer kept at 10%", 0.95, kept["with the query"] / _TRIALS, "", False)
    )
