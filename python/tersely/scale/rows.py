"""Find the files of a source, read their rows, and compress them: one function from columns to columns."""

from __future__ import annotations

import glob
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import tersely
from tersely import checks
from tersely.errors import MissingExtraError
from tersely.scale.options import Columns, RowOptions, row_options
from tersely.text import decode
from tersely.types import AnyStrategyName, Compressed

__all__ = [
    "SUFFIXES",
    "Input",
    "Rows",
    "arrow",
    "as_array",
    "as_text",
    "compress_rows",
    "compress_table",
    "count_lines",
    "failed_rows",
    "find_inputs",
    "fingerprint_of",
    "first_keys",
    "is_compressed",
    "is_parquet",
    "kept_types",
    "length_of",
    "open_stream",
    "output_schema",
    "parquet",
    "read_lines",
    "rows_of_table",
    "writable",
]

_CHUNK = 1 << 20
_FIRST = 100  # lines that say which columns there are
_LINES, _BATCH_BYTES = 256, 1 << 24  # lines that are parsed together, and bytes from which they are fewer
MOST_ROW = 1 << 26  # bytes of a line; a longer one is a row with an error, and is never held whole


def length_of(path: Path) -> int:
    """The bytes of a file of lines, decompressed; O(bytes) where it is compressed."""
    if not is_compressed(path):
        return path.stat().st_size
    total = 0
    with open_stream(path) as stream:
        while chunk := stream.read(_CHUNK):
            total += len(chunk)
    return total


def count_lines(path: Path, start: int, stop: int) -> int:
    """The rows of a range."""
    return sum(1 for _ in _lines(path, start, stop))


def first_keys(path: Path) -> list[str]:
    """The keys of the objects in the first lines, each once; lines that are none are passed over."""
    names: dict[str, None] = {}
    for _, line in islice(_lines(path, 0, 2**62), _FIRST):
        found, _ = _parse(line)
        names.update(dict.fromkeys(found))
    return list(names)


def read_lines(path: Path, name: str, start: int, stop: int, columns: Columns) -> Iterator[tuple[int, Rows]]:
    """The rows of the lines that begin in bytes start to stop, and where the last begins; no blank ones.

    A row without an id is called `name` with its first byte, as `part.jsonl#1024`. O(bytes); of a compressed
    file also those before.
    """
    some: list[tuple[int, bytes]] = []
    size = 0
    for at, line in _lines(path, start, stop):
        some.append((at, line))
        size += len(line)
        if len(some) == _LINES or size >= _BATCH_BYTES:
            yield at, _rows(some, name, columns)
            some, size = [], 0
    if some:
        yield some[-1][0], _rows(some, name, columns)


def _rows(lines: list[tuple[int, bytes]], name: str, columns: Columns) -> Rows:
    pa = arrow()
    parsed = [_parse(line) for _, line in lines]
    objects = [found for found, _ in parsed]
    ids = [one.get(columns.roles.get("id", "")) for one in objects]
    return Rows(
        [f"{name}#{at}" if one is None else as_text(one) for one, (at, _) in zip(ids, lines, strict=True)],
        {
            role: [one.get(column) for one in objects]
            for role, column in columns.roles.items()
            if role != "id"
        },
        [error for _, error in parsed],
        {
            column: pa.array(
                [None if one.get(column) is None else as_text(one[column]) for one in objects], pa.string()
            )
            for column in columns.keep
        },
    )


def _parse(line: bytes) -> tuple[dict[str, Any], str | None]:
    if len(line) > MOST_ROW:
        return {}, f"the line has more bytes than the {MOST_ROW:,} that a row may have"
    try:
        try:
            found = json.loads(line)
        except UnicodeDecodeError:
            found = json.loads(decode(line)[0])
    except (ValueError, RecursionError) as error:  # no UTF-8 is a ValueError, too
        return {}, f"the line is not JSON: {error}"
    if not isinstance(found, dict):
        return {}, f"the line must be a JSON object, not {type(found).__name__}"
    return found, None


def _lines(path: Path, start: int, stop: int) -> Iterator[tuple[int, bytes]]:
    """The lines that begin in a range, and where; without their ends, and without blank ones.

    Of a line of more than `MOST_ROW` bytes, some more than so many come.
    """
    at = max(start - 1, 0)  # the byte before says whether a line begins at `start`
    with open_stream(path, at) as stream:
        pieces: list[bytes] = []  # of a line whose end is not read yet
        left_out = 0  # bytes of it that are in none
        if start:
            chunk = stream.read(_CHUNK)
            while chunk and (cut := chunk.find(b"\n")) < 0:
                at += len(chunk)
                chunk = stream.read(_CHUNK)
            if not chunk:
                return
            at += cut + 1
            pieces.append(chunk[cut + 1 :])
        while at < stop:
            chunk = stream.read(_CHUNK)
            pieces.append(chunk)
            if chunk and b"\n" not in chunk and len(pieces) > 1:
                if sum(map(len, pieces)) > MOST_ROW + len(chunk):  # too long without it
                    left_out += len(pieces.pop())
                continue
            *lines, rest = b"".join(pieces).split(b"\n")
            for line in lines if chunk else [*lines, rest]:
                if at >= stop:
                    return
                if line.strip():
                    yield at, line
                at += len(line) + left_out + 1
                left_out = 0
            if not chunk:
                return
            pieces = [rest]


def arrow() -> Any:
    """Return the module pyarrow. Raises MissingExtraError."""
    try:
        import pyarrow
    except ImportError as error:
        raise MissingExtraError("pyarrow", "scale") from error
    return pyarrow


def parquet() -> Any:
    """Return the module pyarrow.parquet. Raises MissingExtraError."""
    arrow()
    import pyarrow.parquet

    return pyarrow.parquet


#: Suffix of a file -> how its bytes are compressed; Parquet compresses within.
SUFFIXES: dict[str, str | None] = {
    ".parquet": None,
    ".jsonl": None,
    ".ndjson": None,
    ".jsonl.gz": "gzip",
    ".ndjson.gz": "gzip",
    ".jsonl.zst": "zstd",
    ".ndjson.zst": "zstd",
}
_ENDS = 64 * 1024  # bytes at either end of a file of lines that its digest reads


@dataclass(frozen=True, slots=True)
class Input:
    """A file of the source: its path below the source's folder, its bytes, and a digest of what tells it.

    The digest is of the footer of a Parquet file, and of the first and last 64 KiB of a file of lines.
    """

    path: str
    size: int
    digest: str


def find_inputs(source: Any, out: Path | None = None) -> tuple[Path, list[Input]]:
    """Find the files of a source: the folder that they are below, and each, sorted by its path.

    `source`: a file, a folder (searched with all below it), a pattern such as `data/*.parquet`, or a list
    of these. In folders, hidden files, those with other suffixes and those below `out` are passed over.
    Raises FileNotFoundError, and ValueError for what is no Parquet and no file of JSON lines.
    """
    alone = isinstance(source, (str, os.PathLike)) or not isinstance(source, Iterable)
    given = [source] if alone else list(source)
    found: dict[Path, None] = {}
    folders = []
    for one in given:
        if not isinstance(one, (str, os.PathLike)):
            raise TypeError(f"source must be a path, a pattern or a list of these, not {checks.shown(one)}")
        for path in _matching(os.fspath(one)):
            if path.is_dir():
                folders.append(path.absolute())
                found.update(dict.fromkeys(_below(path.absolute(), out)))
            elif _suffix(path) is None:
                raise ValueError(f"{path}: a source has files that end in {', '.join(SUFFIXES)}")
            else:
                found[path.absolute()] = None
    if not found:
        shown = ", ".join(os.fspath(one) for one in given[:3])
        raise FileNotFoundError(f"no file of {shown} ends in {', '.join(SUFFIXES)}")
    files = sorted(found)
    root = Path(os.path.commonpath([*folders, *(path.parent for path in files)]))
    named = [path.relative_to(root).as_posix() for path in files]
    return root, [
        Input(name, path.stat().st_size, fingerprint_of(path))
        for name, path in zip(named, files, strict=True)
    ]


def _matching(given: str) -> list[Path]:
    if os.path.exists(given):  # noqa: PTH110  # a name with brackets is no pattern where it is there
        return [Path(given)]
    paths = [Path(name) for name in sorted(glob.glob(given, recursive=True))]  # noqa: PTH207
    if not paths:
        raise FileNotFoundError(f"there is no file or folder {given}")
    return [path for path in paths if path.is_dir() or _suffix(path) is not None]


def _below(folder: Path, out: Path | None) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if out is not None and path.is_relative_to(out.absolute()):
            continue
        hidden = any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)
        if not hidden and _suffix(path) is not None and path.is_file():
            yield path


def _suffix(path: Path) -> str | None:
    name = path.name.lower()
    return next((suffix for suffix in SUFFIXES if name.endswith(suffix)), None)


def is_parquet(path: str | os.PathLike[str]) -> bool:
    """Whether a file is read as Parquet."""
    return os.fspath(path).lower().endswith(".parquet")


def fingerprint_of(path: Path) -> str:
    """A digest of what tells whether a file is the same: O(footer), or of lines O(1). Raises ValueError."""
    size = path.stat().st_size
    digest = hashlib.sha256()
    with path.open("rb") as file:
        if is_parquet(path):
            file.seek(max(size - 8, 0))
            tail = file.read(8)
            length = int.from_bytes(tail[:4], "little") + 8
            if len(tail) < 8 or tail[4:] not in (b"PAR1", b"PARE") or length > size:
                raise ValueError(f"{path} is no Parquet file: it does not end as one")
            file.seek(size - length)
            digest.update(file.read(length))
        else:
            digest.update(file.read(_ENDS))
            file.seek(max(size - _ENDS, 0))
            digest.update(file.read(_ENDS))
    return digest.hexdigest()


def is_compressed(path: Path) -> bool:
    """Whether a file of lines has to be decompressed, so that no place in it can be gone to."""
    suffix = _suffix(path)
    return suffix is not None and SUFFIXES[suffix] is not None


def open_stream(path: Path, at: int = 0) -> Any:
    """Open a file of lines to read its bytes, decompressed, from one on; with `read(n)` and as a context."""
    if not is_compressed(path):
        file = path.open("rb")
        file.seek(at)
        return file
    stream = arrow().input_stream(str(path), compression=SUFFIXES[str(_suffix(path))])
    while at and (chunk := stream.read(min(at, _CHUNK))):
        at -= len(chunk)
    return stream


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
