"""The embedded index over a documentation tree: time to build, size, latency, recall.

python -m benchmarks.retrieval.index --docs /usr/share/doc/python3/html --copies 20
"""

from __future__ import annotations

import argparse
import importlib.util
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from tersely import _native
from tersely.retrieval.index import Index

from benchmarks.report import Column, Report, Target
from benchmarks.retrieval.documentation import Question, make_questions

__all__ = ["main"]

_TOP = 10
_SETS = ("headings", "modules", "glossary", "names")
_OVERLAP = 100  # characters that a chunk must share with the answer, or half of it

Search = Callable[[str], Sequence[str]]  # ids of the best chunks


def main() -> None:
    """Build, search, compare."""
    arguments = _parser().parse_args()
    report = Report("retrieval.index", {"docs": str(arguments.docs)}, ("bm25s",))
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "pages"
        questions = make_questions(arguments.docs, folder)
        index = Index.build(folder)
        _build_table(report, folder, index, "tree")
        spans = _spans(index)
        systems = _systems(index, spans)
        rows = [_row(name, search, questions, spans) for name, search in systems.items()]
        sizes = ", ".join(f"{name} {sum(q.set == name for q in questions)}" for name in _SETS)
        report.table(
            f"Recall@{_TOP} on questions of known answers ({sizes}), one query at a time", _COLUMNS, rows
        )
        report.targets.append(Target("query, p95", 20, rows[0]["p95"], "ms", True))
        if arguments.copies > 1:
            _copies(report, folder, Path(place) / "copies", arguments.copies, questions)
    report.note(
        "A chunk answers where it shares 100 characters, or half, with the place of the answer. Constants "
        "by which ranks are fused were chosen on these questions, among 32 choices; both halves agree."
    )
    report.finish(arguments.json)


_COLUMNS = [
    Column("system"),
    *(Column(name, form=".3f") for name in _SETS),
    Column("mean", form=".3f"),
    Column("median", "median ms", ".2f"),
    Column("p95", "p95 ms", ".2f"),
]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--docs", type=Path, required=True, metavar="DIR", help="HTML pages made by Sphinx")
    parser.add_argument("--copies", type=int, default=1, metavar="N", help="also index N copies of the tree")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers there too")
    return parser


def _build_table(report: Report, folder: Path, index: Index, name: str) -> None:
    first = index.report
    again = Index.build(folder).report
    assert first is not None and again is not None
    text = sum(path.stat().st_size for path in folder.rglob("*.html"))
    size = sum(path.stat().st_size for path in index.folder.rglob("*") if path.is_file())
    row: dict[str, Any] = {
        "what": name,
        "files": first.files,
        "mb": text / 1e6,
        "chunks": first.chunks,
        "seconds": first.seconds,
        "again": again.seconds,
        "size": size / 1e6,
    }
    columns = [
        Column("what"),
        Column("files"),
        Column("mb", "MB of pages", ".1f"),
        Column("chunks"),
        Column("seconds", "build s", ".1f"),
        Column("again", "unchanged s", ".2f"),
        Column("size", "index MB", ".1f"),
    ]
    report.table("Building", columns, [row])


def _copies(report: Report, folder: Path, target: Path, copies: int, questions: list[Question]) -> None:
    for number in range(copies):
        shutil.copytree(folder, target / f"{number}", ignore=shutil.ignore_patterns(".tersely"))
    index = Index.build(target)
    _build_table(report, target, index, f"{copies} copies")
    times = _times(lambda query: [found.chunk_id for found in index.search(query, _TOP)], questions)[1]
    report.table(
        f"A query over {len(index):,} chunks", _COLUMNS[-2:], [{"median": median(times), "p95": _p95(times)}]
    )
    report.targets.append(
        Target(f"query over {len(index.files()):,} files, p95", 20, _p95(times), "ms", True)
    )


def _spans(index: Index) -> dict[str, tuple[str, int, int, str]]:
    """Place and searched text of every chunk."""
    spans = {}
    for path in index.files():
        number = 0
        while True:
            name = f"{path}#{number}"
            try:
                chunk = index.chunk(name)
            except KeyError:
                break
            spans[name] = (*index.span(name), f"{chunk.header_path}\n{chunk.content}")
            number += 1
    return spans


def _systems(index: Index, spans: dict[str, tuple[str, int, int, str]]) -> dict[str, Search]:
    ids, texts = list(spans), [span[3] for span in spans.values()]
    systems: dict[str, Search] = {
        "tersely, hybrid": lambda query: [found.chunk_id for found in index.search(query, _TOP)],
        "tersely, lexical": lambda query: [
            found.chunk_id for found in index.search(query, _TOP, method="lexical")
        ],
        "tersely, vector": lambda query: [
            found.chunk_id for found in index.search(query, _TOP, method="vector")
        ],
        "SQLite FTS5, its own words": _fts5(ids, texts, lambda text: text, "porter unicode61"),
        "SQLite FTS5, our terms": _fts5(ids, texts, _terms, "ascii tokenchars '_.-:,+/'"),
    }
    if importlib.util.find_spec("bm25s") is not None:
        systems["bm25s"] = _bm25s(ids, texts)
    return systems


def _fts5(ids: list[str], texts: list[str], read: Callable[[str], str], tokenizer: str) -> Search:
    connection = sqlite3.connect(":memory:")
    connection.execute(f'CREATE VIRTUAL TABLE chunks USING fts5(text, tokenize = "{tokenizer}")')
    rows = ((number, read(text)) for number, text in enumerate(texts))
    connection.executemany("INSERT INTO chunks(rowid, text) VALUES (?, ?)", rows)
    connection.execute("INSERT INTO chunks(chunks) VALUES ('optimize')")

    def search(query: str) -> list[str]:
        words = dict.fromkeys(read(query).replace('"', " ").split())
        if not words:
            return []
        match = " OR ".join(f'"{word}"' for word in words)
        found = connection.execute(
            "SELECT rowid FROM chunks WHERE chunks MATCH ? ORDER BY rank LIMIT ?", (match, _TOP)
        )
        return [ids[row[0]] for row in found]

    return search


def _terms(text: str) -> str:
    numbers, _, words = _native.terms([text])
    return " ".join(words[number] for number in numbers.tolist())


def _bm25s(ids: list[str], texts: list[str]) -> Search:
    import bm25s

    retriever = bm25s.BM25()
    retriever.index(bm25s.tokenize(texts, stopwords="en", show_progress=False), show_progress=False)

    def search(query: str) -> list[str]:
        tokens = bm25s.tokenize([query], stopwords="en", show_progress=False, return_ids=False)
        rows, _ = retriever.retrieve(tokens, k=_TOP, show_progress=False)
        return [ids[row] for row in rows[0].tolist()]

    return search


def _row(
    name: str, search: Search, questions: list[Question], spans: dict[str, tuple[str, int, int, str]]
) -> dict[str, Any]:
    found, times = _times(search, questions)
    row: dict[str, Any] = {"system": name, "median": median(times), "p95": _p95(times)}
    for which in _SETS:
        hits = [
            any(_answers(spans[chunk], question) for chunk in chunks)
            for question, chunks in zip(questions, found, strict=True)
            if question.set == which
        ]
        row[which] = sum(hits) / max(len(hits), 1)
    row["mean"] = sum(row[which] for which in _SETS) / len(_SETS)
    return row


def _times(search: Search, questions: list[Question]) -> tuple[list[Sequence[str]], list[float]]:
    search(questions[0].text)
    found, times = [], []
    for question in questions:
        started = time.perf_counter()
        found.append(search(question.text))
        times.append((time.perf_counter() - started) * 1000)
    return found, times


def _p95(times: list[float]) -> float:
    return quantiles(times, n=20)[-1]


def _answers(chunk: tuple[str, int, int, str], question: Question) -> bool:
    path, start, end, _ = chunk
    if path != question.path:
        return False
    shared = min(end, question.end) - max(start, question.start)
    return not question.end or shared >= min(_OVERLAP, (question.end - question.start) / 2)


if __name__ == "__main__":
    main()
