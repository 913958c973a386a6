"""Make the result of a call: spans, receipt, and the check of the promises. The only exit."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import compress, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from tersely.content.units import Nested
from tersely.documents import warnings_about
from tersely.engine.facts import fact_report, facts_kept, with_facts
from tersely.engine.fit import Fit
from tersely.engine.reading import FIRST_KEPT, REASONS, Reading, found_in, name_of, segment
from tersely.engine.render import places_of_separators
from tersely.engine.worth import Asked, document_probability
from tersely.models.counters import BytePairCounter
from tersely.types import (
    Compressed,
    Fact,
    FactReport,
    Float32s,
    Int64s,
    Kind,
    Receipt,
    Request,
    SegmentTable,
    Span,
    Spans,
    UInt8s,
    span_columns,
)

#: Whether every result is checked for all of what users are promised, which tests ask for.
check_all = False

_LARGEST_CHECKED = 200_000  # characters of documents
_FITS = REASONS.index("fits")
_MARKUP = len(REASONS)
ALL_REASONS = (*REASONS, "markup")  # of what pages hold beside what they show


def fates_of(reasons: Sequence[str], first_kept: int) -> tuple[str, ...]:
    """Return what receipts write for the codes of reasons; from `first_kept` on, units are kept."""
    kept = [f"kept:{name}" for name in reasons[first_kept:]]
    return (*[f"dropped:{name}" for name in reasons[:first_kept]], *kept)


_FATES = (*fates_of(REASONS, FIRST_KEPT), "dropped:markup")


def finish(reading: Reading, fitted: Fit, budget: int) -> Compressed:
    """The result of a choice. O(units)."""
    status, scores = fitted.status, reading.worth
    spans: Any = reading.table
    nested, rewritten, marked = False, set[int](), set[int]()
    if reading.forms:  # else text, whose segments have all there is of it
        marked = _marked(reading)
        for region in reading.regions:
            if isinstance(region.form, Nested):
                nested = True
                if region.form.gap is not None:
                    rewritten.add(region.document)
    if reading.pages or rewritten or marked:
        spans, status, scores = _in_source(reading, status, rewritten, marked)
    in_text = status >= FIRST_KEPT
    if spans is not reading.table:
        in_text &= status != _MARKUP
    if nested:
        texts = [document.text for document in reading.request.documents]
        spans = _WithGaps(spans, in_text, texts)
    warnings = tuple(dict.fromkeys((*reading.warnings, *fitted.warnings)))
    receipt = make_receipt(
        reading.request,
        budget,
        fitted.tokens,
        reading.original,
        status,
        warnings,
        recounts=fitted.recounts,
        content_types=reading.types,
    )
    kept: Sequence[Span] = Spans(spans, in_text.nonzero()[0], ALL_REASONS, status, scores)
    dropped: Sequence[Span] = Spans(spans, (~in_text).nonzero()[0], ALL_REASONS, status, scores)
    if fitted.cut is not None:
        kept, dropped = _parted(kept, dropped, reading, fitted.cut)
        receipt = replace(receipt, segments=len(kept) + len(dropped), reasons=_reasons(kept, dropped))
    rendered = fitted.rendered
    result = Compressed(
        rendered.text,
        reading.request.documents,
        kept,
        dropped,
        receipt,
        rendered.generated,
        rendered.parts,
        None if reading.asked is None else partial(relevance_of, reading.asked),
    )
    if reading.must is not None:
        must, lost = reading.must, None
        if fitted.cut is not None:
            report = fact_report(result, must.preserve)
        else:
            report = facts_kept(reading.texts, must.facts, fitted.status, REASONS, FIRST_KEPT)
            if must.share < 1:  # only some were looked for: the others are when somebody asks
                lost, report = report.number("lost"), FactReport(partial(_all_facts, result, must.preserve))
        result = with_facts(result, report, lost)
    return checked(result, reading.request) if check_all else result


def relevance_of(asked: Asked) -> tuple[float, ...]:
    """`Compressed.relevance`: the probability of each document. O(terms)."""
    return tuple(document_probability(asked).tolist())


def checked(result: Compressed, request: Request) -> Compressed:
    """The result, all of whose promises were checked where `check_all` asks for it."""
    if check_all and sum(len(document.text) for document in result.documents) <= _LARGEST_CHECKED:
        wrong = broken_promises(result, request)
        if wrong:
            raise AssertionError(f"broken promises: {'; '.join(wrong)}")
    return result


def _all_facts(result: Compressed, preserve: tuple[str, ...]) -> Sequence[Fact]:
    return fact_report(result, preserve).facts


def unchanged(request: Request, level: Any, window: int, whole: str, tokens: int, budget: int) -> Compressed:
    """The result for documents that fit as they are: `whole`, of so many tokens."""
    texts = [document.text for document in request.documents]
    table = segment(texts, level, window)
    status = np.full(len(table), _FITS, dtype=np.uint8)
    scores = np.zeros(len(table), dtype=np.float32)
    warnings = ("empty_query",) if request.query is not None and not request.query.strip() else ()
    receipt = make_receipt(request, budget, tokens, tokens, status, warnings)
    kept = Spans(table, np.arange(len(table)), REASONS, status, scores)
    dropped = Spans(table, np.empty(0, dtype=np.int64), REASONS, status, scores)
    generated = places_of_separators(texts, request.separator)
    result = Compressed(whole, request.documents, kept, dropped, receipt, generated, tuple(texts))
    return checked(result, request)


def make_receipt(
    request: Request,
    budget: int,
    tokens: int,
    original: int,
    status: UInt8s,
    warnings: Sequence[str],
    *,
    recounts: int = 1,
    fates: Sequence[str] = _FATES,
    content_types: tuple[str, ...] = (),
) -> Receipt:
    """The receipt of a text of so many tokens.

    `status`: an index into `fates` (`fates_of`) for each unit.
    Raises ValueError for a text over the budget, which was within it when the caller's counter was asked
    before; with our own counter it is the engine's mistake, an AssertionError.
    """
    if tokens > budget:
        problem = f"a text of {tokens} tokens for a budget of {budget}"
        if isinstance(request.counter, BytePairCounter):
            raise AssertionError(problem)
        raise ValueError(
            f"{problem}: the token counter {name_of(request.counter)} counts otherwise each time"
        )
    counts = np.bincount(status, minlength=len(fates)).tolist()
    named = dict(compress(zip(fates, counts, strict=True), counts))  # of those that are there
    return Receipt(
        budget,
        tokens,
        original,
        name_of(request.counter),
        len(status),
        named,
        recounts,
        (*warnings, *warnings_about(request.documents)),
        content_types=content_types,
    )


def _parted(
    kept: Sequence[Span], dropped: Sequence[Span], reading: Reading, cut: int
) -> tuple[list[Span], list[Span]]:
    """Spans where a kept unit was cut: its head was kept, its rest was dropped."""
    heads: list[Span] = []
    rests: list[Span] = []
    for span in kept:  # of a page, the pieces of the unit
        if span.reason != "cut":
            heads.append(span)
            continue
        at = cut
        if span.document in reading.pages:
            shown = [stop for _, stop in reading.pages[span.document].to_plain(span.start, span.end)]
            over = (shown[-1] if shown else 0) - cut
            at = span.end - max(over, 0)
        if at > span.start:
            heads.append(replace(span, end=min(at, span.end)))
        if at < span.end:
            rests.append(replace(span, start=max(at, span.start)))
    return heads, sorted([*dropped, *rests], key=lambda span: (span.document, span.start))


def _reasons(kept: Sequence[Span], dropped: Sequence[Span]) -> dict[str, int]:
    """How many spans there are of each reason, as in `Receipt.reasons`."""
    sides = (("kept", kept), ("dropped", dropped))
    return dict(Counter(f"{fate}:{span.reason}" for fate, spans in sides for span in spans))


class _WithGaps:
    """A table of nested units whose spans include the commas between them.

    What stands between two kept units is the first one's; else it is the dropped one's. Looked for when a
    span is asked for.
    """

    def __init__(self, table: SegmentTable, kept: npt.NDArray[np.bool_], texts: Sequence[str]) -> None:
        self._table, self._kept, self._texts = table, kept, texts
        self.document, self.kind = table.document, table.kind

    def __len__(self) -> int:
        return len(self.document)

    @property
    def start(self) -> Int64s:
        """int64[n], where spans begin."""
        return self._places[0]

    @property
    def end(self) -> Int64s:
        """int64[n], where they end."""
        return self._places[1]

    @cached_property
    def _places(self) -> tuple[Int64s, Int64s]:
        table, kept, texts = self._table, self._kept, self._texts
        start, end = table.start.copy(), table.end.copy()
        follows = (table.document[1:] == table.document[:-1]) & (table.start[1:] > table.end[:-1])
        for row in np.flatnonzero(follows).tolist():
            begin = int(table.end[row])
            gap = texts[int(table.document[row])][begin : int(table.start[row + 1])]
            said = gap.strip()
            if not said:
                continue
            at = begin + gap.index(said)
            if kept[row] and not kept[row + 1]:
                start[row + 1] = at
            else:
                end[row] = at + len(said)
        return start, end


def _marked(reading: Reading) -> set[int]:
    """The documents with something before their first unit or behind their last. O(documents)."""
    table, regions = reading.table, reading.regions
    begins = table.start[[region.first for region in regions]].tolist()
    ends = table.end[[region.last - 1 for region in regions]].tolist()
    behind = {region.document: end for region, end in zip(regions, ends, strict=True)}
    before = {region.document: begin for region, begin in zip(regions[::-1], begins[::-1], strict=True)}
    return {
        index
        for index, document in enumerate(reading.request.documents)
        if index not in reading.pages
        and (
            document.text[: before.get(index, 1)].strip()
            or document.text[behind.get(index, len(document.text)) :].strip()
        )
    }


def _in_source(
    reading: Reading, status: UInt8s, rewritten: Collection[int], marked: Collection[int]
) -> tuple[SegmentTable, UInt8s, Float32s]:
    """Units as spans of their documents; text that pages do not show, or that is rewritten, is dropped.

    So is what stands before the first unit of `marked` documents, and behind the last.
    """
    table, scores = reading.table, reading.worth
    columns: list[list[npt.NDArray[Any]]] = []
    limits = np.searchsorted(table.document, np.arange(len(reading.texts) + 1)).tolist()
    for index, document in enumerate(reading.request.documents):
        rows = slice(limits[index], limits[index + 1])
        start, end, kind = table.start[rows], table.end[rows], table.kind[rows]
        codes, worth = status[rows], scores[rows]
        page = reading.pages.get(index)
        if page is not None or index in rewritten or index in marked:
            if page is not None:
                row, start, end = page.to_source(start, end)
                kind, codes, worth = kind[row], codes[row], worth[row]
            whole = page is not None or index in rewritten
            left = _not_shown(document.text, start if whole else start[:1], end if whole else end[-1:])
            more = np.array(left, dtype=np.int64).reshape(-1, 2)
            size = len(more)
            start, end = np.concatenate((start, more[:, 0])), np.concatenate((end, more[:, 1]))
            kind = np.concatenate((kind, np.full(size, Kind.CODE, dtype=np.uint8)))
            codes = np.concatenate((codes, np.full(size, _MARKUP, dtype=np.uint8)))
            worth = np.concatenate((worth, np.zeros(size, dtype=np.float32)))
            order = np.argsort(start, kind="stable")
            start, end, kind, codes, worth = start[order], end[order], kind[order], codes[order], worth[order]
        columns.append([np.full(len(start), index, dtype=np.int32), start, end, kind, codes, worth])
    document_, start, end, kind, codes, worth = (
        np.concatenate([column[part] for column in columns]) for part in range(6)
    )
    size = len(start)
    blocks = np.arange(size, dtype=np.int32)
    return (
        SegmentTable(document_, start, end, kind, blocks, np.full(size, -1, dtype=np.int32)),
        codes,
        worth,
    )


def _not_shown(text: str, starts: Int64s, ends: Int64s) -> list[tuple[int, int]]:
    """Find the text that no piece covers, without white space around it."""
    places = []
    for begin, end in zip([0, *ends.tolist()], [*starts.tolist(), len(text)], strict=True):
        gap = text[begin:end]
        if stripped := gap.strip():
            start = begin + len(gap) - len(gap.lstrip())
            places.append((start, start + len(stripped)))
    return places


_Place = tuple[int, int, int]  # document, start, end


def _places_of(spans: Sequence[Span]) -> list[_Place]:
    """Return the places of spans, from their columns: a span of its own costs more than its place."""
    document, start, end, _ = span_columns(spans).tolist()
    return list(zip(document, start, end, strict=True))


def broken_promises(result: Compressed, request: Request | None = None) -> list[str]:
    """List the promises that a result breaks; [] when it keeps all.

    Within the budget; kept and dropped spans ascend, are not empty, do not overlap, and cover every
    non-blank character of the documents; kept ones stand in the text in order, with nothing between them
    but white space and what is generated; parts and reasons add up; of a `request`, pins
    stand in the text as they are in the source and groups stay or go whole. O(characters).
    """
    wrong: list[str] = []
    receipt, kept, dropped = result.receipt, _places_of(result.kept), _places_of(result.dropped)
    if receipt.tokens > receipt.budget:
        wrong.append(f"{receipt.tokens} tokens for a budget of {receipt.budget}")
    if receipt.segments != len(kept) + len(dropped):
        wrong.append(f"{receipt.segments} segments, {len(kept)} + {len(dropped)} spans")
    if sum(receipt.reasons.values()) != receipt.segments:
        wrong.append(f"reasons {dict(receipt.reasons)} do not add up to {receipt.segments} segments")
    for name, places in (("kept", kept), ("dropped", dropped)):
        if any(one[:2] >= other[:2] for one, other in pairwise(places)):
            wrong.append(f"{name} spans do not ascend")
        if any(start >= end for _, start, end in places):
            wrong.append(f"a {name} span is empty")
    wrong += _uncovered(result, kept + dropped)
    wrong += _unaccounted(result, kept)
    wrong += _wrong_parts(result, request.separator if request is not None else None)
    if request is not None:
        texts = [document.text for document in request.documents]
        pins = dict.fromkeys(pin for d, a, b in request.pinned if (pin := texts[d][a:b]).strip())
        stated = found_in([result.text], pins)
        wrong += [f"pinned text {pin[:60]!r} is not in the text" for pin in pins if pin not in stated]
        placed = (
            {"kept": _by_place(result.kept), "dropped": _by_place(result.dropped)} if request.groups else {}
        )
        for group in request.groups:
            states = {_kept_or_not(texts[number], placed, number, start, end) for number, start, end in group}
            if len(states - {None}) > 1 or "part" in states:
                wrong.append(f"group {group} is split")
    return wrong


def _wrong_parts(result: Compressed, separator: str | None) -> list[str]:
    """List what is wrong with `parts`: one a document, together the result's text."""
    parts = result.parts
    if not parts:
        return []
    if len(parts) != len(result.documents):
        return [f"{len(parts)} parts of {len(result.documents)} documents"]
    at = 0
    for index, part in enumerate(parts):
        found = result.text.find(part, at)
        if found < 0:
            return [f"the part of document {index} is not in the text, in order"]
        at = found + len(part) if part else at
    if separator is not None and result.text not in (
        separator.join(parts),
        separator.join(filter(None, parts)),
    ):
        return ["the text is not its parts, with the separator between"]
    return []


def _uncovered(result: Compressed, places: list[_Place]) -> list[str]:
    """Characters of documents that no span has, or that two have."""
    wrong = []
    of: list[list[tuple[int, int]]] = [[] for _ in result.documents]
    for number, start, end in sorted(places):
        of[number].append((start, end))
    for index, document in enumerate(result.documents):
        at = 0
        for start, end in of[index]:
            if start < at:
                wrong.append(f"spans overlap at {index}:{start}")
            if lost := document.text[at:start].strip():
                wrong.append(f"{lost[:60]!r} at {index}:{at} is in no span")
            at = max(at, end)
        if lost := document.text[at:].strip():
            wrong.append(f"{lost[:60]!r} at the end of document {index} is in no span")
    return wrong[:5]


def _unaccounted(result: Compressed, kept: list[_Place]) -> list[str]:
    """Characters of the text that are neither a kept span, nor generated, nor white space."""
    pieces, begin = [], 0
    for start, end in sorted(result.generated):
        pieces.append(result.text[begin:start])
        begin = end
    text, at = "".join([*pieces, result.text[begin:]]), 0
    rest: list[str] = []
    for number, first, last in kept:
        piece = result.documents[number].text[first:last]
        found = text.find(piece, at)
        if found < 0:
            return [f"kept {piece[:60]!r} is not in the text, in order"]
        rest.append(text[at:found])
        at = found + len(piece)
    strange = [piece.strip() for piece in (*rest, text[at:]) if piece.strip()]
    return [f"{strange[0][:60]!r} in the text is from nowhere"] if strange else []


def _by_place(spans: Iterable[Span]) -> list[_Place]:
    """The places of spans that are no markup, in their order."""
    return [(span.document, span.start, span.end) for span in spans if span.reason != "markup"]


def _kept_or_not(
    text: str, placed: Mapping[str, list[_Place]], document: int, start: int, end: int
) -> str | None:
    """Whether a span of a group is kept, dropped, or in part; None: it is blank. O(log spans).

    Commas around what it says do not count: of JSON, they stand between values that stay. Nor does markup:
    what a page does not show, or what is written otherwise, is no unit.
    """
    while start < end and (text[start] == "," or text[start].isspace()):
        start += 1
    while start < end and (text[end - 1] == "," or text[end - 1].isspace()):
        end -= 1
    if start == end:
        return None
    overlaps = set[str]()
    for name, places in placed.items():
        at = bisect_left(places, (document, end)) - 1  # the last that starts before the end
        if at >= 0 and places[at][0] == document and places[at][2] > start:
            overlaps.add(name)
    return None if not overlaps else overlaps.pop() if len(overlaps) == 1 else "part"
