"""Merge the near-duplicates of a corpus: the steps of `dedup_dataset`.

Each is a function of the plan and of what earlier steps wrote (`STAGES`, in their order), so it can be done
anywhere and again. A row is known by its unit and its place there, in one integer that ascends with the order
of the source. docs/decisions.md says why the result is that of `tersely.dedup`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from tersely import _native
from tersely.engine.dedup import SHARE, agreeing_components, keys_of_guards, merge_different
from tersely.kernels.checks import united
from tersely.models.embedders import resolve_embedder
from tersely.scale.options import Columns, DedupOptions
from tersely.scale.rows import Rows, arrow, as_table, writable
from tersely.scale.workspace import (
    Totals,
    Workspace,
    read_json,
    read_note,
    read_shuffle,
    shuffle_bytes,
    shuffle_path,
    write_json,
    write_shuffle,
)
from tersely.text import well_formed
from tersely.types import Float32s, Float64s, Int64s

UInt64s = npt.NDArray[np.uint64]

_UNIT_BITS = 32  # of a row, below those of its unit
_PARTITION_BYTES = 8 << 20  # at least, where nobody says how many partitions there are
_DIGEST = 16  # bytes, of a text
_REPLICAS = 5  # blocks that a text of ordinary length is in, about: to say how many blocks there should be
_SAMPLE_UNITS, _SAMPLE_TEXTS = 32, 4096  # that say which terms are common; texts of each unit
_BUCKETS = 16  # bits of a term's digest that its count goes by


@dataclass(frozen=True, slots=True)
class Stage:
    """A step: how many jobs it has, the file that each writes last, and what it does."""

    jobs: Callable[[Workspace], int]
    writes: str
    run: Callable[[Workspace, int], None]
    after: bool = True  # whether all jobs before it must be done


def run_stage(space: Workspace, stage: str, number: int) -> Totals:
    """Do a job of a stage, unless it is done; return the totals of a part. Raises OSError, ValueError."""
    if stage == "part":
        return _part(space, number)
    if not shuffle_path(space, STAGES[stage].writes, number).exists():
        STAGES[stage].run(space, number)
    return Totals()


def _options(space: Workspace) -> DedupOptions:
    assert isinstance(space.plan.options, DedupOptions)
    return space.plan.options


def _units(space: Workspace) -> int:
    return len(space.plan.units)


def _partitions(space: Workspace) -> int:
    return _options(space).partitions or max(sum(space.plan.weights) // _PARTITION_BYTES, 1)


def _unit_of(rows: Int64s) -> Int64s:
    return rows >> _UNIT_BITS


def _gather(
    space: Workspace, name: str, numbers: Sequence[int] | range, part: int, **kinds: Any
) -> list[npt.NDArray[Any]]:
    """Columns of a partition as arrays, from all files of a stage."""
    tables = [table for _, table in read_shuffle(space, name, numbers, part, list(kinds))]
    return [
        np.concatenate([np.empty(0, kind), *(table[column].to_numpy() for table in tables)])
        for column, kind in kinds.items()
    ]


def _problem(text: Any, score: Any) -> str | None:
    """Why a row cannot be compared with others; None: it can."""
    if text is None:
        return "ValueError: there is no text"
    if not isinstance(text, str):
        return f"TypeError: the text must be a str, not {type(text).__name__}"
    if isinstance(score, bool) or not isinstance(score, (int, float)):
        return f"TypeError: the score must be a number, not {type(score).__name__}"
    return None if math.isfinite(score) else f"ValueError: the score must be finite, not {score}"


def _problems(rows: Rows) -> Iterator[tuple[Any, Any, str | None]]:
    """Yield the text and score of each row, and why it cannot be compared (None: it can)."""
    texts = [well_formed(text) if isinstance(text, str) else text for text in rows.values["text"]]
    for text, score, error in zip(
        texts, rows.values.get("score", [0.0] * len(texts)), rows.errors, strict=True
    ):
        yield text, score, error if error is not None else _problem(text, score)


def _read(space: Workspace, unit: int) -> None:
    """Send the texts of a unit to the partitions of their guards, and digests of them to the digests' own."""
    options, parts = _options(space), _partitions(space)
    roles = {role: name for role, name in options.columns.roles.items() if role != "id"}
    row: list[int] = []
    texts: list[str] = []
    scores: list[float] = []
    count = 0
    for rows in space.read_rows(unit, Columns(roles)):
        for text, score, problem in _problems(rows):
            if problem is None:
                row.append(unit << _UNIT_BITS | count)
                texts.append(text)
                scores.append(float(score))
            count += 1
    key = _words(keys_of_guards(texts))
    digest = _words(
        [blake2b(" ".join(text.split()).encode(), digest_size=_DIGEST).digest() for text in texts]
    )
    partition = (key[:, 0] % np.uint64(parts)).astype(np.int32)
    pa = arrow()
    same = {"row": pa.array(row, pa.int64()), "score": pa.array(scores, pa.float64())}
    hashes = pa.table({**same, "high": digest[:, 0], "low": digest[:, 1], "partition": partition})
    write_shuffle(space, "hashes", unit, hashes, digest[:, 0] % np.uint64(parts), parts)
    table = pa.table(
        {**same, "high": key[:, 0], "low": key[:, 1], "text": pa.array(texts, pa.large_string())}
    )
    write_shuffle(space, "texts", unit, table, partition, parts, note=count)


def _words(digests: list[bytes]) -> UInt64s:
    """Return digests of 16 bytes as uint64[n, 2]."""
    return np.frombuffer(bytearray(b"".join(digests)), "<u8").reshape(-1, 2)


def _match(space: Workspace, number: int) -> None:
    """Find texts that are equal but for white space: the one that represents each.

    The partitions of the others get their rows as "dropped", the units of those that stand as "copies".
    """
    kinds = {"row": np.int64, "score": np.float64, "high": np.uint64, "low": np.uint64, "partition": np.int32}
    row, score, high, low, partition = _gather(space, "hashes", range(_units(space)), number, **kinds)
    order = np.lexsort((row, -score, low, high))  # the best first; ties: the first
    row, high, low, partition = row[order], high[order], low[order], partition[order]
    starts = np.ones(len(row), bool)
    starts[1:] = (high[1:] != high[:-1]) | (low[1:] != low[:-1])
    of = row[np.maximum.accumulate(np.where(starts, np.arange(len(row)), 0))]
    row, of, partition = row[~starts], of[~starts], partition[~starts]
    pa = arrow()
    write_shuffle(space, "dropped", number, pa.table({"row": row}), partition, _partitions(space))
    write_shuffle(space, "copies", number, pa.table({"row": row, "of": of}), _unit_of(of), _units(space))


def _count(space: Workspace, number: int) -> None:
    """Find the guards of a partition whose texts are too many for one job: [high, low, bytes] of each."""
    units, limit = range(_units(space)), _options(space).heavy_bytes
    if shuffle_bytes(space, "texts", units, number, "text") <= limit:
        return write_json(space, "keys", number, [])
    import pyarrow.compute as pc

    pa = arrow()
    counted = []
    for _, table in read_shuffle(space, "texts", units, number, ["high", "low", "text"]):
        size = pc.binary_length(table["text"]).cast(pa.int64())
        counted.append(_sums(table.set_column(2, "bytes", size)))
    total = _sums(pa.concat_tables(counted))
    heavy = total.filter(pc.greater(total["bytes"], limit)).sort_by(
        [("high", "ascending"), ("low", "ascending")]
    )
    return write_json(
        space, "keys", number, [[one["high"], one["low"], one["bytes"]] for one in heavy.to_pylist()]
    )


def _sums(table: Any) -> Any:
    """Bytes of each guard."""
    sums = table.group_by(["high", "low"], use_threads=False).aggregate([("bytes", "sum")])
    return sums.rename_columns(
        ["high", "low", "bytes"] if sums.column_names[0] == "high" else ["bytes", "high", "low"]
    )


def _census(space: Workspace, number: int) -> None:
    """Find where the rows of each unit begin, which guards are heavy, and which terms are common there."""
    counts = [read_note(space, "texts", unit) for unit in range(_units(space))]
    heavy = [
        [high, low, partition, size]
        for partition in range(_partitions(space))
        for high, low, size in read_json(space, "keys", partition)
    ]
    size = sum(one[-1] for one in heavy)
    most = _REPLICAS * max(_units(space), _partitions(space))
    census = {
        "starts": np.cumsum([0, *counts])[:-1].tolist(),
        "heavy": heavy,
        "bytes": size,
        "blocks": min(-(-size * _REPLICAS // _options(space).heavy_bytes), most) if heavy else 0,
    }
    common = np.zeros(1 << _BUCKETS, np.int64)
    step = -(-_units(space) // _SAMPLE_UNITS)
    for unit in range(0, _units(space), step) if heavy else ():
        texts = _heavy_texts(space, unit, census)[2]
        _, _, terms, _, _, _, digests = _native.guards(texts[:_SAMPLE_TEXTS].to_pylist())
        np.add.at(common, _bucket(digests[terms]), 1)
    write_json(space, "census", number, {**census, "common": common.tolist() if heavy else []})


def _bucket(digests: UInt64s) -> Int64s:
    return (digests >> np.uint64(64 - _BUCKETS)).astype(np.int64)


def _heavy_texts(space: Workspace, unit: int, census: Any) -> tuple[Int64s, Float64s, Any]:
    """Rows, scores and texts (Arrow) of a unit that have heavy guards, without copies."""
    pa = arrow()
    tables = []
    for partition in sorted({one[2] for one in census["heavy"]}):
        (dropped,) = _gather(space, "dropped", range(_partitions(space)), partition, row=np.int64)
        for _, table in read_shuffle(space, "texts", [unit], partition):
            wanted = _is_heavy(table, partition, census) & ~np.isin(table["row"].to_numpy(), dropped)
            tables.append(table.filter(pa.array(wanted)))
    if not tables:
        return np.empty(0, np.int64), np.empty(0), pa.chunked_array([], pa.large_string())
    table = pa.concat_tables(tables)
    return table["row"].to_numpy(), table["score"].to_numpy(), table["text"]


def _is_heavy(table: Any, partition: int, census: Any) -> npt.NDArray[np.bool_]:
    high, low = table["high"].to_numpy(), table["low"].to_numpy()
    found = np.zeros(len(high), bool)
    for one, other, of, _ in census["heavy"]:
        if of == partition:
            found |= (high == np.uint64(one)) & (low == np.uint64(other))
    return found


def _block(space: Workspace, unit: int) -> None:
    """Send texts with heavy guards to the blocks of their rarest terms, where any two that agree meet."""
    census = read_json(space, "census", 0)
    row, _, texts = _heavy_texts(space, unit, census)
    _, _, terms, offsets, _, _, digests = _native.guards(texts.to_pylist())
    holder = np.repeat(np.arange(len(row)), np.diff(offsets))
    once = np.unique(holder << 32 | terms)  # each term of a text
    holder, digest = once >> 32, digests[once & 0xFFFFFFFF]
    common = np.array(census["common"], np.int64)
    order = np.lexsort((digest, common[_bucket(digest)], holder))
    holder, digest = holder[order], digest[order]
    size = np.bincount(holder, minlength=len(row))
    place = np.arange(len(holder)) - (np.cumsum(size) - size)[holder]
    rare = (
        place < (size - np.floor(SHARE * size).astype(np.int64))[holder]
    )  # csrc/kernels/cluster/clusters.cpp
    block = (digest[rare] % np.uint64(census["blocks"])).astype(np.int64)
    sent = np.unique(holder[rare] << 32 | block)
    pa = arrow()
    table = pa.table({"row": row, "text": texts}).take(pa.array(sent >> 32))
    write_shuffle(space, "blocks", unit, table, sent & 0xFFFFFFFF, census["blocks"])


def _pair(space: Workspace, number: int) -> None:
    """Connect the texts of a block that agree."""
    row, texts = _texts(space, "blocks", number, [])
    of = row[agreeing_components(texts.to_pylist())]
    table = arrow().table({"row": row[of != row], "of": of[of != row]})
    write_shuffle(space, "edges", number, table, np.zeros(table.num_rows, np.int64), 1)


def _join(space: Workspace, number: int) -> None:
    """Join components that blocks connect; their texts go where the component goes."""
    blocks = read_json(space, "census", 0)["blocks"]
    row, of = _gather(space, "edges", range(blocks), 0, row=np.int64, of=np.int64)
    nodes = np.unique(np.concatenate([row, of]))
    parent = united(len(nodes), np.searchsorted(nodes, row), np.searchsorted(nodes, of))
    table = arrow().table({"row": nodes, "component": nodes[parent]})
    write_shuffle(space, "components", number, table, _unit_of(nodes), _units(space), note=len(nodes))


def _solvers(space: Workspace) -> int:
    """How many jobs solve components of texts with heavy guards: as many as there are blocks, at most."""
    census = read_json(space, "census", 0)
    return min(census["blocks"], read_note(space, "components", 0)) if census["heavy"] else 0


def _near(space: Workspace, unit: int) -> None:
    """Send the texts of components to the jobs that solve them."""
    nodes, component = _gather(space, "components", [0], unit, row=np.int64, component=np.int64)
    row, score, texts = _heavy_texts(space, unit, read_json(space, "census", 0))
    near = np.isin(row, nodes)
    pa = arrow()
    table = pa.table({"row": row, "score": score, "text": texts}).filter(pa.array(near))
    solvers = max(_solvers(space), 1)
    write_shuffle(space, "near", unit, table, component[np.searchsorted(nodes, row[near])] % solvers, solvers)


def _texts(space: Workspace, name: str, number: int, columns: list[str]) -> Any:
    """Rows, further columns and texts (Arrow) of a partition, in order of the rows."""
    pa = arrow()
    tables = [
        t for _, t in read_shuffle(space, name, range(_units(space)), number, ["row", *columns, "text"])
    ]
    if not tables:
        return np.empty(0, np.int64), *(np.empty(0) for _ in columns), pa.chunked_array([], pa.large_string())
    table = pa.concat_tables(tables).sort_by("row")
    return *(table[column].to_numpy() for column in ["row", *columns]), table["text"]


def _solve(space: Workspace, number: int) -> None:
    """Merge the texts of a partition, guard by guard, but for heavy guards."""
    pa = arrow()
    census = read_json(space, "census", 0)
    (dropped,) = _gather(space, "dropped", range(_partitions(space)), number, row=np.int64)
    tables = []
    for _, table in read_shuffle(space, "texts", range(_units(space)), number):
        wanted = ~_is_heavy(table, number, census) & ~np.isin(table["row"].to_numpy(), dropped)
        tables.append(table.filter(pa.array(wanted)))
    if not tables:
        return _merge(space, "merged", number, np.empty(0, np.int64), np.empty(0), [])
    table = pa.concat_tables(tables)
    high, low = table["high"].to_numpy(), table["low"].to_numpy()
    order = np.lexsort((low, high))
    new = np.ones(len(order) + 1, bool)  # where another guard begins, and at the end
    new[1:-1] = (high[order][1:] != high[order][:-1]) | (low[order][1:] != low[order][:-1])
    company = order[~(new[:-1] & new[1:])]  # texts that are not alone with their guard
    table = table.take(pa.array(np.sort(company))).sort_by("row")
    row, score = table["row"].to_numpy(), table["score"].to_numpy()
    return _merge(space, "merged", number, row, score, table["text"].to_pylist())


def _solve_heavy(space: Workspace, number: int) -> None:
    """Merge the texts of some components of texts with heavy guards."""
    row, score, texts = _texts(space, "near", number, ["score"])
    _merge(space, "heavy", number, row, score, texts.to_pylist())


def _merge(space: Workspace, name: str, number: int, row: Int64s, score: Float64s, texts: list[str]) -> None:
    merged, of, similarity = merge_different(texts, resolve_embedder(), _options(space).threshold, score)
    table = arrow().table({"row": row[merged], "of": row[of], "similarity": similarity})
    write_shuffle(space, name, number, table, _unit_of(row[merged]), _units(space))


def _answer(space: Workspace, unit: int) -> None:
    """Send the results of a unit's merges to the units of its rows and of their copies."""
    kinds = {"row": np.int64, "of": np.int64, "similarity": np.float32}
    light = _gather(space, "merged", range(_partitions(space)), unit, **kinds)
    heavy = _gather(space, "heavy", range(_solvers(space)), unit, **kinds)
    row, of, similarity = (np.concatenate(both) for both in zip(light, heavy, strict=True))
    order = np.argsort(row)
    row, of, similarity = row[order], of[order], similarity[order]
    copy, original = _gather(space, "copies", range(_partitions(space)), unit, row=np.int64, of=np.int64)
    merged = np.isin(original, row)
    at = np.searchsorted(row, original[merged])
    copies_of, alike = original.copy(), np.ones(len(copy), np.float32)
    copies_of[merged], alike[merged] = of[at], similarity[at]
    rows = np.concatenate([row, copy])
    table = arrow().table(
        {
            "row": rows,
            "of": np.concatenate([of, copies_of]),
            "similarity": np.concatenate([similarity, alike]),
        }
    )
    write_shuffle(space, "answers", unit, table, _unit_of(rows), _units(space))


def _part(space: Workspace, unit: int) -> Totals:
    """Write the part of a unit: each of its rows with the row that represents it."""
    starts: Int64s = np.array(read_json(space, "census", 0)["starts"], np.int64)
    count = read_note(space, "texts", unit)
    first = unit << _UNIT_BITS
    of = np.arange(count) + first
    similarity = np.ones(count, np.float32)
    row, others, alike = _gather(
        space, "answers", range(_units(space)), unit, row=np.int64, of=np.int64, similarity=np.float32
    )
    of[row - first], similarity[row - first] = others, alike
    kept = of == np.arange(count) + first
    cluster = starts[_unit_of(of)] + (of & ((1 << _UNIT_BITS) - 1))
    schema = space.plan.schema
    tables = []
    at = 0
    for rows in space.read_rows(unit, _options(space).columns):
        here = slice(at, at + len(rows))
        tables.append(_table(space, rows, cluster[here], kept[here], similarity[here], schema))
        at += len(rows)
    table = arrow().concat_tables(tables) if tables else schema.empty_table()
    errors = table.num_rows - table["error"].null_count
    totals = Totals(count, errors, table["kept"].to_pylist().count(True))
    if _options(space).kept_only:
        table = table.filter(table["kept"].fill_null(True))
    space.publish_part(unit, table, totals)
    return totals


def _table(
    space: Workspace,
    rows: Rows,
    cluster: Int64s,
    kept: npt.NDArray[np.bool_],
    similarity: Float32s,
    schema: Any,
) -> Any:
    """The output of some rows; those that cannot be compared have no cluster."""
    pa = arrow()
    problems = [problem for _, _, problem in _problems(rows)]
    failed = np.array([problem is not None for problem in problems], bool)
    columns: dict[str, Any] = {
        "cluster": pa.array(cluster, mask=failed),
        "kept": pa.array(kept, mask=failed),
        "similarity": pa.array(similarity, mask=failed),
        "error": [None if problem is None else writable(problem) for problem in problems],
        **rows.kept,
    }
    texts = zip(rows.values["text"], failed.tolist(), strict=True)
    return as_table(columns, [None if bad else text for text, bad in texts], schema)


def _heavy_units(space: Workspace) -> int:
    return _units(space) if read_json(space, "census", 0)["heavy"] else 0


#: In order; `after`: only once all jobs of those before are done.
STAGES = {
    "read": Stage(_units, "texts", _read),
    "match": Stage(_partitions, "copies", _match),
    "count": Stage(_partitions, "keys", _count, after=False),
    "census": Stage(lambda _: 1, "census", _census),
    "block": Stage(_heavy_units, "blocks", _block),
    "solve": Stage(_partitions, "merged", _solve, after=False),
    "pair": Stage(lambda space: read_json(space, "census", 0)["blocks"], "edges", _pair),
    "join": Stage(lambda space: min(_heavy_units(space), 1), "components", _join),
    "near": Stage(_heavy_units, "near", _near),
    "solve heavy": Stage(_solvers, "heavy", _solve_heavy),
    "answer": Stage(_units, "answers", _answer),
    "part": Stage(_units, "part", lambda *_: None),
}
