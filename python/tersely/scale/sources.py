"""Find the files of a source, and say of each what it is and how to know it again."""

from __future__ import annotations

import glob
import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tersely.core import checks
from tersely.scale.arrow import arrow

__all__ = [
    "SUFFIXES",
    "Input",
    "find_inputs",
    "fingerprint_of",
    "is_compressed",
    "is_parquet",
    "open_stream",
]

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
_CHUNK = 1 << 20


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
