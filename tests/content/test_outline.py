"""Units with markers are fitted: within the budget, markers marked, everything else the source's."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tersely.content.outline import Outline, fit_outline
from tersely.providers.counters import resolve_counter
from tersely.tables import SegmentTable
from tersely.types import Document, Request


def line_outline(texts: list[str], must: set[str]) -> Outline:
    rows = []
    for document, text in enumerate(texts):
        at = 0
        for line in text.split("\n"):
            if line.strip():
                rows.append((document, at, at + len(line), line in must))
            at += len(line) + 1
    document, start, end, kept = (np.array(column) for column in zip(*rows, strict=True))
    table = SegmentTable(
        document.astype(np.int32),
        start.astype(np.int64),
        end.astype(np.int64),
        np.zeros(len(rows), dtype=np.uint8),
        np.arange(len(rows), dtype=np.int32),
        np.full(len(rows), -1, dtype=np.int32),
    )
    scores = np.linspace(1, 0.1, len(rows), dtype=np.float32)
    return Outline(table, scores, kept.astype(np.uint8), lambda first, last: f"# {last - first + 1} lines")


def request_for(texts: list[str], budget: int) -> Request:
    documents = tuple(Document(text) for text in texts)
    return Request(documents, None, budget, 0.3, resolve_counter(None))


@given(st.lists(st.integers(1, 30), min_size=1, max_size=3), st.integers(8, 200))
def test_promises_hold_with_markers(sizes: list[int], budget: int) -> None:
    texts = ["\n".join(f"line {d} {n} says something" for n in range(size)) for d, size in enumerate(sizes)]
    must = {"line 0 0 says something"}
    result = fit_outline(request_for(texts, budget), lambda texts: line_outline(texts, must))
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
    must = {"line number 49 says something", "line number 30 says something"}
    result = fit_outline(request_for(texts, 60), lambda texts: line_outline(texts, must))
    assert all(line in result.text for line in must) and len(result.kept) > 2
    tight = fit_outline(request_for(texts, 12), lambda texts: line_outline(texts, must))
    assert [texts[0][span.start : span.end] for span in tight.kept] == ["line number 30 says something"]
