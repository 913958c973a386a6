"""Files to index, and what is asked of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.data import names, rows

__all__ = ["questions", "write_files"]


def questions(data: Path) -> Iterator[str]:
    """The questions of all sets, each once."""
    seen: set[str] = set()
    for name in names(data):
        for row in rows(data, name):
            query = row.get("query") or row.get("question")
            if isinstance(query, str) and query not in seen:
                seen.add(query)
                yield query


def write_files(folder: Path, texts: list[str]) -> None:
    """One file a text, in 97 folders."""
    for number, text in enumerate(texts):
        path = folder / f"{number % 97:02d}" / f"{number}.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
