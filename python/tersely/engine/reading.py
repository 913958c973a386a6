"""The units of a request: their needs, costs and worth; pins and groups that callers name."""

from __future__ import annotations

import operator
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from tersely import _native, checks
from tersely.content.html import PageText
from tersely.content.units import Bools, Form, Lines, Quoted
from tersely.kernels.checks import united
from tersely.models.counters import TOKEN_TABLES, BytePairCounter, CallableCounter, Texts, resolve_counter
from tersely.protocols import BatchTokenCounter
from tersely.text import well_formed
from tersely.types import (
    Analysis,
    Document,
    Float32s,
    Heads,
    Int32s,
    Int64s,
    Kind,
    Level,
    Request,
    SegmentTable,
    Span,
    UInt8s,
    pieces,
)

if TYPE_CHECKING:
    from tersely.engine.facts import FactCoverage
    from tersely.engine.worth import Asked


# Names of the status codes of csrc/kernels/select/budgeted.hpp.
REASONS = ("budget", "redundant", "selected", "pinned", "context", "heading", "cut", "fits", "preserved")
FIRST_KEPT = REASONS.index("selected")
_SAMPLE = 3  # units that a counter of one text a call is asked for
MOST_TOKENS = 2**60  # of a budget or a sum of costs: no tokenizer comes near, native sums stay in range


def is_kept(status: UInt8s) -> Int64s:
    """Rows that stay, ascending."""
    return (status >= FIRST_KEPT).nonzero()[0]


def _rows_of(table: SegmentTable, spans: Sequence[tuple[int, int, int]]) -> tuple[Int64s, Int64s]:
    """The first row that overlaps each (document, start, end), and the one behind the last."""
    document, start, end = np.array(spans, dtype=np.int64).reshape(-1, 3).T
    wide = 1 + max(int(table.end.max(initial=0)), int(end.max(initial=0)))  # than any document
    rows = table.document * np.int64(wide)
    low = np.searchsorted(rows + table.end, document * wide + start, side="right")
    high = np.searchsorted(rows + table.start, document * wide + end, side="left")
    return low, np.maximum(low, high)


def _covered(size: int, low: Int64s, high: Int64s) -> UInt8s:
    """uint8[size]: whether a place lies in one of the runs [low, high). O(size + runs)."""
    opens, closes = (np.bincount(edges, minlength=size + 1) for edges in (low, high))
    return (np.cumsum(opens - closes)[:size] > 0).astype(np.uint8)


def mark_pinned(table: SegmentTable, spans: Sequence[tuple[int, int, int]]) -> UInt8s:
    """uint8[n]: 1 for segments that overlap a (document, start, end) span. O(n + spans log(n))."""
    if not spans:
        return np.zeros(len(table.start), dtype=np.uint8)
    return _covered(len(table), *_rows_of(table, spans))


def with_edges(
    table: SegmentTable, texts: Sequence[str], spans: Sequence[tuple[int, int, int]]
) -> SegmentTable:
    """Widen the segments of each (document, start, end) span by white space at its edges and wide gaps in it.

    So that what is pinned stands in the text with it. O(n + spans log(n)).
    """
    start, end = table.start.copy(), table.end.copy()
    lows, highs = _rows_of(table, spans)
    inner = _covered(len(table), lows, np.maximum(highs - 1, lows))[:-1]  # rows before another one of a span
    for row in np.flatnonzero(inner & (start[1:] - end[:-1] > _native.WIDEST_GAP)).tolist():
        if texts[table.document[row]][end[row] : start[row + 1]].isspace():
            end[row] = start[row + 1]
    for (document, begin, stop), low, high in zip(spans, lows, highs, strict=True):
        if low == high:
            continue
        text, last = texts[document], high - 1
        if not text[begin : int(table.start[low])].strip():
            start[low] = min(start[low], begin)
        if not text[int(table.end[last]) : stop].strip():
            end[last] = max(end[last], stop)
    beside = table.document[1:] == table.document[:-1]
    start[1:][beside] = np.maximum(start[1:], end[:-1])[beside]  # what two spans share is the first one's
    return replace(table, start=start, end=end)


def with_neighbours(
    table: SegmentTable, spans: Sequence[tuple[int, int, int]]
) -> tuple[tuple[int, int, int], ...]:
    """Widen each (document, start, end) span whose edge is between segments up to the segment beside it.

    What stands between two segments is the source's own where both are kept. O(n + spans log(n)).
    """
    wide, last = [], len(table) - 1
    for (document, begin, stop), low, high in zip(spans, *_rows_of(table, spans), strict=True):
        if low > 0 and table.document[low - 1] == document and (low == high or begin < table.start[low]):
            first = int(table.end[low - 1]) - 1
        else:
            first = begin
        if high <= last and table.document[high] == document and (low == high or table.end[high - 1] < stop):
            wide.append((document, first, int(table.start[high]) + 1))
        else:
            wide.append((document, first, stop))
    return tuple(wide)


def mark_groups(table: SegmentTable, groups: Sequence[Sequence[tuple[int, int, int]]]) -> Int32s:
    """int32[n]: the group of each segment (its lowest row), -1 where it has none.

    Groups that share a segment are merged. O(n + spans log(n)).
    """
    group = np.empty(len(table.start), dtype=np.int32)
    group.fill(-1)
    if not groups:
        return group
    low, high = _rows_of(table, [span for spans in groups for span in spans])
    some = high > low  # of segments
    low, high = low[some], high[some]
    of = np.repeat(np.arange(len(groups)), [len(spans) for spans in groups])[some]
    _, first, places = np.unique(of, return_index=True, return_inverse=True)
    touching = np.flatnonzero(_covered(len(table), low, high - 1))  # with the next row
    i, j = np.concatenate((low[first][places], touching)), np.concatenate((low, touching + 1))
    every = np.flatnonzero(_covered(len(table), low, high))
    group[every] = united(len(table), i, j)[every]
    return group


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
    counter: BatchTokenCounter,
    texts: Sequence[str],
    document: Int32s,
    start: Int64s,
    end: Int64s,
    each: bool = False,
) -> Int64s:
    """int64[n]: tokens of each `texts[document][start:end]`; raises like `count_batch`.

    A function that takes one text a call is asked for a few of them, unless for `each`: the others are
    estimated.
    """
    if len(document) == 0:
        return np.empty(0, dtype=np.int64)
    if isinstance(counter, CallableCounter) and not each and len(document) > _SAMPLE:
        return _likely_counts(counter, texts, document, start, end)
    if isinstance(counter, BytePairCounter):
        encoding, marks = getattr(texts, "marks", ("", None))
        known = marks if encoding == counter.encoding else None
        return TOKEN_TABLES[counter.encoding].count_spans(texts, document, start, end, known)
    return count_batch(counter, pieces(texts, document, start, end))


def _likely_counts(
    counter: CallableCounter, texts: Sequence[str], document: Int32s, start: Int64s, end: Int64s
) -> Int64s:
    """int64[n]: tokens of each unit, in proportion to its characters or to its tokens of o200k_base: to those
    that tell a short, a middling and a long unit better."""
    size = end - start
    some = np.argsort(size, kind="stable")[np.linspace(0, len(size) - 1, _SAMPLE).astype(np.int64)]
    known = count_batch(counter, pieces(texts, document[some], start[some], end[some]))
    best, least = size, np.inf
    for base in (size, count_units(resolve_counter(None), texts, document, start, end)):
        scaled = np.rint(base * (known.sum() / max(int(base[some].sum()), 1)))
        error = np.abs(scaled[some] - known).sum()
        if error < least:
            best, least = scaled.astype(np.int64), error
    best[some] = known
    return best


def count(counter: BatchTokenCounter, text: str) -> int:
    """Tokens of one text; raises like `count_batch`."""
    if isinstance(counter, BytePairCounter):
        return TOKEN_TABLES[counter.encoding].count_one(text)
    return int(count_batch(counter, [text])[0])


def count_sent(request: Request, text: str, parts: Sequence[str]) -> int:
    """Tokens of the kept documents as they are sent: as `text`, or in the request's frame (`Frame`)."""
    frame, counter = request.frame, request.counter
    if frame is None:
        return count(counter, text)
    sent = frame.texts(parts, request.separator)
    alone = list(filter(None, parts)) if frame.apart else []
    counts: list[int] = count_batch(counter, [*sent, *alone]).tolist()
    tokens = sum(counts[: len(sent)]) - frame.paid
    return max(tokens, sum(counts[len(sent) :])) if frame.apart else tokens


def prices_of_headings(request: Request) -> Heads | None:
    """Tokens of headings and of the text around all documents; None if there is neither."""
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


_LARGEST_WINDOW = 2**62  # what the native border takes; no text is longer


def analyze(
    texts: Sequence[str],
    extras: Sequence[str] = (),
    level: Level = Level.SENTENCE,
    window: int = 200,
    piece: int = 0,
    whole: bool = False,
) -> Analysis:
    """Cut texts into segments and read their terms; `extras` (query, titles) only give a term row each.

    `piece`: 0, or bytes of the pieces of what is much longer; `whole`: whether texts as short as turns of a
    talk are one segment each, where most are so short (csrc/kernels/text/segment.hpp).

    O(characters) time and memory linear in the number of segments and terms; the GIL is released.
    """
    columns, ids, offsets, classes, weights = _native.analyze(
        texts, list(extras), int(level), min(window, _LARGEST_WINDOW), piece, whole
    )
    return Analysis(SegmentTable(*columns), ids, offsets, classes, weights)


def segment(
    texts: Sequence[str],
    level: Level = Level.SENTENCE,
    window: int = 200,
    piece: int = 0,
    whole: bool = False,
) -> SegmentTable:
    """Cut texts into segments. See `analyze`."""
    return SegmentTable(*_native.segment(texts, int(level), min(window, _LARGEST_WINDOW), piece, whole))


CUT_MARK = "…"
_CHARACTERS = 4  # of a token, about
_JOINER = "\u200d"  # makes one emoji of two
_JOINED = re.compile(f"[{_JOINER}\ufe00-\ufe0f\U0001f3fb-\U0001f3ff]")  # changes the one before it
_CONTROL, _OPEN_CONTROL = 24, re.compile(r"\x1b(?:\[[0-9;?]*)?\Z")  # its characters; one that has not ended


def least_prefix(piece: str) -> int:
    """Return the characters of a piece that is not blank up to its first that is not white space."""
    return len(piece) - len(piece.lstrip()) + 1


def longest_prefix(piece: str, tokens: Callable[[str], int], budget: int) -> tuple[int, str]:
    """(characters, mark): the longest prefix found that has `tokens(prefix + mark) <= budget`.

    The least prefix must fit; nothing shorter is returned. The cut comes at a word's end if that loses less
    than half, and never parts a letter from its accents, or an emoji, unless nothing else fits. The mark is
    left out where it does not fit. O(log characters) counts, of texts about as long as what fits; where more
    text can have fewer tokens, the prefix fits but need not be the longest.
    """
    least = least_prefix(piece)
    for mark in (CUT_MARK, ""):
        size = _whole_letters(piece, _most(piece, mark, tokens, budget))
        words = _whole_words(piece, size)
        if words >= least and tokens(piece[:words] + mark) <= budget:
            return words, mark
        if size >= least and tokens(piece[:size] + mark) <= budget:
            return size, mark
    size = len(piece[: _most(piece, "", tokens, budget)].rstrip(_JOINER))
    return (size if size >= least and tokens(piece[:size]) <= budget else least), ""


def _most(piece: str, mark: str, tokens: Callable[[str], int], budget: int) -> int:
    """The largest size under that of the piece that fits: guessed from two counts, in turn with halving.

    Stops early where the text is cut at the same word's end whichever of the sizes that are left it is.
    """
    low, high = 0, len(piece)
    at_low, at_high = 0, 0  # tokens; 0: not counted
    size, turn = _CHARACTERS * (budget + 1), 0
    while low + 1 < high and not _cut_alike(piece, low, high - 1):
        if turn % 3 == 2 or not low < size < high:
            size = (low + high) // 2
        found, turn = tokens(piece[:size] + mark), turn + 1
        if found <= budget:
            low, at_low = size, found
        else:
            high, at_high = size, found
        if at_high > at_low:
            size = low + max(int((budget + 0.5 - at_low) / (at_high - at_low) * (high - low)), 1)
        else:
            size = 4 * low
    return low


def _cut_alike(piece: str, low: int, high: int) -> bool:
    """Whether prefixes of both sizes are cut at the end of the same word."""
    words = _whole_words(piece, high)
    return 0 < words == _whole_words(piece, low)


def _whole_letters(piece: str, size: int) -> int:
    """Find the last place, up to `size`, that parts no letter, emoji or control sequence of a terminal."""
    while 0 < size < len(piece) and (
        unicodedata.combining(piece[size]) or _JOINED.match(piece, size) or piece[size - 1] == _JOINER
    ):
        size -= 1
    open_ = _OPEN_CONTROL.search(piece, max(size - _CONTROL, 0), size)
    return open_.start() if open_ and size < len(piece) else size


def _whole_words(piece: str, size: int) -> int:
    """Find the end of the prefix's last whole word, if past its middle; else 0."""
    space = piece.rfind(" ", 0, size + 1)
    return len(piece[:space].rstrip()) if space > 0 and space >= size // 2 else 0


def found_in(texts: Sequence[str], strings: Collection[str]) -> set[str]:
    """Return the strings that one of the texts has; none has lone surrogates. O(characters)."""
    wanted = [one for one in dict.fromkeys(strings) if one and (one.isascii() or well_formed(one) == one)]
    found = set(_native.occurrences(list(texts), wanted)[0].tolist()) if wanted else ()
    return {wanted[number] for number in found} | ({""} if texts else set())


def to_spans(spans: Any, documents: Sequence[Document]) -> tuple[tuple[int, int, int], ...]:
    """Return (document, start, end) of each place that a caller names.

    A place is a Span, a (start, end) of the only document, a (document, start, end), or a str, which stands
    for each of its occurrences, also where they overlap; those at the end of another str's are in it, and of
    them one is given. Raises TypeError for anything else and ValueError for a place that is not in the
    documents. O(characters and places).
    """
    if isinstance(spans, (tuple, list)) and not spans:
        return ()
    return _to_spans([spans], documents, "pinned")[0]


def to_groups(groups: Any, documents: Sequence[Document]) -> tuple[tuple[tuple[int, int, int], ...], ...]:
    """Return groups of (document, start, end); each group is a list of what `to_spans` takes.

    Of a string in several groups, which belong together by it, all but one have one place.
    """
    if isinstance(groups, (tuple, list)) and not groups:
        return ()
    if isinstance(groups, str) or not isinstance(groups, Iterable):
        raise TypeError(f"groups must be a list of lists of spans, not {type(groups).__name__}")
    result = _to_spans(list(groups), documents, "groups")
    if not all(result):
        raise ValueError("a group must have at least one span")
    return result


def _to_spans(
    lists: list[Any], documents: Sequence[Document], name: str
) -> tuple[tuple[tuple[int, int, int], ...], ...]:
    """Return the places of each list; all strings of all of them are looked for at once."""
    places: list[list[tuple[int, int, int]]] = []
    asked: dict[str, list[int]] = {}  # the lists of each string
    for one in lists:
        spans = [one] if isinstance(one, (str, Span)) else one
        if not isinstance(spans, Iterable):
            raise TypeError(f"{name} must be a list of spans or strings, not {type(spans).__name__}")
        found: list[tuple[int, int, int]] = []
        for item in spans:
            if not isinstance(item, str):
                found.append(_to_span(item, documents, name))
            elif item := checks.text(item, name):
                asked.setdefault(item, []).append(len(places))
            else:
                raise ValueError(f"{name}: a string must not be empty")
        places.append(found)
    strings = list(asked)
    absent = set(asked)
    columns = _native.occurrences([document.text for document in documents], strings) if asked else ()
    for string, *place in zip(*(column.tolist() for column in columns), strict=True):
        first, *others = asked[strings[string]]
        places[first].append((place[0], place[1], place[2]))
        if strings[string] in absent:
            absent.remove(strings[string])
            for other in others:
                places[other].append((place[0], place[1], place[2]))
    for text in asked:
        if text in absent:
            raise ValueError(f"{name}: {text[:60]!r} occurs in no document")
    return tuple(map(tuple, places))


def _to_span(item: Any, documents: Sequence[Document], name: str) -> tuple[int, int, int]:
    if isinstance(item, Span):
        item = (item.document, item.start, item.end)
    if (
        not isinstance(item, Sequence)
        or not all(isinstance(part, int) for part in item)
        or len(item) not in (2, 3)
    ):
        raise TypeError(
            f"{name}: a span must be (start, end), (document, start, end), a Span or a str, not {item!r}"
        )
    if len(item) == 2:
        if len(documents) != 1:
            raise ValueError(
                f"{name}: (start, end) needs exactly one document; there are {len(documents)}: name it"
            )
        item = (0, *item)
    document, start, end = item
    if not 0 <= document < len(documents):
        raise ValueError(f"{name}: there is no document {document}; there are {len(documents)}")
    if not 0 <= start < end <= len(documents[document].text):
        size = len(documents[document].text)
        raise ValueError(
            f"{name}: span ({start}, {end}) does not lie in document {document} of {size} characters"
        )
    return document, start, end


T = TypeVar("T")

_GAP = 1.0  # tokens: white space of more than a character before a fragment
_MARKER = 4.0  # tokens, about: of what says that something was left out below a unit
_PLACED = np.zeros(len(Kind), dtype=np.uint8)  # kinds of lines that say something by where they stand
_PLACED[[Kind.CODE, Kind.FENCED_CODE, Kind.TABLE]] = 1
_NONE = np.empty(0, dtype=np.uint8)


@checks.quick
@dataclass(frozen=True, slots=True)
class Region:
    """Consecutive units of one document that are written in one way."""

    document: int  #: index of the document
    first: int  #: with `last`: its rows, half-open
    last: int
    #: how units are written when some are left out; None: as text, pieces joined by the separator
    form: Form | None = None
    local: int = 0  #: the row of its first unit among the units of its content type, which markers count in


def forms_of(regions: Iterable[Region]) -> list[Form]:
    """Return the forms that regions are written in."""
    return [region.form for region in regions if region.form is not None]


class Prices(NamedTuple):
    """The costs of units, in tokens."""

    counts: Int64s  #: int64[n], the tokens of each on its own
    costs: Int64s  #: int64[n] >= 1, with the separator that it may need
    separator: int  #: tokens that it adds between two sentences
    exact: bool = True  #: whether all units were counted


@checks.quick
@dataclass(frozen=True, eq=False, slots=True)
class Reading:
    """The units of a request, good for any number of budgets; whoever changes what they say makes another."""

    request: Request  #: what was asked
    texts: list[str]  #: of each document, what `table` counts characters of: its text, or what a page shows
    original: int  #: tokens of the documents joined by the separator
    table: SegmentTable  #: the units of all documents, in source order
    worth: Float32s  #: float32[n] >= 0, what each unit is worth per token; an order where `ranked`
    regions: tuple[Region, ...]  #: how they are written; together all rows, in order
    group: Int32s  #: int32[n], equal values >= 0: all in or all out; -1: on its own
    pinned: UInt8s  #: uint8[n], 1 for units that must stay
    #: float32[n] >= 0, the same for the first tenth of the text that is kept, so that a short text says what
    #: the whole is about; None: as `worth`
    gist: Float32s | None = None
    #: float32[n] in (0, 1], how far each unit's words stand alone; None: nobody looked
    apart: Float32s | None = None
    #: with `term_offsets` and `term_weight`: the terms of the units (rows of CSR) and what each term weighs
    #: when redundancy is priced; empty where it is not
    term_ids: Int32s = field(default_factory=lambda: np.empty(0, dtype=np.int32))
    term_offsets: Int64s = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    term_weight: Float32s = field(default_factory=lambda: np.empty(0, dtype=np.float32))
    redundancy: float = 0.0  #: 0 to 1, how much less a unit is worth when chosen ones hold its terms
    #: int32[n], the unit that each brings along, -1: none; empty: no unit has one
    needs: Int32s = field(default_factory=lambda: np.empty(0, dtype=np.int32))
    essential: Bools | None = None  #: bool[n], units that come before all others; None: there are none
    bulk: Bools | None = None  #: bool[n], units that are never kept; None: there are none
    #: bool[n], units whose cost is estimated by their length; None: there are none
    fragments: Bools | None = None
    #: where what a page shows stands in its document, by the index of the document
    pages: dict[int, PageText] = field(default_factory=dict)
    context: int = 0  #: neighbours kept beside a selected unit
    ranked: bool = False  #: whether `worth` is an order
    #: whether units of text are clauses: an "…" says where some of a paragraph are left out
    clauses: bool = False
    #: whether units of text may be parts of a line: an "…" says where some of it is left out
    pieces_of_lines: bool = False
    complete: bool = True  #: whether the units are all there is
    warnings: tuple[str, ...] = ()  #: reason codes
    types: tuple[str, ...] = ()  #: what each document was taken for; () where nobody looked
    by_query: bool = False  #: whether the query decided the worth
    #: the query beside the segments of the texts; None: there is no query, or it was not read
    asked: Asked | None = None
    #: [first, last) rows that go first, in this order, as far as they take `leading_share` of the budget
    leading: tuple[tuple[int, int], ...] = ()
    leading_share: float = 0.0
    #: (opening, closing) rows of fenced blocks, kept only where something between them is
    fences: tuple[tuple[int, int], ...] = ()
    must: FactCoverage | None = None  #: which units hold facts that are to be preserved; None: nobody asked
    #: bool[n], units that are kept only where others need them; None: there are none
    auxiliary: Bools | None = None
    optional: bool = False  #: whether a text without any unit is a result; else something must fit
    #: whether units are less than sentences, so that one may be said as often as it stands
    pieces_repeat: bool = False
    forms: Sequence[Form] = ()  #: the forms that regions are written in (`forms_of`); none where all is text
    _prices: Prices | None = None
    _same: Int32s | None = None

    def pieces(self, rows: Int64s | slice = slice(None)) -> list[str]:
        """The text of units, verbatim."""
        table = self.table
        return pieces(self.texts, table.document[rows], table.start[rows], table.end[rows])

    def same(self) -> Int32s:
        """Find repeated units: int32[n], the first with the same text, or the one whose note tells of it.

        Empty if there are none. Lines of code, of tables and of quotes have their places, however often they
        stand, and so have lines that are indented.
        """
        if self._same is not None:
            return self._same
        table, alone = self.table, _NONE
        if self.pieces_repeat:
            alone = np.ones(len(table), dtype=np.uint8)
        elif self.forms and any(isinstance(form, Quoted) for form in self.forms):
            alone = np.zeros(len(table), dtype=np.uint8)
            for region in self.regions:
                if isinstance(region.form, Quoted):
                    alone[region.first : region.last] = 1
        places = (table.document, table.start, table.end, table.kind)
        same = _native.first_equal(self.texts, *places, _PLACED, alone)
        for region in self.regions:
            form = region.form
            if isinstance(form, Lines) and form.told is not None and form.note is not None:
                same = np.arange(len(table), dtype=np.int32) if len(same) == 0 else same
                shift = region.local - region.first
                told = form.told[region.first + shift : region.last + shift] - shift
                rows = np.flatnonzero(told >= region.first)
                same[rows + region.first] = same[told[rows]]
        object.__setattr__(self, "_same", same)
        return same

    def unmarked(self) -> Int64s:
        """int64[2k], the rows (half-open) of regions whose left out units have no markers."""
        bare = [
            (region.first, region.last)
            for region in self.regions
            if isinstance(region.form, Quoted) or (isinstance(region.form, Lines) and not region.form.fill)
        ]
        return np.array(bare, dtype=np.int64).ravel()

    def prices(self, known: Int64s | None = None) -> Prices:
        """The costs of units, in tokens. Units are counted in one batch, when they are first asked for.

        `known`: int64[n], tokens of units where they are known, which are not counted then; -1 elsewhere.
        """
        if self._prices is not None:
            return self._prices
        separator = separator_cost(self.request)
        table, skipped = self.table, self.estimated()
        size = len(table.start)
        largest = MOST_TOKENS // max(size, 1)
        document, start, end = table.document, table.start, table.end
        if skipped is not None:
            rows = (~skipped).nonzero()[0]
            document, start, end = document[rows], start[rows], end[rows]
            known = None if known is None else known[rows]
        new = slice(None) if known is None else np.flatnonzero(known < 0)
        # What is known counts in later calls, too, which have other units beside it.
        counter, each = self.request.counter, known is not None
        found = count_units(counter, self.texts, document[new], start[new], end[new], each)
        if known is not None:
            known[new] = found
            found = known
        if isinstance(self.request.counter, BytePairCounter):  # a unit has text, so at least a token
            paid = found + separator if separator else found
        else:  # others may count as they like
            paid = np.minimum(np.maximum(np.minimum(found, largest) + separator, 1), largest)
        counts, costs = found, paid
        if skipped is not None:
            counts = np.zeros(size, np.int64) if self.fragments is None else self._estimate()
            costs = np.maximum(counts, 1)
            counts[rows], costs[rows] = found, paid
            if self.bulk is not None:  # dearer than there is: nothing but a pin keeps it
                dear = self.bulk & (self.pinned == 0)
                counts[dear] = costs[dear] = min(4 * self.original + 4, largest)
        prices = Prices(counts, costs, separator, len(found) == size)
        object.__setattr__(self, "_prices", prices)
        return prices

    def estimated(self) -> Bools | None:
        """bool[n]: units that are never counted: fragments, and bulk but for its pins; None: all are."""
        if self.bulk is None:
            return self.fragments
        dear: Bools = self.bulk & (self.pinned == 0)
        return dear if self.fragments is None else dear | self.fragments

    def _estimate(self) -> Int64s:
        """int64[n]: tokens of units by their length, and of the marks for text left out below them."""
        table = self.table
        density = self.original / max(sum(map(len, self.texts)), 1)
        return _native.estimated_costs(table.start, table.end, table.heading, density, _GAP, _MARKER)


def separator_cost(request: Request) -> int:
    """Tokens that the separator adds between two sentences: the one price of a separator."""
    counter, separator = request.counter, request.within
    if isinstance(counter, BytePairCounter):
        return _known_cost(counter.encoding, separator)
    return _cost_of(counter, separator)  # any other may count as it likes, each time


def _cost_of(counter: BatchTokenCounter, separator: str) -> int:
    left, right, both = count_batch(counter, ["one.", "Two", f"one.{separator}Two"]).tolist()
    return max(int(both - left - right), 0)


@lru_cache(maxsize=64)
def _known_cost(encoding: str, separator: str) -> int:
    return _cost_of(BytePairCounter(encoding), separator)
