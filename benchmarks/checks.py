"""What must hold for every answer that is timed or scored."""

from __future__ import annotations

from typing import Any

from benchmarks import tokens

__all__ = ["check_compressed", "check_segments", "require"]


def require(holds: bool, message: str) -> None:
    """Raise AssertionError unless it holds, also under python -O."""
    if not holds:
        raise AssertionError(message)


def check_compressed(result: Any, budget: int, encoding: str = tokens.O200K) -> None:
    """The text is within the budget, and is nothing but the kept spans, verbatim and in order.

    Between two spans stands white space only, and what the result says is generated; after one that had to be
    cut, the mark that says so.
    """
    used = tokens.count(result.text, encoding)
    require(used == result.tokens, f"the receipt says {result.tokens} tokens, the text has {used}")
    require(used <= budget, f"{used} tokens, over the budget of {budget}")
    text = result.text
    for start, end in result.generated:
        text = text[:start] + " " * (end - start) + text[end:]
    position = 0
    for span in result.kept:
        piece = result.documents[span.document].text[span.start : span.end]
        found = text.find(piece, position)
        require(found >= 0, f"not verbatim: {piece[:80]!r}")
        between = text[position:found].strip()
        require(not between, f"not of the source: {between[:80]!r}")
        position = found + len(piece)
    after = text[position:].strip()
    require(
        not after or (after == "…" and "segment_cut" in result.receipt.warnings),
        f"not of the source: {after[:80]!r}",
    )


def check_segments(text: str, table: Any) -> None:
    """Segments of one text are in order, and only white space lies between them."""
    position = 0
    for _, start, end, _ in table:
        require(position <= start < end, f"segments out of order at {start}")
        require(not text[position:start].strip(), f"lost: {text[position:start][:80]!r}")
        position = end
    require(not text[position:].strip(), f"lost: {text[position:][:80]!r}")
