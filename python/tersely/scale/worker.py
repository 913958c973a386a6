"""A worker: a process that does one job after another, and ends with the runner that started it.

It is no child that imports the caller's script again (as `multiprocessing` makes), so scripts and notebooks
need no guard. A job comes as a line of JSON on its standard input, and each answer goes as one to what was
its standard output; what a library prints goes to standard error.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
from pathlib import Path
from typing import Any


def main() -> None:
    """Serve jobs until standard input ends, as it does when the runner is gone, however it went."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all; the runner stops us
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    settings = json.loads(sys.stdin.readline())
    jobs: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(jobs,), daemon=True).start()

    from tersely.scale.jobs import answer_job
    from tersely.scale.plan import load_plan
    from tersely.scale.workspace import Workspace

    out = Path(settings["out"])
    space = Workspace(Path(settings["root"]), out, load_plan(out))

    print("ready", file=answers, flush=True)
    while True:
        print(json.dumps(answer_job(space, jobs.get())), file=answers, flush=True)


def _listen(jobs: queue.SimpleQueue[dict[str, Any]]) -> None:
    """Take jobs in; end the process, whatever it does, when no more can come."""
    for line in sys.stdin:
        jobs.put(json.loads(line))
    os._exit(0)


if __name__ == "__main__":
    main()
