"""Keep several processes serving the same sockets, and stop them all when this one is told to."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from types import FrameType

__all__ = ["Stop", "run_workers"]

#: Is told a function to call when the process is to stop serving.
Stop = Callable[[Callable[[], None]], None]

_LOOK = 0.1  # seconds between two looks at the workers
_SHORTEST = 1.0  # seconds from the start of a worker that died to that of the next one
_MORE = 5.0  # seconds past the grace until a worker that goes on is killed


def run_workers(many: int, serve: Callable[[Stop], None], *, close: Callable[[], None], grace: float) -> None:
    """Fork processes that serve, and another one for each that dies; return when SIGTERM or Ctrl-C ended all.

    What this process has opened is shared: mapped files and what it has read are in memory once. It must have
    no threads. Workers stop by themselves when this process is gone, however it went.

    Args:
        many: processes.
        serve: what each does, until what it gives to `Stop` is called.
        close: what this process does first when it is to stop: it lets go of the sockets.
        grace: seconds that workers may go on then, to answer what was asked; a second signal ends them.

    Raises KeyboardInterrupt after Ctrl-C, and ValueError where processes cannot fork.
    """
    if not hasattr(os, "fork"):
        raise ValueError("more than one worker needs a system on which processes fork")
    asked: list[int] = []

    def ask(number: int, _frame: FrameType | None) -> None:
        asked.append(number)

    before = {number: signal.signal(number, ask) for number in (signal.SIGTERM, signal.SIGINT)}
    watched, held = os.pipe()  # its other end closes when this process ends, or says stop
    born: dict[int, float] = {}
    earliest = 0.0
    gc.freeze()  # what is here now is no garbage, and stays shared: collectors would write to its pages
    try:
        while not asked:
            while len(born) < many and time.monotonic() >= earliest:
                born[_start(serve, watched, held)] = time.monotonic()
            time.sleep(_LOOK)
            for process, how in _reap(born):
                earliest = born.pop(process) + _SHORTEST
                if not asked:
                    print(f"tersely: a worker ended ({how}); starting another", file=sys.stderr)
        close()
    finally:
        os.close(held)
        _wait(born, asked, grace + _MORE)
        os.close(watched)
        for number, handler in before.items():
            signal.signal(number, handler)
    if asked[0] == signal.SIGINT:
        raise KeyboardInterrupt


def _start(serve: Callable[[Stop], None], watched: int, held: int) -> int:
    """Fork a worker; return its process id, here."""
    sys.stdout.flush()
    sys.stderr.flush()
    process = os.fork()
    if process:
        return process
    code = 1
    try:
        os.setpgid(0, 0)  # Ctrl-C at a terminal is for the parent alone
        os.close(held)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)

        def stop_with_parent(stop: Callable[[], None]) -> None:
            def wait() -> None:
                os.read(watched, 1)
                stop()

            threading.Thread(target=wait, daemon=True).start()

        serve(stop_with_parent)
        code = 0
    except KeyboardInterrupt:
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)  # what is above on the stack is the parent's


def _reap(born: dict[int, float]) -> list[tuple[int, str]]:
    """Collect the workers that ended, and how."""
    found = []
    for process in born:
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(status)
            found.append((process, f"exit code {code}" if code >= 0 else signal.Signals(-code).name))
    return found


def _wait(born: dict[int, float], asked: list[int], seconds: float) -> None:
    """Wait for workers that were told to stop; kill them after so many seconds, or at another signal."""
    until, killed = time.monotonic() + seconds, False
    while born:
        for process, _ in _reap(born):
            del born[process]
        if not killed and (len(asked) > 1 or time.monotonic() > until):
            killed = True
            for process in born:
                os.kill(process, signal.SIGKILL)
        if born:
            time.sleep(_LOOK)
