"""Fetch public sets from where their authors publish them, for `python -m benchmarks.quality`.

Shows addresses, sizes and licences first, and asks. Each file is checked by its SHA-256; one that is there
already is not fetched again.

examples:
  python -m benchmarks.fetch --data sets                       # lists all, and asks
  python -m benchmarks.fetch --data sets --sets qa_docs_sections,qa_code_functions --yes   # the README's
  python -m benchmarks.fetch --data sets --mirror https://mirror.example.org/files
  python -m benchmarks.quality --data sets --reference --rows 60
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import http.client
import json
import sys
import urllib.error
import urllib.request
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.public_sets import SETS, PublicSet, Source

__all__ = ["fetch_source", "main", "write_set"]

_SOURCES = "sources"  # folder of the files as they were published
_CHUNK = 1 << 20  # bytes read at a time
_SECONDS = 60.0  # without a byte, before a server is given up


def main(arguments: Sequence[str] | None = None, sets: Sequence[PublicSet] = SETS) -> int:
    """The command; returns its exit code."""
    summary, _, examples = (__doc__ or "").partition("\n\nexamples")
    parser = argparse.ArgumentParser(
        description=summary,
        epilog=f"examples{examples}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="where the sets are written")
    names = [one.name for one in sets]
    parser.add_argument("--sets", default=",".join(names), help=f"of {', '.join(names)} (all)")
    parser.add_argument(
        "--mirror", metavar="URL", help="folder of files of these names, instead of the authors'"
    )
    parser.add_argument("--yes", action="store_true", help="fetch without asking")
    given = parser.parse_args(arguments)
    wanted = given.sets.split(",")
    if unknown := [name for name in wanted if name not in names]:
        parser.error(f"unknown sets: {', '.join(unknown)}; there are {', '.join(names)}")
    chosen = [one for one in sets if one.name in wanted]
    _show(chosen)
    if not given.yes and not _agrees(given.data):
        print("Nothing was fetched.")
        return 1
    try:
        for one in chosen:
            paths = [
                fetch_source(source, given.data / _SOURCES / one.name, given.mirror) for source in one.sources
            ]
            count = write_set(one.rows([path.read_bytes() for path in paths]), given.data, one.name)
            print(f"{one.name}: {count} rows")
    except (OSError, ValueError) as error:
        print(f"fetch: {error}", file=sys.stderr)
        return 1
    print(
        "qa_docs_sections and qa_code_functions are the rows of the README's first table. Of the other sets, "
        "docs/benchmarks.md has other rows, and more sets: expect numbers near them.\n"
        f"Next: python -m benchmarks.quality --data {given.data} --reference --rows 60"
    )
    return 0


def _show(sets: Sequence[PublicSet]) -> None:
    for one in sets:
        print(f"{one.name}: {one.licence}")
        for source in one.sources:
            print(f"  {source.url}  {source.size / 1e6:.1f} MB  SHA-256 {source.sha256[:12]}...")
    size = sum(source.size for source in {source for one in sets for source in one.sources})
    print(f"{size / 1e6:.1f} MB in all. Read each licence before any use beyond measuring.")


def _agrees(folder: Path) -> bool:
    if not sys.stdin.isatty():
        print("There is nobody to ask: --yes fetches without.")
        return False
    return input(f"Fetch them into {folder}? [y/N] ").strip().casefold() in ("y", "yes")


def fetch_source(source: Source, folder: Path, mirror: str | None = None) -> Path:
    """Fetch a file into a folder, unless it is there; returns its path.

    Raises ValueError where what came has another size or digest, of which nothing is left then, or where an
    address is no http one; OSError where nothing came.
    """
    path = folder / source.name
    if path.exists() and _digest(path) == source.sha256:
        return path
    url = source.url if mirror is None else f"{mirror.rstrip('/')}/{source.name}"
    if not url.startswith(("http://", "https://")):
        raise ValueError(f"an address must begin with http:// or https://, not {url!r}")
    folder.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.part")
    try:
        size, digest = _download(url, partial, source.size)
        if size != source.size or digest != source.sha256:
            came = f"{size:,} bytes with SHA-256 {digest}" if size <= source.size else "more bytes"
            expected = f"{source.size:,} bytes with {source.sha256}"
            raise ValueError(f"{url} is not what was published: {came}; expected {expected}")
        partial.replace(path)
    except (urllib.error.URLError, http.client.HTTPException, TimeoutError) as error:
        raise OSError(f"cannot fetch {url}: {getattr(error, 'reason', error)}") from error
    finally:
        partial.unlink(missing_ok=True)
    return path


def _download(url: str, path: Path, most: int) -> tuple[int, str]:
    """Write what an address gives; stops behind `most` bytes. Returns the bytes written and their digest."""
    digest, size = hashlib.sha256(), 0
    request = urllib.request.Request(url, headers={"User-Agent": "tersely-benchmarks"})
    with urllib.request.urlopen(request, timeout=_SECONDS) as reply, path.open("wb") as file:
        while size <= most and (part := reply.read(_CHUNK)):
            file.write(part)
            digest.update(part)
            size += len(part)
    return size, digest.hexdigest()


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_set(rows: Iterable[dict[str, Any]], folder: Path, name: str) -> int:
    """Write rows as the benchmarks read them, the same bytes for the same rows; returns how many."""
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    path = folder / f"{name}.jsonl.gz"
    partial = path.with_name(f"{path.name}.part")
    partial.write_bytes(gzip.compress(("\n".join(lines) + "\n").encode(), mtime=0))
    partial.replace(path)
    return len(lines)


if __name__ == "__main__":
    sys.exit(main())
