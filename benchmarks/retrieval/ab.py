"""Full and compressed search results beside each other: which hold the answer, at how many tokens.

Examples:
    python -m benchmarks.retrieval.ab --data DIR
    python -m benchmarks.retrieval.ab --data DIR --questions 100 --top-n 5 10
"""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import Any

from tersely.mcp.ab import compare
from tersely.mcp.query_tools import QueryTools
from tersely.retrieval.index import Index

from benchmarks import data, report
from benchmarks.arguments import make_parser

_SETS = ("longdoc_covidqa", "longdoc_contracts", "longdoc_chunk_eval")
_SEED = 7
_VERSIONS = 2  # of each document besides itself, in the second folder


def main() -> None:
    """The command."""
    parser = make_parser(__doc__)
    parser.add_argument("--questions", type=int, default=300, metavar="N", help="of all sets (300)")
    parser.add_argument("--top-n", type=int, nargs="+", default=[1, 5, 10], metavar="N")
    options = parser.parse_args()
    texts, questions = _read(options.data)
    random.Random(_SEED).shuffle(questions)
    asked = questions[: options.questions]
    settings = {"documents": len(texts), "questions": len(asked)}
    result = report.Report("retrieval/ab", settings, ())
    rows = []
    for name, versions in (("each document once", 1), ("in three versions", 1 + _VERSIONS)):
        with tempfile.TemporaryDirectory() as folder:
            _write(Path(folder), texts, versions)
            tools = QueryTools(Index.build(folder))
            rows += [_row(tools, asked, top_n, name) for top_n in options.top_n]
    columns = [
        report.Column("documents"),
        report.Column("top_n"),
        report.Column("full", "full: answers", ".1%"),
        report.Column("compressed", "compressed: answers", ".1%"),
        report.Column("only_full", "only full"),
        report.Column("only_compressed", "only compressed"),
        report.Column("full_tokens", "full: tokens", ",.0f"),
        report.Column("compressed_tokens", "compressed: tokens", ",.0f"),
    ]
    result.table(f"{len(asked)} questions over {len(texts)} documents", columns, rows)
    result.note(
        "The answer is contained where the results have an evidence text of the question's, white space and "
        "case apart. Versions differ in a first line that says which it is, as pages of manuals do."
    )
    result.finish(options.json)


def _read(folder: Path) -> tuple[list[str], list[dict[str, Any]]]:
    texts: list[str] = []
    questions: list[dict[str, Any]] = []
    for name in _SETS:
        for row in data.rows(folder, name):
            first = len(texts)
            texts += [document["text"] for document in row["documents"]]
            for query in row["queries"]:
                found = [one["text"] for one in query["evidence"] if one["text"].strip()]
                if found and first < len(texts):
                    questions.append({"query": query["query"], "answers": found})
    return texts, questions


def _write(folder: Path, texts: list[str], versions: int) -> None:
    for version in range(versions):
        place = folder / f"v{version}"
        place.mkdir()
        for row, text in enumerate(texts):
            head = f"Version of the {('first', 'second', 'third')[version]} edition.\n\n"
            (place / f"{row}.txt").write_text(head + text, encoding="utf-8")


def _row(tools: QueryTools, questions: list[dict[str, Any]], top_n: int, name: str) -> dict[str, Any]:
    found = compare(tools, questions, top_n=top_n)
    shares = ("full", "compressed", "full_tokens", "compressed_tokens")
    each = {kind: found[kind] / found["questions"] for kind in shares}
    return {**found, "documents": name, "top_n": top_n, **each}


if __name__ == "__main__":
    main()
