"""Distill a sentence model into a static table of token vectors, with texts of your own.

    python tools/static_table/distill.py all-MiniLM-L6-v2/ my-texts/ -o table.npz

Needs onnxruntime, tokenizers and scipy. `tersely.StaticEmbedder("table.npz")` reads what comes out.

A text is a bag of tokens (`bags`), and its vector by the table the mean of theirs. The table starts as a
linear function of the teacher's vectors of single words (`start_table`), is fitted by least squares
(`fit_ridge`), and moved towards the teacher's order of neighbours (`refine_ranking`).
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import heapq
import json
import math
import os
import random
import re
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
from packed_table import quantize, save
from tersely import checks
from tersely._native import StaticTable
from tersely.engine.reading import segment
from tersely.files import make_folder, private, renamed, sync_to_disk
from tersely.models.onnx import OnnxEmbedder
from tersely.models.static import SHIPPED, StaticEmbedder
from tersely.types import Float32s, Int64s, Kind, Level

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
    "what is", "what is the", "what are", "what was the name of", "what type of", "who", "who was", "which",
    "when did", "when was", "where is", "where did", "in what year was", "why did", "how", "how many",
    "how long", "is there", "does",
)  # fmt: skip
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


SHARD = 2048  # texts whose vectors share a file


def cached_vectors(
    embedder: OnnxEmbedder, texts: Sequence[str], folder: Path, progress: Callable[[int, int], object]
) -> Float32s:
    """Return `embedder.embed(texts)`, float32 (len(texts), d), from files of `folder` that are made once.

    The folder of one teacher and one list of texts is named by a digest of both, so that vectors of other
    texts are never taken for these; a file appears whole or not at all, and one that is damaged is made
    again. Memory is that of the result. Raises OSError where the folder cannot be written.
    """
    digest = hashlib.sha256(json.dumps([embedder.name, *texts]).encode()).hexdigest()
    place = folder / digest[:16]
    make_folder(place)
    about = {"teacher": embedder.name, "texts": len(texts), "sha256": digest, "texts_per_file": SHARD}
    _write(place / "manifest.json", lambda file: file.write(json.dumps(about, indent=1).encode()))
    shards = []
    for first in range(0, len(texts), SHARD):
        part = texts[first : first + SHARD]
        path = place / f"{first // SHARD:05d}.npy"
        vectors = _read(path, len(part))
        if vectors is None:
            vectors = np.ascontiguousarray(embedder.embed(part), dtype=np.float32)
            _write(path, _save(vectors))
        shards.append(vectors)
        progress(min(first + SHARD, len(texts)), len(texts))
    return np.concatenate(shards)


def _save(vectors: Float32s) -> Callable[[Any], None]:
    return lambda file: np.save(file, vectors, allow_pickle=False)


def _read(path: Path, rows: int) -> Float32s | None:
    try:
        vectors = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    whole = vectors.ndim == 2 and len(vectors) == rows and vectors.dtype == np.float32
    return vectors if whole and np.isfinite(vectors).all() else None


def _write(path: Path, write: Callable[[Any], object]) -> None:
    """Write to a second file that takes the name at the end, once it is on disk."""
    with renamed(path) as fresh:
        with open(fresh, "wb", opener=private) as file:
            write(file)
        sync_to_disk(fresh)


MOST_TOKENS = 256  # of a text, as sentence models read
NEAREST = 10  # texts that count as neighbours in the measure
_SMOOTHING = (1e-3, 1e-4)  # a of a / (a + p), p a token's share of the text
_START_RIDGE = 10.0
_BATCH = 512  # texts that are ranked against each other
_TEMPERATURE = 0.1
_RATE = 0.02


def read_words(tokenizer: Path) -> list[str]:
    """Read the vocabulary of a tokenizer.json, by id.

    Raises ValueError where it is not an uncased WordPiece tokenizer (BERT's), which reads static tables.
    """
    try:
        stated = json.loads(tokenizer.read_text(encoding="utf-8"))
        model, normalizer = stated["model"], stated["normalizer"] or {}
        words = sorted(model["vocab"], key=model["vocab"].__getitem__)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{tokenizer} is not the file of a WordPiece tokenizer: {error!r}") from error
    uncased = normalizer.get("type") == "BertNormalizer" and normalizer.get("lowercase") is True
    kind = model.get("type", "WordPiece")
    if kind != "WordPiece" or not uncased or model.get("continuing_subword_prefix", "##") != "##":
        found = f"{kind}, {normalizer.get('type')}"
        raise ValueError(f"{tokenizer} must be an uncased WordPiece tokenizer (BERT's), not {found}")
    if [model["vocab"][word] for word in words] != list(range(len(words))):
        raise ValueError(f"{tokenizer}: token ids must be 0, 1, 2, ... without gaps")
    return words


def bags(texts: Sequence[str], words: Sequence[str]) -> Any:
    """Count tokens: scipy.sparse.csr_matrix (texts, words) of float32, each token's share of its text.

    At most the first 256 tokens of a text count; a text without any has a row of zeros.
    """
    blank = np.full((len(words), 1), 0x88, np.uint8)
    tokenizer = StaticTable("\n".join(words).encode(), blank, np.ones(len(words), np.float32))
    ids = [tokenizer.ids(text)[:MOST_TOKENS] for text in texts]
    lengths = np.array([len(row) for row in ids], np.int64)
    columns = np.concatenate(ids) if ids else np.zeros(0, np.int32)
    shares = np.repeat(1 / np.maximum(lengths, 1), lengths).astype(np.float32)
    rows = sparse().csr_matrix((shares, columns, _starts(lengths)), shape=(len(texts), len(words)))
    rows.sum_duplicates()
    return rows


def _starts(lengths: Int64s) -> Int64s:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])


def sparse() -> Any:
    """Return the module scipy.sparse."""
    import scipy.sparse

    return scipy.sparse


def unit(vectors: Float32s) -> Float32s:
    """Scale rows to length one; zeros stay."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-12), np.float32)


def mean_vectors(bags: Any, table: Float32s) -> Float32s:
    """Embed bags (texts, words) as a static embedder does: float32 (texts, d), rows of length one."""
    return unit(bags @ table)


def principal_basis(vectors: Float32s, dimensions: int) -> Float32s:
    """Find the directions with most of the vectors' energy, mean included: float32 (width, dimensions).

    By falling energy. Each points to where its largest component is positive. O(n width^2).
    """
    _, directions = np.linalg.eigh((vectors.T @ vectors).astype(np.float64))
    chosen = directions[:, ::-1][:, :dimensions]
    largest = np.take_along_axis(chosen, np.abs(chosen).argmax(axis=0)[None, :], axis=0)
    return np.asarray(chosen * np.where(largest < 0, -1, 1), np.float32)


def start_table(bags: Any, single: Float32s, targets: Float32s) -> Float32s:
    """Make a first table for all words, those too that no text has, of the teacher's vectors of each.

    `single` (words, width) are the teacher's vectors of the words, `targets` (texts, d) what the mean of a
    text's tokens should be. Each word's vector counts by how rare it is: a / (a + p) for two values of a
    (smooth inverse frequency: Arora, Liang and Ma 2017). The table is linear in them: least squares, with a
    ridge.
    """
    shares = np.asarray(bags.sum(axis=0), np.float64).ravel()
    shares /= max(shares.sum(), 1e-12)
    weighted = [single * (a / (a + shares)).astype(np.float32)[:, None] for a in _SMOOTHING]
    features = np.concatenate(weighted, axis=1)
    rows = bags @ features
    gram = (rows.T @ rows).astype(np.float64) + _START_RIDGE * np.eye(features.shape[1])
    return np.asarray(features @ np.linalg.solve(gram, (rows.T @ targets).astype(np.float64)), np.float32)


def fit_ridge(
    bags: Any,
    targets: Float32s,
    start: Float32s,
    ridge: float,
    iterations: int,
    progress: Callable[[int, int], object],
) -> Float32s:
    """Fit the table E with the least |bags E - targets|^2 + ridge |E - start|^2.

    Conjugate gradients with the diagonal as preconditioner, all columns at once, each with its own steps.
    O(iterations * tokens * d).
    """
    transposed = bags.T.tocsr()
    diagonal = np.asarray(bags.multiply(bags).sum(axis=0), np.float32).ravel()[:, None] + np.float32(ridge)
    table = start.copy()
    residual = transposed @ (targets - bags @ table)
    scaled = residual / diagonal
    direction = scaled.copy()
    size = (residual * scaled).sum(axis=0)
    for iteration in range(iterations):
        image = transposed @ (bags @ direction) + np.float32(ridge) * direction
        step = size / np.maximum((direction * image).sum(axis=0), 1e-30)
        table += step * direction
        residual -= step * image
        scaled = residual / diagonal
        before, size = size, (residual * scaled).sum(axis=0)
        direction = scaled + (size / np.maximum(before, 1e-30)) * direction
        progress(iteration + 1, iterations)
    return np.asarray(table, np.float32)


def centred(bags: Any, table: Float32s) -> Float32s:
    """Take the mean direction of the texts' vectors out of a table: it tells no text from another.

    All but the top: Mu and Viswanath 2018.
    """
    mean = mean_vectors(bags, table).mean(axis=0, dtype=np.float64)
    mean /= max(float(np.linalg.norm(mean)), 1e-12)
    return np.asarray(table - np.outer(table @ mean, mean), np.float32)


def refine_ranking(
    table: Float32s, bags: Any, teacher: Float32s, steps: int, progress: Callable[[int, int], object]
) -> Float32s:
    """Move a table towards the teacher's order of texts: which of them are nearest to which.

    Follows the gradient of the cross-entropy between both. For each text of a batch, softmax(cosine / 0.1)
    over the batch's other texts says which are near; the table's should be the teacher's (`teacher`: float32
    (texts, width), rows of length one). Least squares makes each vector alike; this makes their order alike,
    which is what retrieval uses. Steps are scaled by each row's gradients so far (Adagrad, one scale a row:
    Duchi, Hazan and Singer 2011). The batches are random, and always the same ones.
    O(steps * 512 * (tokens of a text + 512) * d).
    """
    random = np.random.default_rng(0)
    table = table.copy()
    squares = np.full(len(table), 1e-8, np.float32)
    for step in range(steps):
        texts = np.sort(random.choice(len(teacher), min(_BATCH, len(teacher)), replace=False))
        columns, gradient = _gradient(table, bags[texts], teacher[texts])
        squares[columns] += (gradient * gradient).mean(axis=1)
        table[columns] -= np.float32(_RATE) * gradient / np.sqrt(squares[columns])[:, None]
        progress(step + 1, steps)
    return table


def _gradient(table: Float32s, bags: Any, teacher: Float32s) -> tuple[Int64s, Float32s]:
    """Return the words of the batch, and the gradient of the mean cross-entropy by their rows."""
    columns, places = np.unique(bags.indices, return_inverse=True)
    part = sparse().csr_matrix((bags.data, places, bags.indptr), shape=(bags.shape[0], len(columns)))
    sums = part @ table[columns]
    lengths = np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-6)
    vectors = sums / lengths
    wrong = (_neighbours(vectors) - _neighbours(teacher)) / (len(teacher) * _TEMPERATURE)
    by_vector = (wrong + wrong.T) @ vectors
    by_sum = (by_vector - (by_vector * vectors).sum(axis=1, keepdims=True) * vectors) / lengths
    return columns, np.asarray(part.T @ by_sum, np.float32)


def _neighbours(vectors: Float32s) -> Float32s:
    """Compute the softmax of each row's cosines to the other rows, divided by the temperature."""
    scores = vectors @ vectors.T / np.float32(_TEMPERATURE)
    np.fill_diagonal(scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), np.float32)


def mean_cosine(vectors: Float32s, teacher: Float32s, basis: Float32s) -> float:
    """Measure the mean cosine of vectors (n, d) to the teacher's (n, width) in the basis (width, d)."""
    return float((unit(vectors) * unit(teacher @ basis)).sum(axis=1).mean())


def ranking_agreement(vectors: Float32s, teacher: Float32s) -> float:
    """Measure how many of the teacher's ten nearest texts are among the table's ten: a share in [0, 1].

    The mean over all texts. Vectors of other widths and bases can be compared. O(n^2 d).
    """
    count = min(NEAREST, len(teacher) - 1)
    if count < 1:
        return 1.0
    ours, theirs = _nearest(unit(vectors), count), _nearest(unit(teacher), count)
    shared = [len(np.intersect1d(a, b)) for a, b in zip(ours, theirs, strict=True)]
    return float(np.mean(shared) / count)


def _nearest(vectors: Float32s, count: int) -> list[np.ndarray[tuple[int], np.dtype[np.intp]]]:
    nearest = []
    for row, vector in enumerate(vectors):
        cosines = vectors @ vector
        cosines[row] = -np.inf
        nearest.append(np.argsort(-cosines, kind="stable")[:count])
    return nearest


Progress = Callable[[str, int, int], object]  # what is being done, how much of it is, of how much

_RIDGE = 0.01
_ITERATIONS = 24
_STEPS = 3000  # of refining, at most
_TEXTS_A_STEP = 32  # so few texts do not get steps that learn them by heart
_LEAST_TEXTS = 50
_MOST_HELD_OUT = 2000
_HELD_OUT_SHARE = 20  # one text in so many


@dataclass(frozen=True, slots=True)
class DistillReport:
    """How a table was fitted, and how near it is to its teacher on sentences held out from the fit."""

    sentences: int  #: with `held_out`: numbers of sentences fitted on, and measured on
    held_out: int
    words: int  #: with `dimensions` and `bytes`: rows and columns of the table, and size of its file
    dimensions: int
    bytes: int
    #: mean cosine to the teacher's vector: "start" (from single tokens only), "fitted", "final" (after
    #: refining the order and taking out the mean, which both cost cosine, and rounding)
    cosine: Mapping[str, float]
    #: share of the teacher's ten nearest texts among the table's ten nearest, for the same and for "shipped",
    #: the table that comes with tersely
    ranking: Mapping[str, float]


def distill(
    model: str | os.PathLike[str],
    texts: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    name: str | None = None,
    about: Mapping[str, Any] | None = None,
    dimensions: int = 238,
    sentences: int = 200_000,
    threads: int | None = None,
    work: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> DistillReport:
    """Make a static table for `StaticEmbedder` from a sentence model's vectors of the user's own texts.

    Args:
        model: a folder with an ONNX sentence model and its tokenizer.json, as for `OnnxEmbedder`; the
            tokenizer must be BERT's (uncased WordPiece).
        texts: a folder of .txt, .md, .rst, .html and .htm files (each also as .gz). Each folder directly in
            it is one source; diverse sources help more than much text.
        out: the .npz file to write; it appears whole or not at all.
        name: the table's name; None: the file's.
        about: more entries of the file's provenance (licence, corpus, ...).
        dimensions: columns, even, at most the model's. 238 keep the file of a 30,522-word table under 4 MB.
        sentences: most sentences to read.
        threads: of the model; None: OMP_NUM_THREADS, else the CPUs this process may use.
        work: a folder for the teacher's vectors; a run that was stopped goes on from there. None: `out`
            with `.work` at its end. It can be deleted afterwards.
        progress: called with (stage, done, of all).

    The same texts, model and options give the same bytes, with the same versions of numpy and scipy on the
    same CPU. The model takes nearly all the time; memory is that of the vectors, 4 * width bytes a sentence.

    Raises:
        ValueError: an argument that cannot be used, no text, too few sentences, another kind of tokenizer.
        FileNotFoundError: no model, or no tokenizer.json.
        OSError: a file cannot be read or written.
    """
    if checks.whole_number(dimensions, "dimensions", least=2) % 2:
        raise ValueError(f"dimensions must be an even number, not {dimensions}")
    checks.whole_number(sentences, "sentences", least=_LEAST_TEXTS)
    progress = checks.callable_or_none(progress, "progress") or (lambda stage, done, of: None)
    sparse()  # say that it is missing before the long part, not after
    target = Path(out)
    teacher = OnnxEmbedder(model, threads=threads)
    if dimensions > teacher.dimensions:
        raise ValueError(f"dimensions must be at most the model's {teacher.dimensions}, not {dimensions}")
    words = read_words(teacher.tokenizer_file)
    sample = sample_sentences(Path(texts), sentences, partial(progress, "reading files"))
    if len(sample) < _LEAST_TEXTS:
        raise ValueError(f"{texts} holds {len(sample)} sentences; at least {_LEAST_TEXTS} are needed")
    folder = Path(work) if work is not None else target.with_name(f"{target.name}.work")

    def embed(stage: str, these: Sequence[str]) -> Float32s:
        return cached_vectors(teacher, these, folder, partial(progress, stage))

    single = embed("words", [word.removeprefix("##") for word in words])
    vectors = embed("sentences", sample)
    held = np.arange(len(sample)) % _HELD_OUT_SHARE == 0
    held[np.flatnonzero(held)[_MOST_HELD_OUT:]] = False
    fitted_on = [sample[row] for row in np.flatnonzero(~held)]
    queries = make_queries(fitted_on)
    known = np.concatenate([vectors[~held], embed("queries", queries)]) if queries else vectors[~held]
    basis = principal_basis(known, dimensions)
    tables = _fit(bags([*fitted_on, *queries], words), known, single, basis, progress)
    meta = {
        **(about or {}),
        "name": name or target.stem,
        "teacher": teacher.name,
        "sentences": len(fitted_on),
        "queries": len(queries),
        "texts_sha256": hashlib.sha256("\n".join([*fitted_on, *queries]).encode()).hexdigest(),
        "parameters": {"ridge": _RIDGE, "iterations": _ITERATIONS, "steps": _steps(len(known))},
    }
    save(target, words, *quantize(tables.pop("final")), meta)
    held_out = [sample[row] for row in np.flatnonzero(held)]
    rows = bags(held_out, words)
    found = {kind: mean_vectors(rows, table) for kind, table in tables.items()}
    found["final"] = StaticEmbedder(target).embed(held_out)
    cosine = {kind: mean_cosine(found[kind], vectors[held], basis) for kind in found}
    if SHIPPED.is_file():
        found["shipped"] = StaticEmbedder().embed(held_out)
    ranking = {kind: ranking_agreement(found[kind], vectors[held]) for kind in found}
    size = target.stat().st_size
    return DistillReport(len(fitted_on), len(held_out), len(words), dimensions, size, cosine, ranking)


def _fit(
    rows: Any, vectors: Float32s, single: Float32s, basis: Float32s, progress: Progress
) -> dict[str, Float32s]:
    targets = vectors @ basis
    start = start_table(rows, single, targets)
    fitted = fit_ridge(rows, targets, start, _RIDGE, _ITERATIONS, partial(progress, "fitting"))
    refined = refine_ranking(fitted, rows, vectors, _steps(len(vectors)), partial(progress, "ranking"))
    return {"start": start, "fitted": fitted, "final": centred(rows, refined)}


def _steps(texts: int) -> int:
    return min(_STEPS, texts // _TEXTS_A_STEP)


def main(argv: Sequence[str] | None = None) -> None:
    """Make the table that the arguments ask for, and print its report as JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", help="folder with an ONNX model and tokenizer.json")
    parser.add_argument("texts", help="folder of .txt, .md, .rst and .html files (or .gz)")
    parser.add_argument("-o", "--out", required=True, help="the .npz file to write")
    parser.add_argument("--name", help="the table's name (the file's)")
    parser.add_argument(
        "--about", type=_read_about, help="JSON file for the provenance: licence, corpus, ..."
    )
    parser.add_argument("--dimensions", type=int, default=238, help="columns, even")
    parser.add_argument("--sentences", type=int, default=200_000, help="sentences to read at most")
    parser.add_argument("--threads", type=int, help="of the model")
    parser.add_argument("--work", help="where vectors are kept, so that a stopped run goes on (OUT.work)")
    print(json.dumps(asdict(distill(**vars(parser.parse_args(argv)), progress=_show))))


def _read_about(path: str) -> Any:
    return json.loads(Path(path).read_text(encoding="utf-8"))


def _show(stage: str, done: int, of: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{stage}: {done} of {of}", end="" if done < of else "\n", file=sys.stderr)


if __name__ == "__main__":
    main()
