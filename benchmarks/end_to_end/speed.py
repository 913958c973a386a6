"""Long English text kept to 30%: time beside the peers, first call, growth, threads, small texts, cuts alone.

Examples:
    python -m benchmarks.end_to_end.speed --data DIR
    python -m benchmarks.end_to_end.speed --data DIR --full --json speed.json          also 10M tokens
    python -m benchmarks.end_to_end.speed --data DIR --parts calls,first --repeats 5   a quick look
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks import data, peers, tokens
from benchmarks.arguments import make_parser
from benchmarks.end_to_end import fresh, warm
from benchmarks.report import TIMES, Column, Report, Target

_SIZES = {
    10_000: (8, 5),
    100_000: (4, 3),
    1_000_000: (1, 3),
    10_000_000: (1, 2),
}  # tokens: texts, calls on each
_BATCH = 64


def main() -> None:
    """The command."""
    options = _arguments()
    documents = data.english_documents(options.data)
    settings = {"parts": list(options.parts), "repeats": options.repeats, "full": options.full}
    settings |= {"query": warm.QUERY, "ratio": warm.RATIO}
    result = Report("end_to_end/speed", settings, ("headroom-ai", "llmslim", "tiktoken"))
    for part in options.parts:
        _PARTS[part](result, documents, options)
    result.note("Every answer of tersely was checked: within the budget, nothing but the source, in order.")
    result.finish(options.json)


def _arguments() -> argparse.Namespace:
    parser = make_parser(__doc__)
    parser.add_argument("--full", action="store_true", help="growth up to 10M tokens instead of 1M")
    parser.add_argument("--repeats", type=int, default=30, help="rounds of the warm calls (default: 30)")
    parser.add_argument(
        "--parts",
        type=_chosen,
        default=tuple(_PARTS),
        metavar="A,B",
        help=f"which of {','.join(_PARTS)} (default: all)",
    )
    return parser.parse_args()


def _chosen(given: str) -> tuple[str, ...]:
    parts = tuple(given.split(","))
    if unknown := set(parts) - set(_PARTS):
        raise argparse.ArgumentTypeError(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(_PARTS)}")
    return parts


def _systems() -> list[peers.Compressor]:
    return [peers.tersely_compressor(), peers.textcrusher(), peers.llmslim()]


def _calls(result: Report, documents: list[str], options: argparse.Namespace) -> None:
    text = data.exact_texts(data.endless(documents), 10_000, 1)[0]
    columns = [
        *TIMES,
        Column("times", "x tersely", ".1f"),
        Column("tokens", form=","),
        Column("budget", form=","),
        Column("over", "over budget"),
    ]
    rows = warm.calls(text, _systems(), options.repeats)
    result.table(
        f"10,000 tokens to 30%, warm, medians of {options.repeats} interleaved rounds", columns, rows
    )
    result.note(f"llmslim counts tokens with: {peers.llmslim_counter()}.")


def _first(result: Report, documents: list[str], options: argparse.Namespace) -> None:
    text = data.exact_texts(data.endless(documents), 10_000, 1)[0]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text"
        path.write_bytes(text.encode())
        rows = fresh.first_calls(path, _systems(), repeats=7)
    columns = [Column("system"), Column("cpu", "CPU s", ".3f"), Column("cpu_min", "min", ".3f")]
    columns += [Column("tokens", form=","), Column("budget", form=",")]
    result.table("A fresh process: start, import, compress 10,000 tokens; medians of 7", columns, rows)
    result.targets.append(Target("import and first call, CPU", 0.3, rows[0]["cpu"], "s", at_most=True))


def _growth(result: Report, documents: list[str], options: argparse.Namespace) -> None:
    sizes = {size: plan for size, plan in _SIZES.items() if options.full or size <= 1_000_000}
    with tempfile.TemporaryDirectory() as folder:
        paths = {size: _write(Path(folder), documents, size, plan[0]) for size, plan in sizes.items()}
        rows = fresh.growth(paths, {size: plan[1] for size, plan in sizes.items()}, rounds=5)
    columns = [
        Column("tokens", form=","),
        Column("mb", "MB", ".2f"),
        Column("texts"),
        Column("calls"),
        Column("ms", "ms per 10K tokens", ".2f"),
        Column("ratio", "x fastest", ".2f"),
        Column("memory", "peak bytes per byte", ".1f"),
        Column("wide", "bytes per character in Python"),
    ]
    result.table("Growth; medians of 5 fresh processes each, in turn", columns, rows)
    held = sum(map(tokens.count, documents))
    result.note(
        f"The data has {held:,} tokens of distinct English text; larger texts go on with the same documents, "
        "each between a changed first and last line. Memory: the peak during the first call over what the "
        "process held before it with the text loaded, by byte of UTF-8."
    )
    flat, memory = (
        max(row["ratio"] for row in rows),
        max(row["memory"] for row in rows),
    )
    result.targets.append(Target("growth: slowest / fastest time per token", 1.3, flat, "x", at_most=True))
    result.targets.append(Target("growth: peak memory", 12, memory, "bytes per byte", at_most=True))


def _write(folder: Path, documents: list[str], size: int, how_many: int) -> list[Path]:
    paths = []
    for number, text in enumerate(data.exact_texts(data.endless(documents), size, how_many)):
        paths.append(folder / f"{size}-{number}")
        paths[-1].write_bytes(text.encode())
    return paths


def _batches(result: Report, documents: list[str], options: argparse.Namespace) -> None:
    rows = warm.batches(data.exact_texts(data.endless(documents), 10_000, _BATCH), repeats=5)
    columns = [Column("threads"), Column("ms", "wall ms", ".1f"), Column("ms_min", "min", ".1f")]
    columns += [Column("cpu", "CPU ms", ".1f"), Column("speedup", "speed-up", ".2f")]
    result.table(f"compress_batch, {_BATCH} distinct texts of 10,000 tokens, medians of 5", columns, rows)
    result.targets.append(Target("compress_batch on 2 threads", 1.7, rows[1]["speedup"], "x", at_most=False))


def _small(result: Report, documents: list[str], options: argparse.Namespace) -> None:
    rows = warm.small_calls(data.exact_texts(data.endless(documents), 100, 100), options.repeats)
    columns = [Column("query"), Column("each", "us of CPU a text, a call each", ".0f")]
    columns += [Column("each_min", "min", ".0f"), Column("together", "all in one call", ".0f")]
    columns += [Column("times", "times", ".1f")]
    result.table(f"100 texts of 100 tokens, medians of {options.repeats}", columns, rows)
    for row, asked in zip(rows, (120, 80), strict=True):
        name = f"100 tokens {row['query']} a query"
        result.targets.append(Target(name, asked, row["each"], "us of CPU", at_most=True))
        result.targets.append(Target(f"{name}, a call each / one call", 3, row["times"], "x", at_most=True))


def _segmentation(result: Report, documents: list[str], options: argparse.Namespace) -> None:
    texts = {
        "ASCII": "\n\n".join(text for text in documents if text.isascii()),
        "with non-ASCII": "\n\n".join(text for text in documents if not text.isascii()),
    }
    rows = warm.segmentation(texts, repeats=9)
    columns = [Column("text"), Column("mb", "MB", ".2f"), Column("segments", form=",")]
    columns += [Column("mb_per_s", "MB/s of CPU", ".0f"), Column("best", form=".0f")]
    result.table("tersely.segment alone, all English text, medians of 9", columns, rows)
    for row in rows:
        name = f"segmentation, {row['text']}"
        result.targets.append(Target(name, 150, row["mb_per_s"], "MB/s per core", at_most=False))


_PARTS: dict[str, Callable[[Report, list[str], argparse.Namespace], None]] = {
    "calls": _calls,
    "first": _first,
    "growth": _growth,
    "batch": _batches,
    "small": _small,
    "segmentation": _segmentation,
}

if __name__ == "__main__":
    main()
