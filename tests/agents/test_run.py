"""`tersely run`: exit codes, signals, input, terminals, and the output within its budget."""

from __future__ import annotations

import io
import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from other_threads import UNDER_ASAN
from tersely.cli import main
from tersely.cli.run import run_command
from tersely.models.counters import resolve_counter
from tersely.store import Store

COUNT = resolve_counter(None).count
PYTHON = sys.executable
LINES = "for row in range(900): print('worker', row, 'wrote a row')"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "state" / "tersely" / "results.sqlite"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state"), "PYTHONUNBUFFERED": "1"}


def run(environment: dict[str, str], *words: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [PYTHON, "-m", "tersely", "run", *words]
    return subprocess.run(command, env=environment, input=given, capture_output=True, check=False)


def test_a_long_output_fits_and_the_whole_is_kept(environment: dict[str, str], store: Path) -> None:
    code = f"import sys\n{LINES}\nprint('ERROR disk full', file=sys.stderr); sys.exit(7)"
    done = run(environment, "--budget", "200", "--", PYTHON, "-uc", code)
    text = done.stdout.decode()
    assert done.returncode == 7 and not done.stderr
    assert COUNT(text) <= 200 and "ERROR disk full" in text
    id = text.rstrip("]\n").rpartition("tersely expand ")[2]
    with Store.open(store, read_only=True) as kept:
        whole = kept.expand(id)
    assert whole == "".join(f"worker {row} wrote a row\n" for row in range(900)) + "ERROR disk full\n"


@pytest.mark.parametrize("budget", ["1", "40"])
def test_a_budget_that_nothing_fits_into_is_raised_to_the_least_that_does(
    environment: dict[str, str], budget: str
) -> None:
    done = run(environment, "--budget", budget, "--", "seq", "1", "3000")
    assert done.stdout.startswith(b"1\n[tersely: ") and COUNT(done.stdout.decode()) < 60
    assert b"so it takes as many" in done.stderr


def test_of_an_output_too_long_to_be_read_both_ends_fit_the_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setattr("tersely.cli.run._MOST_READ", 3_000)
    monkeypatch.setattr("tersely.cli.run._MOST_KEPT", 6_000)
    kept = tmp_path / "kept.sqlite"
    command = ["run", "--budget", "100", "--store", str(kept), "--", PYTHON, "-c"]
    assert main([*command, f"{LINES}\nprint('ERROR: disk full')\nraise SystemExit(3)"]) == 3
    written = capfdbinary.readouterr()
    assert COUNT(written.out.decode()) <= 100 and b"ERROR: disk full" in written.out
    assert b"the first 1486 and the last 1489 are read" in written.err
    with Store.open(kept, read_only=True) as store:
        whole = store.expand(written.out.decode().split("tersely expand ")[1].split()[0])
    assert whole.startswith("worker 0 wrote a row\n") and whole.endswith("row\nERROR: disk full\n")
    assert "bytes left out here" in whole and 5_900 < len(whole) < 6_100
    assert main(["run", "--budget", "30000", "--", PYTHON, "-c", LINES]) == 0
    assert capfdbinary.readouterr().out.count(b"wrote a row") == 900  # longer than what is read, and fits


def test_exit_codes_words_and_output_come_as_they_are(
    environment: dict[str, str], store: Path, tmp_path: Path
) -> None:
    code = "import sys; data = sys.stdin.buffer.read(); sys.stdout.buffer.write(data + b'\\xff'); sys.exit(3)"
    done = run(environment, "--", PYTHON, "-c", code, given=b"a\r\nb")
    assert (done.returncode, done.stdout, done.stderr) == (3, b"a\r\nb\xff", b"")
    assert not store.exists()
    done = run(environment, "--", "echo", "$HOME", "*", ";", "exit 3", "--budget")
    assert (done.returncode, done.stdout) == (0, b"$HOME * ; exit 3 --budget\n")
    started = time.monotonic()
    done = run(environment, "--", "sh", "-c", "sleep 20 & echo started")
    assert (done.returncode, done.stdout) == (0, b"started\n")
    assert time.monotonic() - started < 15
    command = [PYTHON, "-m", "tersely", "run", "--", "sh", "-c", "echo x; exit 9"]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(timeout=30) == 9
    text = tmp_path / "text"
    text.write_text("no program")
    for words, code, said in (
        (["--", "no-such-command"], 127, b"cannot run no-such-command"),
        (["--", str(text)], 126, b"Permission denied"),
        ([], 2, b"which command?"),
        (["--budget", "0", "--", "true"], 2, b"--budget must be a whole number from 1"),
    ):
        done = run(environment, *words)
        assert done.returncode == code and said in done.stderr and not done.stdout


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGUSR2])
def test_a_signal_that_ended_it_is_told(environment: dict[str, str], number: int) -> None:
    code = f"import os; print('before', flush=True); os.kill(os.getpid(), {int(number)})"
    done = run(environment, "--", PYTHON, "-c", code)
    assert (done.returncode, done.stdout) == (128 + number, b"before\n")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1])
def test_signals_are_passed_on(environment: dict[str, str], number: int) -> None:
    code = (
        "import signal, sys, time\n"
        f"signal.signal({int(number)}, lambda *_: (print('caught'), sys.exit(5)))\n"
        "print('ready', file=open('ready', 'w'))\ntime.sleep(30)"
    )
    folder = environment["XDG_STATE_HOME"]
    Path(folder).mkdir(parents=True)
    command = [PYTHON, "-m", "tersely", "run", "--", PYTHON, "-c", code]
    with subprocess.Popen(
        command, env=environment, cwd=folder, stdout=subprocess.PIPE, start_new_session=True
    ) as process:
        wait_for((Path(folder) / "ready").exists)
        process.send_signal(number)
        out, _ = process.communicate(timeout=30)
    assert (process.returncode, out) == (5, b"caught\n")


def test_a_signal_while_the_command_starts_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    start = subprocess.Popen

    def start_late(*arguments: Any, **options: Any) -> subprocess.Popen[bytes]:
        process = start(*arguments, **options)
        os.kill(os.getpid(), signal.SIGTERM)
        return process

    monkeypatch.setattr(subprocess, "Popen", start_late)
    before = signal.getsignal(signal.SIGTERM)
    assert run_command(["sleep", "30"], io.BytesIO()) == 128 + signal.SIGTERM
    assert signal.getsignal(signal.SIGTERM) is before


def wait_for(ready: Callable[[], bool]) -> None:
    limit = time.monotonic() + 30
    while not ready():
        assert time.monotonic() < limit
        time.sleep(0.02)


def test_what_cannot_be_kept_is_written_as_it_came(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "state").write_text("no folder")
    done = run(environment, "--budget", "100", "--", PYTHON, "-c", LINES)
    assert done.returncode == 0 and done.stdout.count(b"\n") == 900
    assert done.stderr.startswith(b"tersely run: the output is written as it came")


class Terminal:
    """`tersely run` on a terminal, standard error and input included."""

    def __init__(self, environment: dict[str, str], *words: str) -> None:
        self.seen = b""
        self.pid, self.screen = pty.fork()
        if self.pid == 0:
            os.execve(PYTHON, [PYTHON, "-m", "tersely", "run", *words], environment)

    def read_until(self, text: bytes) -> None:
        limit = time.monotonic() + 30
        while text not in self.seen:
            assert time.monotonic() < limit, self.seen
            if select.select([self.screen], [], [], 0.2)[0]:
                self.seen += os.read(self.screen, 1 << 16)

    def ended(self) -> int:
        """The exit code, when all is read."""
        while True:
            try:
                data = os.read(self.screen, 1 << 16)
            except OSError:
                break
            if not data:
                break
            self.seen += data
        os.close(self.screen)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def test_a_watched_command_is_shown_as_it_writes_and_asks(environment: dict[str, str]) -> None:
    code = f"print('first'); print('got', input()); {LINES}; import sys; sys.exit(4)"
    code = code.replace("; for", "\nfor").replace("; import", "\nimport")
    terminal = Terminal(environment, "--budget", "150", "--", PYTHON, "-uc", code)
    terminal.read_until(b"first\r\n")
    os.write(terminal.screen, b"hello\n")
    assert terminal.ended() == 4
    shown, _, short = terminal.seen.partition(b"worker 899 wrote a row\r\n")
    assert b"got hello" in shown and shown.count(b"wrote a row") == 899
    assert b"tersely expand" in short and COUNT(short.decode()) <= 170
    code = (
        "import signal, sys, time\nsignal.signal(2, lambda *_: (print('caught'), sys.exit(6)))\n"
        "print('ready')\ntime.sleep(30)"
    )
    terminal = Terminal(environment, "--", PYTHON, "-uc", code)
    terminal.read_until(b"ready")
    os.write(terminal.screen, b"\x03")
    assert terminal.ended() == 6
    assert terminal.seen.count(b"caught") == 1


def test_last_words_are_kept_however_late_the_end_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a command wrote between a look at its output and the news of its end was lost when busy."""

    class Busy(subprocess.Popen[bytes]):
        def poll(self) -> int | None:
            self.wait()
            return super().poll()

    monkeypatch.setattr(subprocess, "Popen", Busy)
    kept = io.BytesIO()
    assert run_command([PYTHON, "-c", "import time; time.sleep(0.5); print('last words')"], kept) == 0
    assert kept.getvalue() == b"last words\n"


def test_one_bad_byte_does_not_switch_the_door_off(environment: dict[str, str], tmp_path: Path) -> None:
    log = tmp_path / "l.log"
    for word in (b"", "✅".encode()):
        rows = [b"line %d of a log" % row for row in range(3000)]
        rows[1500] = b"ERROR: the caf\xe9 is closed " + word
        log.write_bytes(b"\n".join(rows) + b"\n")
        done = run(environment, "-b", "200", "--", "cat", str(log))
        text = done.stdout.decode("utf-8")
        assert COUNT(text) <= 200 and ("caf\ufffd is" if word else "café is") in text
        assert b"Some of it was no UTF-8" in done.stderr
        id = text.rstrip("]\n").rpartition("tersely expand ")[2]
        expand = [PYTHON, "-m", "tersely", "expand", id]
        whole = subprocess.run(expand, env=environment, capture_output=True, check=True).stdout
        assert whole == log.read_bytes()


def test_of_what_is_no_text_a_line_says_how_to_get_it(environment: dict[str, str]) -> None:
    code = "import sys; sys.stdout.buffer.write(bytes(range(256)) * 90); sys.exit(3)"
    done = run(environment, "-b", "100", "--", PYTHON, "-c", code)
    assert done.returncode == 3 and not done.stderr
    assert done.stdout.startswith(b"[tersely: 23,040 bytes that are no text; all: tersely expand ")
    expand = [PYTHON, "-m", "tersely", "expand", done.stdout.decode().rstrip("]\n").rpartition(" ")[2]]
    whole = subprocess.run(expand, env=environment, capture_output=True, check=True).stdout
    assert whole == bytes(range(256)) * 90


@pytest.mark.slow  # 5 s
@pytest.mark.skipif(UNDER_ASAN, reason="AddressSanitizer takes memory of its own")
def test_memory_is_bounded_whatever_the_output(environment: dict[str, str], tmp_path: Path) -> None:
    """40 MB of JSON lines, which take most memory a byte: 1.2 GB where all is read, of which 16 MB are."""
    code = (
        "import json\nfor n in range(640):\n"
        ' line = \'{"id":%d,"msg":"request done","ms":7,"user":"u%d"}\\n\'\n'
        ' print("".join(line % (n, k) for k in range(1200)), end="")'
    )
    command = [PYTHON, "-m", "tersely", "run", "-b", "300", "--", PYTHON, "-c", code]
    measured = (
        "import resource, subprocess, sys\n"
        "subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)"
    )
    done = subprocess.run(
        [PYTHON, "-c", measured, *command], env=environment, capture_output=True, check=True
    )
    assert b"the first 83" in done.stderr and int(done.stdout) < 900
