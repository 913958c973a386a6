"""What holds for every result: promises 1 and 2 of the design."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import reference
import tersely
from tersely import Compressed
from tersely.types import Level, Span

CUT_MARK = "…"


def check_result(
    result: Compressed,
    count: Callable[[str], int],
    separator: str = "\n\n",
    level: Level = Level.SENTENCE,
    window: int = 200,
) -> None:
    texts = [document.text for document in result.documents]
    check_counts(result, texts, count, separator)
    check_spans(result, texts, level, window)
    check_text(result, texts, separator, level, window)


def check_counts(
    result: Compressed, texts: Sequence[str], count: Callable[[str], int], separator: str
) -> None:
    receipt = result.receipt
    assert count(result.text) == result.tokens == receipt.tokens <= receipt.budget
    assert receipt.original_tokens == result.original_tokens == count(separator.join(texts))
    assert sum(receipt.reasons.values()) == receipt.segments
    kept = sum(number for reason, number in receipt.reasons.items() if reason.startswith("kept:"))
    assert kept == len(result.kept)


def place(span: Span) -> tuple[int, int, int]:
    return span.document, span.start, span.end


def check_spans(result: Compressed, texts: Sequence[str], level: Level, window: int) -> None:
    """In source order, disjoint, and together all segments."""
    for spans in (result.kept, result.dropped):
        assert [place(span) for span in spans] == sorted(place(span) for span in spans)
    everything = sorted(place(span) for span in [*result.kept, *result.dropped])
    table = tersely.segment(list(result.documents), level, window=window)
    segments = [(document, start, end) for document, start, end, _ in table]
    if "segment_cut" in result.receipt.warnings:
        (head,) = result.kept
        rest = next(span for span in result.dropped if span.reason == "cut")
        assert head.reason == "cut"
        assert (head.document, head.end) == (rest.document, rest.start)
        everything.remove(place(head))
        everything[everything.index(place(rest))] = (head.document, head.start, rest.end)
    known = set(segments)
    assert [one if one in known else _without_edges(texts, *one) for one in everything] == segments


def _without_edges(texts: Sequence[str], document: int, start: int, end: int) -> tuple[int, int, int]:
    """A place less the white space at its edges, which a pin keeps beside its words."""
    piece = texts[document][start:end]
    return document, end - len(piece.lstrip()), start + len(piece.rstrip())


def check_text(result: Compressed, texts: Sequence[str], separator: str, level: Level, window: int) -> None:
    """The text is the kept spans, verbatim, with the source's own gaps or the separator."""
    if "segment_cut" in result.receipt.warnings:
        head = result.kept[0]
        piece = texts[head.document][head.start : head.end]
        assert piece
        assert result.text in (piece, piece + CUT_MARK)
        mark = (len(piece), len(piece) + len(CUT_MARK))
        assert result.generated == (() if result.text == piece else (mark,))
        return
    if result.original_tokens <= result.receipt.budget:
        assert result.text == separator.join(texts)
        assert not result.dropped
        return
    table = tersely.segment(list(result.documents), level, window=window)
    rows = {(document, start): row for row, (document, start, _, _) in enumerate(table)}
    kept = [(rows[span.document, span.start], *place(span)) for span in result.kept]
    if level is not Level.CLAUSE or "markers_left_out" in result.receipt.warnings:
        assert result.text == reference.render(texts, kept, separator)
        return
    homes = list(zip(table.block.tolist(), table.kind.tolist(), strict=True))
    assert (result.text, list(result.generated)) == reference.render_clauses(texts, kept, homes, separator)


def verbatim(result: Compressed) -> str:
    """The text without what was generated."""
    text = result.text
    for start, end in reversed(result.generated):
        text = text[:start] + text[end:]
    return text
