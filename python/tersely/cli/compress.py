"""`tersely compress`: fit files into a token budget."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import tersely
from tersely.cli.arguments import Commands, add_command, add_counter, add_level, utf8_text
from tersely.cli.files import read_files, show_progress, write
from tersely.cli.store import add_store, keep_in_store
from tersely.content.detect import detect
from tersely.content.log_file import compress_file
from tersely.content.registry import CONTENT_TYPES
from tersely.core.protocols import Strategy
from tersely.core.tables import Level
from tersely.core.types import Receipt
from tersely.engine.auto import Auto
from tersely.engine.extractive import Extractive
from tersely.engine.facts import PRESERVABLE
from tersely.engine.strategies import STRATEGIES

__all__ = ["FILES", "LARGE", "add_compress", "run_compress"]

FILES = "UTF-8 text; - or nothing: standard input"
LARGE = 64 << 20  # bytes from which a log is read in chunks
_HEAD = 1 << 16  # bytes that say whether it is one
_WRITING = ("abstractive", "hybrid")  # strategies in which a model writes
_FACTS_SHOWN = 10  # of those that were lost

_EXAMPLES = """examples:
  tersely compress report.md --query "Who approved the budget?" --budget 800
  tersely compress report.md --budget 800 --strategy hybrid --model gpt-4o-mini
  cat build.log | tersely compress - --ratio 0.2
  tersely compress app.log --query "payment timeout" --budget 800 --store notes.sqlite
  tersely compress docs/*.md --query "retry policy" --budget 2000 --json > result.json
"""


def add_compress(commands: Commands) -> None:
    """Add the subcommand: files, query, budget, strategy, what must stay, where the output goes."""
    parser = add_command(commands, "compress", "fit files into a token budget", _EXAMPLES)
    parser.add_argument("files", nargs="*", metavar="FILE", help=FILES)
    parser.add_argument(
        "-q", "--query", type=utf8_text, help="what the reader will ask; without it: what matters in general"
    )
    parser.add_argument("-b", "--budget", type=int, metavar="N", help="tokens allowed for the output")
    parser.add_argument(
        "-r", "--ratio", type=float, default=0.3, metavar="R", help="share kept if there is no budget (0.3)"
    )
    add_counter(parser)
    parser.add_argument(
        "--separator",
        type=utf8_text,
        default=r"\n\n",
        help=r"between pieces that do not touch; \n and \t are understood (\n\n)",
    )
    _add_strategy(parser)
    parser.add_argument(
        "--pin",
        action="append",
        type=utf8_text,
        default=[],
        metavar="TEXT",
        help="keep every segment that holds TEXT (repeatable)",
    )
    parser.add_argument("--json", action="store_true", help="print text, spans and receipt as JSON")
    parser.add_argument("-o", "--output", metavar="FILE", help="write there instead of to stdout")
    add_store(parser)
    parser.add_argument("--report", metavar="FILE", help="also write a web page: what was kept, and why")


def _add_strategy(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that say how to compress, and which model writes."""
    parser.add_argument(
        "--strategy",
        choices=["auto", *STRATEGIES],
        default="auto",
        help="how to compress (auto: each file as what it is)",
    )
    parser.add_argument(
        "--as",
        choices=list(CONTENT_TYPES),
        dest="as_type",
        metavar="TYPE",
        help=f"take each file for this, whatever it looks like: {', '.join(CONTENT_TYPES)}",
    )
    add_level(parser)
    parser.add_argument(
        "--context", type=int, default=0, metavar="N", help="neighbours kept beside each selected segment"
    )
    parser.add_argument("--headings", action="store_true", help="keep the headings above what is kept")
    parser.add_argument(
        "--preserve", default="", metavar="NAMES", help=f"facts to keep first: {','.join(PRESERVABLE)}"
    )
    parser.add_argument(
        "--model",
        metavar="NAME",
        help="model that writes the text, for --strategy hybrid or abstractive; the key is read from "
        "OPENAI_API_KEY",
    )
    parser.add_argument(
        "--base-url", metavar="URL", help="server of the model, OpenAI-compatible (OPENAI_BASE_URL)"
    )


def run_compress(arguments: argparse.Namespace) -> None:
    """Compress the files; text goes to the output, notes to stderr."""
    strategy, extractive = _choose_strategy(arguments)
    if _is_large_log(arguments):
        text, receipt = _compress_large(arguments)
        write(
            json.dumps(receipt, ensure_ascii=False, indent=2) + "\n" if arguments.json else text,
            arguments.output,
        )
        return
    documents = read_files(arguments.files)
    strategy = _with_model(strategy, arguments, extractive)
    result = tersely.compress(
        documents,
        arguments.query,
        budget=arguments.budget,
        ratio=arguments.ratio,
        counter=arguments.counter,
        strategy=strategy,
        pinned=arguments.pin,
        separator=arguments.separator.replace("\\n", "\n").replace("\\t", "\t"),
    )
    if arguments.store is not None:
        keep_in_store(result, arguments.store)
    if arguments.json:
        names = [document.id for document in documents]
        write(
            json.dumps({"documents": names, **result.to_dict()}, ensure_ascii=False, indent=2) + "\n",
            arguments.output,
        )
    else:
        write(result.text, arguments.output)
    if arguments.report is not None:
        from tersely.report import to_html

        write(to_html(result, arguments.query), arguments.report)
    _note_receipt(result.receipt)
    if sys.stderr.isatty():
        if types := ", ".join(dict.fromkeys(result.receipt.content_types)):
            print(f"tersely: read as {types}", file=sys.stderr)
        kept = f"{result.tokens} of {result.original_tokens} tokens ({result.ratio:.0%})"
        print(
            f"tersely: kept {kept}, {len(result.kept)} of {result.receipt.segments} segments", file=sys.stderr
        )


def _choose_strategy(arguments: argparse.Namespace) -> tuple[Strategy, Extractive]:
    """Return the strategy, and the extractive one with the options that were given.

    Raises ValueError for --as beside a named strategy.
    """
    auto = arguments.strategy == "auto"
    if arguments.as_type is not None and not auto:
        raise ValueError(f"--as goes with --strategy auto, not with {arguments.strategy}")
    strategy = Extractive() if auto else STRATEGIES[arguments.strategy]()
    extractive = replace(
        strategy if isinstance(strategy, Extractive) else Extractive(),
        level=Level[arguments.level.upper()],
        context=arguments.context,
        preserve_structure=arguments.headings,
        preserve=tuple(name for name in arguments.preserve.split(",") if name),
    )
    if auto:
        return Auto(as_type=arguments.as_type, text=extractive), extractive
    return extractive if isinstance(strategy, Extractive) else strategy, extractive


def _with_model(strategy: Strategy, arguments: argparse.Namespace, extractive: Extractive) -> Strategy:
    """Give the strategy the model that the arguments name; `extractive` is what it falls back to.

    Raises ValueError where they do not go together, or the openai package is missing or refuses them.
    """
    if arguments.strategy not in _WRITING:
        if arguments.model or arguments.base_url:
            raise ValueError(f"--model and --base-url need --strategy {' or '.join(_WRITING)}")
        return strategy
    if arguments.base_url and not arguments.model:
        raise ValueError("--base-url needs --model")
    model = None
    if arguments.model:
        from tersely.providers.openai import language_model_from_environment

        model = language_model_from_environment(arguments.model, arguments.base_url)
    options = {"preserve": extractive.preserve} if extractive.preserve else {}
    return replace(strategy, model=model, fallback=True, extractive=extractive, **options)  # type: ignore[type-var]


def _is_large_log(arguments: argparse.Namespace) -> bool:
    """Say whether the only file is a large log, to fit a budget, and no option needs its whole text."""
    whole = arguments.pin or arguments.report or arguments.store
    if whole or arguments.strategy != "auto" or arguments.budget is None:
        return False
    if len(arguments.files) != 1 or arguments.as_type not in (None, "log"):
        return False
    path = Path(arguments.files[0])
    if not path.is_file() or path.stat().st_size < LARGE:
        return False
    if arguments.as_type == "log":
        return True
    with path.open("rb") as file:
        return detect(file.read(_HEAD).decode("utf-8", errors="replace")).kind == "log"


def _compress_large(arguments: argparse.Namespace) -> tuple[str, dict[str, Any]]:
    """Compress a log in chunks, without holding it in memory: the text, and a report of all else."""
    path = Path(arguments.files[0])
    size = path.stat().st_size
    with show_progress() as show:
        digest = compress_file(
            path,
            arguments.query,
            budget=arguments.budget,
            counter=arguments.counter,
            progress=None if show is None else lambda read: show("reading", read, size),
        )
    for warning in digest.warnings:
        print(f"tersely: note: {warning.replace('_', ' ')}", file=sys.stderr)
    if sys.stderr.isatty():
        read = f"{digest.lines:,} lines, {digest.templates:,} kinds of lines"
        print(f"tersely: kept {digest.tokens} tokens of {read}", file=sys.stderr)
    return digest.text, {"documents": [str(path)], **asdict(digest)}


def _note_receipt(receipt: Receipt) -> None:
    """Print a line for each warning, for a model that did not write, and for the first facts lost."""
    reason = receipt.fallback_reason
    if reason == "no_model":
        _note("no --model, so the text is extractive")
    elif reason is not None:
        _note(f"{reason.replace('_', ' ')}, so the text is extractive")
    for warning in receipt.warnings:
        _note(warning.replace("_", " "))
    lost = [] if receipt.facts is None else receipt.facts.of("lost")
    for fact in lost[:_FACTS_SHOWN]:
        _note(f"lost {fact.kind.name.lower().replace('_', ' ')}: {' '.join(fact.text.split())[:70]}")
    if len(lost) > _FACTS_SHOWN:
        _note(f"{len(lost) - _FACTS_SHOWN} more facts were lost; --json has them all")


def _note(text: str) -> None:
    print(f"tersely: note: {text}", file=sys.stderr)
