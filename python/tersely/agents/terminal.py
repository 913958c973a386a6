"""Give a command a terminal of its own, on systems that have them (not on Windows)."""

from __future__ import annotations

import fcntl
import os
import pty
import signal
import subprocess
import sys
import termios
import tty
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager


def start_on_terminal(command: Sequence[str], stack: ExitStack) -> tuple[subprocess.Popen[bytes], int]:
    """Start a command on a new terminal; if our standard input is no terminal, it gets that."""
    ours, its = pty.openpty()
    stack.callback(os.close, ours)
    try:
        _copy_size(its)
        typed = sys.stdin.isatty()
        process = subprocess.Popen(
            command,
            stdin=its if typed else None,
            stdout=its,
            stderr=its,
            start_new_session=typed,
            preexec_fn=_control if typed else None,  # noqa: PLW1509  no threads here
        )
    finally:
        os.close(its)
    before = signal.signal(signal.SIGWINCH, lambda *_: _copy_size(ours))
    stack.callback(signal.signal, signal.SIGWINCH, before)
    return process, ours


def _control() -> None:
    """Make standard input the terminal that signals come from."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _copy_size(terminal: int) -> None:
    size = fcntl.ioctl(sys.stdout.fileno(), termios.TIOCGWINSZ, b"\0" * 8)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, size)


@contextmanager
def raw(keyboard: int) -> Iterator[None]:
    """Hand every key on, Ctrl-C included: the command's own terminal reads them."""
    before = termios.tcgetattr(keyboard)
    tty.setraw(keyboard)
    try:
        yield
    finally:
        termios.tcsetattr(keyboard, termios.TCSAFLUSH, before)


def in_foreground() -> bool:
    """Whether keys of a terminal reach this process and its children as signals."""
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
