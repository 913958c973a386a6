"""Find the files of a source, read their rows, and compress them: one function from columns to columns."""

from __future__ import annotations

import contextlib
import glob
import hashlib
import io
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Unpack

import tersely
from tersely import checks
from tersely.errors import needs
from tersely.scale.options import Columns, DedupOptions, RowArguments, RowOptions
from tersely.text import decode
from tersely.types import Compressed

_CHUNK = 1 << 20
_ROWS = 1 << 16  # of a row group
_FIRST = 100  # lines that say which columns there are
_LINES, _BATCH_BYTES = 256, 1 << 24  # lines that are parsed together, and bytes from which they are fewer
MOST_ROW = 1 << 26  # bytes of a line; a longer one is a row with an error, and is never held whole


def length_of(path: Path) -> int:
    """Return the bytes of a file of lines, decompressed; O(bytes) where it is compressed.

    Raises OSError, as where a compressed file has no end.
    """
    if not is_compressed(path):
        return path.stat().st_size
    total = 0
    with _naming(path), open_stream(path) as stream:
        while chunk := stream.read(_CHUNK):
            total += len(chunk)
    return total


@contextlib.contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Put the file's name into errors of its decompression, which have none."""
    try:
        yield
    except OSError as error:
        if error.errno:
            raise
        raise OSError(f"{path}: {error}") from error


def first_values(path: Path) -> dict[str, list[Any]]:
    """Return the values of each key of the JSON objects in the first lines; other lines are skipped."""
    values: dict[str, list[Any]] = {}
    with _naming(path):
        for _, line in islice(_lines(path, 0, 2**62), _FIRST):
            for key, value in _parse(line)[0].items():
                values.setdefault(key, []).append(value)
    return values


def type_of(values: Iterable[Any]) -> Any:
    """Return the Arrow type of a column of JSON: of truth values, of integers, of numbers; else text."""
    pa = arrow()
    kinds = {type(value) for value in values if value is not None}
    for among, kind in (({bool}, pa.bool_()), ({int}, pa.int64()), ({int, float}, pa.float64())):
        if kinds and kinds <= among and all(_fits(value, kind) for value in values):
            return kind
    return pa.string()


def _fits(value: Any, kind: Any) -> bool:
    """Whether an Arrow type holds a value as it is."""
    pa = arrow()
    try:
        back = pa.array([value], kind)[0].as_py()
    except (pa.ArrowException, OverflowError):
        return False
    return bool(back == value or value != value)


def read_lines(
    path: Path, name: str, start: int, stop: int, columns: Columns, types: Mapping[str, Any]
) -> Iterator[Rows]:
    """Return the rows of the lines that begin in bytes start to stop.

    `types`: of the columns that go to the output; a row with a value of another one has an error. A row
    without an id is called `name` with its first byte, as `part.jsonl#1024`, if ids are text. O(bytes); of a
    compressed file also those before.
    """
    some: list[tuple[int, bytes]] = []
    size = 0
    for at, line in _lines(path, start, stop):
        some.append((at, line))
        size += len(line)
        if len(some) == _LINES or size >= _BATCH_BYTES:
            yield _rows(some, name, columns, types)
            some, size = [], 0
    if some:
        yield _rows(some, name, columns, types)


def _rows(lines: list[tuple[int, bytes]], name: str, columns: Columns, types: Mapping[str, Any]) -> Rows:
    pa = arrow()
    parsed = [_parse(line) for _, line in lines]
    objects, errors = [found for found, _ in parsed], [error for _, error in parsed]
    kept = {}
    for column in columns.kept:
        kind, values = types[column], [one.get(column) for one in objects]
        if _is_text(kind):
            values = [None if value is None else _as_text(value) for value in values]
        else:
            for row, value in enumerate(values):
                if not _fits(value, kind):
                    values[row] = None
                    shown = f"{column} is {checks.shown(value)}, and {kind} in the first lines"
                    errors[row] = errors[row] or f"TypeError: {shown}"
        kept[column] = pa.array(values, kind)
    _name_rows(kept, columns, lambda row: f"{name}#{lines[row][0]}")
    roles = ((role, column) for role, column in columns.roles.items() if role != "id")
    return Rows({role: [one.get(column) for one in objects] for role, column in roles}, errors, kept)


def _name_rows(kept: dict[str, Any], columns: Columns, place: Callable[[int], str]) -> None:
    """Call rows without an id by their place, where ids are text."""
    name = columns.roles.get("id")
    if name is None or not _is_text(kept[name].type) or not kept[name].null_count:
        return
    named = [place(row) if one is None else one for row, one in enumerate(kept[name].to_pylist())]
    kept[name] = arrow().array(named, kept[name].type)


def _is_text(kind: Any) -> bool:
    types = arrow().types
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def _parse(line: bytes) -> tuple[dict[str, Any], str | None]:
    if len(line) > MOST_ROW:
        return {}, _too_long("line")
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


def _too_long(what: str) -> str:
    return f"the {what} has more bytes than the {MOST_ROW:,} that a row may have"


def _lines(path: Path, start: int, stop: int) -> Iterator[tuple[int, bytes]]:
    """The lines that begin in a range, and where; without their ends, and without blank ones.

    Of a line of more than `MOST_ROW` bytes, some more than so many come.
    """
    at = max(start - 1, 0)  # the byte before says whether a line begins at `start`
    with open_stream(path, at) as stream:
        begins = start == 0
        while at < stop:
            line = stream.readline(MOST_ROW + 1 if begins else _CHUNK)
            if not line:
                return
            if begins and line.strip():
                yield at, line.removesuffix(b"\n")
            at += len(line)
            while not line.endswith(b"\n") and (line := stream.readline(_CHUNK)):  # the rest of a long one
                at += len(line)
            begins = True


def arrow() -> Any:
    """Return the module pyarrow. Raises MissingExtraError."""
    with needs("pyarrow", "scale"):
        import pyarrow
    return pyarrow


def parquet() -> Any:
    """Return the module pyarrow.parquet. Raises MissingExtraError."""
    arrow()
    import pyarrow.parquet

    return pyarrow.parquet


def write_table(table: Any, path: Path) -> None:
    """Write a table with its metadata, the same bytes for the same rows, and see it to the disk.

    Raises OSError, as where the disk is full; then the file is gone.
    """
    try:
        with path.open("xb") as file:
            with parquet().ParquetWriter(file, table.schema, compression="zstd") as writer:
                if table.num_rows:  # a row group without rows is an error to some readers
                    writer.write_table(table.combine_chunks(), row_group_size=_ROWS)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        with contextlib.suppress(OSError):
            path.unlink()
        raise


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
    """A file of the source: its path below the folder, its size in bytes, and a digest.

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
    """Return whether a file is read as Parquet."""
    return os.fspath(path).lower().endswith(".parquet")


def fingerprint_of(path: Path) -> str:
    """Return a digest of a Parquet footer, or of both ends of other files, to detect changes."""
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
    """Return whether a file of lines is compressed, so that reading cannot start in its middle."""
    suffix = _suffix(path)
    return suffix is not None and SUFFIXES[suffix] is not None


def open_stream(path: Path, at: int = 0) -> Any:
    """Open a file of lines to read its bytes, decompressed, from one on; with `read(n)` and as a context."""
    if not is_compressed(path):
        file = path.open("rb", buffering=_CHUNK)
        file.seek(at)
        return file
    packed = arrow().input_stream(str(path), compression=SUFFIXES[str(_suffix(path))])
    stream = io.BufferedReader(packed, _CHUNK)
    while at and (chunk := stream.read(min(at, _CHUNK))):
        at -= len(chunk)
    return stream


_BATCH = 256  # rows of a table that are taken at once


@dataclass(frozen=True, slots=True)
class Rows:
    """Some rows of a source, column by column."""

    #: of each role of the columns but the id (`Columns.roles`), unchecked; None where there is none
    values: dict[str, list[Any]]
    errors: list[str | None]  #: why a row cannot be read; None: it can
    #: the source's columns that go to the output, the id's with it, as Arrow arrays
    kept: dict[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.errors)

    def each(self) -> Iterator[Rows]:
        """Yield each row alone."""
        for row in range(len(self)):
            at = slice(row, row + 1)
            kept = {name: array[at] for name, array in self.kept.items()}
            values = {role: column[at] for role, column in self.values.items()}
            yield Rows(values, self.errors[at], kept)


def compress_table(table: Any, **options: Unpack[RowArguments]) -> Any:
    """Compress each row of a table; the result has one row for each, in the same order.

    It can be used in Ray Data (`map_batches` with `batch_format="pyarrow"`), Spark (`mapInArrow`), Polars and
    DuckDB, and does what `compress_dataset` does with the rows of a file.

    Args:
        table: a pyarrow Table or RecordBatch.
        options: as for `compress_dataset`: text, query, budget, ratio, keep, id and so on.

    Returns:
        A pyarrow Table with the columns of a part (`compress_dataset`). A row that cannot be compressed has
        a null text, and `error` says why. If ids are text, a row without one gets its number.

    Raises ValueError or TypeError for wrong arguments, MissingExtraError without pyarrow. O(characters).
    """
    pa = arrow()
    how = RowOptions.from_dict(options)
    if isinstance(table, pa.RecordBatch):
        table = pa.Table.from_batches([table])
    if not isinstance(table, pa.Table):
        raise TypeError(f"table must be a pyarrow Table or RecordBatch, not {type(table).__name__}")
    how.columns.check(table.column_names, "the table")
    types = column_types([("the table", table.schema)], how.columns, {})
    schema = output_schema(how, types)
    done = []
    for start in range(0, table.num_rows, _BATCH):
        rows = rows_of_table(table.slice(start, _BATCH), how.columns, types, "", start)
        done.append(compress_rows(rows, how, schema))
    return pa.concat_tables(done) if done else schema.empty_table()


def column_types(
    schemas: Iterable[tuple[str, Any]], columns: Columns, values: Mapping[str, list[Any]]
) -> dict[str, Any]:
    """Return the Arrow types of the output's columns, the same for all files.

    `schemas`: of Parquet files, with their names. `values`: what files of lines begin with, which decides
    where no schema does. Ids of different types are text. Raises ValueError for kept columns that are missing
    or of different types.
    """
    pa = arrow()
    types: dict[str, tuple[str, Any]] = {}
    for path, schema in schemas:
        for name in columns.kept:
            if name not in schema.names:
                if name in columns.keep:
                    raise ValueError(f"{path} has no column {name!r}, which keep names")
                continue
            kind = schema.field(name).type
            kind = kind.value_type if pa.types.is_dictionary(kind) else kind
            if pa.types.is_null(kind):
                continue
            first, before = types.setdefault(name, (path, kind))
            if kind == before:
                continue
            if name in columns.keep:
                where = f"{before} in {first} and {kind} in {path}"
                raise ValueError(f"column {name!r}, which keep names, is {where}")
            types[name] = first, pa.string()
    return {name: types[name][1] if name in types else type_of(values.get(name, ())) for name in columns.kept}


def output_schema(options: RowOptions | DedupOptions, types: Mapping[str, Any]) -> Any:
    """Return the columns of the output: the source's names and types for those that are the source's."""
    pa = arrow()
    words = pa.list_(pa.string())
    places = ("start", "end", "text_start", "text_end")
    span = pa.struct([("document", pa.int32()), *((name, pa.int64()) for name in places)])
    own: dict[str, Any]
    if isinstance(options, DedupOptions):
        own = {options.text: pa.string()} if options.kept_only else {}
        own |= {"cluster": pa.int64(), "kept": pa.bool_(), "similarity": pa.float32()}
    else:
        counts = dict.fromkeys(("tokens", "original_tokens", "budget", "segments"), pa.int64())
        own = {options.text: pa.string(), **counts, "content_types": words, "warnings": words}
        own |= {"spans": pa.list_(span)} if options.spans else {}
    kept = {name: types[name] for name in options.keep}
    return pa.schema(list({options.id: types[options.id], **own, "error": pa.string(), **kept}.items()))


def rows_of_table(table: Any, columns: Columns, types: Mapping[str, Any], prefix: str, first: int) -> Rows:
    """Return the rows of an Arrow table. Rows without an id get `prefix` and a number from `first` on.

    One of more bytes than `MOST_ROW` has an error, and is not taken out of the table.
    """
    pa = arrow()
    names, roles = set(table.column_names), {r: n for r, n in columns.roles.items() if r != "id"}
    wanted = sorted(names & set(roles.values()))
    errors: list[str | None] = [None] * table.num_rows
    read = table
    if table.nbytes > MOST_ROW:
        small = [table.slice(row, 1).nbytes <= MOST_ROW for row in range(table.num_rows)]
        errors = [None if fits else _too_long("row") for fits in small]
        taken = pa.array([row if fits else None for row, fits in enumerate(small)], pa.int64())
        read = table.select(wanted).take(taken)
    kept = {}
    for name in columns.kept:
        array = table[name].combine_chunks() if name in names else pa.nulls(table.num_rows, types[name])
        if isinstance(array, pa.ChunkedArray):  # of a type whose chunks cannot be joined, or of no rows
            array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.nulls(0, array.type)
        kept[name] = array if array.type == types[name] else _converted(array, types[name])
    _name_rows(kept, columns, lambda row: f"{prefix}{first + row}")
    values = {
        role: list(read[name].to_pylist()) if name in names else [None] * table.num_rows
        for role, name in roles.items()
    }
    return Rows(values, errors, kept)


def _converted(array: Any, kind: Any) -> Any:
    """A column in another type: as Arrow converts it, else its values as JSON."""
    pa = arrow()
    try:
        return array.cast(kind)
    except pa.ArrowException:
        return pa.array([None if value is None else _as_text(value) for value in array.to_pylist()], kind)


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
    """Return the output of rows that are not compressed, for a reason."""
    return _table(rows, [None] * len(rows), [error] * len(rows), schema)


def _compress(text: Any, query: Any, budget: Any, options: RowOptions) -> Compressed:
    if text is None:
        raise ValueError("there is no text")
    return tersely.compress(
        text,
        query,
        budget=budget,
        ratio=options.ratio if budget is None else None,
        counter=options.counter,
        strategy=options.strategy,
        pinned=options.pinned,
        separator=options.separator,
    )


def _table(
    rows: Rows, results: Sequence[Compressed | None], errors: Sequence[str | None], schema: Any
) -> Any:
    def each(value: Callable[[Compressed], Any]) -> list[Any]:
        return [None if result is None else value(result) for result in results]

    columns: dict[str, Any] = {
        "tokens": each(lambda result: result.tokens),
        "original_tokens": each(lambda result: result.original_tokens),
        "budget": each(lambda result: result.receipt.budget),
        "segments": each(lambda result: result.receipt.segments),
        "content_types": each(lambda result: list(result.receipt.content_types)),
        "warnings": each(lambda result: list(result.receipt.warnings)),
        "spans": each(_spans),
        "error": [None if error is None else writable(error) for error in errors],
        **rows.kept,
    }
    texts = each(lambda result: result.text)
    return as_table(columns, texts, schema)


def as_table(columns: Mapping[str, Any], texts: list[Any], schema: Any) -> Any:
    """Return a table of this schema; its only column that is not in `columns` gets the texts."""
    pa = arrow()
    arrays = ((columns.get(field.name, texts), field.type) for field in schema)
    made = [a if isinstance(a, (pa.Array, pa.ChunkedArray)) else pa.array(a, kind) for a, kind in arrays]
    return pa.table(made, schema=schema)


def _spans(result: Compressed) -> list[dict[str, int | None]]:
    return [
        {"document": one.document, "start": one.start, "end": one.end, "text_start": a, "text_end": b}
        for one, (a, b) in zip(result.kept, (place or (None, None) for place in result.places), strict=True)
    ]


def _as_text(value: Any) -> str:
    """A value as text: a str as it is, anything else as JSON."""
    return writable(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr))


def writable(text: str) -> str:
    """Return the text with lone surrogates, which UTF-8 cannot write, as `\ud800`."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
