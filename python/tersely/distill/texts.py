"""Read a folder of text files: sample distinct sentences of all its sources, and make queries of them."""

from __future__ import annotations

import gzip
import hashlib
import heapq
import math
import random
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path

from tersely.core.tables import Kind, Level
from tersely.engine.segment import segment

__all__ = ["make_queries", "read_text", "sample_sentences", "text_files"]

SUFFIXES = (".txt", ".md", ".rst", ".html", ".htm")  # each also as .gz
LARGEST_FILE = 64 * 2**20  # bytes, after unpacking; what is longer is cut there
SHORTEST, LONGEST = 12, 400  # characters of a sentence
_BLOCKS = frozenset(
    (
        *("address", "article", "aside", "blockquote", "br", "caption", "dd", "desc", "div", "dl", "dt"),
        *("figcaption", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "item", "li", "main"),
        *("nav", "ol", "p", "page", "pre", "section", "table", "tbody", "td", "th", "title", "tr", "ul"),
    )
)
_WORDLESS = frozenset((Kind.FENCED_CODE, Kind.CODE, Kind.TABLE, Kind.LOG_LINE))
ONE_IN = 6  # sentences
_FEWEST, _MOST = 6, 40  # words of a sentence that is asked about
_BLANKS = re.compile(r"\s+")
_WORD = re.compile(r"[^\W\d_][\w'-]*")
_OPENINGS = (
    *(
        "what is",
        "what is the",
        "what are",
        "what was the name of",
        "what type of",
        "who",
        "who was",
        "which",
    ),
    *("when did", "when was", "where is", "where did", "in what year was", "why did", "how", "how many"),
    *("how long", "is there", "does"),
)
_SKIPPED = frozenset(("script", "style", "head", "nav", "code", "pre"))


def text_files(folder: Path) -> list[Path]:
    """List the files under a folder that are read, sorted; hidden ones and symbolic links are left out.

    Raises:
        ValueError: the folder is not there, or holds no such file.
    """
    if not folder.is_dir():
        raise ValueError(f"{folder} is not a folder")
    found = [
        path
        for path in sorted(folder.rglob("*"))
        if path.name.removesuffix(".gz").endswith(SUFFIXES)
        and path.is_file()
        and not path.is_symlink()
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    ]
    if not found:
        raise ValueError(
            f"{folder} holds no text: files named {', '.join(SUFFIXES)} (or these with .gz) are read"
        )
    return found


def read_text(path: Path) -> str:
    """Read a file: unpacked, without markup where it is a web page, U+FFFD for what is not UTF-8."""
    with path.open("rb") as file:
        data = file.read(LARGEST_FILE) if path.suffix != ".gz" else _unpacked(path)
    text = data.decode("utf-8", "replace")
    if path.name.removesuffix(".gz").endswith((".html", ".htm")):
        reader = _PageText()
        reader.feed(text)
        reader.close()
        return "".join(reader.pieces)
    return text


def _unpacked(path: Path) -> bytes:
    """Unpack at most LARGEST_FILE bytes of a gzip file, up to where it is damaged."""
    pieces, left = [], LARGEST_FILE
    with gzip.open(path) as file:
        try:
            while left > 0 and (piece := file.read(min(left, 2**20))):
                pieces.append(piece)
                left -= len(piece)
        except (OSError, EOFError, zlib.error):
            pass
    return b"".join(pieces)


class _PageText(HTMLParser):
    """Collects the words of a page; blocks are parted by blank lines."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._skipped = 0

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        if tag in _SKIPPED:
            self._skipped += 1
        if tag in _BLOCKS:
            self.pieces.append("\n\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in _SKIPPED:
            self._skipped = max(0, self._skipped - 1)
        if tag in _BLOCKS:
            self.pieces.append("\n\n")

    def handle_data(self, data: str) -> None:
        if not self._skipped:
            self.pieces.append(_BLANKS.sub(" ", data))


def sample_sentences(
    folder: Path, count: int, progress: Callable[[int, int], object] = lambda done, of: None
) -> list[str]:
    """Sample at most `count` distinct sentences and headings of the texts under a folder.

    Each folder directly under `folder` (and the files beside them) is one source. A source of n sentences
    gets a share that grows with the square root of min(n, count), so that many small sources count for more
    than one large; what it cannot fill goes to the others. Which sentences of a source: those whose hashes
    come first, so the answer does not depend on the order of files. Sorted by hash, so that any stretch is
    a sample of all.
    Memory: O(sources * count) sentences; time: linear in the text.
    """
    files = text_files(folder)
    sources: dict[str, _Lowest] = {}
    for number, path in enumerate(files):
        parts = path.relative_to(folder).parts
        source = sources.setdefault(parts[0] if len(parts) > 1 else "", _Lowest(count))
        for sentence in _sentences(read_text(path)):
            source.add(sentence)
        progress(number + 1, len(files))
    chosen: dict[bytes, str] = {}
    ordered = [source.sorted() for _, source in sorted(sources.items())]
    for kept, share in zip(ordered, _shares([len(kept) for kept in ordered], count), strict=True):
        chosen.update(kept[:share])
    return [sentence for _, sentence in sorted(chosen.items())]


class _Lowest:
    """Keeps the `size` distinct sentences with the lowest hashes."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: dict[bytes, str] = {}

    def add(self, sentence: str) -> None:
        key = hashlib.blake2b(sentence.casefold().encode("utf-8", "replace"), digest_size=16).digest()
        self._kept.setdefault(key, sentence)
        if len(self._kept) >= 2 * self._size + 1024:
            self._kept = dict(self.sorted())

    def sorted(self) -> list[tuple[bytes, str]]:
        return heapq.nsmallest(self._size, self._kept.items())


def _shares(sizes: Sequence[int], count: int) -> list[int]:
    """Share `count` out in proportion to the roots of the sizes, never above them, in whole numbers."""
    shares = [0] * len(sizes)
    left, open_rows = min(count, sum(sizes)), [i for i, size in enumerate(sizes) if size]
    while left > 0 and open_rows:
        total = sum(math.sqrt(sizes[i]) for i in open_rows)
        given = {
            i: min(sizes[i] - shares[i], max(1, int(left * math.sqrt(sizes[i]) / total))) for i in open_rows
        }
        for i in open_rows:
            given[i] = min(given[i], left)
            shares[i] += given[i]
            left -= given[i]
        open_rows = [i for i in open_rows if shares[i] < sizes[i]]
    return shares


def _sentences(text: str) -> Iterator[str]:
    """Yield sentences, headings and list items in one line each, if of a usual length and mostly letters."""
    for _, start, end, kind in segment([text], Level.SENTENCE):
        if kind in _WORDLESS:
            continue
        sentence = " ".join(text[start:end].split())
        letters = sum(map(str.isalpha, sentence))
        if SHORTEST <= len(sentence) <= LONGEST and letters * 10 >= len(sentence) * 6:
            yield sentence


def make_queries(sentences: Sequence[str]) -> list[str]:
    """Make a query of about one sentence in six, as people ask: of two to six of its words.

    Rare words rather than common ones, in their order and in lower case, more often than not after the
    opening of a question.

    Queries are short and lack the words that sentences are held together by; a table that is fitted on
    sentences alone places them less well. Which words: by the digest of the sentence, so always the same.
    """
    words = [_WORD.findall(sentence.lower()) for sentence in sentences]
    known = Counter(word for row in words for word in set(row))
    queries = []
    for sentence, row in zip(sentences, words, strict=True):
        seed = int.from_bytes(hashlib.blake2b(sentence.encode("utf-8", "replace"), digest_size=8).digest())
        if seed % ONE_IN == 0 and _FEWEST <= len(row) <= _MOST:
            queries.append(_query(row, known, random.Random(seed)))
    return queries


def _query(words: Sequence[str], known: Counter[str], chance: random.Random) -> str:
    count = 2 + int(5 * chance.random())
    rarity = [math.log(known[word]) + 2 * chance.random() for word in words]
    chosen = sorted(sorted(range(len(words)), key=rarity.__getitem__)[:count])
    opening = chance.random()
    asked = [_OPENINGS[int(opening / 0.6 * len(_OPENINGS))]] if opening < 0.6 else []
    return " ".join([*asked, *(words[place] for place in chosen)]) + (
        "?" if asked and chance.random() < 0.6 else ""
    )
