"""The `tersely` command: text to stdout, everything else to stderr.

Exit codes: 0 done; 1 it does not fit into the budget, the store does not have it, or an index is damaged;
2 wrong arguments, unreadable input, or output that cannot be written.
"""

from __future__ import annotations

import argparse
import re
import shlex
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import tersely
from tersely import checks
from tersely.cli.arguments import Parser
from tersely.cli.loading import load_numpy
from tersely.cli.terminal import InputError, discard, say, standard_streams
from tersely.errors import MissingExtraError, StoreError

_FIRST_WORD = re.compile(r"^\w+")

_EXAMPLES = """examples:
  tersely compress report.md --query "Who approved the budget?" --budget 800
  tersely compress report.md --budget 800 --strategy hybrid --model gpt-4o-mini
  cat build.log | tersely compress - --ratio 0.2
  tersely batch corpus/*.parquet out/ --budget 800 --workers 4
  tersely dedup corpus/*.parquet out/ --kept
  tersely compact history.json --budget 8000 --counter o200k_base
  tersely audit before.json after.json
  tersely index docs/ && tersely search docs/ "how are tokens rotated?" --budget 2000
  tersely mcp --index docs/.tersely
  tersely mcp --wrap -- npx -y some-mcp-server
  tersely run --budget 800 -- pytest -x
  tersely hook install claude-code && tersely hook doctor
"""


def main(argv: Sequence[str] | None = None, *, started: float | None = None) -> int:
    """Run the command that the arguments name; returns the exit code.

    `started`: when the process was, by `time.perf_counter`; None: now.
    """
    started = time.perf_counter() if started is None else started
    given = sys.argv[1:] if argv is None else list(argv)
    if given[:1] == ["help"]:
        given = [*given[1:], "--help"]
    with standard_streams():
        try:
            code = _run(given, started)
        except SystemExit as stop:
            if not stop.code or not _is_event(given):
                raise
            return 0
    return 0 if _is_event(given) else code


def _is_event(given: Sequence[str]) -> bool:
    """Whether an agent's hook asks: it would take exit code 2 for an answer, no output for none."""
    return given[:1] == ["hook"] and bool(import_module("tersely.cli.hook").is_event(given))


def _run(given: list[str], started: float) -> int:
    """Run a subcommand, print its errors, and return the exit code."""
    try:
        try:
            return _command(given, started)
        finally:
            sys.stdout.flush()
    except (InputError, ValueError, TypeError, MissingExtraError) as error:
        return _fail(error, 2)
    except tersely.CompressionError as error:
        unusable = isinstance(error, StoreError) and not isinstance(error, LookupError)
        return _fail(error, 2 if unusable else 1)
    except RecursionError:
        return _fail("the input is nested too deeply; some hundred levels are allowed", 2)
    except MemoryError:
        return _fail("there is not enough memory for this input", 2)
    except BrokenPipeError:  # the reader went away, as `head` does
        discard(sys.stdout)
        return 0
    except OSError as error:  # without a name: standard output
        discard(sys.stdout)
        what = "write to standard output" if error.filename is None else f"use {error.filename}"
        return _fail(f"cannot {what}: {error.strerror or error}", 2)
    except KeyboardInterrupt as stop:
        return stop.args[0] if stop.args else 130


def _command(given: list[str], started: float) -> int:
    if not given:
        _parser("").print_help()
        return 0
    parser = _parser(given[0])
    if wrong := _not_begun(given, parser):
        parser.error(wrong)
    arguments = parser.parse_args(given)
    arguments.started = started
    if arguments.command not in _WITHOUT_NUMPY:
        load_numpy()
    run = getattr(import_module(_COMMANDS[arguments.command]), f"run_{arguments.command}")
    try:
        code: int | None = run(arguments)
    except (ValueError, TypeError) as error:
        # a message begins with the name of an option: here with the flag that sets it
        told = _FIRST_WORD.sub(lambda found: arguments.flags.get(found[0], found[0]), str(error))
        raise InputError(told) from error
    return code or 0


def _not_begun(given: list[str], parser: Parser) -> str:
    """Describe the error of a command line that does not begin with a command or an option of all; else "".

    An option that a command has is shown behind the first such one: `tersely compress --budget 100`.
    """
    first, *value = given[0].partition("=")
    is_option = first.startswith("-") and first != "-"
    if first in _COMMANDS or (is_option and any(one.startswith(first) for one in parser.options)):
        return ""
    of = {option: name for name in reversed(_COMMANDS) for option in parser.commands[name].options}
    meant = first if first in of else checks.nearest(first, [*parser.options, *of, *_COMMANDS])
    if first in _GUESSES:
        meant = f"tersely {_GUESSES[first]}"
    elif meant in of and meant not in parser.options:
        meant = shlex.join(["tersely", of[meant], "".join([meant, *value]), *given[1:]])
    elif first == "-" or (first and not meant and Path(first).exists()):
        meant = shlex.join(["tersely", "compress", *given])
    what = "unknown option: " if is_option else "unknown command: "
    return what + first + (f"; did you mean '{meant}'?" if meant else f"; commands: {', '.join(_COMMANDS)}")


def _fail(error: object, code: int) -> int:
    say(f"{error}")
    return code


def _parser(first: str) -> Parser:
    """The parser of a command line that begins with `first`: the name of a command, or else of all."""
    parser = Parser(
        prog="tersely",
        description="Cuts texts to a token budget: keeps what answers a question, verbatim, offline.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("-V", "--version", action="version", version=f"tersely {tersely.__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", prog="tersely")
    for name, module in _COMMANDS.items():
        if first == name or first not in _COMMANDS:  # the others' imports take longer than most commands
            getattr(import_module(module), f"add_{name}")(commands)
    parser.commands = commands.choices
    return parser


#: What other programs call what we do.
_GUESSES = {
    **dict.fromkeys(("serve", "server", "http", "start", "listen", "daemon"), "mcp --http"),
    **dict.fromkeys(("savings", "stats", "doctor"), "hook doctor"),
}

#: Subcommands that do without numpy where there is nothing to shorten.
_WITHOUT_NUMPY = ("run", "hook")

#: The module of each subcommand, which has add_NAME and run_NAME.
_COMMANDS = {
    "compress": "tersely.cli.compress",
    "segment": "tersely.cli.compress",
    "count": "tersely.cli.compress",
    "expand": "tersely.cli.store",
    "compact": "tersely.cli.histories",
    "audit": "tersely.cli.histories",
    "index": "tersely.cli.index",
    "search": "tersely.cli.index",
    "mcp": "tersely.cli.mcp",
    "ab": "tersely.cli.mcp",
    "batch": "tersely.cli.batch",
    "dedup": "tersely.cli.batch",
    "hook": "tersely.cli.hook",
    "run": "tersely.cli.run",
}
