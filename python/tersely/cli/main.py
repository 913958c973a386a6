"""The `tersely` command: text to stdout, everything else to stderr.

Exit codes: 0 done; 1 it does not fit into the budget, the store does not have it, or an index is damaged;
2 wrong arguments, unreadable input, or output that cannot be written.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

import tersely
from tersely.cli.arguments import Parser
from tersely.cli.files import InputError, discard_output, open_closed_streams

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
  tersely batch corpus/*.parquet out/ --budget 800 --workers 4
  tersely dedup corpus/*.parquet out/ --kept
  tersely compact history.json --budget 8000 --counter o200k_base
  tersely distill all-MiniLM-L6-v2/ my-texts/ -o table.npz
  tersely index docs/ && tersely search docs/ "how are tokens rotated?" --budget 2000
  tersely mcp --index docs/.tersely
  tersely mcp --wrap -- npx -y some-mcp-server
  tersely ab --index docs/.tersely questions.jsonl
  tersely run --budget 800 -- pytest -x
  tersely hook install claude-code && tersely savings
  tersely --print-completion bash
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command that the arguments name; returns the exit code."""
    open_closed_streams()
    given = sys.argv[1:] if argv is None else list(argv)
    if given[:1] == ["help"]:
        given = [*given[1:], "--help"]
    if not given:
        _parser("").print_help()
        return 0
    try:
        arguments = _parser(given[0]).parse_args(given)
    except SystemExit as stop:
        if stop.code and given[:1] == ["hook"] and import_module("tersely.cli.hook").is_event(given):
            return 0  # to an agent, 2 is an answer
        raise
    try:
        run = getattr(import_module(_COMMANDS[arguments.command]), f"run_{arguments.command}")
        code: int | None = run(arguments)
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
    else:
        return code or 0
    return 0


def _fail(error: Exception, code: int) -> int:
    print(f"tersely: {error}", file=sys.stderr)
    return code


def _parser(first: str) -> argparse.ArgumentParser:
    """The parser of a command line that begins with `first`: the name of a command, or else of all."""
    parser = Parser(
        prog="tersely",
        description="Fits more meaning into fewer tokens: verbatim, within the budget, offline.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"tersely {tersely.__version__}")
    if first == "--print-completion":
        _add_completion(parser)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", prog="tersely")

    for name, module in _COMMANDS.items():
        if first == name or first not in _COMMANDS:  # the others' imports take longer than most commands
            getattr(import_module(module), f"add_{name}")(commands)
    return parser


def _add_completion(parser: argparse.ArgumentParser) -> None:
    """Add `--print-completion`: a script for a shell, which the package shtab writes."""
    try:
        import shtab
    except ImportError as error:
        parser.error(f"--print-completion needs shtab: pip install 'tersely[cli]' ({error})")
    shtab.add_argument_to(parser, ["--print-completion"])


#: The module of each subcommand, which has add_NAME and run_NAME.
_COMMANDS = {
    "compress": "tersely.cli.compress",
    "segment": "tersely.cli.segment",
    "count": "tersely.cli.count",
    "expand": "tersely.cli.store",
    "compact": "tersely.cli.compact",
    "distill": "tersely.cli.distill",
    "index": "tersely.cli.index",
    "search": "tersely.cli.index",
    "mcp": "tersely.cli.mcp",
    "ab": "tersely.cli.mcp",
    "batch": "tersely.cli.batch",
    "dedup": "tersely.cli.dedup",
    "hook": "tersely.cli.hook",
    "run": "tersely.cli.run",
    "savings": "tersely.cli.savings",
}
