"""Fit the results of a search into a budget: file, section, and what of each answers the query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np

from tersely.core import checks
from tersely.core.errors import BudgetExceededError
from tersely.core.protocols import BatchTokenCounter
from tersely.core.types import Compressed, Document, Request
from tersely.engine.auto import Auto
from tersely.engine.count import count, count_batch
from tersely.engine.reading import Heads, Reading
from tersely.engine.render import Rendered
from tersely.providers.counters import resolve_counter
from tersely.search.chunks import ChunkResult
from tersely.search.parts import kept_places

__all__ = ["Extracted", "extract"]

_SEPARATOR = "\n\n"  # between results, and between pieces of one


@dataclass(frozen=True, slots=True)
class Extracted:
    """Results that fit a budget.

    Attributes:
        results: those of which something is left, in the order of the search; `content` is what is left:
            pieces of the chunk's text, verbatim, with a blank line where something was left out.
        text: all of it by file, the file of the best result first; what is left of a file in its own order,
            under the number and name of the file and its sections, each named once.
        tokens: of `text`.
        original_tokens: of the text with whole results.
    """

    results: tuple[ChunkResult, ...]
    text: str
    tokens: int
    original_tokens: int


def extract(
    results: Sequence[ChunkResult], query: str, *, budget: int = 2000, counter: Any = None
) -> Extracted:
    """Compress the results of a search into a budget, headings included.

    The chunks of a section are read as one text, once. What a heading costs is a part of the price of the
    first unit below it, so that a result is left out where what it says is not worth its heading.

    Raises:
        BudgetExceededError: no piece of any result fits under its heading; a retry with `.required` succeeds.
        ValueError, TypeError: a wrong argument.
    """
    checked = resolve_counter(counter)
    checks.whole_number(budget, "budget", least=1)
    sections = _Sections(results, checked)
    whole = sections.write(sections.texts)
    tokens = count(checked, whole) if whole else 0
    if tokens <= budget:
        return Extracted(tuple(results), whole, tokens, tokens)
    documents = tuple(
        [
            Document(text, title=path or None)
            for text, path in zip(sections.texts, sections.paths, strict=True)
        ]
    )
    request = Request(documents, query, budget, 1.0, checked, separator=_SEPARATOR)
    try:
        result = Auto().prepare(request, sections.revise, tokens).fit()
    except BudgetExceededError as error:
        raise BudgetExceededError(
            f"the budget of {budget} tokens holds no piece of {len(results)} results with its heading",
            required=error.required,
            budget=budget,
        ) from None
    return Extracted(sections.parted(result), sections.write(result.parts), result.tokens, tokens)


class _Sections:
    """The results of a search by file and section, each as one text.

    Attributes:
        names: of files, in the order of their best results.
        members: of each section, the rows of its results, in their order in the file.
        files, paths: of each section, the number of its file and the headings above it.
        texts: of each.
    """

    def __init__(self, results: Sequence[ChunkResult], counter: BatchTokenCounter) -> None:
        self.results, self.counter = results, counter
        rank: dict[str, int] = {}
        places = [
            (rank.setdefault(item.file_path, len(rank)), _number(item), row)
            for row, item in enumerate(results)
        ]
        groups = groupby(sorted(places), lambda place: (place[0], results[place[2]].header_path))
        found = [(file, path, [row for _, _, row in places]) for (file, path), places in groups]
        self.names = list(rank)
        self.files = [file for file, _, _ in found]
        self.paths = [path for _, path, _ in found]
        self.members = [rows for _, _, rows in found]
        self.texts = [_SEPARATOR.join([results[row].content for row in rows]) for rows in self.members]

    def write(self, parts: Sequence[str]) -> str:
        """What is left of the sections under their headings."""
        written: list[str] = []
        number, before = 0, -1
        for file, path, part in zip(self.files, self.paths, parts, strict=True):
            if not part:
                continue
            number += file != before
            name = f"[{number}] {self.names[file]}\n" if file != before or not path else ""
            written.append(f"{name}{_section(path)}{part}")
            before = file
        return _SEPARATOR.join(written)

    def revise(self, reading: Reading) -> None:
        """Say in a reading what headings cost, and that they count."""
        names = [f"[{number}] {name}\n" for number, name in enumerate(self.names, 1)]
        costs = count_batch(self.counter, [*names, *map(_section, self.paths)])
        costs[len(names) :] += 1  # what parts it from the one before
        above = np.concatenate((np.full(len(names), -1), self.files)).astype(np.int32)
        of = np.arange(len(names), len(costs), dtype=np.int32)
        reading.heads = Heads(costs, above, of)
        reading.measure = self._measure

    def _measure(self, rendered: Rendered) -> int:
        return count(self.counter, self.write(rendered.parts))

    def parted(self, result: Compressed) -> tuple[ChunkResult, ...]:
        """What is left of each result."""
        left: dict[int, str] = {}
        for rows, part in zip(self.members, result.parts, strict=True):
            if part and len(rows) == 1:
                left[rows[0]] = part
        joined = [index for index, rows in enumerate(self.members) if len(rows) > 1 and result.parts[index]]
        if joined:
            spans: dict[int, list[tuple[int, int]]] = {index: [] for index in joined}
            for document, start, end in kept_places(result):
                if document in spans:
                    spans[document].append((start, end))
            for index in joined:
                left.update(self._divided(index, result.parts[index], spans[index]))
        return tuple([replace(self.results[row], content=left[row]) for row in sorted(left)])

    def _divided(self, index: int, part: str, spans: Sequence[tuple[int, int]]) -> dict[int, str]:
        """The pieces of a section's part by result: each begins with its first kept span."""
        rows, text = self.members[index], self.texts[index]
        ends = np.cumsum([len(self.results[row].content) + len(_SEPARATOR) for row in rows])
        of = np.searchsorted(ends, [start for start, _ in spans], side="right").tolist()
        begins: dict[int, int] = {}
        at = 0
        for place, (start, end) in zip(of, spans, strict=True):
            at = max(part.find(text[start:end], at), at)
            begins.setdefault(rows[place], at)
            at += end - start
        stops = [*list(begins.values())[1:], len(part)]
        return {
            row: part[begin:stop].strip() for (row, begin), stop in zip(begins.items(), stops, strict=True)
        }


def _number(item: ChunkResult) -> int:
    """Where a chunk stands in its file, by the number at the end of its id; 0 where it has none."""
    _, _, number = item.chunk_id.rpartition("#")
    return int(number) if number.isascii() and number.isdigit() else 0


def _section(path: str) -> str:
    return f"Section: {path}\n" if path else ""
