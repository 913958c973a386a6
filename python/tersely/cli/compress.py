"""`tersely compress`: fit files into a token budget; `segment` and `count`: their segments and tokens."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import tersely
from tersely.cli.arguments import (
    FILES,
    OUTPUT,
    QUIET,
    Commands,
    add_command,
    add_counter,
    add_encoding,
    add_level,
)
from tersely.cli.files import read_files
from tersely.cli.loading import model_of, onnx_pruner
from tersely.cli.store import keep_in_store
from tersely.cli.terminal import note_warnings, say, show_progress, show_waiting, write, write_json
from tersely.errors import BudgetExceededError
from tersely.models.counters import resolve_counter
from tersely.protocols import Strategy
from tersely.text import CHARACTERS_REPLACED, clipped, json_bytes, percent
from tersely.types import (
    MODEL_NOT_USED,
    PRESERVABLE,
    Compressed,
    ContentTypeName,
    Document,
    Frame,
    Kind,
    Level,
    Receipt,
    StrategyName,
)

if TYPE_CHECKING:
    from tersely.engine.strategies import Extractive

LARGE = 64 << 20  # bytes from which a log is read in chunks
_HEAD = 1 << 16  # bytes that say whether it is one
_WRITING = ("abstractive", "hybrid")  # strategies in which a model writes
_PRUNED = ("auto", "extractive")  # those in which a model may read the best half
_NAMES_SHOWN = 3  # of documents
_FACTS_SHOWN = 10  # of those that were lost

_EXAMPLES = """examples:
  tersely compress report.md --query "Who approved the budget?" --budget 800
  tersely compress report.md --budget 800 --strategy hybrid --model gpt-4o-mini
  tersely compress report.md --budget 400 --report page.html
  cat build.log | tersely compress - --ratio 0.2
  tersely compress app.log --query "payment timeout" --budget 800 --store notes.sqlite
  tersely compress docs/*.md --query "retry policy" --budget 2000 --json > result.json
"""


class _ContentTypes(tuple[str, ...]):
    """The names of our content types; those that installed packages register are choices, too."""

    def __contains__(self, name: object) -> bool:
        if super().__contains__(name):
            return True
        from tersely.content.registry import CONTENT_TYPES

        return name in CONTENT_TYPES


def add_compress(commands: Commands) -> None:
    """Add the subcommand: files, query, budget, strategy, what must stay, where the output goes."""
    strategies, types = ["auto", *get_args(StrategyName)], _ContentTypes(get_args(ContentTypeName))
    parser = add_command(commands, "compress", "fit files into a token budget", _EXAMPLES)
    parser.flag(*FILES, nargs="*")
    parser.flag("-q --query QUERY", "the question; without it, what is central to the text is kept")
    size = parser.add_mutually_exclusive_group()
    parser.flag("-b --budget N", "tokens allowed for the output", size)
    parser.flag("-r --ratio R", "share of the tokens that is kept (0.3)", size)
    add_counter(parser)
    text = r"between pieces that do not touch; \n and \t are understood (\n\n)"
    parser.flag("--separator SEPARATOR", text, default=r"\n\n")
    text = "how to compress (auto: each file by its content type)"
    parser.flag("--strategy", text, choices=strategies, default="auto")
    text = f"read each file as this type: {', '.join(types)}"
    parser.flag("--as TYPE", text, choices=types, dest="as_type")
    add_level(parser)
    parser.flag("--context N", "neighbours kept beside each selected segment", default=0)
    parser.flag("--headings", "keep the headings above what is kept")
    parser.flag("--preserve NAMES", f"facts to keep first: {', '.join(PRESERVABLE)}", default="")
    text = "ONNX model that reads the best half with the query, and says what to keep (extra onnx)"
    parser.flag("--pruner PATH", text, type=onnx_pruner)
    text = "model that writes the text, for --strategy hybrid or abstractive; the key is read from "
    parser.flag("--model NAME", text + "OPENAI_API_KEY")
    parser.flag("--base-url URL", "server of the model, OpenAI-compatible (OPENAI_BASE_URL)")
    parser.flag("--pin TEXT...", "keep every segment that holds TEXT (repeatable)", dest="pinned")
    add_encoding(parser)
    parser.flag("--json", "print text, spans and receipt as JSON")
    text = "print no file names above the texts of several files"
    parser.flag("--no-labels", text, dest="labels", action="store_false")
    parser.flag(*QUIET)
    parser.flag(*OUTPUT)
    parser.flag("--store FILE", "keep the originals there, and print the id for `expand` on stderr")
    parser.flag("--report FILE", "also write a web page: what was kept, and why")


def run_compress(arguments: argparse.Namespace) -> None:
    """Compress the files; text goes to the output, notes to stderr."""
    strategy, extractive = _choose_strategy(arguments)
    if _is_large_log(arguments):
        text, receipt = _compress_large(arguments)
        if arguments.json:
            write_json(receipt, arguments.output)
        else:
            write(text, arguments.output)
        return
    for name in arguments.files[1:]:
        if " " in name and not Path(name).exists():
            raise ValueError(f"there is no file {name!r}; a question goes after --query")
    documents = read_files(arguments.files, arguments.encoding)
    strategy = _with_model(strategy, arguments, extractive)
    characters = sum(len(document.text) for document in documents)
    with show_waiting(f"compressing {characters:,} characters"):
        result, text = _compress(documents, strategy, arguments)
    stored = {} if arguments.store is None else {"id": keep_in_store(result, arguments.store)}
    if arguments.json:
        told = {"documents": [document.id for document in documents], **stored, **result.to_dict()}
        told["places"] = result.places
        write_json(told, arguments.output)
    else:
        ends = arguments.output is not None or not text or text.endswith("\n")
        write(text if ends else text + "\n", arguments.output)
    if arguments.report is not None:
        from tersely.report import to_html

        write(to_html(result, arguments.query), arguments.report)
    _note_receipt(result.receipt)
    if not characters:
        _note("the input is empty")
    if not arguments.quiet and (sys.stderr.isatty() or not arguments.json):
        _say_what_was_done(result, arguments.started)


def _compress(
    documents: Sequence[Document], strategy: Strategy, arguments: argparse.Namespace
) -> tuple[Compressed, str]:
    """Compress the documents: the result, and the text to write.

    Above each of several stands a counted line "==> name <==", if there is room for one and a piece below it,
    and the strategy leaves the fitting to the engine.
    """
    from tersely.engine.api import compress_in
    from tersely.engine.strategies import Auto, Extractive

    separator = arguments.separator.replace("\\n", "\n").replace("\\t", "\t")
    options: dict[str, Any] = {
        "budget": arguments.budget,
        "ratio": arguments.ratio,
        "counter": arguments.counter,
        "strategy": strategy,
        "pinned": arguments.pinned,
        "separator": separator,
    }
    labels = len(documents) > 1 and arguments.labels and not arguments.json
    if labels and isinstance(strategy, (Auto, Extractive)):
        frame = Frame(headings=tuple([f"==> {document.id} <==\n" for document in documents]))
        with suppress(BudgetExceededError):
            result = compress_in(frame, documents, arguments.query, **options)
            return result, frame.texts(result.parts, separator)[0]
    result = tersely.compress(documents, arguments.query, **options)
    return result, result.text


def _say_what_was_done(result: Compressed, started: float) -> None:
    """Print a line: tokens before and after, budget, time, shares kept."""
    receipt, before = result.receipt, result.original_tokens
    kept = sum(count for reason, count in receipt.reasons.items() if reason.startswith("kept"))
    types = ", ".join(dict.fromkeys(receipt.content_types))
    estimate = f"; tokens of {receipt.counter}" if "an estimate" in receipt.counter else ""
    seconds = time.perf_counter() - started
    took = (f"{seconds:.1f} s" if seconds >= 1 else f"{1000 * seconds:.0f} ms") + ", loading included"
    say(
        f"{before:,} tokens to {result.tokens:,} ({percent(result.ratio)}; budget {receipt.budget:,}) "
        f"in {took}: {kept:,} of {receipt.segments:,} segments kept{f', read as {types}' if types else ''}"
        f"{_unmarked(result, kept)}{estimate}"
    )


def _unmarked(result: Compressed, kept: int) -> str:
    """Warn about dropped documents, and about gaps without a mark; `kept`: how many segments stand."""
    if len(result.documents) == 1:  # millions of spans are not made for it
        lost = {0} if kept < result.receipt.segments else set()
    else:
        lost = {span.document for span in result.dropped}
    at = 0
    gone: list[str] = []
    quiet: list[str] = []
    for index, part in enumerate(result.parts):
        start = result.text.index(part, at)
        at = start + len(part)
        if index in lost and not any(start <= place < at for place, _ in result.generated):
            (quiet if part else gone).append(result.documents[index].id or str(index))
    if len(result.documents) == 1:
        return "; gaps are not marked" if quiet else ""
    told = (("nothing left of", gone), ("gaps not marked in", quiet))
    return "".join(f"; {words} {_named(names)}" for words, names in told if names)


def _named(names: Sequence[str]) -> str:
    more = len(names) - _NAMES_SHOWN
    return ", ".join(names[:_NAMES_SHOWN]) + (f" and {more:,} more" if more > 0 else "")


def _choose_strategy(arguments: argparse.Namespace) -> tuple[Strategy, Extractive]:
    """Return the strategy, and the extractive one with the options that were given.

    Raises ValueError for --as beside a named strategy, for --pruner beside one that has no use for it.
    """
    from tersely.engine.strategies import STRATEGIES, Auto, Extractive

    auto = arguments.strategy == "auto"
    if arguments.as_type is not None and not auto:
        raise ValueError(f"--as goes with --strategy auto, not with {arguments.strategy}")
    if arguments.pruner is not None and (arguments.strategy not in _PRUNED or not arguments.query):
        raise ValueError(f"--pruner needs --query, and --strategy {' or '.join(_PRUNED)}")
    strategy = Extractive() if auto else STRATEGIES[arguments.strategy]()
    extractive = replace(
        strategy if isinstance(strategy, Extractive) else Extractive(),
        level=Level[arguments.level.upper()],
        context=arguments.context,
        preserve_structure=arguments.headings,
        preserve=tuple(arguments.preserve.replace(",", " ").split()),
        pruner=arguments.pruner,
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
    model = model_of(arguments)
    options = {"preserve": extractive.preserve} if extractive.preserve else {}
    return replace(strategy, model=model, fallback=True, extractive=extractive, **options)  # type: ignore[type-var]


def _is_large_log(arguments: argparse.Namespace) -> bool:
    """Say whether the only file is a large log, to fit a budget, and no option needs its whole text."""
    whole = arguments.pinned or arguments.report or arguments.store
    if whole or arguments.strategy != "auto" or arguments.budget is None or arguments.encoding is not None:
        return False
    if len(arguments.files) != 1 or arguments.as_type not in (None, "log"):
        return False
    path = Path(arguments.files[0])
    if not path.is_file() or path.stat().st_size < LARGE:
        return False
    if arguments.as_type == "log":
        return True
    from tersely.content.detect import detect

    with path.open("rb") as file:
        return detect(file.read(_HEAD).decode("utf-8", errors="replace")).kind == "log"


def _compress_large(arguments: argparse.Namespace) -> tuple[str, dict[str, Any]]:
    """Compress a log in chunks, without holding it in memory: the text, and a report of all else."""
    from tersely.content.log_file import compress_file

    path = Path(arguments.files[0])
    size = path.stat().st_size
    with show_progress() as show:
        digest = compress_file(
            path,
            arguments.query,
            budget=arguments.budget,
            counter=arguments.counter,
            progress=lambda read: show("reading", read, size),
        )
    note_warnings(digest.warnings)
    if not arguments.quiet and (sys.stderr.isatty() or not arguments.json):
        read = f"{digest.lines:,} lines, {digest.templates:,} kinds of lines"
        say(f"kept {digest.tokens} tokens of {read}")
    return digest.text, {"documents": [str(path)], **asdict(digest)}


def _note_receipt(receipt: Receipt) -> None:
    """Print a line for each warning, for a model that did not write, and for the first facts lost."""
    reason = receipt.fallback_reason
    if reason == "no_model":
        _note("no --model, so the text is extractive")
    elif reason is not None:
        _note(f"{reason.replace('_', ' ')}, so the text is extractive")
    told = (MODEL_NOT_USED, CHARACTERS_REPLACED)  # above, and where the file was read
    note_warnings([code for code in receipt.warnings if code not in told])
    lost = [] if receipt.facts is None else receipt.facts.of("lost")
    for fact in lost[:_FACTS_SHOWN]:
        _note(f"lost {fact.kind.name.lower().replace('_', ' ')}: {' '.join(fact.text.split())[:70]}")
    if len(lost) > _FACTS_SHOWN:
        _note(f"{len(lost) - _FACTS_SHOWN} more facts were lost; --json has them all")


def _note(text: str) -> None:
    say(f"note: {text}")


_SEGMENT = """examples:
  tersely segment notes.md --level paragraph
  cat notes.md | tersely segment --json
"""
_AT_ONCE = 1024  # lines that are written together


def add_segment(commands: Commands) -> None:
    """Add the subcommand `segment`."""
    text = "show how text is cut: one line a segment, or JSON lines"
    parser = add_command(commands, "segment", text, _SEGMENT)
    parser.flag(*FILES, nargs="*")
    add_encoding(parser)
    add_level(parser)
    parser.flag("--json", "print one JSON object per line, with the text")


def run_segment(arguments: argparse.Namespace) -> None:
    """Write a line for each segment of the files."""
    documents = read_files(arguments.files, arguments.encoding)
    names = [kind.name.lower() for kind in Kind]
    table = tersely.segment(documents, arguments.level)
    columns = (table.document, table.start, table.end, table.kind)
    lines = []
    for index, start, end, kind in zip(*(column.tolist() for column in columns), strict=True):
        name, text = documents[index].id, documents[index].text[start:end]
        if arguments.json:
            row = {"document": name, "start": start, "end": end, "kind": names[kind], "text": text}
            lines.append(json_bytes(row).decode() + "\n")
        else:
            shown = clipped(" ".join(text.split()), 100)
            lines.append(f"{name}:{start}-{end}\t{names[kind]}\t{shown}\n")
    for first in range(0, len(lines), _AT_ONCE):
        write("".join(lines[first : first + _AT_ONCE]))


_COUNT = """examples:
  tersely count docs/*.md --counter cl100k_base
"""


def add_count(commands: Commands) -> None:
    """Add the subcommand `count`."""
    parser = add_command(commands, "count", "count the tokens of files", _COUNT)
    parser.flag(*FILES, nargs="*")
    add_encoding(parser)
    add_counter(parser)


def run_count(arguments: argparse.Namespace) -> None:
    """Write the tokens of each file, and of all."""
    from tersely.engine.reading import count_batch

    documents = read_files(arguments.files, arguments.encoding)
    texts = [document.text for document in documents]
    counts = count_batch(resolve_counter(arguments.counter), texts).tolist()
    for document, tokens in zip(documents, counts, strict=True):
        write(f"{tokens}\t{document.id}\n")
    if len(documents) > 1:
        write(f"{sum(counts)}\ttotal\n")
