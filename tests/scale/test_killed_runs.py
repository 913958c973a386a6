"""Whatever is killed, and whenever: what comes of a job is byte for byte what comes of an undisturbed one."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

from row_corpus import bytes_of, make_rows, read_out, write_parquet  # noqa: E402
from tersely.scale import compress_dataset  # noqa: E402
from tersely.scale.dataset import Report  # noqa: E402
from tersely.scale.options import RowOptions  # noqa: E402
from tersely.scale.plan import PLAN, plan_job  # noqa: E402

pytestmark = pytest.mark.skipif(not Path("/proc").exists(), reason="looks for processes in /proc")
SMALL = 4096
MARK = "TERSELY_TEST_MARK"
RUNNER = """
import sys
from tersely.scale import compress_dataset
compress_dataset(sys.argv[1], sys.argv[2], workers=2, unit_bytes=4096)
"""


COMMAND = """
import sys
from tersely.scale import plan
plan._UNIT_BYTES = 4096
from tersely.cli import main
sys.exit(main())
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write_parquet(tmp_path / "in.parquet", make_rows(64))


@pytest.fixture
def undisturbed(source: Path, tmp_path: Path) -> dict[str, bytes]:
    compress_dataset(source, tmp_path / "undisturbed", workers=0, unit_bytes=SMALL)
    return bytes_of(tmp_path / "undisturbed")


def runner(source: Path, out: Path, mark: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, MARK: mark}
    return subprocess.Popen([sys.executable, "-c", RUNNER, str(source), str(out)], env=environment)


def processes(mark: str) -> list[int]:
    """All processes that have the mark in their environment."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"{MARK}={mark}".encode() in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:  # gone, or another user's
            continue
    return found


def all_end(mark: str) -> bool:
    until = time.monotonic() + 20
    while processes(mark):
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.rglob("*")} if folder.exists() else set()


def kill_until_done(source: Path, out: Path, kills: int, seed: int) -> int:
    """Run a job and kill its runner after some milliseconds of work, so often; then let it end."""
    chance = random.Random(seed)
    killed = 0
    mark = uuid.uuid4().hex
    for _ in range(kills):
        process = runner(source, out, mark)
        before = names(out)
        until = time.monotonic() + 30
        while process.poll() is None and time.monotonic() < until:
            if names(out) != before:  # from the first file on, and a bit
                time.sleep(chance.random() ** 2 * 0.4)
                break
            time.sleep(0.002)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            killed += 1
        process.wait()
        assert all_end(mark), "workers outlive their runner"
    assert runner(source, out, mark).wait(timeout=120) == 0
    return killed


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), pytest.param(signal.SIGTERM, 143, marks=pytest.mark.slow)]
)
def test_a_command_that_is_stopped_says_what_is_done_and_the_same_command_continues(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    source, out, mark = write_parquet(tmp_path / "much.parquet", make_rows(1500)), tmp_path / "out", "stopped"
    out.mkdir()
    plan_job(str(source), out, RowOptions(), SMALL)  # many parts; the command knows megabytes only
    command = [sys.executable, "-c", COMMAND, "batch", str(source), str(out), "--workers", "2"]
    process = subprocess.Popen(
        command, env={**os.environ, MARK: mark}, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    until = time.monotonic() + 30
    while not list(out.glob("part-*")) and time.monotonic() < until:
        time.sleep(0.01)
    if number == signal.SIGINT:
        os.killpg(process.pid, number)  # a terminal tells all of them
    else:
        process.send_signal(number)
    told = process.communicate(timeout=30)[1].splitlines()
    assert process.returncode == code and all_end(mark)
    assert "not finished" in told[-2] and told[-1] == "tersely: stopped; the same command continues"
    assert "Traceback" not in told and not [name for name in names(out) if name.endswith(".tmp")]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_fifty_random_moments(source: Path, tmp_path: Path, undisturbed: dict[str, bytes], seed: int) -> None:
    for number in range(5):
        out = tmp_path / f"out{number}"
        kill_until_done(source, out, 2, seed=100 * seed + number)
        assert bytes_of(out) == undisturbed


def workers_of(pid: int) -> list[int]:
    """The workers that a process has started."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text().rpartition(")")[2].split()[1])
            if parent == pid and b"tersely.scale.jobs" in (path.parent / "cmdline").read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


@contextmanager
def killing(pid: int, kills: int, seed: int) -> Iterator[list[int]]:
    """Kill workers of a process at random moments, so many at most."""
    chance, killed, done = random.Random(seed), [], threading.Event()

    def kill() -> None:
        while len(killed) < kills and not done.wait(chance.random() * 0.3):
            if found := workers_of(pid):
                victim = chance.choice(found)
                os.kill(victim, signal.SIGKILL)
                killed.append(victim)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield killed
    finally:
        done.set()
        thread.join()


@pytest.mark.slow
def test_killed_workers_are_started_again(
    source: Path, tmp_path: Path, undisturbed: dict[str, bytes]
) -> None:
    with killing(os.getpid(), 3, seed=5) as killed:
        report = compress_dataset(source, tmp_path / "out", workers=2, unit_bytes=SMALL)
    assert killed and report.errors == 0
    assert bytes_of(tmp_path / "out") == undisturbed


def test_a_second_run_on_a_folder_is_refused_while_the_first_is_at_work(
    source: Path, tmp_path: Path, undisturbed: dict[str, bytes]
) -> None:
    def again(report: Report) -> None:
        if not report.finished:
            with pytest.raises(ValueError, match="another run is at work in"):
                compress_dataset(source, tmp_path / "out", workers=0, unit_bytes=SMALL)

    compress_dataset(source, tmp_path / "out", workers=0, unit_bytes=SMALL, progress=again)
    assert bytes_of(tmp_path / "out") == undisturbed


DEADLY = """
import os, tersely
real = tersely.compress
def compress(text, *arguments, **options):
    if "number 21 has 2 gates" in text or "number 40 has 2 gates" in text:
        os.kill(os.getpid(), 9)
    return real(text, *arguments, **options)
tersely.compress = compress
"""


@pytest.fixture
def deadly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two rows kill the workers that compress them: Python runs this file as it starts."""
    folder = tmp_path / "start"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(DEADLY, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(folder))


@pytest.mark.slow
@pytest.mark.usefixtures("deadly")
@pytest.mark.parametrize("size", [SMALL, 1 << 30])
def test_rows_that_kill_their_worker_get_an_error_and_no_other_row_does(
    source: Path, tmp_path: Path, size: int
) -> None:
    compress_dataset(source, tmp_path / "undisturbed", workers=0, unit_bytes=size)
    report = compress_dataset(source, tmp_path / "out", workers=2, unit_bytes=size)
    assert report.finished and report.errors == 2
    rows, wanted = read_out(tmp_path / "out"), read_out(tmp_path / "undisturbed")
    failed = [row["id"] for row in rows if row["error"] is not None]
    assert failed == ["row-21", "row-40"] and "worker" in rows[21]["error"]
    assert [row for row in rows if row["error"] is None] == [row for row in wanted if row["id"] not in failed]
    assert not [path for path in (tmp_path / "out").iterdir() if path.suffix == ".tmp"]
    (tmp_path / "out" / "part-000000.parquet").rename(tmp_path / "first")
    compress_dataset(source, tmp_path / "out", workers=1, unit_bytes=size)
    assert (tmp_path / "out" / "part-000000.parquet").read_bytes() == (tmp_path / "first").read_bytes()


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """No process, neither this nor one that starts, may write a file of more bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("workers", [0, 1])
@pytest.mark.slow
def test_a_part_that_cannot_be_written_stops_the_job_and_leaves_nothing_behind(
    tmp_path: Path, workers: int
) -> None:
    source, out = write_parquet(tmp_path / "in.parquet", make_rows(400)), tmp_path / "out"
    with largest_file(6000), pytest.raises(OSError, match="File too large") as raised:
        compress_dataset(source, out, workers=workers)
    assert raised.value.filename == str(out / "part-000000.parquet")
    assert set(bytes_of(out)) == {PLAN}
    compress_dataset(source, out, workers=0)
    compress_dataset(source, tmp_path / "undisturbed", workers=0)
    assert bytes_of(out) == bytes_of(tmp_path / "undisturbed")


FULL = """
import errno, json, os, sys
from pathlib import Path
from tersely.scale import compress_dataset
source, out = sys.argv[1:]
filler = Path(out) / "filler"
filler.write_bytes(b"x" * 80_000)
try:
    compress_dataset(source, out + "/made", workers=2, unit_bytes=4096)
except OSError as error:
    assert error.errno == errno.ENOSPC, error
else:
    raise AssertionError("there was room")
left = sorted(os.listdir(out + "/made"))
filler.unlink()
report = compress_dataset(source, out + "/made", workers=2, unit_bytes=4096)
print(json.dumps([left, report.digest]))
"""


@pytest.mark.slow
def test_a_full_disk_stops_the_job_and_room_lets_it_go_on(
    source: Path, tmp_path: Path, undisturbed: dict[str, bytes]
) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = f'mount -t tmpfs -o size=128k tmpfs "{disk}"'
    space = ["unshare", "-rm", "sh", "-ec"]
    if (
        shutil.which("unshare") is None
        or subprocess.run([*space, mount], capture_output=True, check=False).returncode
    ):
        pytest.skip("no file system can be mounted here")
    script = tmp_path / "full.py"
    script.write_text(FULL, encoding="utf-8")
    command = f'{mount}; "{sys.executable}" "{script}" "{source}" "{disk}"'
    done = subprocess.run([*space, command], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    left, digest = json.loads(done.stdout)
    assert not [name for name in left if name.endswith(".tmp")]
    notes = pq.read_schema(pa.BufferReader(undisturbed[PLAN])).metadata
    assert digest == json.loads(notes[b"success"])["digest"]
