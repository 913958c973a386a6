"""The data directory: JSON lines, compressed. None of it is in the repository; its README describes it."""

from __future__ import annotations

import gzip
import json
import lzma
import random
import zlib
from collections.abc import Callable, Iterator
from itertools import count as numbers
from pathlib import Path
from typing import Any

from benchmarks import tokens

__all__ = [
    "ENGLISH",
    "LONG",
    "Row",
    "endless",
    "english_documents",
    "exact_texts",
    "names",
    "rows",
    "text_of",
]

LONG = ("longdoc_covidqa", "longdoc_contracts", "sum_gov_report", "longdoc_chunk_eval")
ENGLISH = (
    *LONG,
    "conv_qmsum",
    "needle_abstracts",
    "qa_hotpotqa_paragraphs",
    "qa_hotpotqa_sentences",
    "qa_musique_paragraphs",
    "qa_nq_20docs",
    "qa_nq_sentence",
    "sum_dialogsum",
    "sum_news",
    "sum_scitldr",
)
_OPEN: dict[str, Callable[..., Any]] = {".jsonl.gz": gzip.open, ".jsonl.xz": lzma.open}
_SEED = 7


def names(data: Path) -> list[str]:
    """Names of the data sets, sorted."""
    return sorted(path.name.removesuffix(suffix) for suffix in _OPEN for path in data.glob("*" + suffix))


class Row(dict[str, Any]):
    """A row of a set; who asks for what it lacks is told where it stands."""

    def __init__(self, values: dict[str, Any], place: str) -> None:
        super().__init__(values)
        self._place = place

    def __missing__(self, name: str) -> Any:
        raise KeyError(f"{self._place} has no {name!r}")


def rows(data: Path, name: str) -> Iterator[dict[str, Any]]:
    """The rows of one data set. Raises ValueError that names the file and line of what is no row."""
    there = [data / (name + suffix) for suffix in _OPEN if (data / (name + suffix)).exists()]
    if not there:
        raise FileNotFoundError(f"{data} has no {name}, as {' or '.join(_OPEN)}")
    with _OPEN["".join(there[0].suffixes[-2:])](there[0], "rb") as lines:
        for number in numbers(1):
            place = f"{there[0]}, line {number},"
            try:
                line = lines.readline()
                row = json.loads(line) if line else None
            except (ValueError, EOFError, OSError, lzma.LZMAError, zlib.error) as error:
                raise ValueError(f"{place} is no row: {error}") from error
            if not line:
                return
            if not isinstance(row, dict):
                raise ValueError(f"{place} is no object")
            yield Row(row, place)


def text_of(row: dict[str, Any]) -> str:
    """The text of a row that is one text: given whole or as sentences."""
    return str(row["text"]) if "text" in row else " ".join(row["sentences"])


def english_documents(data: Path, sets: tuple[str, ...] = ENGLISH) -> list[str]:
    """Distinct documents: the long ones first, then the others, each part in a fixed random order."""
    seen: set[str] = set()
    parts: tuple[list[str], list[str]] = ([], [])
    for name in sets:
        for row in rows(data, name):
            for text in _texts(row):
                if text not in seen:
                    seen.add(text)
                    parts[name not in LONG].append(text)
    for part in parts:
        random.Random(_SEED).shuffle(part)
    return [*parts[0], *parts[1]]


def _texts(row: dict[str, Any]) -> list[str]:
    if "documents" in row:
        return [document["text"] for document in row["documents"]]
    if "entries" in row:
        return ["\n".join(f"{entry['speaker']}: {entry['text']}" for entry in row["entries"])]
    return [text_of(row)]


def endless(documents: list[str]) -> Iterator[str]:
    """The documents, then the documents again with a changed first and last line, ever on."""
    yield from documents
    for turn in numbers(2):
        for index, text in enumerate(documents):
            yield f"Copy {turn} of document {index}.\n\n{text}\n\nEnd of copy {turn} of document {index}."


def exact_texts(documents: Iterator[str], size: int, how_many: int) -> list[str]:
    """`how_many` texts of exactly `size` o200k tokens, from consecutive documents, no part used twice."""
    texts: list[str] = []
    waiting: list[str] = []
    held = 0
    while len(texts) < how_many:
        while held <= size:
            waiting.append(next(documents))
            held += tokens.count(waiting[-1])
        joined = "\n\n".join(waiting)
        texts.append(tokens.cut(joined, size))
        rest = joined[len(texts[-1]) :]
        waiting, held = [rest], tokens.count(rest)
    return texts
