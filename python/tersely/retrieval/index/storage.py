"""The folder of an index: generations that never change, a header that names the one in use, a lock.

    index.json     which format, which generation, what made it; replaced as a whole
    tersely.lock   held by the one that writes
    000007/        chunks.sqlite (text), *.npy (vectors, postings)

A writer makes a new generation beside the old one, sees it to the disk, replaces the header and removes the
old one. Killed at any moment, it leaves a header that names a whole generation. Readers open files that never
change, so they need no lock and may be many; one that has a generation open when it is removed reads on.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tersely.errors import StoreError

__all__ = ["Header", "locate", "read_header", "write_header", "writing"]

FORMAT = 1
HEADER, LOCK = "index.json", "tersely.lock"
DEFAULT_FOLDER = ".tersely"  # in the indexed folder
_APPLICATION = "tersely index"
_GENERATION = re.compile(r"[0-9]{6,12}")
_LARGEST_HEADER = 2**16  # bytes


@dataclass(frozen=True, slots=True)
class Header:
    """What index.json says.

    Attributes:
        generation: name of the folder in use.
        reading: how files were cut and read; an index that was read otherwise is made anew.
        embedder: whose vectors these are.
        dimensions: of the vectors.
        files, chunks: how many.
    """

    generation: str
    reading: str
    embedder: str
    dimensions: int
    files: int
    chunks: int


def locate(folder: str | os.PathLike[str]) -> Path:
    """The index folder: `folder` itself, or the one in it. Raises StoreError where there is none."""
    given = Path(folder)
    for place in (given, given / DEFAULT_FOLDER):
        if (place / HEADER).is_file():
            return place
    raise StoreError(f"{given} holds no index ({HEADER}); make one with `tersely index {given}`")


def read_header(place: Path) -> Header:
    """The header. Raises StoreError where it is not there, damaged, or of another format."""
    path = place / HEADER
    try:
        with path.open("rb") as file:
            found = json.loads(file.read(_LARGEST_HEADER))
    except (OSError, ValueError, RecursionError) as error:
        raise StoreError(f"{path} cannot be read: {error}") from error
    if not isinstance(found, dict) or found.get("application") != _APPLICATION:
        raise StoreError(f"{path} is not the header of an index of tersely")
    if found.get("format") != FORMAT:
        raise StoreError(
            f"{place} has the index format {found.get('format')!r}; this version reads {FORMAT}. "
            "Remove the folder and index again"
        )
    types = {
        "generation": str,
        "reading": str,
        "embedder": str,
        "dimensions": int,
        "files": int,
        "chunks": int,
    }
    values: dict[str, Any] = {name: found.get(name) for name in types}
    if not all(type(values[name]) is kind for name, kind in types.items()):
        raise StoreError(f"{path} is damaged: it must have {', '.join(types)}")
    header = Header(**values)
    if (
        not _GENERATION.fullmatch(header.generation)
        or min(header.dimensions, header.files, header.chunks) < 0
    ):
        raise StoreError(f"{path} is damaged: it names the generation {header.generation!r}")
    return header


@contextmanager
def writing(place: Path) -> Iterator[tuple[Header | None, Path]]:
    """Hold the lock of an index folder, made where it is missing; the header, and a new generation's folder.

    What writers that were killed left behind is removed first; the new folder is removed at the end unless
    the header names it.

    Raises:
        StoreError: another process writes, or the folder holds something else.
    """
    _check_ours(place)
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (place / LOCK).open("ab") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise StoreError(f"another process writes to {place}: {error.strerror}") from error
        (place / ".gitignore").write_text("*\n", encoding="ascii")
        header = read_header(place) if (place / HEADER).exists() else None
        _remove_generations(place, header)
        number = 1 + (int(header.generation) if header else 0)
        fresh = place / f"{number:06d}"
        fresh.mkdir()
        try:
            yield header, fresh
        finally:
            _remove_generations(place, read_header(place) if (place / HEADER).exists() else None)


def write_header(place: Path, header: Header) -> None:
    """See the generation's files to the disk, then make the header name it, at once or not at all."""
    generation = place / header.generation
    for path in generation.iterdir():
        _sync(path)
    _sync(generation)
    _sync(place)
    text = json.dumps({"application": _APPLICATION, "format": FORMAT, **asdict(header)}, indent=1)
    fresh = place / (HEADER + ".new")
    fresh.write_text(text + "\n", encoding="utf-8")
    _sync(fresh)
    fresh.replace(place / HEADER)
    _sync(place)


def _check_ours(place: Path) -> None:
    if place.exists() and not place.is_dir():
        raise StoreError(f"{place} is not a folder")
    if place.is_dir() and not (place / LOCK).exists() and any(place.iterdir()):
        raise StoreError(f"{place} holds something other than an index")


def _remove_generations(place: Path, header: Header | None) -> None:
    for path in place.iterdir():
        if _GENERATION.fullmatch(path.name) and (header is None or path.name != header.generation):
            shutil.rmtree(path, ignore_errors=True)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
