"""Compress rows: the one function from columns to columns that files, tables and clusters go through."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import tersely
from tersely.core.names import AnyStrategyName
from tersely.core.types import Compressed
from tersely.scale.arrow import arrow
from tersely.scale.options import Columns, RowOptions, row_options

__all__ = [
    "Rows",
    "as_array",
    "as_text",
    "compress_rows",
    "compress_table",
    "failed_rows",
    "kept_types",
    "output_schema",
    "rows_of_table",
    "writable",
]

_BATCH = 256  # rows of a table that are taken at once


@dataclass(frozen=True, slots=True)
class Rows:
    """Some rows of a source, column by column.

    Attributes:
        ids: what each is called: the source's id as text, else its place.
        values: of each role of the columns but the id (`Columns.roles`), unchecked; None where there is none.
        errors: why a row cannot be read; None: it can.
        kept: the source's columns that go to the output, as Arrow arrays.
    """

    ids: list[str]
    values: dict[str, list[Any]]
    errors: list[str | None]
    kept: dict[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        """How many rows."""
        return len(self.ids)

    def part(self, start: int, stop: int) -> Rows:
        """Rows start to stop."""
        at = slice(start, stop)
        kept = {name: array[at] for name, array in self.kept.items()}
        values = {role: column[at] for role, column in self.values.items()}
        return Rows(self.ids[at], values, self.errors[at], kept)


def compress_table(
    table: Any,
    *,
    text: str = "text",
    query: str = "query",
    budget: str | int = "budget",
    ratio: float | None = None,
    keep: Sequence[str] = (),
    id: str = "id",
    spans: bool = False,
    counter: str | None = None,
    strategy: AnyStrategyName | None = None,
    pinned: Sequence[str] = (),
    separator: str = "\n\n",
) -> Any:
    """Compress each row of a table; the result has a row for each, in order.

    One function for Ray Data (`map_batches` with `batch_format="pyarrow"`), Spark (`mapInArrow`), Polars and
    DuckDB. It is what `compress_dataset` does with the rows of a file.

    Args:
        table: a pyarrow Table or RecordBatch.
        text, query, budget, ratio, keep, id, spans, counter, strategy, pinned, separator: as for
            `compress_dataset`.

    Returns:
        A pyarrow Table with the columns of a part (`compress_dataset`). A row that cannot be compressed has
        a null text, and says why in `error`. A row without an id has its number.

    Raises ValueError or TypeError for wrong arguments, MissingExtraError without pyarrow. O(characters).
    """
    pa = arrow()
    options = row_options(
        text=text,
        query=query,
        budget=budget,
        ratio=ratio,
        keep=keep,
        id=id,
        spans=spans,
        counter=counter,
        strategy=strategy,
        pinned=pinned,
        separator=separator,
    )
    if isinstance(table, pa.RecordBatch):
        table = pa.Table.from_batches([table])
    if not isinstance(table, pa.Table):
        raise TypeError(f"table must be a pyarrow Table or RecordBatch, not {type(table).__name__}")
    options.columns.check(table.column_names, "the table")
    schema = output_schema(options, kept_types(options.keep, table.schema))
    done = []
    for start in range(0, table.num_rows, _BATCH):
        some = table.slice(start, _BATCH)
        done.append(
            compress_rows(
                rows_of_table(some, options.columns, lambda n, at=start: str(at + n)), options, schema
            )
        )
    return pa.concat_tables(done) if done else schema.empty_table()


def kept_types(keep: Sequence[str], schema: Any) -> dict[str, Any]:
    """The Arrow types of the kept columns; a dictionary's is that of its values."""
    pa = arrow()
    kinds = {name: schema.field(name).type for name in keep}
    return {n: k.value_type if pa.types.is_dictionary(k) else k for n, k in kinds.items()}


def output_schema(options: RowOptions, kept: Mapping[str, Any]) -> Any:
    """The columns of the output, and their types."""
    pa = arrow()
    words = pa.list_(pa.string())
    span = pa.struct([("document", pa.int32()), ("start", pa.int64()), ("end", pa.int64())])
    columns = [
        ("id", pa.string()),
        ("text", pa.string()),
        ("tokens", pa.int64()),
        ("original_tokens", pa.int64()),
        ("budget", pa.int64()),
        ("segments", pa.int64()),
        ("content_types", words),
        ("warnings", words),
        *([("spans", pa.list_(span))] if options.spans else []),
        ("error", pa.string()),
        *kept.items(),
    ]
    return pa.schema(columns)


def rows_of_table(table: Any, columns: Columns, place: Any) -> Rows:
    """The rows of an Arrow table; `place(n)` is what row n is called that has no id."""
    names = set(table.column_names)

    def column(name: str) -> list[Any]:
        return list(table[name].to_pylist()) if name in names else [None] * table.num_rows

    id = columns.roles.get("id", "")
    ids = _texts(table[id]) if id in names else [None] * table.num_rows
    kept = {}
    for name, kind in kept_types(columns.keep, table.schema).items():
        array = table[name].combine_chunks()
        array = array if not hasattr(array, "chunks") else array.chunk(0) if array.num_chunks else array
        kept[name] = array.cast(kind)
    return Rows(
        [place(n) if one is None else one for n, one in enumerate(ids)],
        {role: column(name) for role, name in columns.roles.items() if role != "id"},
        [None] * table.num_rows,
        kept,
    )


def compress_rows(rows: Rows, options: RowOptions, schema: Any) -> Any:
    """Compress rows: a table in the schema of the output. One that cannot be has an error and raises none."""
    found: list[Compressed | None] = []
    errors: list[str | None] = []
    values = rows.values
    budgets = values["budget"] if "budget" in values else [options.budget] * len(rows)
    for text, query, budget, unread in zip(
        values["text"], values["query"], budgets, rows.errors, strict=True
    ):
        result, error = None, unread
        if error is None:
            try:
                result = _compress(text, query, budget, options)
            except Exception as raised:  # a row must not lose the others; what is wrong stands in its column
                error = f"{type(raised).__name__}: {raised}"
        found.append(result)
        errors.append(error)
    return _table(rows, found, errors, schema)


def failed_rows(rows: Rows, error: str, schema: Any) -> Any:
    """The output of rows that are not compressed, for a reason."""
    return _table(rows, [None] * len(rows), [error] * len(rows), schema)


def _compress(text: Any, query: Any, budget: Any, options: RowOptions) -> Compressed:
    if text is None:
        raise ValueError("there is no text")
    return tersely.compress(
        text,
        query,
        budget=budget,
        ratio=options.ratio,
        counter=options.counter,
        strategy=options.strategy,
        pinned=options.pinned,
        separator=options.separator,
    )


def _table(
    rows: Rows, results: Sequence[Compressed | None], errors: Sequence[str | None], schema: Any
) -> Any:
    pa = arrow()

    def each(value: Any) -> list[Any]:
        return [None if result is None else value(result) for result in results]

    columns: dict[str, Any] = {
        "id": [writable(one) for one in rows.ids],
        "text": each(lambda result: result.text),
        "tokens": each(lambda result: result.tokens),
        "original_tokens": each(lambda result: result.original_tokens),
        "budget": each(lambda result: result.receipt.budget),
        "segments": each(lambda result: result.receipt.segments),
        "content_types": each(lambda result: list(result.receipt.content_types)),
        "warnings": each(lambda result: list(result.receipt.warnings)),
        "error": [None if error is None else writable(error) for error in errors],
        **rows.kept,
    }
    if "spans" in schema.names:
        columns["spans"] = each(_spans)
    return pa.table([as_array(columns[field.name], field.type) for field in schema], schema=schema)


def as_array(values: Any, kind: Any) -> Any:
    """Values as an Arrow array of a type; an array as it is."""
    pa = arrow()
    return values if isinstance(values, (pa.Array, pa.ChunkedArray)) else pa.array(values, kind)


def _spans(result: Compressed) -> list[dict[str, int]]:
    return [{"document": one.document, "start": one.start, "end": one.end} for one in result.kept]


def _texts(column: Any) -> Iterator[Any]:
    """The values of a column as text: as Arrow writes them, else as JSON."""
    pa = arrow()
    try:
        return iter(column.cast(pa.string()).to_pylist())
    except pa.ArrowException:
        return (None if v is None else as_text(v) for v in column.to_pylist())


def as_text(value: Any) -> str:
    """A value as text: a str as it is, anything else as JSON."""
    return writable(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr))


def writable(text: str) -> str:
    """The text with lone surrogates, which UTF-8 cannot write, as `\\ud800`."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
