"""`tersely run`: run a command, and write its output within a token budget."""

from __future__ import annotations

import argparse
import os
import selectors
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from tersely import checks
from tersely.cli.arguments import Commands, add_command
from tersely.cli.store import result_compressor, result_fits
from tersely.cli.terminal import discard, say, write
from tersely.errors import BudgetExceededError
from tersely.text import CHARACTERS_REPLACED, decode

BUDGET = 2000  # tokens of the output
_IN_MEMORY = 1 << 24  # bytes of output
_MOST_KEPT = 1 << 26  # bytes that a store gets: of more, the first and the last half of so many
_MOST_READ = 1 << 24  # bytes that are read, likewise: reading takes up to some 35 times as much memory

_EXAMPLES = """examples:
  tersely run -- pytest -x
  tersely run --budget 500 --query "which test failed?" -- make -j4 check
  tersely run --store results.sqlite -- cargo build; echo $?

The exit code is the command's: 128 + n if signal n ended it, 127 if there is no such command. Output and
errors are one text, in their order; a terminal shows them at once, and the short text after them. Output
within the budget is written unchanged; in place of longer output that is no text stands a line that says how
to get it. Of more than 16 MB, the first and the last 8 MB are read; of more than 64 MB, the first and the
last 32 MB are stored. The store has the exact bytes, also if they are not UTF-8.
There is no shell: nothing in the command is expanded.
"""


def add_run(commands: Commands) -> None:
    """Add the subcommand `run`."""
    text = "run a command and fit its output into a token budget; the whole output is stored"
    parser = add_command(commands, "run", text, _EXAMPLES)
    parser.flag("-b --budget N", f"tokens of the output ({BUDGET})", default=BUDGET)
    parser.flag("-q --query QUERY", "the question that the output should answer")
    parser.flag("--store FILE", "where the whole output is stored (TERSELY_STORE, or the user's store)")
    parser.flag("line", "what to run", nargs=argparse.REMAINDER, metavar="-- COMMAND")


def run_run(arguments: argparse.Namespace) -> int:
    """Run the command, write its output, and return its exit code."""
    command = arguments.line[1:] if arguments.line[:1] == ["--"] else arguments.line
    if not command:
        raise ValueError("which command? tersely run -- COMMAND ...")
    checks.whole_number(arguments.budget, "budget", least=1)
    with tempfile.SpooledTemporaryFile(_IN_MEMORY) as kept:
        try:
            code = run_command(command, kept)
        except OSError as error:
            say(f"cannot run {command[0]}: {error.strerror}")
            return 127 if isinstance(error, FileNotFoundError) else 126
        try:
            _write_short(kept, command, arguments)
            sys.stdout.flush()
        except BrokenPipeError:  # the reader went away, as `head` does
            discard(sys.stdout)
    return code


def _write_short(kept: IO[bytes], command: list[str], arguments: argparse.Namespace) -> None:
    """Write the output within the budget; whatever fails, as it came."""
    watched = sys.stdout.isatty()  # what a terminal showed already is not written again
    short = None
    if kept.tell() > arguments.budget:  # no text has more tokens than bytes
        try:
            short = _shorten(kept, command, arguments)
        except Exception as error:
            _note(f"the output is written as it came: {type(error).__name__}: {error}")
    if short is not None:
        write(b"\n" + short + b"\n" if watched else short)
    elif not watched:
        kept.seek(0)
        while some := kept.read(_IN_MEMORY):
            write(some)


def _shorten(kept: IO[bytes], command: list[str], arguments: argparse.Namespace) -> bytes | None:
    """The output within the budget; None where it is to be written as it came."""
    told: list[Any] = []
    read, is_whole = _read(kept, _MOST_READ, "read"), kept.tell() <= _MOST_READ
    if is_whole and result_fits(read, arguments.budget):
        return None
    with result_compressor(arguments, keep_files=False, report=told.append) as compressor:
        try:
            decode(read)
        except UnicodeDecodeError:
            assert compressor.store is not None
            id = compressor.store.put(_read(kept, _MOST_KEPT, "kept").decode("utf-8", "surrogateescape")).id
            way = compressor.expand_with.replace("{id}", id)
            return f"[tersely: {kept.seek(0, os.SEEK_END):,} bytes that are no text; all: {way}]\n".encode()
        call = {"command": shlex.join(command)}
        name = Path(command[0]).name
        whole = None if is_whole else lambda: _read(kept, _MOST_KEPT, "kept")
        given = (read, arguments.query, name, call)
        try:
            short: bytes = compressor.compress(*given, whole=whole)
        except BudgetExceededError as error:  # the least that fits is nearer to what was asked than all
            from dataclasses import replace  # which takes longer to load than most results to pass

            _note(f"{error}, so it takes as many")
            short = replace(compressor, budget=int(error.required)).compress(*given, whole=whole)
    if told[0].problem:
        _note(f"the output is written as it came: {told[0].problem}")
    if CHARACTERS_REPLACED in told[0].warnings:
        from tersely.report.pieces import in_words  # the page of reports comes with it

        _note(in_words(CHARACTERS_REPLACED))
    if short is read:
        return None if is_whole or told[0].problem else read
    return short if short.endswith(b"\n") else short + b"\n"


def _read(kept: IO[bytes], most: int, what: str) -> bytes:
    """Read an output; of a long one its beginning and end, and a line between that says what is missing."""
    size = kept.seek(0, os.SEEK_END)
    kept.seek(0)
    if size <= most:
        return kept.read()
    first = kept.read(most // 2)
    first = first[: first.rfind(b"\n") + 1] or first
    kept.seek(size - most // 2)
    last = kept.read()
    last = last[last.find(b"\n") + 1 :] or last
    left_out = f"[tersely run: {size - len(first) - len(last)} of {size} bytes left out here]\n"
    _note(f"of {size} bytes, the first {len(first)} and the last {len(last)} are {what}")
    return first + left_out.encode() + last


def _note(text: str) -> None:
    say(text, "tersely run")


_BLOCK = 1 << 16
_PATIENCE = 0.1  # seconds: how soon it is noticed that a command ended whose children hold its output
_WINDOWS = sys.platform == "win32"  # where pipes cannot be waited for, and keys are no signals
_PASSED_ON = ("SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT", "SIGUSR1", "SIGUSR2")  # where there are such
_TYPED = ("SIGINT", "SIGQUIT")


def run_command(command: Sequence[str], kept: IO[bytes]) -> int:
    """Run a command without a shell; write its output, errors included, to `kept`; return its exit code.

    Where standard output is a terminal, or standard error alone, what it writes is shown there as it comes.
    Standard input is the command's own. Signals are passed on; a command that one ended gives 128 + its
    number, as in a shell.

    Raises OSError where it cannot be started.
    """
    show = next((stream.fileno() for stream in (sys.stdout, sys.stderr) if stream.isatty()), None)
    with _signals_passed_on() as passed_on:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        passed_on(process)
        assert process.stdout is not None
        with process.stdout as output:
            for data in _output_of(process, output.fileno()):
                _keep(data, kept, show)
    code = process.wait()
    return code if code >= 0 else 128 - code


def _keep(data: bytes, kept: IO[bytes], show: int | None) -> None:
    kept.write(data)
    while show is not None and data:
        try:
            data = data[os.write(show, data) :]
        except OSError:  # nobody watches any more
            return


def _output_of(process: subprocess.Popen[bytes], output: int) -> Iterator[bytes]:
    """Yield what a command writes until it ends, also where its children still hold its output."""
    with selectors.DefaultSelector() as selector:
        if not _WINDOWS:
            selector.register(output, selectors.EVENT_READ)
        while True:
            ended = not _WINDOWS and process.poll() is not None  # asked first: then all it wrote can be read
            if _WINDOWS or selector.select(0 if ended else _PATIENCE):
                data = os.read(output, _BLOCK)
                if not data:
                    return
                yield data
            elif ended:
                return


@contextmanager
def _signals_passed_on() -> Iterator[Callable[[subprocess.Popen[bytes]], None]]:
    """Pass signals on to the process that is named, but for those that the terminal gave to both; what comes
    while it still starts is passed on when it is."""
    named: list[subprocess.Popen[bytes]] = []
    early: list[int] = []

    def pass_on(number: int, _: Any) -> None:
        if number in typed and _in_foreground():
            return
        if named:
            named[0].send_signal(number)
        else:
            early.append(number)

    def start_with(process: subprocess.Popen[bytes]) -> None:
        named.append(process)
        for number in early:
            process.send_signal(number)

    typed = [getattr(signal, name) for name in _TYPED if hasattr(signal, name)]
    numbers = [getattr(signal, name) for name in _PASSED_ON if hasattr(signal, name)]
    before = {number: signal.signal(number, pass_on) for number in numbers}
    try:
        yield start_with
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _in_foreground() -> bool:
    """Whether keys of a terminal reach this process and its children as signals."""
    if _WINDOWS:
        return False
    try:
        terminal = os.open(os.ctermid(), os.O_RDWR | os.O_NOCTTY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)
