"""Incremental updates: evidence kept after many edits beside a fresh compression, and the time of one edit.

Examples:
    python -m benchmarks.strategies.incremental --data DIR
    python -m benchmarks.strategies.incremental --data DIR --rows 10 --edits 20 --json incremental.json
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from itertools import pairwise
from statistics import mean, median
from typing import Any

import tersely
from tersely.engine.incremental import compute_diff
from tersely.strategies import CompressionOptions, IncrementalCompressor

from benchmarks import data, tokens
from benchmarks.arguments import make_parser
from benchmarks.quality.bootstrap import interval, mean_over_sets
from benchmarks.quality.evidence_metric import evidence_shares
from benchmarks.quality.halves import BOTH
from benchmarks.quality.tasks import Question, Task, at_ratios, questions, sampled
from benchmarks.report import Column, Report

_SEED = 7
_TOKENS = 10_000
_TEXTS = 8
_ROUNDS = 30


def main() -> None:
    """The command."""
    parser = make_parser(__doc__)
    parser.add_argument("--rows", type=int, default=15, help="questions a set")
    parser.add_argument("--edits", type=int, default=20, help="edits a text")
    parser.add_argument("--ratio", type=float, default=0.2, help="share of the tokens kept")
    options = parser.parse_args()
    settings = {"rows": options.rows, "edits": options.edits, "ratio": options.ratio}
    result = Report("strategies.incremental", settings, ())
    by_set = questions(options.data)
    _quality(result, by_set, sampled(by_set, options.rows, BOTH), options.edits, options.ratio)
    _time(
        result,
        data.exact_texts(data.endless(data.english_documents(options.data, data.LONG)), _TOKENS, _TEXTS),
    )
    result.finish(options.json)


def _quality(
    result: Report, by_set: dict[str, list[Question]], chosen: list[Question], edits: int, ratio: float
) -> None:
    generator = random.Random(_SEED)
    found: dict[str, list[dict[str, float]]] = {}
    for question, task in zip(chosen, at_ratios(chosen, (ratio,)), strict=True):
        others = [one.row["documents"] for one in generator.sample(by_set[question.set], 3)]
        texts = [*task.documents, *(document["text"] for more in others for document in more)]
        content = "\n".join(dict.fromkeys("\n".join(texts).split("\n")))
        found.setdefault(task.set, []).append(_after_edits(content, task, edits, ratio, generator))
    names = ("incremental", "fresh", "ways", "prefix", "read")
    rows: list[dict[str, Any]] = [
        {"set": name, "n": len(some)} | {key: mean(one[key] for one in some) for key in names}
        for name, some in found.items()
    ]
    mean_row = {"set": "mean", "n": sum(map(len, found.values()))}
    rows.append(mean_row | {key: mean(row[key] for row in rows) for key in names})
    columns = [
        Column("set"),
        Column("n"),
        Column("incremental", "after edits", ".3f"),
        Column("fresh", "fresh", ".3f"),
        Column("ways", "incremental", ".2f"),
        Column("prefix", "prefix kept", ".2f"),
        Column("read", "read", ".3f"),
    ]
    result.table(
        f"Evidence kept at {ratio:.0%} after {edits} edits, and of the final text alone", columns, rows
    )
    differences = [[one["incremental"] - one["fresh"] for one in some] for some in found.values()]
    low, high = interval(differences)
    result.note(
        f"Difference {mean_over_sets(differences):+.4f}, 95% interval [{low:+.4f}, {high:+.4f}]. "
        "incremental: share of updates that were; prefix kept: share of the compressed tokens before the "
        "first difference, read: share of the source read again, means of the incremental updates."
    )


def _after_edits(
    content: str, task: Task, edits: int, ratio: float, generator: random.Random
) -> dict[str, float]:
    """Sentences are missing or worded otherwise at first; edit by edit, the text becomes `content`."""
    spans = [(start, end) for _, start, end, _ in tersely.segment(content)]
    chosen = sorted(generator.sample(spans, min(edits, len(spans))))
    before = [generator.choice(["", "To be written.", content[start:end][::-1]]) for start, end in chosen]
    order = generator.sample(range(len(chosen)), len(chosen))
    options = CompressionOptions(target_ratio=ratio, min_tokens=0, query_context=task.query or "")
    compressor = IncrementalCompressor(options=options)
    compressor.update("text", _version(content, chosen, before, set()))
    updates = []
    for number in range(len(order)):
        text = _version(content, chosen, before, set(order[: number + 1]))
        compressed = compressor.update("text", text)
        assert compressed.token_count == tokens.count(compressed.compressed)
        assert compressed.token_count <= options.target(tokens.count(text))
        updates.append((compressed.update, compressed.token_count))
    assert text == content
    alone = IncrementalCompressor(options=options).update("text", content)
    small = [(update, size) for update, size in updates if update is not None and update.way == "incremental"]
    return {
        "incremental": evidence_shares(compressed.compressed, task)[0],
        "fresh": evidence_shares(alone.compressed, task)[0],
        "ways": len(small) / len(updates),
        "prefix": mean([update.prefix_tokens_kept / size for update, size in small] or [0.0]),
        "read": mean([update.recompressed for update, _ in small] or [0.0]),
    }


def _version(content: str, spans: list[tuple[int, int]], before: list[str], done: set[int]) -> str:
    parts, at = [], 0
    for number, (start, end) in enumerate(spans):
        parts += [content[at:start], content[start:end] if number in done else before[number]]
        at = end
    return "".join([*parts, content[at:]])


def _time(result: Report, texts: list[str]) -> None:
    """CPU time of one edit of a line, of the diff alone, and of compressing the text afresh."""
    rows = []
    for query in ("", "What was found, and who is responsible for it?"):
        options = CompressionOptions(query_context=query)
        measured: dict[str, list[float]] = {"diff": [], "update": [], "fresh": []}
        shares = []
        for number, text in enumerate(texts):
            lines = text.split("\n")
            at = next(i for i in range(len(lines) // (number + 2), len(lines)) if 20 < len(lines[i]) < 1000)
            lines[at] += " It was paid on Friday."
            versions = [text, "\n".join(lines)]
            compressor = IncrementalCompressor(options=options)
            compressor.update("text", text)
            changes = list(pairwise(versions * _ROUNDS))
            measured["diff"].append(_least(compute_diff, changes))
            named = [("text", new) for _, new in changes]
            measured["update"].append(_least(compressor.update, named))
            fresh = [(f"{i}", versions[i % 2]) for i in range(_ROUNDS)]
            measured["fresh"].append(_least(compressor.update, fresh))
            update = compressor.update("text", versions[0]).update
            assert update is not None
            shares.append(update.recompressed)
        row = {name: median(times) * 1000 for name, times in measured.items()}
        beyond = median(a - b for a, b in zip(measured["update"], measured["diff"], strict=True)) * 1000
        rows.append({"query": "yes" if query else "no", **row, "beyond": beyond, "read": mean(shares)})
    columns = [
        Column("query"),
        Column("diff", "diff ms", ".3f"),
        Column("update", "update ms", ".3f"),
        Column("beyond", "beyond the diff ms", ".3f"),
        Column("fresh", "fresh ms", ".3f"),
        Column("read", "read", ".4f"),
    ]
    result.table(f"One line of {_TOKENS:,} tokens edited: CPU, least of {_ROUNDS}, medians", columns, rows)
    result.note("With everything in the result: counts of source and text, spans, receipt, metadata.")


def _least(call: Callable[[str, str], object], given: list[tuple[str, str]]) -> float:
    times = []
    for one, other in given:
        begun = time.process_time_ns()
        call(one, other)
        times.append((time.process_time_ns() - begun) / 1e9)
    return min(times)


if __name__ == "__main__":
    main()
