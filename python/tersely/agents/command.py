"""Run a command with its input, signals and exit code unchanged, and record its output."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any

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
            for data in _read(process, output.fileno()):
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


def _read(process: subprocess.Popen[bytes], output: int) -> Iterator[bytes]:
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
