"""`tersely run`: run a command, and write what it wrote within a token budget."""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
from pathlib import Path
from typing import IO

from tersely.cli.arguments import Commands, add_command, utf8_text
from tersely.cli.files import discard_output
from tersely.cli.store import expand_with, result_store

__all__ = ["add_run", "run_run"]

BUDGET = 2000  # tokens of the output
_IN_MEMORY = 1 << 24  # bytes of output
_MOST = 1 << 26  # bytes that are read: of more, the first and the last half of so many

_EXAMPLES = """examples:
  tersely run -- pytest -x
  tersely run --budget 500 --query "which test failed?" -- make -j4 check
  tersely run --store results.sqlite -- cargo build; echo $?

The exit code is the command's, 128 + n where signal n ended it, 127 where there is no such command. Output
and errors are one text, in the order in which they came; where a terminal watches, they are shown as they
come, and the short form follows. What fits the budget is written as it came. Of more than 64 MB the first and
the last 32 are read, and kept. No shell: nothing in the words of the command is expanded.
"""


def add_run(commands: Commands) -> None:
    """Add the subcommand `run`."""
    text = "run a command, and write what it wrote within a token budget; the whole is kept"
    parser = add_command(commands, "run", text, _EXAMPLES)
    parser.add_argument(
        "-b", "--budget", type=int, default=BUDGET, metavar="N", help=f"tokens of the output ({BUDGET})"
    )
    parser.add_argument("-q", "--query", type=utf8_text, help="what the output is read for")
    parser.add_argument(
        "--store", metavar="FILE", help="where the whole is kept (TERSELY_STORE, or the user's)"
    )
    parser.add_argument("line", nargs=argparse.REMAINDER, metavar="-- COMMAND", help="what to run")


def run_run(arguments: argparse.Namespace) -> int:
    """Run the command, write its output, and return its exit code."""
    from tersely.agents.command import run_command

    command = arguments.line[1:] if arguments.line[:1] == ["--"] else arguments.line
    if not command:
        raise ValueError("which command? tersely run -- COMMAND ...")
    if arguments.budget < 1:
        raise ValueError(f"budget must be at least 1, not {arguments.budget}")
    with tempfile.SpooledTemporaryFile(_IN_MEMORY) as kept:
        try:
            code = run_command(command, kept)
        except OSError as error:
            print(f"tersely: cannot run {command[0]}: {error.strerror}", file=sys.stderr)
            return 127 if isinstance(error, FileNotFoundError) else 126
        size = kept.tell()
        kept.seek(0)
        try:
            fits = size <= arguments.budget  # no text has more tokens than bytes
            _write_short(kept.read() if fits or size <= _MOST else _ends(kept, size), command, arguments)
            sys.stdout.flush()
        except BrokenPipeError:  # the reader went away, as `head` does
            discard_output()
    return code


def _write_short(whole: bytes, command: list[str], arguments: argparse.Namespace) -> None:
    """Write the output within the budget; whatever fails, as it came."""
    watched = sys.stdout.isatty()  # what a terminal showed already is not written again
    short = whole
    if len(whole) > arguments.budget:  # no text has more tokens than bytes
        try:
            short = _shorten(whole.replace(b"\r\n", b"\n") if watched else whole, command, arguments)
        except Exception as error:
            _note(f"the output is written as it came: {type(error).__name__}: {error}")
    if not watched or len(short) < len(whole):
        _write(b"\n" + short + b"\n" if watched else short)


def _ends(kept: IO[bytes], size: int) -> bytes:
    """Read the beginning and end of a long output, in whole lines; a line between says what is missing."""
    first = kept.read(_MOST // 2)
    first = first[: first.rfind(b"\n") + 1] or first
    kept.seek(size - _MOST // 2)
    last = kept.read()
    last = last[last.find(b"\n") + 1 :] or last
    left_out = f"[tersely run: {size - len(first) - len(last)} of {size} bytes left out here]\n"
    _note(f"of {size} bytes, the first {len(first)} and the last {len(last)} are read")
    return first + left_out.encode() + last


def _shorten(whole: bytes, command: list[str], arguments: argparse.Namespace) -> bytes:
    from tersely.agents.tool_results import ToolResultCompressor

    with result_store(arguments.store) as store:
        compressor = ToolResultCompressor(
            arguments.budget, store, keep_files=False, expand_with=expand_with(arguments.store)
        )
        call = {"command": shlex.join(command)}
        short: bytes = compressor.compress(whole, arguments.query, Path(command[0]).name, call)
    return short if short.endswith(b"\n") or short is whole else short + b"\n"


def _write(data: bytes) -> None:
    sys.stdout.buffer.write(data)


def _note(text: str) -> None:
    print(f"tersely run: {text}", file=sys.stderr)
