"""Do the jobs of a schedule on a Ray cluster: tasks without state, which read and write storage themselves.

Every node must see the source and the output under the same paths, and have the same tersely. Texts never
enter Ray's object store: a task gets a job and gives back four numbers.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from tersely.errors import needs
from tersely.scale.jobs import answer_job, read_answer
from tersely.scale.plan import load_plan
from tersely.scale.schedule import Schedule, Stages
from tersely.scale.workspace import Workspace

#: Read by a Ray that starts with us: its workers are polite to others by default, and it reports its use.
_RAY_ENVIRONMENT = {"RAY_worker_niceness": "0", "RAY_USAGE_STATS_ENABLED": "0"}
_WAIT = 1.0  # seconds until it is looked whether nodes have joined


def run_on_ray(
    space: Workspace,
    schedule: Schedule | Stages,
    address: str | None,
    most: int | None,
) -> None:
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
                ready, _ = ray.wait(list(running), timeout=_WAIT)
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
