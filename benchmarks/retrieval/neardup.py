"""Near-duplicate chunks of a manual in three versions: which are merged, and which facts that would lose.

Examples:
    python -m benchmarks.retrieval.neardup --data DIR
    python -m benchmarks.retrieval.neardup --data DIR --model DIR2 --json neardup.json
"""

from __future__ import annotations

import importlib.util
import re
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from tersely.models.static import StaticEmbedder
from tersely.retrieval import compress_results

from benchmarks import data, report
from benchmarks.arguments import make_parser
from benchmarks.quality.dedup import Bools, Pair, System, neardup_sets, rates_of, section_pairs, systems

_ASKED = 0.95  # F1
_KINDS = ("copies", "near copies", "edited", "numbers differ", "other section")
_NUMBER = re.compile(r"\d[\w.]*")  # also of versions; marks around them are none of it


def main() -> None:
    """The command."""
    parser = make_parser(__doc__)
    parser.add_argument("--model", type=Path, metavar="DIR", help="a sentence model in ONNX")
    options = parser.parse_args()
    pairs = [_labelled(pair) for pair in section_pairs(options.data)]
    settings = {"pairs": len(pairs)}
    packages = ("semhash", "datasketch", "langchain-community", "onnxruntime")
    result = report.Report("retrieval/neardup", settings, packages)
    rows = [_row(system, threshold, pairs) for system, threshold in _compared(options.model)]
    columns = [report.Column("system"), report.Column("threshold", form=".2f")]
    columns += [report.Column(kind, f"{kind} ({_count(pairs, kind)})") for kind in _KINDS]
    columns += [report.Column(name, form=".3f") for name in ("precision", "recall", "f1")]
    result.table("Pairs of sections that are merged", columns, rows)
    result.note(
        "Duplicates are copies and near copies (character similarity .9 and more, no token with a digit "
        "differs): derived from the texts, not from people. Of the near copies, most differ in a URL, a "
        "path, an option or a line of code, and tersely keeps these apart on purpose. Edited pairs count "
        "neither way."
    )
    lost = _pooled(result, options.data)
    first = rows[0]
    result.targets += [
        report.Target("F1 of duplicates, compress_results", _ASKED, first["f1"], "", at_most=False),
        report.Target("merged although a number differs", 0, first["numbers differ"], "pairs", at_most=True),
        report.Target("numbers lost, all versions pooled", 0, lost, "merges", at_most=True),
    ]
    result.finish(options.json)


def _labelled(pair: Pair) -> Pair:
    return replace(pair, same=True) if pair.kind == "near copies" else pair


def _count(pairs: Sequence[Pair], kind: str) -> int:
    return sum(pair.kind == kind for pair in pairs)


def _compared(model: Path | None) -> list[tuple[System, float]]:
    found = [(System("compress_results", _results), 0.85)]
    for system in systems(model):
        found += [(system, threshold) for threshold in ((0.85, 0.95) if system.tunable else (0.85,))]
    if importlib.util.find_spec("langchain_community"):
        found.append((System("LangChain EmbeddingsRedundantFilter", _langchain), 0.95))
    return found


def _results(pairs: Sequence[Pair], threshold: float) -> Bools:
    merged = [
        compress_results([pair.a, pair.b], similarity_threshold=threshold).compression_stats.clusters_merged
        for pair in pairs
    ]
    return np.array(merged, dtype=np.bool_)


def _langchain(pairs: Sequence[Pair], threshold: float) -> Bools:
    from langchain_community.document_transformers import EmbeddingsRedundantFilter
    from langchain_core.documents import Document
    from langchain_core.embeddings import Embeddings

    static = StaticEmbedder()

    class Vectors(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            rows: list[list[float]] = static.embed(texts).tolist()
            return rows

        def embed_query(self, text: str) -> list[float]:
            return self.embed_documents([text])[0]

    keep = EmbeddingsRedundantFilter(embeddings=Vectors(), similarity_threshold=threshold)
    return np.array(
        [
            len(keep.transform_documents([Document(page_content=text) for text in (pair.a, pair.b)])) == 1
            for pair in pairs
        ]
    )


def _row(system: System, threshold: float, pairs: Sequence[Pair]) -> dict[str, Any]:
    merged = system.merged(pairs, threshold)
    kinds = np.array([pair.kind for pair in pairs])
    counts = {kind: int((merged & (kinds == kind)).sum()) for kind in _KINDS}
    return {"system": system.name, "threshold": threshold} | counts | rates_of(pairs, merged)


def _pooled(result: report.Report, folder: Path) -> int:
    """All chunks of all versions as the results of one search; returns the merges that lose a number."""
    rows = [row for name in neardup_sets(folder) for row in data.rows(folder, f"{name}_chunks")]
    texts = [row["text"] for row in rows]
    started = time.process_time()
    left = compress_results(texts, top_n=None)
    milliseconds = 1e3 * (time.process_time() - started)
    lost = [
        (gone, stays) for gone, stays in left.duplicates if _numbers(texts[gone]) != _numbers(texts[stays])
    ]
    other = [
        (gone, stays)
        for gone, stays in left.duplicates
        if any(rows[gone][name] != rows[stays][name] for name in ("page", "heading"))
    ]
    stats = left.compression_stats
    summary = {
        "chunks": stats.original_count,
        "left": stats.after_dedup,
        "merged": stats.clusters_merged,
        "numbers differ": len(lost),
        "other page or heading": len(other),
        "cpu": milliseconds,
    }
    columns = [report.Column(name) for name in summary if name != "cpu"]
    result.table(
        "All chunks of three versions at once", [*columns, report.Column("cpu", "CPU ms", ".0f")], [summary]
    )
    result.details["numbers lost"] = [[rows[row]["id"] for row in pair] for pair in lost]
    result.details["other page or heading"] = [[rows[row]["id"] for row in pair] for pair in other]
    return len(lost)


def _numbers(text: str) -> Counter[str]:
    return Counter(found.rstrip(".") for found in _NUMBER.findall(text))


if __name__ == "__main__":
    main()
