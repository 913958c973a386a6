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
from tersely.cli.arguments import Commands, add_command, add_counter, add_level
from tersely.cli.compact import add_compact, run_compact
from tersely.cli.compress import FILES, add_compress, run_compress
from tersely.cli.distill import add_distill, run_distill
from tersely.cli.files import InputError, discard_output, open_closed_streams, read_files, write
from tersely.cli.index import add_index, add_search, run_index, run_search
from tersely.cli.mcp import add_ab, add_mcp, run_ab, run_mcp
from tersely.cli.store import add_expand, run_expand
from tersely.providers.counters import resolve_counter

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
    """Run the command that the arguments name; returns the exit code."""
    open_closed_streams()
    given = sys.argv[1:] if argv is None else list(argv)
    arguments = _parser(given[0] if given else "").parse_args(given)
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


def _parser(first: str) -> argparse.ArgumentParser:
    """The parser of a command line that begins with `first`: the name of a command, or else of all."""
    parser = argparse.ArgumentParser(
        prog="tersely",
        description="Fits more meaning into fewer tokens: verbatim, within the budget, offline.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"tersely {tersely.__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    for name, add in _ADD.items():
        if first == name or first not in _ADD:  # the others' arguments take longer than most commands
            add(commands)
    return parser


def _add_segment(commands: Commands) -> None:
    segment = _command(commands, "segment", "show how text is cut: one line a segment, or JSON lines")
    add_level(segment)
    segment.add_argument("--json", action="store_true", help="one JSON object a line, with the text")


def _add_count(commands: Commands) -> None:
    add_counter(_command(commands, "count", "count the tokens of files"))


def _command(commands: Commands, name: str, text: str) -> argparse.ArgumentParser:
    parser = add_command(commands, name, text, _EXAMPLES)
    parser.add_argument("files", nargs="*", metavar="FILE", help=FILES)
    return parser


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


def _expand(arguments: argparse.Namespace) -> None:
    write(run_expand(arguments), arguments.output)


_ADD = {
    "compress": add_compress,
    "segment": _add_segment,
    "count": _add_count,
    "expand": add_expand,
    "compact": add_compact,
    "distill": add_distill,
    "index": add_index,
    "search": add_search,
    "mcp": add_mcp,
    "ab": add_ab,
}
_RUN = {
    "compact": run_compact,
    "compress": run_compress,
    "segment": _segment,
    "count": _count,
    "distill": run_distill,
    "expand": _expand,
    "index": run_index,
    "search": run_search,
    "mcp": run_mcp,
    "ab": run_ab,
}
