"""Do the jobs of a schedule on this machine: one long-lived process a core."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from typing import Any

from tersely.scale.jobs import read_answer, run_job
from tersely.scale.schedule import Schedule, Stages
from tersely.scale.workspace import Totals, Workspace

#: One thread a process: the processes share the cores, and no result depends on threads.
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv.pop()); "
    "from tersely.scale.worker import main; main()"
)
_STARTS = 5  # of a worker until RuntimeError
_WAIT = 0.2  # seconds between two looks at whether somebody interrupts


class _WorkerDiedError(Exception):
    """The process ended in the middle of a job."""


class _Worker:
    """A process, started with its first job and again after a death."""

    def __init__(self, space: Workspace) -> None:
        self._space = space
        self._process: subprocess.Popen[str] | None = None
        self._ready = False

    def run(self, job: Mapping[str, Any]) -> Totals:
        """Do a job. Raises the worker's error, or _WorkerDiedError."""
        process = self._ready_process()
        assert process.stdin is not None and process.stdout is not None
        with contextlib.suppress(BrokenPipeError, json.JSONDecodeError):  # the last line may be cut
            print(json.dumps(dict(job)), file=process.stdin, flush=True)
            return read_answer(json.loads(process.stdout.readline()))
        self.stop()
        raise _WorkerDiedError

    def stop(self) -> None:
        """End the process now."""
        process, self._process, self._ready = self._process, None, False
        if process is not None:
            process.kill()
            with contextlib.suppress(BrokenPipeError):
                process.communicate()

    def kill(self) -> None:
        """End the process; whoever waits for its answer hears that it died."""
        process = self._process
        if process is not None:
            process.kill()

    def _ready_process(self) -> subprocess.Popen[str]:
        """The process, ready for a job. Raises RuntimeError where none gets so far."""
        for _ in range(_STARTS):
            process = self._process or self._start()
            if self._ready:
                return process
            assert process.stdout is not None
            if process.stdout.readline() == "ready\n":
                self._ready = True
                return process
            self.stop()
        raise RuntimeError(f"no worker starts; what {sys.executable} says stands on standard error")

    def _start(self) -> subprocess.Popen[str]:
        process = self._process = subprocess.Popen(
            [sys.executable, "-c", _START, json.dumps(sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env={**os.environ, **_ONE_THREAD},
        )
        settings = {"root": str(self._space.root), "out": str(self._space.out)}
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            print(json.dumps(settings), file=process.stdin, flush=True)
        return process


def run_here(space: Workspace, schedule: Schedule | Stages) -> None:
    """Do all jobs of a schedule in this process, one after another; a crash in one ends it.

    Raises what a job raises.
    """
    while (job := schedule.next()) is not None:
        schedule.ended(job, run_job(space, job))


def run_locally(space: Workspace, schedule: Schedule | Stages, workers: int) -> None:
    """Do all jobs of a schedule on so many processes.

    Raises the first error of a job once all workers are stopped, and KeyboardInterrupt.
    """
    changed = threading.Condition()
    raised: list[BaseException] = []

    def serve(worker: _Worker) -> None:
        if hasattr(signal, "pthread_sigmask"):  # Ctrl-C goes to all: not to workers that this thread starts
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            while True:
                with changed:
                    while (job := schedule.next()) is None and not schedule.finished and not raised:
                        changed.wait()
                    if job is None or raised:
                        return
                totals: Totals | None = None
                with contextlib.suppress(_WorkerDiedError):
                    totals = worker.run(job)
                with changed:
                    if raised:
                        return
                    if totals is None:
                        schedule.died(job)
                    else:
                        schedule.ended(job, totals)
                    changed.notify_all()
        except BaseException as error:
            with changed:
                raised.append(error)
        finally:
            worker.stop()
            with changed:
                changed.notify_all()

    pool = [_Worker(space) for _ in range(workers)]
    threads = [threading.Thread(target=serve, args=(worker,), daemon=True) for worker in pool]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            while thread.is_alive():
                thread.join(_WAIT)
                if raised:
                    break
    except BaseException as error:
        with changed:
            raised.append(error)
    finally:
        while raised and any(thread.is_alive() for thread in threads):
            with contextlib.suppress(KeyboardInterrupt):  # once is enough
                for worker in pool:  # again and again: one may just have been started
                    worker.kill()
                time.sleep(_WAIT / 10)
    if raised:
        raise raised[0]
