"""Units with markers are fitted: within the budget, markers marked, everything else the source's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import tersely
from hypothesis import given, strategies as st
from tersely import Document
from tersely.content.units import ContentReader, Lines, Units, units_of
from tersely.engine.strategies import Auto
from tersely.models.counters import resolve_counter
from tersely.types import Kind


@dataclass(frozen=True)
class FirstLines:
    """Reads lines, earlier ones first; some are essential."""

    kind: ClassVar[str] = "prose"

    essential: frozenset[str]

    def read(self, documents: Sequence[Document], query: str | None, rows: int) -> Units | None:
        found = []
        for number, document in enumerate(documents):
            at = 0
            for line in document.text.split("\n"):
                if line.strip():
                    found.append((number, at, at + len(line), line in self.essential))
                at += len(line) + 1
        document, start, end, kept = (np.array(column) for column in zip(*found, strict=True))
        return Units(
            units_of(document, start, end, Kind.PROSE),
            np.linspace(1, 0.1, len(found), dtype=np.float32),
            Lines(lambda first, last: f"# {last - first + 1} lines"),
            kept.astype(bool),
        )


def test_what_reads_like_a_reader_is_one() -> None:
    assert isinstance(FirstLines(frozenset()), ContentReader)


@given(st.lists(st.integers(1, 30), min_size=1, max_size=3), st.integers(8, 200))
def test_promises_hold_with_markers(sizes: list[int], budget: int) -> None:
    texts = ["\n".join(f"line {d} {n} says something" for n in range(size)) for d, size in enumerate(sizes)]
    reader = FirstLines(frozenset({"line 0 0 says something"}))
    result = tersely.compress(texts, budget=budget, strategy=Auto(as_type=reader))
    assert result.tokens == resolve_counter(None).count(result.text) <= budget
    marked = [result.text[start:end] for start, end in result.generated]
    assert all(text.startswith("# ") for text in marked)
    rest = result.text
    for start, end in reversed(result.generated):
        rest = rest[:start] + rest[end:]
    for span in result.kept:
        piece = texts[span.document][span.start : span.end]
        assert piece in rest
        rest = rest.replace(piece, "", 1)
    assert not rest.strip()
    left_out = sum(int(text.split()[1]) for text in marked)
    if result.dropped and not {"segment_cut", "markers_left_out"} & set(result.receipt.warnings):
        per_document = {span.document for span in result.kept}
        assert left_out == sum(span.document in per_document for span in result.dropped)


def test_units_that_must_stay_come_first() -> None:
    texts = ["\n".join(f"line number {n} says something" for n in range(50))]
    essential = {"line number 49 says something", "line number 30 says something"}
    strategy = Auto(as_type=FirstLines(frozenset(essential)))
    result = tersely.compress(texts, budget=60, strategy=strategy)
    assert all(line in result.text for line in essential) and len(result.kept) > 2
    tight = tersely.compress(texts, budget=12, strategy=strategy)
    assert [texts[0][span.start : span.end] for span in tight.kept] == ["line number 30 says something"]
