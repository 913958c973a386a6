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
_BATCH = 256


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
    lines = _lines(path, start, stop)
    while some := list(islice(lines, _BATCH)):
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
    """The lines that begin in a range, and where; without their ends, and without blank ones."""
    at = max(start - 1, 0)  # the byte before says whether a line begins at `start`
    with open_stream(path, at) as stream:
        pieces: list[bytes] = []  # of a line whose end is not read yet
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
                continue
            *lines, rest = b"".join(pieces).split(b"\n")
            for line in lines if chunk else [*lines, rest]:
                if at >= stop:
                    return
                if line.strip():
                    yield at, line
                at += len(line) + 1
            if not chunk:
                return
            pieces = [rest]
