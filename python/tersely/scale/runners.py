"""Do the jobs of a schedule: on processes of this machine, one a core, or on a Ray cluster.

Every node of a cluster must see the source and the output under the same paths, and have the same tersely.
Texts never enter Ray's object store: a task gets a job, reads and writes storage itself, and gives back four
numbers.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from tersely.errors import needs
from tersely.scale.jobs import answer_job, read_answer, run_job
from tersely.scale.plan import load_plan
from tersely.scale.schedule import Schedule, Stages
from tersely.scale.workspace import Totals, Workspace

#: One thread a process: the processes share the cores, and no result depends on threads.
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv.pop()); from tersely.scale.jobs import main; main()"
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


#: Read by a Ray that starts with us: its workers are polite to others by default, and it reports its use.
_RAY_ENVIRONMENT = {"RAY_worker_niceness": "0", "RAY_USAGE_STATS_ENABLED": "0"}
_LOOK = 1.0  # seconds until it is looked whether nodes have joined


def run_on_ray(space: Workspace, schedule: Schedule | Stages, address: str | None, most: int | None) -> None:
    """Do all jobs of a schedule on a cluster, as many at once as it has CPUs, or `most`.

    `address`: of a cluster; None: the one this process is connected to, or RAY_ADDRESS says, else a new one
    here. Raises the first error of a job, MissingExtraError without ray, ConnectionError.
    """
    with _connection(address) as ray:
        # One that dies is counted by the schedule, so Ray does not try again by itself.
        task = ray.remote(num_cpus=1, max_retries=0)(_task)
        running: dict[Any, dict[str, Any]] = {}
        try:
            while not schedule.finished:
                room = most or int(ray.cluster_resources().get("CPU", 1))
                while len(running) < room and (job := schedule.next()) is not None:
                    place = task.remote(str(space.root), str(space.out), space.plan.digest, dict(job))
                    running[place] = job
                ready, _ = ray.wait(list(running), timeout=_LOOK)
                for place in ready:
                    _take(ray, place, running.pop(place), schedule)
        finally:
            for place in running:
                ray.cancel(place, force=True)


def _take(ray: Any, place: Any, job: dict[str, Any], schedule: Schedule | Stages) -> None:
    """Record the outcome of a task."""
    died = (
        ray.exceptions.WorkerCrashedError,
        ray.exceptions.NodeDiedError,
        ray.exceptions.OutOfMemoryError,
        ray.exceptions.LocalRayletDiedError,
    )
    try:
        answer: Mapping[str, Any] = ray.get(place)
    except died:
        schedule.died(job)
    else:
        schedule.ended(job, read_answer(answer))


def _task(root: str, out: str, digest: str, job: dict[str, Any]) -> dict[str, Any]:
    """Do a job, in a worker of Ray."""
    return answer_job(_workspace(root, out, digest), job)


@lru_cache(maxsize=1)
def _workspace(root: str, out: str, digest: str) -> Workspace:
    """The plan, read once by each worker of a run. Raises ValueError where this node sees another."""
    plan = load_plan(Path(out))
    if plan.digest != digest:
        raise ValueError(f"this node has another plan in {out} than the runner")
    return Workspace(Path(root), Path(out), plan)


def ray_module() -> Any:
    """Return the module ray. Raises MissingExtraError."""
    with needs("ray", "ray"):
        import ray
    return ray


@contextmanager
def _connection(address: str | None) -> Iterator[Any]:
    """Ray, connected; a connection that is made here is closed at the end."""
    ray = ray_module()
    if ray.is_initialized():
        yield ray
        return
    for name, value in _RAY_ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    given = {} if address is not None or "RAY_ADDRESS" in os.environ else {"include_dashboard": False}
    ray.init(address=address, log_to_driver=False, **given)
    try:
        yield ray
    finally:
        ray.shutdown()
