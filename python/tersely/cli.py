"""The `tersely` command: text to stdout, everything else to stderr.

Exit codes: 0 done; 1 it does not fit into the budget, or the store does not have it; 2 wrong arguments or
unreadable input.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

import tersely
from tersely.cli_compact import add_compact, run_compact
from tersely.cli_distill import add_distill
from tersely.cli_files import (
    Commands,
    InputError,
    add_command,
    discard_output,
    open_closed_streams,
    read_files,
    utf8_text,
    write,
)
from tersely.cli_index import add_index, add_search, run_index, run_search
from tersely.cli_large import compress_large, is_large_log
from tersely.cli_mcp import add_ab, add_mcp, run_ab, run_mcp
from tersely.cli_model import add_model, with_model
from tersely.cli_notes import note_receipt
from tersely.cli_store import add_expand, add_store, kept_in_store, run_expand
from tersely.cli_strategy import add_level, add_strategy, chosen_strategy
from tersely.providers.counters import COUNTERS, resolve_counter

__all__ = ["main"]

_EXAMPLES = """examples:
  tersely compress report.md --query "Who approved the budget?" --budget 800
  tersely compress report.md --budget 800 --strategy hybrid --model gpt-4o-mini
  cat build.log | tersely compress - --ratio 0.2
  tersely compress app.log --query "payment timeout" --budget 800
  tersely compress docs/*.md --query "retry policy" --budget 2000 --json > result.json
  tersely compress app.log --budget 800 --store notes.sqlite
  tersely segment notes.md --level paragraph
  tersely count docs/*.md --counter cl100k_base
  tersely compact history.json --budget 8000 --counter o200k_base
  tersely distill all-MiniLM-L6-v2/ my-texts/ -o table.npz
  tersely index docs/ && tersely search docs/ "how are tokens rotated?" --budget 2000
  tersely mcp --index docs/.tersely
  tersely ab --index docs/.tersely questions.jsonl
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    open_closed_streams()
    arguments = _parser().parse_args(argv)
    try:
        _RUN[arguments.command](arguments)
        sys.stdout.flush()
    except tersely.CompressionError as error:
        return _fail(error, 1)
    except (InputError, ValueError, TypeError) as error:
        return _fail(error, 2)
    except BrokenPipeError:  # the reader went away, as `head` does
        discard_output()
    except OSError as error:  # files are InputErrors: this is standard output
        discard_output()
        return _fail(OSError(f"cannot write to standard output: {error.strerror or error}"), 2)
    except KeyboardInterrupt:
        return 130
    return 0


def _fail(error: Exception, code: int) -> int:
    print(f"tersely: {error}", file=sys.stderr)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tersely",
        description="Fits more meaning into fewer tokens: verbatim, within the budget, offline.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"tersely {tersely.__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    compress = _command(commands, "compress", "fit files into a token budget")
    compress.add_argument(
        "-q", "--query", type=utf8_text, help="what the reader will ask; without it: what matters in general"
    )
    compress.add_argument("-b", "--budget", type=int, metavar="N", help="tokens allowed for the output")
    compress.add_argument(
        "-r", "--ratio", type=float, default=0.3, metavar="R", help="share kept if there is no budget (0.3)"
    )
    _add_counter(compress)
    compress.add_argument(
        "--separator",
        type=utf8_text,
        default=r"\n\n",
        help=r"between pieces that do not touch; \n and \t are understood (\n\n)",
    )
    add_strategy(compress)
    add_model(compress)
    compress.add_argument(
        "--pin",
        action="append",
        type=utf8_text,
        default=[],
        metavar="TEXT",
        help="keep every segment that holds TEXT (repeatable)",
    )
    compress.add_argument("--json", action="store_true", help="print text, spans and receipt as JSON")
    compress.add_argument("-o", "--output", metavar="FILE", help="write there instead of to stdout")
    add_store(compress)
    compress.add_argument("--report", metavar="FILE", help="also write a web page: what was kept, and why")

    segment = _command(commands, "segment", "show how text is cut: one line a segment, or JSON lines")
    add_level(segment)
    segment.add_argument("--json", action="store_true", help="one JSON object a line, with the text")

    count = _command(commands, "count", "count the tokens of files")
    _add_counter(count)

    add_expand(commands)
    add_compact(commands)

    text = "make a static table of token vectors from a sentence model and your own text"
    add_distill(commands.add_parser("distill", help=text, description=text))
    add_index(commands)
    add_search(commands)
    add_mcp(commands)
    add_ab(commands)
    return parser


def _command(commands: Commands, name: str, text: str) -> argparse.ArgumentParser:
    parser = add_command(commands, name, text, _EXAMPLES)
    parser.add_argument("files", nargs="*", metavar="FILE", help="UTF-8 text; - or nothing: standard input")
    return parser


def _add_counter(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-c", "--counter", choices=list(COUNTERS), default="o200k_base", help="tokenizer (o200k_base)"
    )


def _compress(arguments: argparse.Namespace) -> None:
    strategy, extractive = chosen_strategy(arguments)
    if is_large_log(arguments):
        text, receipt = compress_large(arguments)
        write(
            json.dumps(receipt, ensure_ascii=False, indent=2) + "\n" if arguments.json else text,
            arguments.output,
        )
        return
    documents = read_files(arguments.files)
    strategy = with_model(strategy, arguments, extractive)
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
        kept_in_store(result, arguments.store)
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
    note_receipt(result.receipt)
    if sys.stderr.isatty():
        if types := ", ".join(dict.fromkeys(result.receipt.content_types)):
            print(f"tersely: read as {types}", file=sys.stderr)
        kept = f"{result.tokens} of {result.original_tokens} tokens ({result.ratio:.0%})"
        print(
            f"tersely: kept {kept}, {len(result.kept)} of {result.receipt.segments} segments", file=sys.stderr
        )


def _segment(arguments: argparse.Namespace) -> None:
    documents = read_files(arguments.files)
    for index, start, end, kind in tersely.segment(documents, arguments.level):
        text = documents[index].text[start:end]
        if arguments.json:
            row = {
                "document": documents[index].id,
                "start": start,
                "end": end,
                "kind": kind.name.lower(),
                "text": text,
            }
            write(json.dumps(row, ensure_ascii=False) + "\n", None)
        else:
            shown = " ".join(text.split())
            shown = shown if len(shown) <= 100 else shown[:99] + "…"
            write(f"{documents[index].id}:{start}-{end}\t{kind.name.lower()}\t{shown}\n", None)


def _count(arguments: argparse.Namespace) -> None:
    documents = read_files(arguments.files)
    counts = resolve_counter(arguments.counter).count_batch([document.text for document in documents])
    for document, tokens in zip(documents, counts, strict=True):
        write(f"{tokens}\t{document.id}\n", None)
    if len(documents) > 1:
        write(f"{sum(counts)}\ttotal\n", None)


def _distill(arguments: argparse.Namespace) -> None:
    from tersely.distill.command import run

    try:
        run(arguments)
    except (OSError, tersely.MissingExtraError) as error:
        raise InputError(str(error)) from error


def _expand(arguments: argparse.Namespace) -> None:
    write(run_expand(arguments), arguments.output)


_RUN = {
    "compact": run_compact,
    "compress": _compress,
    "segment": _segment,
    "count": _count,
    "distill": _distill,
    "expand": _expand,
    "index": run_index,
    "search": run_search,
    "mcp": run_mcp,
    "ab": run_ab,
}


if __name__ == "__main__":
    sys.exit(main())
