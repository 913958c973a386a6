"""An index in shards beside one index over the same files: results of many queries, time, one file changed.

python -m benchmarks.scale.index --data DIR
python -m benchmarks.scale.index --data DIR --documents 60000 --queries 1000 --shards 7
"""

from __future__ import annotations

import random
import time
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tersely.retrieval.index import Index
from tersely.retrieval.index.index import SearchMethod

from benchmarks.arguments import make_parser
from benchmarks.data import endless, english_documents
from benchmarks.report import Column, Report, Target
from benchmarks.scale.corpus import questions, write_files
from benchmarks.scale.cost import cost

_METHODS: tuple[SearchMethod, ...] = ("hybrid", "lexical", "vector")
_TOP = 20
_COLUMNS = (
    Column("index"),
    Column("build", "build, CPU s", ".1f"),
    Column("change", "one file changed, CPU s", ".2f"),
    Column("written", "written then, MB", ".1f"),
    Column("open", "open, ms", ".1f"),
    *(Column(method, f"{method}, CPU ms", ".2f") for method in _METHODS),
)


def _compare(indexes: list[Index], queries: list[str], spent: list[dict[str, Any]]) -> int:
    """Ask all indexes in turn; add the time to their rows; how many answers are not those of the first."""
    differ = 0
    for index in indexes:
        index.search(queries[0])
    for query in queries:
        for method in _METHODS:
            answers = []
            for index, row in zip(indexes, spent, strict=True):
                begun = time.process_time()
                answers.append(index.search(query, _TOP, method=method))
                row[method] = row.get(method, 0.0) + (time.process_time() - begun) * 1e3 / len(queries)
            differ += any(answer != answers[0] for answer in answers)
    return differ


def main() -> None:
    """Measure."""
    parser = make_parser(__doc__)
    parser.add_argument("--documents", type=int, default=10_000, metavar="N", help="files (10,000)")
    parser.add_argument("--queries", type=int, default=1000, metavar="N", help="asked (1,000)")
    parser.add_argument("--shards", type=int, default=7, metavar="N", help="of the second index (7)")
    arguments = parser.parse_args()
    settings = {name: getattr(arguments, name) for name in ("documents", "queries", "shards")}
    report = Report("scale.index", settings, ())
    asked = list(questions(arguments.data))
    random.Random(3).shuffle(asked)
    with TemporaryDirectory() as place:
        folder = Path(place) / "files"
        folder.mkdir()
        texts = english_documents(arguments.data)
        random.Random(4).shuffle(texts)
        write_files(folder, list(islice(endless(texts), arguments.documents)))
        found: list[dict[str, Any]] = []
        indexes: list[Index] = []
        for shards in (1, arguments.shards):
            at = Path(place) / f"index-{shards}"
            row: dict[str, Any] = {"index": "one" if shards == 1 else f"{shards} shards"}
            row["build"] = cost(lambda at=at, shards=shards: Index.build(folder, at, shards=shards))["cpu"]  # type: ignore[misc]
            (folder / "00" / "0.txt").write_text(f"Changed for {shards}. {texts[0]}", encoding="utf-8")
            before = set(at.iterdir())
            row["change"] = cost(lambda at=at: Index.build(folder, at))["cpu"]  # type: ignore[misc]
            fresh = [path for path in at.iterdir() if path not in before]
            row["written"] = sum(file.stat().st_size for path in fresh for file in path.iterdir()) / 1e6
            begun = time.process_time()
            indexes.append(Index.open(at))
            row["open"] = (time.process_time() - begun) * 1e3
            found.append(row)
        for shards in (1, arguments.shards):  # the same state of the file that was changed for each
            Index.build(folder, Path(place) / f"index-{shards}")
        queries = asked[: arguments.queries]
        differ = _compare(indexes, queries, found)
        sizes = f"{arguments.documents:,} files, {len(indexes[0]):,} chunks"
        report.table(f"{sizes}, {len(queries):,} questions, top {_TOP}", _COLUMNS, found)
    answers = len(queries) * len(_METHODS)
    report.targets.append(Target(f"answers of {answers:,} that differ in a bit", 0, differ, "", True))
    report.note("Answers are compared whole: ids, texts, order, and every score to the bit.")
    report.finish(arguments.json)


main()
