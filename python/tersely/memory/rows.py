"""Units of data that are understood by themselves: whole lines, and rows instead of single values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tersely.content.units import Bools, Nested, Quoted
from tersely.engine.reading import Reading, Region, forms_of
from tersely.types import Int32s, Int64s, SegmentTable

_DATA = ("json", "jsonl")
_COLUMNS = ("worth", "pinned", "essential", "bulk", "fragments", "auxiliary")  # what units just have
_ROW = 48  # characters of a value that is one unit
_WORDS = 4  # of one unit of a larger one: two members of an object, or four elements


def without_marks(reading: Reading, quoted: int) -> Reading:
    """The reading with kept units of the first documents one below the other: excerpts are known as parts.

    It may be without any unit.
    """
    regions = tuple(
        [
            one
            if one.form is None or one.document >= quoted or isinstance(one.form, Quoted)
            else Region(one.document, one.first, one.last, None, one.local)
            for one in reading.regions
        ]
    )
    same = reading.same()  # by what one line tells of others
    return replace(reading, regions=regions, forms=forms_of(regions), optional=True, _same=same)


def in_rows(reading: Reading, quoted: int) -> Reading:
    """The reading whose JSON, in the first documents, is in rows: values that say something together.

    A value up to _ROW characters is one unit with all that is in it; of larger ones, scalars that stand side
    by side are, by _WORDS. The first of a value has its key. A member of a large object brings the first
    ones, which say whose it is, as a scalar of a list brings the first with the list's key. Other brackets of
    large values are no units. O(units log units).
    """
    table, group = reading.table, reading.group
    parent = reading.needs if len(reading.needs) else np.full(len(table), -1, dtype=np.int32)
    data = np.zeros(len(table), dtype=bool)
    for region in reading.regions:
        if region.document < quoted and reading.types[region.document] in _DATA:
            data[region.first : region.last] = isinstance(region.form, Nested)
    if not data.any():
        return reading
    closes = (data & (group >= 0) & (group != np.arange(len(table)))).nonzero()[0]
    opens = group[closes]
    short = table.end[closes] - table.start[opens] <= _ROW
    large = opens[~short]
    texts = reading.pieces(large)
    sign = np.array([text[-1] for text in texts], dtype="<U1")  # of a cut string any
    keyed = np.zeros(len(table), dtype=bool)
    keyed[large] = [text[-1] in "{[" and len(text) > 1 for text in texts]
    end = table.end.copy()
    end[opens[short]] = table.end[closes[short]]
    left = _outside(len(table), opens[short], closes[short])
    left[closes] = left[large[np.isin(sign, ("{", "["))]] = False
    left |= keyed
    scalar = data & (group < 0) & ~np.isin(parent, large[~np.isin(sign, ("{", "["))])
    rows = left.nonzero()[0]
    members = np.isin(parent, large[sign == "{"])
    first = _runs(table, rows, scalar, parent, keyed, members)
    chosen, last = rows[first], rows[np.concatenate((first[1:], [len(rows)])) - 1]
    unit = np.zeros(len(table) + 1, dtype=np.int64)
    unit[chosen + 1] = 1
    before = unit.cumsum()  # units that begin before a row

    def moved(pointers: Int32s) -> Int32s:
        of = pointers[chosen]
        return np.where(of >= 0, before[of + 1] - 1, -1).astype(np.int32)

    def most(column: Any) -> Any:
        return None if column is None else np.maximum.reduceat(column[rows], first)

    mine, above = data[chosen], parent[chosen]
    _, place, number = np.unique(above, return_index=True, return_inverse=True)
    inside = keyed[above] & (above >= 0)
    own = np.where(inside, before[above + 1] - 1, place[number])  # the first unit of the same value
    named = members[chosen] | (inside & scalar[chosen])
    named &= own != np.arange(len(chosen))
    offsets = reading.term_offsets
    return _placed(
        reading,
        SegmentTable(
            table.document[chosen], table.start[chosen], end[last], table.kind[chosen], table.block[chosen],
            moved(table.heading),
        ),
        before,
        worth=most(reading.worth),
        group=np.where(mine, -1, moved(group)).astype(np.int32),
        pinned=reading.pinned[chosen],
        needs=np.where(mine, np.where(named, own, -1), moved(parent)).astype(np.int32),
        essential=most(reading.essential),
        bulk=most(reading.bulk),
        auxiliary=None if reading.auxiliary is None else reading.auxiliary[chosen],
        fragments=None if reading.fragments is None else reading.fragments[chosen] & ~mine,
        term_offsets=offsets[[*chosen, len(table)]] if len(offsets) else offsets,
    )  # fmt: skip


def apart(reading: Reading, led: Int64s) -> tuple[Reading, Int64s, Bools]:
    """Cut units behind their first `led` (int64[units]) characters; both parts are units.

    int64[new]: of which each is a part; bool[new]: those. O(units).
    """
    table, offsets = reading.table, reading.term_offsets
    of = np.arange(len(table)).repeat(1 + (led > 0))
    leads = np.append(of[1:] == of[:-1], False)
    begins, rest = of.searchsorted(np.arange(len(table) + 1)), (~leads).nonzero()[0]
    middle = (table.start + led)[of]

    def moved(pointers: Int32s, lead: Any = -1) -> Int32s:
        found = np.where(pointers >= 0, rest[pointers], -1)[of] if len(pointers) else None
        return pointers if found is None else np.where(leads, lead, found).astype(np.int32)

    start, end = np.where(leads, table.start[of], middle), np.where(leads, middle, table.end[of])
    columns = {name: getattr(reading, name) for name in _COLUMNS}
    made = _placed(
        reading,
        SegmentTable(table.document[of], start, end, table.kind[of], table.block[of], moved(table.heading)),
        begins,
        group=moved(reading.group),
        needs=moved(reading.needs),
        term_offsets=np.append(0, (np.diff(offsets)[of] * ~leads).cumsum()) if len(offsets) else offsets,
        pieces_of_lines=True,
        _same=moved(reading.same(), np.arange(len(of))),
        **{name: None if column is None else column[of] for name, column in columns.items()},
    )
    return made, of, leads


def _placed(reading: Reading, table: SegmentTable, begins: Int64s, **columns: Any) -> Reading:
    """Return the reading with other units; `begins`: int64[units + 1], where those of each old one begin."""
    at = begins.tolist()
    regions = [
        Region(one.document, at[one.first], at[one.last], one.form, one.local) for one in reading.regions
    ]
    leading, fences = (
        tuple([(at[low], at[high]) for low, high in rows]) for rows in (reading.leading, reading.fences)
    )
    regions = [one for one in regions if one.first < one.last]
    own = {"regions": tuple(regions), "leading": leading, "fences": fences, "_prices": None, "_same": None}
    return replace(reading, table=table, **{**own, **columns})


def _outside(size: int, opens: Int32s, closes: Int64s) -> Bools:
    """bool[size]: rows outside all nested values; the row that opens one is outside."""
    depth = np.zeros(size + 1, dtype=np.int64)
    np.add.at(depth, opens + 1, 1)
    np.add.at(depth, closes + 1, -1)
    outside: Bools = depth[:size].cumsum() == 0
    return outside


def _runs(
    table: SegmentTable, rows: Int64s, scalar: Bools, parent: Int32s, keyed: Bools, members: Bools
) -> Int64s:
    """int64[units]: the places in `rows` where a unit begins; scalars of one value side by side are one, and
    what opens a value with its key begins its first."""
    here, next_one = rows[:-1], rows[1:]
    apart = ~(scalar[here] & scalar[next_one]) | (parent[here] != parent[next_one]) | (next_one - here != 1)
    apart |= table.document[here] != table.document[next_one]
    begins = np.concatenate(([True], apart & ~keyed[here]))
    run = np.maximum.accumulate(np.where(begins, np.arange(len(rows)), 0))
    after = np.minimum(run + keyed[rows[run]], len(rows) - 1)  # the key is not counted
    width = np.where(members[rows], 2, 1)
    words = width.cumsum() - width
    words = np.maximum(words - words[after], 0)
    most = np.zeros(len(rows), dtype=np.int64)
    np.maximum.at(most, run, words + width)  # of each run
    piece = np.minimum(words // _WORDS, np.maximum(most[run] // _WORDS - 1, 0))  # the last may be longer
    begins[1:] |= (np.diff(piece) != 0) & ~keyed[here]
    return begins.nonzero()[0]
