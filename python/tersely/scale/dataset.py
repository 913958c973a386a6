"""Compress or de-duplicate a corpus: plan the job, do the open parts, report."""

from __future__ import annotations

import contextlib
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Unpack

from tersely import checks
from tersely.files import file_lock
from tersely.scale.options import DedupArguments, DedupOptions, RowArguments, RowOptions
from tersely.scale.plan import Options, Plan, load_plan, plan_job
from tersely.scale.runners import run_here, run_locally
from tersely.scale.schedule import Schedule, Stages
from tersely.scale.workspace import (
    SHUFFLE,
    Totals,
    Workspace,
    finish_job,
    part_name,
    read_success,
    read_totals,
    remove_leftovers,
)
from tersely.threads import default_threads

_LOCK = ".lock"


@dataclass(frozen=True, slots=True)
class Report:
    """The progress of a job, and its totals so far."""

    out: str  #: the folder of the output
    job: str  #: "compress" or "dedup": what is done there
    units: int  #: how many parts it will have
    done: int  #: parts that are there
    skipped: int  #: of these, parts that were there before this run
    rows: int  #: with `errors`: rows that are done, and how many of them have an error
    errors: int
    kept: int  #: of these rows, those that stay: compressed, or no duplicate of another
    #: with `tokens`: of these rows, before and after; 0 of `dedup_dataset`, which counts none
    original_tokens: int
    tokens: int
    #: of the work that is done, 0 to 1: of the source's bytes, or of the stages of `dedup_dataset`
    share: float
    seconds: float  #: that this run has taken
    stage: str | None = None  #: what `dedup_dataset` is at, in a word
    #: of everything, once it is finished; anybody who runs the same plan gets the same
    digest: str | None = None

    @property
    def finished(self) -> bool:
        """Whether the job is done: every part is written, and its digest is."""
        return self.digest is not None


def compress_dataset(
    source: Any,
    out: str | os.PathLike[str],
    *,
    on: str = "local",
    workers: int | None = None,
    unit_bytes: int | None = None,
    progress: Callable[[Report], object] | None = None,
    **options: Unpack[RowArguments],
) -> Report:
    """Compress each row of a corpus into a folder of Parquet files; a stopped run can be resumed.

    The output depends only on the plan (`out/_tersely.parquet`): a job that was killed and called again, with
    any number of workers, writes the same bytes as one that was not. To resume, call it again. pyarrow,
    pandas, Polars, DuckDB, datasets and Spark read the folder as a data set.

    Args:
        source: a Parquet file, one of JSON lines (.jsonl or .ndjson, also .gz and .zst), a folder of them, a
            pattern such as "data/*.parquet", or a list of these.
        out: a folder, created if it is missing, for `part-000000.parquet` and so on, and `_tersely.parquet`,
            which has no rows; its metadata has the plan and, at the end, digests.
        text: the column of texts; a value may also be a list of texts, as for `tersely.compress`.
        query: the column of queries. If the default column is missing, there is no query.
        budget: the column of tokens for each row, or tokens for all. A null, or no such column: `ratio`.
        ratio: the share of the tokens that is kept without a budget, in (0, 1]; None: 0.3.
        keep: columns of the source to copy to the output. In JSON lines, a column has booleans, integers or
            numbers if the first lines have nothing else there; otherwise text.
        id: the column of ids, which is copied under its name and with its type. If ids are text, a row
            without one gets `file#number`.
        spans: also write which characters of the source were kept (document, start, end), and their position
            in the text (text_start, text_end).
        counter, strategy: names, as for `tersely.compress`.
        pinned: texts that each row must have, as for `tersely.compress`; a row without one has an error.
        separator: as for `tersely.compress`.
        on: "local": processes on this machine. "ray": the Ray cluster that this process is connected to, or
            that RAY_ADDRESS names, or a new one on this machine. Or the address of one ("host:6379"). All
            nodes must see the source and `out` under the same paths.
        workers: processes; None: OMP_NUM_THREADS, or the CPUs that this process may use. 0: this process
            does the work; a row that crashes it ends the run. With Ray: tasks at once; None or 0: the
            cluster's CPUs.
        unit_bytes: about how many bytes of the source make one part; None: 8 MiB, or more if there would be
            more than 4,096 parts; 128 MiB of compressed JSON lines.
        progress: called with a `Report` after each part, and after each stage of `dedup_dataset`.

    Returns:
        A `Report`. Parts are in the order of the source; the columns of the id and the text have the source's
        names. A row that cannot be compressed, kills its worker, or has more than 64 MiB has a null text, and
        `error` says why.

    Raises:
        ValueError, TypeError: a wrong argument; `out` holds another job (the message says what differs); a
            file of the source is damaged, or changed since the plan was made.
        OSError: a file cannot be read or written, for example because the disk is full. Call it again to go
            on.
        MissingExtraError: pyarrow is not installed.

    O(characters) on all workers together; each worker needs the memory of one part.
    """
    return run_dataset(source, out, RowOptions.from_dict(options), on, workers, unit_bytes, progress)


def dedup_dataset(
    source: Any,
    out: str | os.PathLike[str],
    *,
    on: str = "local",
    workers: int | None = None,
    unit_bytes: int | None = None,
    progress: Callable[[Report], object] | None = None,
    **options: Unpack[DedupArguments],
) -> Report:
    """Find the near-duplicates among all rows of a corpus: the same ones as `tersely.dedup` over all rows.

    The output depends only on the plan, as for `compress_dataset`: call it again to resume. Texts are passed
    between jobs in files below `out/_shuffle`, which are removed at the end.

    Args:
        source, out, keep, id, on, workers, progress: as for `compress_dataset`.
        text: the column of the texts that are compared.
        threshold: cosine in [-1, 1], as for `tersely.dedup`, whose own embedder decides.
        score: a column of finite numbers: the best of a cluster represents it (ties, and None: the first).
        kept_only: True: write only the rows that stay, with their text; those with an error are among them.
        unit_bytes: bytes of the source, about, that make one part; None: as for `compress_dataset`, or more
            if there would be more than 512 parts.
        partitions: how many groups of texts with the same `guard_keys` are made; None: one per 8 MiB of the
            source.
        heavy_bytes: a group of more bytes (most texts have no number and no negation) is divided further, by
            rare terms; None: 64 MiB. It changes time and memory, not the result.

    Returns:
        A `Report`; `kept` counts the rows that stay. Parts are in the order of the source and have columns:

        - the id, and those of `keep`; with `kept_only` the text;
        - cluster: the number of the row that represents this one, from 0 in the whole source; of all rows
          without an error, `representatives[labels]` of `tersely.dedup`;
        - kept: whether the row represents itself;
        - similarity: with the representing row, float32; 1 for itself and for copies that differ in white
          space;
        - error: why a row cannot be compared (no text, a score that is no number); the others are null then.

    Raises:
        ValueError, TypeError, OSError, MissingExtraError: as `compress_dataset`.
        RuntimeError: a job killed its worker three times, for example for lack of memory: use more
        partitions.

    O(characters) and, for texts with equal guards, O(pairs with a rare term in common). Each worker needs the
    memory of a part, a partition, or a block of texts with one rare term; one job also needs 40 bytes for
    each row that has a heavy guard and shares most of its words with another row.
    """
    return run_dataset(source, out, DedupOptions.from_dict(options), on, workers, unit_bytes, progress)


def run_dataset(
    source: Any,
    out: str | os.PathLike[str],
    options: Options,
    on: str,
    workers: int | None,
    unit_bytes: int | None,
    progress: Callable[[Report], object] | None,
) -> Report:
    """Do the open parts of a job; arguments, result and errors as of `compress_dataset`."""
    place = _place(on)
    processes = default_threads() if workers is None else checks.whole_number(workers, "workers")
    checks.callable_or_none(progress, "progress")
    started = time.monotonic()
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise FileExistsError(f"out must be a folder, and {folder} is a file") from None
    with _alone(folder):
        root, plan = plan_job(source, folder, options, unit_bytes)
        state = _Progress(folder, plan, started, progress)
        todo = state.todo()
        if todo or (finished := read_success(folder)) is None:
            space = Workspace(root, folder, plan)
            try:
                _run(space, todo, state, place, workers, processes)
            finally:
                for where in (folder, space.shuffle):
                    remove_leftovers(where)
            finished = finish_job(folder, plan)
        remove_leftovers(folder)
        shutil.rmtree(folder / SHUFFLE, ignore_errors=True)
        return state.report(finished["digest"])


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold a folder, as far as its file system has locks. Raises ValueError where another run holds it."""
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(file_lock(folder / _LOCK, 0))
        except TimeoutError:
            raise ValueError(f"another run is at work in {folder}: wait until it ends") from None
        except OSError:  # no locks, or a finished job that is only read
            pass
        yield


def _run(
    space: Workspace,
    units: list[int],
    state: _Progress,
    place: tuple[str | None] | None,
    workers: int | None,
    processes: int,
) -> None:
    """Do the jobs that make the parts of some units."""
    schedule: Schedule | Stages
    if isinstance(space.plan.options, DedupOptions):
        schedule = Stages(space, units, state.done, state.stage)
    else:
        schedule = Schedule(space, units, state.done)
    if place is not None:
        from tersely.scale.runners import run_on_ray

        run_on_ray(space, schedule, place[0], workers)
    elif not processes:
        run_here(space, schedule)
    elif units:
        run_locally(space, schedule, min(processes, schedule.jobs))


def _place(on: str) -> tuple[str | None] | None:
    """Return (address of a Ray cluster, None for the usual one), or None where jobs run on this machine."""
    if checks.text(on, "on") == "local":
        return None
    if on != "ray" and ":" not in on:
        raise ValueError(f"on must be local, ray or the address of a Ray cluster, not {checks.shown(on)}")
    from tersely.scale.runners import ray_module

    ray_module()  # before anything is written
    return (None if on == "ray" else on,)


def dataset_status(out: str | os.PathLike[str]) -> Report:
    """Return how far the job of a folder is, from the output files that exist. O(output files).

    Raises FileNotFoundError if no job was begun there, StoreError for a damaged plan.
    """
    folder = Path(out)
    state = _Progress(folder, load_plan(folder), time.monotonic(), None)
    finished = read_success(folder) if not state.todo() else None
    return state.report(None if finished is None else finished["digest"])


class _Progress:
    """The progress of a job, reported to the caller's function."""

    def __init__(
        self, folder: Path, plan: Plan, started: float, progress: Callable[[Report], object] | None
    ) -> None:
        self._folder, self._plan, self._started, self._progress = folder, plan, started, progress
        self._lock, self._calling = threading.Lock(), threading.Lock()
        self._parts: set[int] = set()
        self._skipped = 0
        self._totals = Totals()
        self._stage: tuple[str, float] | None = None

    def todo(self) -> list[int]:
        """The units without a part; the totals of the others are added up."""
        missing = []
        for unit in range(len(self._plan.units)):
            path = self._folder / part_name(unit)
            if path.exists():
                self._totals += read_totals(path)
                self._parts.add(unit)
            else:
                missing.append(unit)
        self._skipped = len(self._parts)
        return missing

    def done(self, unit: int, totals: Totals) -> None:
        """Take note of a part."""
        with self._lock:
            self._parts.add(unit)
            self._totals += totals
        self._call()

    def stage(self, name: str, share: float) -> None:
        """Record a job's stage, and the share of all work that is done."""
        with self._lock:
            self._stage = name, share
        self._call()

    def report(self, digest: str | None = None) -> Report:
        """Report the progress so far."""
        weights = self._plan.weights
        with self._lock:
            totals, done = self._totals, sum(weights[unit] for unit in self._parts)
        stage, share = self._stage or (None, min(done / max(sum(weights), 1), 1.0))
        return Report(
            out=str(self._folder),
            job=self._plan.options.job,
            units=len(weights),
            done=len(self._parts),
            skipped=self._skipped,
            **asdict(totals),
            share=share if digest is None else 1.0,
            seconds=time.monotonic() - self._started,
            stage=stage if digest is None else None,
            digest=digest,
        )

    def _call(self) -> None:
        if self._progress is not None:
            with self._calling:  # workers report side by side; the caller is called one at a time
                self._progress(self.report())
