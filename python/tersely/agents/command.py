"""Run a command with its terminal, input, signals and exit code unchanged, and record its output."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import IO, Any

_BLOCK = 1 << 16
_PATIENCE = 0.1  # seconds: how soon it is noticed that a command ended whose children hold its output
_TERMINALS = sys.platform != "win32"  # whether a command can have one of its own
_PASSED_ON = ("SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT", "SIGUSR1", "SIGUSR2")  # where there are such
_TYPED = ("SIGINT", "SIGQUIT")


def run_command(command: Sequence[str], kept: IO[bytes]) -> int:
    """Run a command without a shell; write its output, errors included, to `kept`; return its exit code.

    Where standard output is a terminal, the command has one, of the same size, and what it writes is shown as
    it comes; where standard error alone is one, it is shown there. Standard input is the command's own.
    Signals are passed on; a command that one ended gives 128 + its number, as in a shell.

    Raises OSError where it cannot be started.
    """
    watched = sys.stdout.isatty()
    show = sys.stdout.fileno() if watched else sys.stderr.fileno() if sys.stderr.isatty() else None
    watched = watched and _TERMINALS
    with ExitStack() as stack:
        passed_on = stack.enter_context(_signals_passed_on(watched and sys.stdin.isatty()))
        if watched:
            from tersely.agents.terminal import raw, start_on_terminal

            process, output = start_on_terminal(command, stack)
        else:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            assert process.stdout is not None
            output = stack.enter_context(process.stdout).fileno()
        passed_on(process)
        keyboard = sys.stdin.fileno() if watched and sys.stdin.isatty() else None
        if keyboard is not None:
            stack.enter_context(raw(keyboard))
        _copy(process, output, keyboard, lambda data: _keep(data, kept, show))
    code = process.wait()
    return code if code >= 0 else 128 - code


def _keep(data: bytes, kept: IO[bytes], show: int | None) -> None:
    kept.write(data)
    while show is not None and data:
        try:
            data = data[os.write(show, data) :]
        except OSError:  # nobody watches any more
            return


def _copy(
    process: subprocess.Popen[bytes], output: int, keyboard: int | None, keep: Callable[[bytes], None]
) -> None:
    """Copy typed input to the command, and its output back, until one of them ends."""
    if not _TERMINALS:  # nor can several files be waited for there
        while data := os.read(output, _BLOCK):
            keep(data)
        return
    with selectors.DefaultSelector() as selector:
        selector.register(output, selectors.EVENT_READ)
        if keyboard is not None:
            selector.register(keyboard, selectors.EVENT_READ)
        while True:
            ended = process.poll() is not None  # asked first: what it wrote before can be read then
            ready = [key.fd for key, _ in selector.select(0 if ended else _PATIENCE)]
            if keyboard is not None and keyboard in ready:
                typed = os.read(keyboard, _BLOCK)
                if typed:
                    os.write(output, typed)
                else:
                    selector.unregister(keyboard)
            if output in ready:
                try:
                    data = os.read(output, _BLOCK)
                except OSError:  # a terminal whose other end is closed
                    return
                if not data:
                    return
                keep(data)
            elif ended:
                return


@contextmanager
def _signals_passed_on(apart: bool) -> Iterator[Callable[[subprocess.Popen[bytes]], None]]:
    """Pass signals on to the process that is named, but for those that the terminal gave to both (unless it
    is `apart`); what comes while it still starts is passed on when it is."""
    named: list[subprocess.Popen[bytes]] = []
    early: list[int] = []

    def pass_on(number: int, _: Any) -> None:
        if number in typed and not apart and _TERMINALS and in_foreground():
            return
        if named:
            named[0].send_signal(number)
        else:
            early.append(number)

    def start_with(process: subprocess.Popen[bytes]) -> None:
        named.append(process)
        for number in early:
            process.send_signal(number)

    if _TERMINALS:
        from tersely.agents.terminal import in_foreground

    typed = [getattr(signal, name) for name in _TYPED if hasattr(signal, name)]
    numbers = [getattr(signal, name) for name in _PASSED_ON if hasattr(signal, name)]
    before = {number: signal.signal(number, pass_on) for number in numbers}
    try:
        yield start_with
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
