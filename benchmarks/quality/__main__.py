"""Quality: what tersely and its peers keep of what matters, at the same budgets under the same tokenizer.

Examples:
    python -m benchmarks.quality --data DIR --unseen              the README's table
    python -m benchmarks.quality --data DIR
    python -m benchmarks.quality --data DIR --model DIR2 --cache DIR3 --json quality.json
    python -m benchmarks.quality --data DIR --half tuned --rows 20 --systems tersely,bm25 --parts evidence
    python -m benchmarks.quality --data DIR --own mine.py --systems tersely,bm25,mine
    python -m benchmarks.quality --data DIR --pruner MODEL --systems tersely,pruner --parts evidence,time
    python -m benchmarks.quality --data DIR --reference           the sample of the recorded numbers
    python -m benchmarks.quality --data DIR --parts reader-model --reader NAME --reader-url http://127.0.0.1:8000/v1
"""

from __future__ import annotations

import argparse
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import peers, tokens
from benchmarks.arguments import make_parser
from benchmarks.quality import answers, evidence, plot, reader_model, summaries, targets, warm
from benchmarks.quality.cache import Cache
from benchmarks.quality.halves import BOTH, HALVES, REPORTED
from benchmarks.quality.once import Ledger
from benchmarks.quality.own import cross_encoder_system, own_pruner, own_system
from benchmarks.quality.reader_model import ReaderModel
from benchmarks.quality.run import Runner
from benchmarks.quality.systems import HAND, OURS, PRUNED, System, pruned, systems
from benchmarks.quality.tasks import (
    ENCODING,
    RATIOS,
    TRAINING_SETS,
    Question,
    Task,
    at_ratios,
    questions,
    sampled,
    summary_tasks,
)
from benchmarks.quality.unseen import unseen_questions
from benchmarks.report import Report

_PARTS = ("evidence", "answers", "languages", "summaries", "time")
_READER = "reader-model"  # runs only where it is asked for: it needs a model

_PACKAGES = (*peers.TEXT, "sumy", "langchain-classic", "llama-index-core", "onnxruntime")


def main() -> None:
    """The command."""
    parser = _parser()
    options = parser.parse_args()
    if _READER in options.parts and not options.reader:
        parser.error(f"{_READER} needs --reader NAME, and --reader-url URL unless OpenAI serves it")
    ledger = Ledger()
    with_pruner = [] if options.pruner is None else [pruned(options.pruner, ledger)]
    filters = [] if options.cross_encoder is None else [options.cross_encoder]
    known = [*systems(options.model, ledger), *with_pruner, *filters, *options.own]
    chosen = _chosen(parser, known, options.systems)
    if options.outputs:
        options.outputs.mkdir(parents=True, exist_ok=True)
    cache = Cache(options.cache) if options.cache else None
    runner = Runner(chosen, ledger, cache, options.outputs)
    result = Report("quality", _settings(options, chosen), _PACKAGES)
    try:
        _measure(result, runner, options)
    finally:
        if cache:
            cache.close()
    result.note(
        f"{_sample(options)}. Tokens are {ENCODING}, counted by {tokens.COUNTED_BY}. A peer that raises "
        f"scores an empty text. llmslim counts tokens with: {peers.llmslim_counter()}. Every answer of "
        "tersely was checked: within the budget, nothing but the source, in order. Answers from the cache "
        "bring the time of their own run."
    )
    result.finish(options.json)


def _measure(result: Report, runner: Runner, options: argparse.Namespace) -> None:
    by_set = {} if options.unseen else questions(options.data)
    if options.sets and not options.unseen:
        by_set |= questions(options.data, TRAINING_SETS)
    sample = (
        unseen_questions(options.data, options.rows)
        if options.unseen
        else sampled(by_set, options.rows, options.half)
    )
    sample = [question for question in sample if question.set.startswith(options.sets or "")]
    tasks = list(at_ratios(sample, RATIOS))
    if {"evidence", "answers"} & set(options.parts):
        found = runner.answers(tasks, _scores(options), "evidence")
        rows = evidence.overall(result, runner.systems, found, _sample(options))
        evidence.by_set(result, runner.systems, found)
        evidence.gains(result, OURS, PRUNED, found, _sample(options))
        answers.tables(result, runner.systems, found, _sample(options))
        result.targets += () if options.unseen else targets.evidence_targets(found)
        result.details["evidence"] = [answer.row() for answer in found]
        if options.plot:
            plot.draw(options.plot, rows, _sample(options))
    if _READER in options.parts:
        _reader_model(result, runner, sample, options)
    if "languages" in options.parts:
        _languages(result, runner, by_set, options)
    if "summaries" in options.parts:
        _summaries(result, runner, options)
    if "time" in options.parts and tasks:
        _time(result, runner, tasks)


def _scores(options: argparse.Namespace) -> Callable[[str, Task], dict[str, float]]:
    """Evidence that is kept, and answers where they are asked for."""
    if "answers" not in options.parts:
        return evidence.score
    return lambda text, task: evidence.score(text, task) | answers.score(text, task)


def _reader_model(
    result: Report, runner: Runner, sample: list[Question], options: argparse.Namespace
) -> None:
    """What a language model answers from each system's text at one ratio."""
    reader = ReaderModel.of(options.reader, options.reader_url, options.replies, options.price)
    tasks = [task for task in at_ratios(sample, (evidence.SHOWN,)) if reader_model.asked(task)]
    found = runner.answers(tasks, reader.score, _READER)
    reader_model.table(result, reader, runner.systems, found, _sample(options))
    result.details[_READER] = [answer.row() for answer in found]


def _languages(
    result: Report, runner: Runner, by_set: dict[str, list[Question]], options: argparse.Namespace
) -> None:
    """All questions of the sets in several languages, also those that are not in the sample."""
    several = {name: found for name, found in by_set.items() if any(one.language for one in found)}
    tasks = list(at_ratios(sampled(several, options.language_rows, options.half), (evidence.SHOWN,)))
    if tasks:
        found = runner.answers(tasks, evidence.score, "languages")
        evidence.by_language(result, runner.systems, found, _half(options))
        result.targets += targets.language_targets(found)
        result.details["languages"] = [answer.row() for answer in found]


def _summaries(result: Report, runner: Runner, options: argparse.Namespace) -> None:
    tasks = list(summary_tasks(options.data, options.rows, options.half, evidence.SHOWN))
    if not tasks:
        return
    without = [system for system in runner.systems if not system.needs_query]
    found = Runner(without, runner.ledger, runner.cache, runner.outputs).answers(
        tasks, summaries.score, "summaries"
    )
    summaries.by_set(result, without, found, evidence.SHOWN, _sample(options))
    result.details["summaries"] = [answer.row() for answer in found]


def _time(result: Report, runner: Runner, tasks: list[Task]) -> None:
    present = [system for system in runner.systems if system.run is not None and system.name != HAND]
    rows = warm.rows(present, tasks, runner.ledger)
    result.table(f"{warm.TEXTS} texts of {warm.TOKENS:,} tokens with a query", warm.COLUMNS, rows)
    for row in rows:
        if isinstance(row["cpu"], float):
            result.targets += targets.time_target(row["system"], row["cpu"])


def _parser() -> argparse.ArgumentParser:
    parser = make_parser(__doc__)
    parser.add_argument("--rows", type=int, default=60, help="questions or texts of each set (default: 60)")
    parser.add_argument(
        "--half", choices=HALVES, default=REPORTED, help=f"which half of the documents (default: {REPORTED})"
    )
    parser.add_argument(
        "--reference",
        dest="half",
        action="store_const",
        const=BOTH,
        help="both halves in one shuffle: with --rows 60 the sample of the recorded numbers",
    )
    parser.add_argument(
        "--unseen",
        action="store_true",
        help="the sets that nothing was fitted or tuned on, instead of the development data",
    )
    parser.add_argument(
        "--language-rows", type=int, metavar="N", help="questions for the table by language (default: all)"
    )
    parser.add_argument("--systems", metavar="A,B", help="which of them, by key (default: all)")
    parser.add_argument(
        "--own",
        action="append",
        type=_from_file(own_system),
        default=[],
        metavar="FILE",
        help="a system of your own: a file with compress(documents, query, budget); repeatable",
    )
    parser.add_argument(
        "--pruner",
        type=_from_file(own_pruner),
        metavar="MODEL",
        help='adds the system "pruner", tersely with this second stage, and what it gains, by set: an ONNX '
        "model (extra onnx), or a file with prune(query, segments)",
    )
    parser.add_argument(
        "--cross-encoder",
        type=_from_file(cross_encoder_system),
        metavar="MODEL",
        help='adds the system "cross-encoder", a filter of sentences: an ONNX model of pairs (extra onnx)',
    )
    parser.add_argument(
        "--sets",
        type=lambda given: tuple(given.split(",")),
        metavar="A,B",
        help="sets whose names begin so, the families for fitting too (train_); default: all but those",
    )
    parser.add_argument(
        "--parts",
        default=_PARTS,
        type=_parts,
        metavar="A,B",
        help=f"of {','.join(_PARTS)} (default: these) and {_READER}",
    )
    parser.add_argument(
        "--reader", metavar="NAME", help=f"{_READER}: the language model (extra openai); key: OPENAI_API_KEY"
    )
    parser.add_argument(
        "--reader-url", metavar="URL", help=f"{_READER}: the server, as OpenAI's (default: OpenAI's own)"
    )
    parser.add_argument(
        "--replies",
        type=Path,
        metavar="FILE",
        help=f"{_READER}: keeps the replies, so that a second run asks nothing",
    )
    parser.add_argument(
        "--price", type=float, default=0.0, metavar="USD", help=f"{_READER}: of a million tokens of prompts"
    )
    parser.add_argument(
        "--model", type=Path, metavar="DIR", help="model.onnx or model_int8.onnx, and tokenizer.json"
    )
    parser.add_argument("--cache", type=Path, metavar="DIR", help="keeps the answers of the slow peers")
    parser.add_argument(
        "--plot", type=_plot_file, metavar="FILE", help="evidence against budget (.png or .svg)"
    )
    parser.add_argument("--outputs", type=Path, metavar="DIR", help="every task and text, JSON lines")
    return parser


def _parts(given: str) -> tuple[str, ...]:
    parts = tuple(given.split(","))
    known = (*_PARTS, _READER)
    if unknown := set(parts) - set(known):
        raise argparse.ArgumentTypeError(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(known)}")
    return parts


def _from_file(make: Callable[[Path], Any]) -> Callable[[str], Any]:
    """The type of an option: what `make` makes of a file."""

    def made(given: str) -> Any:
        try:
            return make(Path(given))
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return made


def _plot_file(given: str) -> Path:
    if importlib.util.find_spec("matplotlib") is None:
        raise argparse.ArgumentTypeError("the plot needs matplotlib: pip install -r benchmarks/peers.txt")
    return Path(given)


def _chosen(parser: argparse.ArgumentParser, known: list[System], given: str | None) -> list[System]:
    if given is None:
        return known
    keys = given.split(",")
    if unknown := set(keys) - {system.key for system in known}:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(one.key for one in known)}")
    return [system for system in known if system.key in keys]


def _sample(options: argparse.Namespace) -> str:
    return f"{options.rows} rows a set, {'never fitted on' if options.unseen else _half(options)}"


def _half(options: argparse.Namespace) -> str:
    return "both halves" if options.half == BOTH else f"the {options.half} half"


def _settings(options: argparse.Namespace, chosen: list[System]) -> dict[str, object]:
    return {
        "rows": options.rows,
        "half": options.half,
        "parts": list(options.parts),
        "systems": {system.name: system.version for system in chosen if system.run is not None},
    }


if __name__ == "__main__":
    main()
