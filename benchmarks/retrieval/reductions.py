"""B014: what each way to make search results smaller saves and costs, beside what was expected of it.

Examples:
    python -m benchmarks.retrieval.reductions --data DIR
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

from tersely.mcp.query_tools import QueryTools
from tersely.retrieval import ChunkResult, compress_results
from tersely.retrieval.results import ChunkSummarizer, previews

from benchmarks import report, tokens
from benchmarks.arguments import make_parser
from benchmarks.retrieval.in_memory import InMemory, manual_chunks

_QUERIES = 40
_POOL = 20
_WORDS = 60  # of a summary

#: Of the decision matrix in the specification of the tool: reduction, added latency.
_EXPECTED = {
    "score threshold .7": ("varies", "none"),
    "duplicates": ("20-50%", "+20 ms"),
    "both, top 5": ("", ""),
    "2,000 tokens": ("guaranteed", "none"),
    "2 sentences a chunk": ("30-60%", "+10 ms"),
    "model summaries (60 words)": ("50-80%", "+200 ms a chunk"),
    "previews": ("70-90% at first", "none"),
}


def main() -> None:
    """The command."""
    options = make_parser(__doc__).parse_args()
    chunks = manual_chunks(options.data)
    retriever = InMemory(chunks)
    headings = list(
        dict.fromkeys(chunk.header_path for chunk in chunks if len(chunk.header_path.split()) > 1)
    )
    queries = headings[:: max(len(headings) // _QUERIES, 1)][:_QUERIES]
    found = [retriever.search(query, _POOL) for query in queries]
    vectors = [retriever.vectors([one.chunk_id for one in results]) for results in found]
    result = report.Report("retrieval/reductions", {"queries": len(queries), "results": _POOL}, ())
    ways = _ways()
    rows = []
    for name, expected in _EXPECTED.items():
        pairs = list(zip(queries, found, vectors, strict=True))
        for query, results, x in pairs:
            ways[name](query, results, x)  # warm
        left, milliseconds = [], []
        for query, results, x in pairs:
            started = time.process_time()
            left.append(ways[name](query, results, x))
            milliseconds.append(1e3 * (time.process_time() - started))
        before = [sum(tokens.count(one.content) for one in results) for results in found]
        after = [sum(map(tokens.count, texts)) for texts in left]
        rows.append(
            {
                "way": name,
                "reduction": 1 - sum(after) / sum(before),
                "expected": expected[0],
                "ms": statistics.median(milliseconds),
                "latency": expected[1],
            }
        )
    columns = [
        report.Column("way"),
        report.Column("reduction", "tokens saved", ".0%"),
        report.Column("expected"),
        report.Column("ms", "CPU ms, median", ".2f"),
        report.Column("latency", "expected latency"),
    ]
    result.table(f"{len(queries)} searches of {_POOL} results in a manual of three versions", columns, rows)
    result.note(
        "Queries are headings of the manual. The summaries are of a stand-in that returns the first words "
        "at once: their share is set by the length that is asked for, their time is a model's own."
    )
    _tools(result, retriever, queries)
    result.finish(options.json)


def _ways() -> dict[str, Callable[[str, Sequence[ChunkResult], Any], Sequence[str]]]:
    summarizer = ChunkSummarizer(_first_words, cache=0)
    return {
        "score threshold .7": lambda _, results, x: (
            compress_results(results, min_score=0.7, similarity_threshold=1, top_n=None, vectors=x).texts
        ),
        "duplicates": lambda _, results, x: (
            compress_results(results, min_score=0, top_n=None, vectors=x).texts
        ),
        "both, top 5": lambda _, results, x: compress_results(results, vectors=x).texts,
        "2,000 tokens": lambda _, results, x: (
            compress_results(results, min_score=0, top_n=None, vectors=x, max_tokens=2000).texts
        ),
        "2 sentences a chunk": lambda query, results, x: (
            compress_results(
                results, query, min_score=0, top_n=None, vectors=x, max_sentences=2 * len(results)
            ).texts
        ),
        "model summaries (60 words)": lambda query, results, _: [
            summarizer.summarize(one, query, _WORDS).content for one in results
        ],
        "previews": lambda _, results, __: [one.preview for one in previews(results)],
    }


def _first_words(prompt: str) -> str:
    return " ".join(prompt.partition("\n\n")[2].split()[3 : 3 + _WORDS])


def _tools(result: report.Report, retriever: InMemory, queries: Sequence[str]) -> None:
    tools = QueryTools(retriever)
    rows = []
    for name, call, limits in (
        ("query_documents", tools.query_documents, {}),
        (
            "query_documents_compressed",
            tools.query_documents_compressed,
            {"min_score": 0.3, "similarity_threshold": 0.85},
        ),
    ):
        used, milliseconds, different = [], [], []
        for query in queries:
            arguments = {"query": query, "top_n": 20} | limits
            call(arguments)
            started = time.process_time()
            reply = call(arguments)
            milliseconds.append(1e3 * (time.process_time() - started))
            used.append(tokens.count(reply.text))
            texts = [" ".join(one["content"].split()) for one in reply.data["results"]]
            different.append(len(set(texts)))
        rows.append(
            {
                "tool": name,
                "tokens": statistics.mean(used),
                "different": statistics.mean(different),
                "ms": statistics.median(milliseconds),
            }
        )
    columns = [
        report.Column("tool"),
        report.Column("tokens", "tokens a reply", ",.0f"),
        report.Column("different", "different results", ".1f"),
        report.Column("ms", "CPU ms, median", ".2f"),
    ]
    result.table("The tools, top_n 20, search and answer included", columns, rows)


if __name__ == "__main__":
    main()
