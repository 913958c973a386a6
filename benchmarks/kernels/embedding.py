"""WordPiece ids beside tokenizers, static vectors beside model2vec: same words, same rows, answers asserted.

Examples:
    python -m benchmarks.kernels.embedding
    python -m benchmarks.kernels.embedding --table my.npz --tokens 100000 --rounds 3
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import tersely
from tersely import _native
from tersely.models import static, static as static_file

from benchmarks import arguments, data
from benchmarks.checks import require
from benchmarks.kernels import rounds
from benchmarks.kernels.pairs import installed
from benchmarks.report import MISSING, TIMES, Column, Report, Target, version

_PER = 10_000  # tokens that the times are given for
_TERSELY = "tersely"
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_COLUMNS = (*TIMES, Column("times", "CPU x tersely", ".1f"))
Ids = list[list[int]]


def main() -> None:
    """The command."""
    options = _arguments()
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    file = static_file.load(options.table)
    table = _native.StaticTable(file.words, file.rows, file.scales)
    settings = {"table": file.meta["name"], "tokens": options.tokens, "rounds": options.rounds, "threads": 1}
    result = Report("kernels/embedding", settings, ("tokenizers", "model2vec"))
    reference = _reference(file.words.decode().split("\n"))
    texts = {
        "English": _documents(data.english_documents(options.data), table, options.tokens),
        "eleven languages": _documents(_multilingual(options.data), table, options.tokens),
    }
    for name, documents in texts.items():
        sentences = _sentences(documents)
        _tokenizers(
            result, f"Token ids: {name}, whole documents", documents, table, reference, options.rounds
        )
        _vectors(result, f"Vectors: {name}, sentences", sentences, table, file, reference, options.rounds)
    peers = ", ".join(f"{name} {version(name) or MISSING}" for name in ("tokenizers", "model2vec"))
    result.note(f"Milliseconds for {_PER:,} tokens, one thread. Peers: {peers}.")
    result.note(
        "model2vec has the rows as float32; texts with unknown words, which it drops, are not compared."
    )
    result.finish(options.json)


def _arguments() -> Any:
    parser = arguments.make_parser(__doc__)
    parser.add_argument(
        "--table", type=Path, default=static.SHIPPED, metavar="FILE", help="default: the one that ships"
    )
    parser.add_argument("--tokens", type=int, default=200_000, help="of each text (default: 200,000)")
    parser.add_argument("--rounds", type=int, default=7, help="of each table (default: 7)")
    return parser.parse_args()


def _multilingual(folder: Path) -> list[str]:
    rows = data.rows(folder, "qa_xquad_multilingual")
    return list(dict.fromkeys(document["text"] for row in rows for document in row["documents"]))


def _documents(texts: list[str], table: _native.StaticTable, tokens: int) -> list[str]:
    """The first documents that have so many tokens together."""
    taken: list[str] = []
    held = 0
    for text in texts:
        if held >= tokens:
            break
        taken.append(text)
        held += len(table.ids(text))
    return taken


def _sentences(documents: list[str]) -> list[str]:
    return [documents[row][start:end] for row, start, end, _ in tersely.segment(documents)]


def _reference(words: list[str]) -> Any:
    """The tokenizers pipeline of BERT uncased over the table's words; None where the package is missing."""
    if not installed("tokenizers"):
        return None
    import tokenizers
    from tokenizers import models, normalizers, pre_tokenizers

    vocabulary = {word: line for line, word in enumerate(words)}
    tokenizer = tokenizers.Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.add_special_tokens([word for word in _SPECIAL if word in vocabulary])
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


def _tokenizers(
    result: Report, title: str, texts: list[str], table: _native.StaticTable, reference: Any, how_many: int
) -> None:
    def ours() -> Any:
        return [table.ids(text) for text in texts]

    def theirs() -> Any:
        return [found.ids for found in reference.encode_batch_fast(texts, add_special_tokens=False)]

    expected: Ids = theirs() if reference else [list(found) for found in ours()]

    def check(name: str, answer: Any) -> None:
        require([list(found) for found in answer] == expected, f"{name} gives other ids")

    calls = {_TERSELY: ours} | ({"tokenizers": theirs} if reference else {})
    _tell(result, title, calls, ("tokenizers",), check, sum(map(len, expected)), how_many, 0.3)


def _vectors(
    result: Report,
    title: str,
    texts: list[str],
    table: _native.StaticTable,
    file: static_file.StaticFile,
    reference: Any,
    how_many: int,
) -> None:
    decoded = np.concatenate([file.rows & 15, file.rows >> 4], axis=1).astype(np.float32) - 8
    decoded *= file.scales[:, None]
    calls: dict[str, Callable[[], Any]] = {_TERSELY: lambda: table.embed(texts)}
    if reference and installed("model2vec"):
        from model2vec import StaticModel

        model = StaticModel(decoded, reference, normalize=True, max_length=None)
        calls["model2vec"] = lambda: model.encode(texts, use_multiprocessing=False)
    ids = [table.ids(text) for text in texts]
    sums = np.array([decoded[row].sum(axis=0, dtype=np.float64) for row in ids])
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    exact = np.divide(sums, lengths, out=np.zeros_like(sums), where=lengths > 1e-9)
    unknown = file.words.decode().split("\n").index("[UNK]")
    comparable = np.array([unknown not in row for row in ids])  # model2vec leaves unknown words out

    def check(name: str, answer: Any) -> None:
        rows = slice(None) if name == _TERSELY else comparable
        require(bool(np.abs(answer[rows] - exact[rows]).max() < 1e-4), f"{name} gives other vectors")

    _tell(result, title, calls, ("model2vec",), check, sum(map(len, ids)), how_many, 1.0)


def _tell(
    result: Report,
    title: str,
    calls: dict[str, Callable[[], Any]],
    peers: tuple[str, ...],
    check: Callable[[str, Any], None],
    tokens: int,
    how_many: int,
    asked: float,
) -> None:
    times = rounds.interleaved(calls, how_many, check)
    share = _PER / tokens
    rows: list[dict[str, Any]] = []
    for name in (_TERSELY, *peers):
        if name not in times:
            rows.append({"system": name, "wall": MISSING})
            continue
        per = {key: value * share for key, value in times[name].row().items()}
        rows.append({"system": name, **per, "times": times[name].cpu / times[_TERSELY].cpu})
    result.table(f"{title}; {tokens:,} tokens, medians of {how_many} rounds", _COLUMNS, rows)
    result.targets.append(Target(title, asked, times[_TERSELY].cpu * share * 1e3, "ms", at_most=True))


if __name__ == "__main__":
    main()
