"""Texts -> token counts, checked: a counter is foreign code."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from tersely.models.counters import TOKEN_TABLES, BytePairCounter, Texts
from tersely.protocols import BatchTokenCounter
from tersely.text import well_formed
from tersely.types import Heads, Int32s, Int64s, Request, pieces


def count_batch(counter: BatchTokenCounter, texts: Sequence[str]) -> Int64s:
    """int64[len(texts)]: tokens of each text.

    Raises ValueError when the counter raises, returns something else than whole numbers >= 0, or not one
    a text.
    """
    if isinstance(counter, BytePairCounter):  # our own: its errors are the deadline and Ctrl-C
        return TOKEN_TABLES[counter.encoding].count(texts)
    try:
        counts: Any = counter.count_batch([well_formed(text) for text in texts])
    except Exception as error:
        raise ValueError(
            f"the token counter {name_of(counter)} failed on {len(texts)} texts: {error!r}"
        ) from error
    if not isinstance(counts, (Sequence, np.ndarray)):
        raise ValueError(
            f"the token counter {name_of(counter)} must return a sequence, not {type(counts).__name__}"
        )
    if len(counts) != len(texts):
        raise ValueError(
            f"the token counter {name_of(counter)} returned {len(counts)} counts for {len(texts)} texts"
        )
    try:
        result = _whole_numbers(counts)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(
            f"the token counter {name_of(counter)} must return whole numbers: {error}"
        ) from error
    if result.size and int(result.min()) < 0:
        raise ValueError(f"the token counter {name_of(counter)} returned {int(result.min())}, less than 0")
    return result


def count_joined(counter: BatchTokenCounter, texts: Texts, separator: str) -> int:
    """Count the tokens of the texts joined by `separator`; raises like `count_batch`.

    `count_units` of the same texts is cheaper after it.
    """
    if isinstance(counter, BytePairCounter):
        total, marks = TOKEN_TABLES[counter.encoding].count_joined(texts, separator)
        texts.marks = (counter.encoding, marks)
        return total
    return int(count_batch(counter, texts if len(texts) == 1 else [separator.join(texts)])[0])


def count_units(
    counter: BatchTokenCounter, texts: Sequence[str], document: Int32s, start: Int64s, end: Int64s
) -> Int64s:
    """int64[n]: tokens of each `texts[document][start:end]`; raises like `count_batch`."""
    if len(document) == 0:
        return np.empty(0, dtype=np.int64)
    if isinstance(counter, BytePairCounter):
        encoding, marks = getattr(texts, "marks", ("", None))
        known = marks if encoding == counter.encoding else None
        return TOKEN_TABLES[counter.encoding].count_spans(texts, document, start, end, known)
    return count_batch(counter, pieces(texts, document, start, end))


def count(counter: BatchTokenCounter, text: str) -> int:
    """Tokens of one text; raises like `count_batch`."""
    if isinstance(counter, BytePairCounter):
        return int(TOKEN_TABLES[counter.encoding].count([text])[0])
    return int(count_batch(counter, [text])[0])


def count_sent(request: Request, text: str, parts: Sequence[str]) -> int:
    """Tokens of what is kept of documents as it is sent (`Frame`): as `text`, or in the request's frame."""
    frame, counter = request.frame, request.counter
    if frame is None:
        return count(counter, text)
    sent = frame.texts(parts, request.separator)
    alone = list(filter(None, parts)) if frame.apart else []
    counts = count_batch(counter, [*sent, *alone])
    tokens = int(counts[: len(sent)].sum()) - frame.paid
    return max(tokens, int(counts[len(sent) :].sum())) if frame.apart else tokens


def prices_of_headings(request: Request) -> Heads | None:
    """Price headings and what is sent around all documents; None where there is neither."""
    frame = request.frame
    if frame is None or frame.heads is not None or not (frame.prefix or frame.headings or frame.suffix):
        return None if frame is None else frame.heads
    around, *costs = count_batch(request.counter, [frame.prefix + frame.suffix, *frame.headings]).tolist()
    prices = np.array(costs, dtype=np.int64)
    prices[1:] += 1  # what parts it from the one before
    of = np.arange(len(costs)) if costs else np.full(len(request.documents), -1)
    above = np.full(len(costs), -1, dtype=np.int32)
    return Heads(prices, above, of.astype(np.int32), around)


def _whole_numbers(counts: Any) -> Int64s:
    array = np.asarray(counts)
    if array.dtype.kind in "iu" and array.ndim == 1:
        return array.astype(np.int64, copy=False)
    if len(counts) == 0:
        return np.empty(0, dtype=np.int64)
    if array.dtype.kind == "b":
        raise TypeError("got a bool")
    return np.array([operator.index(value) for value in counts], dtype=np.int64)


def name_of(counter: BatchTokenCounter) -> str:
    """Return a counter's name for receipts."""
    return str(getattr(counter, "name", type(counter).__name__))
