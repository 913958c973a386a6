"""Read JSON lines from a range of bytes: a line belongs to the range in which it begins."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from tersely.core.text import decode
from tersely.scale.arrow import arrow
from tersely.scale.options import Columns
from tersely.scale.rows import Rows, as_text
from tersely.scale.sources import is_compressed, open_stream

__all__ = ["count_lines", "first_keys", "length_of", "read_lines"]

_CHUNK = 1 << 20
_FIRST = 100  # lines that say which columns there are
_BATCH, _BATCH_BYTES = 256, 1 << 24  # lines that are parsed together, and bytes from which they are fewer
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
        if len(some) == _BATCH or size >= _BATCH_BYTES:
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
