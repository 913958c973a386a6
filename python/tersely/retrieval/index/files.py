"""Find and read the files of a folder that can be indexed; fit found chunks into a budget."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from tersely import checks
from tersely.content.code_languages import language_of_file
from tersely.engine.reading import Reading, count, count_batch
from tersely.engine.strategies import Auto
from tersely.engine.worth import document_probability
from tersely.errors import BudgetExceededError, MissingExtraError
from tersely.file_text import READABLE, file_text
from tersely.files import open_found
from tersely.models.counters import resolve_counter
from tersely.protocols import BatchTokenCounter
from tersely.retrieval.chunks import ChunkResult, PlacedResult, kept_places, readable
from tersely.retrieval.results import on_topic
from tersely.text import decode, is_binary, well_formed
from tersely.types import Compressed, Document, Frame, Heads, Request
from tersely.writing.prompt import one_line

# Suffixes of files that are cut as text (chunking.py), and languages whose files are cut as pages and code.
_TEXT = (".md", ".markdown", ".mdx", ".rst", ".txt", ".text", "", *READABLE)
_LANGUAGES = frozenset(
    {"html", "python", "javascript", "typescript", "tsx", "go", "rust", "java", "c", "cpp", "csharp"}
    | {"kotlin", "swift", "php", "ruby", "scala", "lua", "shell"}
)
_LOOKED_AT = 8192  # bytes that tell text from binary


@dataclass(frozen=True, slots=True)
class FileNote:
    """Something to know about a file: why it is not in the index, or not quite as it is."""

    path: str  #: of the file, relative to the folder
    #: "link_outside", "not_a_file", "unreadable", "too_large", "binary", "name_not_utf8" (these are left
    #: out), "no_text" (a damaged PDF, one of pictures), "needs_extra" (pip install 'tersely[documents]');
    #: "not_utf8" (read as UTF-16, UTF-32 or Windows-1252; else what is no UTF-8 is shown as U+FFFD)
    reason: str


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to index: its path relative to the folder, with "/", and how it is cut."""

    path: str
    kind: str


def find_files(
    folder: Path, without: Path | None = None, every: bool = False
) -> Iterator[SourceFile | FileNote]:
    """List the files under a folder that can be indexed, or all, sorted by path within each folder.

    Hidden files and folders, symbolic links (what they point to is read where it is) and the folder `without`
    are left out; a link that leads out of the folder gives a note. Nothing outside of the folder is read.
    """
    root = folder.resolve()
    apart = None if without is None else without.resolve()
    closed: list[OSError] = []
    for place, folders, names in os.walk(root, onerror=closed.append):
        here = Path(place)
        links = [name for name in folders if (here / name).is_symlink()]
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".") and name not in links and (apart is None or here / name != apart)
        )
        for name in sorted([*links, *names]):
            if name.startswith("."):
                continue
            path = (here / name).relative_to(root).as_posix()
            if (here / name).is_symlink():
                if not _is_inside(here / name, root):
                    yield FileNote(_printable_path(path), "link_outside")
            elif (kind := _kind(name) or ("text" if every else None)) is not None:
                shown = _printable_path(path)
                yield SourceFile(path, kind) if shown == path else FileNote(shown, "name_not_utf8")
    for error in closed:
        yield FileNote(_printable_path(Path(str(error.filename)).relative_to(root).as_posix()), "unreadable")


def _kind(name: str) -> str | None:
    if Path(name.lower()).suffix in _TEXT:
        return "text"
    language = language_of_file(name)
    return language if language in _LANGUAGES else None


def read_file(folder: Path, path: str, largest: int) -> bytes | FileNote:
    """Read a file under a folder: its bytes, or a note where it is no text file of at most `largest` bytes.

    No symbolic link is followed at its end, no device or pipe waited for.
    """
    try:
        handle = open_found(folder / path)
        with os.fdopen(handle, "rb") as file:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                return FileNote(path, "not_a_file")
            if status.st_size > largest:
                return FileNote(path, "too_large")
            data = file.read(largest + 1)
    except OSError:
        return FileNote(path, "unreadable")
    if len(data) > largest:  # it grew
        return FileNote(path, "too_large")
    if is_binary(data[:_LOOKED_AT]) and not path.lower().endswith(tuple(READABLE)):
        return FileNote(path, "binary")
    return data


def text_of(path: str, data: bytes) -> tuple[str, str]:
    """The text of a file without its byte order mark, and a reason of `FileNote` for it, or ""."""
    try:
        told = file_text(path, data)
        if told is not None:
            return told, ""
        read, guessed = decode(data)
    except UnicodeDecodeError:
        return "", "binary"
    except MissingExtraError:
        return "", "needs_extra"
    except ValueError:
        return "", "no_text"
    text = well_formed(read)
    return text.removeprefix("\ufeff"), "not_utf8" if guessed or text is not read else ""


def _is_inside(link: Path, root: Path) -> bool:
    try:
        return link.resolve().is_relative_to(root)
    except (OSError, RuntimeError):  # a circle of links
        return False


def _printable_path(path: str) -> str:
    """Return a path as it can be written down: unchanged where it is UTF-8."""
    return path.encode("utf-8", "backslashreplace").decode("utf-8")


_SEPARATOR = "\n\n"  # between results, and between pieces of one
_PARTED = 1  # token, about, that parts a section from the one before
_FEWEST = 3  # neighbours whose ids are written as a range
FIRST = "#0"  # follows the name of a file in the id of its first chunk, where a name alone stands for it


@dataclass(frozen=True, slots=True)
class Extracted:
    """Results that fit a budget."""

    #: those of which something is left, in the order of the search; `content` is what is left: pieces of the
    #: chunk's text, verbatim, with a blank line between pieces that do not touch
    results: tuple[ChunkResult, ...]
    #: the excerpts by file, the file of the best result first, in the order of the file, under the file's
    #: name, with a colon, and its sections, each named once. No line of the excerpts ends with so many
    #: colons, so none can pass for the name of a file. With `frame`, what that returned.
    text: str
    tokens: int  #: tokens of `text`
    original_tokens: int  #: tokens of the text with whole results
    #: the largest probability of a section that it is on the query's topic (`Compressed.relevance`), which
    #: `frame` receives; None without a frame
    relevance: float | None = None


def extract(
    results: Sequence[ChunkResult],
    query: str,
    *,
    budget: int = 2000,
    counter: Any = None,
    frame: Callable[[str, float], str] | None = None,
    named: bool = False,
) -> Extracted:
    """Compress search results into a budget, headings included.

    The chunks of a section are read as one text. The first segment below a heading pays for half of the
    heading's tokens, so a result whose text is not worth its heading is left out.

    Args:
        results: the results of a search, best first.
        query: the question.
        budget: tokens of the final text.
        counter: counts them (as for `tersely.compress`).
        frame: a function (text, relevance) that returns all that is sent; the budget then counts that. None:
            the text alone.
        named: whether each section names its chunks: "[#3]" under "guide.md:" is the `chunk_id` "guide.md#3",
            "[#3-5]" are three; other ids are written unchanged. If a text has no headings, the line of its
            file has the number: "guide.md#3:"; a file name alone is its first chunk, #0.

    Raises:
        BudgetExceededError: no piece of any result fits under its heading; a retry with `.required` succeeds.
        ValueError, TypeError: a wrong argument.
    """
    query, checked = checks.text(query, "query"), resolve_counter(counter)
    checks.whole_number(budget, "budget", least=1)
    if not results:
        return Extracted((), "", 0, 0)
    sections, relevance = _Sections(results, named), 1.0

    def write(parts: Sequence[str]) -> str:
        text = sections.write(parts)
        return text if frame is None else frame(text, relevance)

    tokens = count(checked, sections.write(sections.texts))
    if frame is None and tokens <= budget:
        return Extracted(tuple(results), write(sections.texts), tokens, tokens)
    documents = [
        Document(text, title=path or None) for text, path in zip(sections.texts, sections.paths, strict=True)
    ]
    request = Request(tuple(documents), query, budget, 1.0, checked, separator=_SEPARATOR)
    prepared, around = Auto().prepare(request, None, tokens), 0
    if frame is not None:
        relevance = _largest_relevance(prepared.reading, sections, query)
        around, tokens = count_batch(checked, [frame("", relevance), write(sections.texts)]).tolist()
        if tokens <= budget:
            return Extracted(tuple(results), write(sections.texts), tokens, tokens, relevance)
    sent = Frame(write=lambda parts: [write(parts)], heads=sections.heads(checked, around))
    prepared = prepared.framed(sent, tokens)
    problem = f"no piece of {len(results)} results with its heading fits"
    try:
        result = prepared.fit()
    except BudgetExceededError as error:
        raise BudgetExceededError(problem, required=error.required, budget=budget) from None
    text = write(result.parts)
    known_relevance = None if frame is None else relevance
    return Extracted(sections.parted(result), text, result.tokens, tokens, known_relevance)


def _largest_relevance(reading: Reading, sections: _Sections, query: str) -> float:
    """The largest probability of a section that it is on the query's topic; data are asked as text."""
    if reading.asked is not None:
        chances = document_probability(reading.asked)
    else:
        chances = on_topic(sections.texts, query, [path or None for path in sections.paths])
    return float(chances.max(initial=0.0))


class _Sections:
    """The results of a search by file and section, each as one text."""

    def __init__(self, results: Sequence[ChunkResult], named: bool) -> None:
        self.results = results = [readable(item) for item in results]
        rank: dict[str, int] = {}
        places = [
            (rank.setdefault(item.file_path, len(rank)), _number(item), row)
            for row, item in enumerate(results)
        ]
        groups = groupby(sorted(places), lambda place: (place[0], results[place[2]].header_path))
        found = [(file, path, [row for _, _, row in places]) for (file, path), places in groups]
        self.names = [one_line(name) for name in rank]  # of files, the one of the best result first
        self.files = [file for file, _, _ in found]  # of each section, the number of its file
        self.paths = [one_line(path) for _, path, _ in found]  # of each, the headings above it
        self.members = [rows for _, _, rows in found]  # of each, the rows of its results, as in the file
        # What follows the name of its file where it has no headings; what stands between that and its text.
        ids = [[results[row] for row in rows] if named else [] for rows in self.members]
        self.numbers, self.headings = [""] * len(ids), [""] * len(ids)
        for index, (path, items) in enumerate(zip(self.paths, ids, strict=True)):
            if path or not all(map(_number_follows, items)):
                self.headings[index] = _section(path, _shown_ids(items))
            else:
                numbers = " ".join(_shown_ids(items))
                self.numbers[index] = "" if numbers == FIRST else numbers
        self.texts: list[str] = []  # its results, parted as they are in the file where they are neighbours
        self.starts: list[list[int]] = []  # of its results in that text
        for rows in self.members:
            text, starts = self._join([results[row] for row in rows])
            self.texts.append(text)
            self.starts.append(starts)

    @staticmethod
    def _join(items: Sequence[ChunkResult]) -> tuple[str, list[int]]:
        """The text of a section, and where each of its results starts in it."""
        pieces: list[str] = []
        starts: list[int] = []
        at, before = 0, -1
        for item in items:
            number = _number(item)
            if not starts:
                gap = ""
            elif number == before + 1 and isinstance(item, PlacedResult):
                gap = item.gap
            else:
                gap = _SEPARATOR
            starts.append(at + len(gap))
            pieces += [gap, item.content]
            at, before = starts[-1] + len(item.content), number
        return "".join(pieces), starts

    def write(self, parts: Sequence[str]) -> str:
        """Write the kept parts of the sections under their headings."""
        mark = _mark((*parts, *self.headings, *self.names))
        written: list[str] = []
        before = -1
        for file, numbers, heading, part in zip(self.files, self.numbers, self.headings, parts, strict=True):
            if part:
                name = f"{self.names[file]}{numbers}{mark}\n" if file != before or not heading else ""
                written.append(f"{name}{heading}{part}")
                before = file
        return _SEPARATOR.join(written)

    def heads(self, counter: BatchTokenCounter, around: int) -> Heads:
        """Return the cost of headings for the unit that needs them, and of the frame around all.

        Half of what they count: the other half is for the units that come under them later. Where the first
        one pays for all, too few files are heard (benchmarks/doors); the text is counted with all of it.
        """
        names = [f"{name}:\n" for name in self.names]
        below = [numbers + heading for numbers, heading in zip(self.numbers, self.headings, strict=True)]
        costs = count_batch(counter, [*names, *below])
        costs[len(names) :] += _PARTED
        above = np.concatenate((np.full(len(names), -1), self.files)).astype(np.int32)
        return Heads(costs // 2, above, np.arange(len(names), len(costs), dtype=np.int32), around)

    def parted(self, result: Compressed) -> tuple[ChunkResult, ...]:
        """Divide the text among the results."""
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
                left.update(self._divide(index, result.parts[index], spans[index]))
        return tuple(
            [replace(self.results[row], content=left[row]) for row in sorted(left) if left[row].strip()]
        )

    def _divide(self, index: int, part: str, spans: Sequence[tuple[int, int]]) -> dict[int, str]:
        """The pieces of a section's part by result: each begins with its first kept span, or rest of one."""
        rows, text = self.members[index], self.texts[index]
        limits = [*self.starts[index][1:], len(text)]
        begins: dict[int, int] = {}
        place = at = 0
        for first, end in spans:
            start = first
            while start < end:
                while limits[place] <= start:
                    place += 1
                stop = min(end, limits[place])
                at = max(part.find(text[start:stop], at), at)
                begins.setdefault(rows[place], at)
                at += stop - start
                start = stop
        stops = [*list(begins.values())[1:], len(part)]
        return {
            row: part[begin:stop].strip() for (row, begin), stop in zip(begins.items(), stops, strict=True)
        }


def _number(item: ChunkResult) -> int:
    """Return a chunk's number in its file, from the end of its id; 0 where it has none."""
    _, _, number = item.chunk_id.rpartition("#")
    return int(number) if number.isascii() and number.isdigit() else 0


def _mark(texts: Sequence[str]) -> str:
    """Return the mark after a file's name: more colons than any line ends with. O(characters)."""
    lines = [line.rstrip() for text in texts if ":" in text for line in text.splitlines()]
    colons = [len(line) - len(line.rstrip(":")) for line in lines if line.endswith(":")]
    return ":" * (1 + max(colons, default=0))


def _section(path: str, ids: Sequence[str]) -> str:
    """Write the line above a section: its headings and the ids of its chunks, if any."""
    parts = [f"Section: {path}"] if path else []
    parts += [f"[{' '.join(ids)}]"] if ids else []
    return f"{' '.join(parts)}\n" if parts else ""


def _shown_ids(items: Sequence[ChunkResult]) -> list[str]:
    """The ids of chunks below the name of their file; of neighbours, from three on, the ends: "#3-5"."""
    offsets = [_number(item) - place if _number_follows(item) else None for place, item in enumerate(items)]
    shown: list[str] = []
    for offset, run in groupby(zip(offsets, items, strict=True), lambda pair: pair[0]):
        ids = [
            one_line(item.chunk_id.removeprefix(item.file_path) if offset is not None else item.chunk_id)
            for _, item in run
        ]
        shown += ids if offset is None or len(ids) < _FEWEST else [f"{ids[0]}-{ids[-1].removeprefix('#')}"]
    return shown


def _number_follows(item: ChunkResult) -> bool:
    name, mark, number = item.chunk_id.rpartition("#")
    return bool(mark) and name == item.file_path and number.isascii() and number.isdigit()
