"""Logs, uniform lines and lists: one of each kind, rare lines, errors, newest entries; every fold counted."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
import tersely
from growth import MOST, growth
from hypothesis import given, strategies as st
from result_checks import verbatim
from tersely.content.lines import read_lines
from tersely.content.log_file import compress_file
from tersely.content.logs import Logs
from tersely.content.tool_output import ToolOutput


def service_log(lines: int, seed: int = 1) -> list[str]:
    """A service that works, with a few things that went wrong."""
    generator = random.Random(seed)
    kinds = (
        "INFO  http GET /orders/{0} 200 in {1} ms",
        "INFO  cache hit for key user:{0}",
        "DEBUG pool connection {1} returned",
        "INFO  job {0} finished in {1} ms",
    )
    result = []
    for n in range(lines):
        stamp = f"2024-05-01 {n // 3600 % 24:02d}:{n // 60 % 60:02d}:{n % 60:02d}.{n % 1000:03d}"
        kind = generator.choice(kinds).format(generator.randrange(10**6), generator.randrange(900))
        result.append(f"{stamp} [req-{n // 4:06x}] {kind}")
    return result


def test_errors_rare_lines_and_trails_stay() -> None:
    lines = service_log(2_000)
    lines[900] = "2024-05-01 00:15:00.900 [req-0000e1] ERROR payment gateway refused order 77: timeout"
    lines[1500] = "2024-05-01 00:25:00.500 [main] INFO  configuration reloaded by operator"
    text = "\n".join(lines)
    result = tersely.compress(text, ratio=0.02, strategy=Logs())
    assert result.tokens <= int(result.original_tokens * 0.02)
    assert lines[900] in result.text and lines[1500] in result.text
    for kind in ("http GET", "cache hit", "pool connection", "finished in"):
        assert kind in result.text
    notes = [result.text[start:end] for start, end in result.generated if "×" in result.text[start:end]]
    assert len(notes) == 4 and sum(int(note.split("×")[1].split()[0]) for note in notes) == 1_998
    assert all(" to 00:3" in note for note in notes)
    kept = set(verbatim(result).split("\n"))
    assert kept - {""} <= set(lines)
    lines = service_log(3_000)
    text = "\n".join(lines)
    result = tersely.compress(text, "what happened to req-0000aa?", budget=700, strategy=Logs())
    trail = [line for line in lines if "[req-0000aa]" in line]
    assert len(trail) == 4 and all(line in result.text for line in trail)
    nothing = tersely.compress(text, "zebra crossing", budget=700, strategy=Logs())
    assert "query_without_matches" in nothing.receipt.warnings


def test_pinned_and_rare_lines_of_a_long_log_stay() -> None:
    lines = service_log(140_000)
    lines[33_333] = "2024-05-01 09:15:33.333 [main] FATAL disk full"
    text = "\n".join(lines)
    result = tersely.compress(text, budget=600, strategy=Logs())
    assert lines[33_333] in result.text and result.tokens <= 600
    spans = sorted([*result.kept, *result.dropped], key=lambda span: span.start)  # too long to be checked
    assert all(a.end <= b.start for a, b in pairwise(spans))
    counted = sum(
        int(result.text[a:b].split()[1]) for a, b in result.generated if result.text[a:b].startswith("… ")
    )
    assert counted + len(result.kept) == 140_000
    lines = service_log(40_000)
    result = tersely.compress("\n".join(lines), budget=400, pinned=[lines[20_005]], strategy=Logs())
    assert lines[20_005] in result.text and result.tokens <= 400


def test_files_are_read_as_texts_are(tmp_path: Path) -> None:
    lines = service_log(3_000)
    lines[1_000] = "2024-05-01 00:16:40.000 [main] ERROR schön kaputt 漢字"
    path = tmp_path / "app.log"
    path.write_bytes("\r\n".join(lines).encode())
    result = tersely.compress("\n".join(lines), "kaputt", budget=500, strategy=Logs())
    digest = compress_file(path, "kaputt", budget=500)
    assert (
        digest.text == result.text and digest.tokens == result.tokens and digest.generated == result.generated
    )
    data = path.read_bytes()
    assert [data[start:end].decode() for start, end in digest.kept] == [
        "\n".join(lines)[span.start : span.end] for span in result.kept
    ]
    assert (digest.lines, digest.bytes) == (3_000, len(data))
    with pytest.raises(ValueError, match="budget must be"):
        compress_file(path, budget=0)
    path = tmp_path / "odd.log"
    path.write_bytes(b"start\n\xff\xfe ERROR broken \x80\n" + b"\x00" * 100 + b"\nend\n")
    digest = compress_file(path, budget=300)
    assert "ERROR broken" in digest.text and digest.warnings == ("characters_replaced",)
    words = " ".join(f"k{n}=v{n}" for n in range(1500))
    lines = [f"10:00:{n % 60:02d} INFO tick {n} of worker" for n in range(4000)]
    lines[1700] = f"10:00:17 INFO payload {words} needle"
    path = tmp_path / "app.log"
    path.write_text("\n".join(lines))
    digest = compress_file(path, "payload needle", budget=9000)
    assert digest.lines == 4000 and words in digest.text
    assert all(line.startswith(("10:00:", "… ")) for line in digest.text.split("\n"))
    data = path.read_bytes()
    assert all(data[start:end].decode() in digest.text for start, end in digest.kept)


_LARGE = """
import resource, sys
from tersely.content.log_file import compress_file
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
digest = compress_file(sys.argv[1], "disk failure", budget=2000)
more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(more, digest.lines, "disk failure 42" in digest.text)
"""


@pytest.mark.slow
def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    block = "\n".join(service_log(20_000)) + "\n"
    path = tmp_path / "large.log"
    with path.open("w") as file:
        for number in range(120):  # 200 MB
            file.write(block)
            if number == 60:
                file.write("2024-05-01 10:00:00.000 [main] ERROR disk failure 42\n")
    assert path.stat().st_size > 160_000_000
    run = subprocess.run(
        [sys.executable, "-c", _LARGE, str(path)], capture_output=True, text=True, check=True
    )
    kilobytes, lines, found = run.stdout.split()
    assert int(kilobytes) < 150_000 and int(lines) == 120 * 20_000 + 1 and found == "True"


@pytest.mark.parametrize("strategy", ["log", "tool_output", "stack_trace"])
@pytest.mark.parametrize("query", [None, "needle"])
def test_pieces_of_a_long_line_stand_in_its_line(strategy: str, query: str | None) -> None:
    words = " ".join(f"k{n}=v{n}" for n in range(1500))
    lines = [f"10:00:{n:02d} INFO tick {n * n} of worker" for n in range(40)]
    lines[17] = f"10:00:17 INFO payload {words} needle ERROR at the end"
    text = "\n".join(lines)
    result = tersely.compress(text, query, budget=2600, strategy=strategy)
    starts = [line.lstrip()[:6] for line in result.text.split("\n")]
    assert set(starts) <= {"10:00:", *(start for start in starts if start.startswith("… "))}
    counted = [int(n) for n in re.findall(r"^… (\d+) lines?$", result.text, re.MULTILINE)]
    assert sum(counted) + sum(start == "10:00:" for start in starts) == 40
    assert " … " in result.text and "needle ERROR at the end" in result.text


SUBJECTS = (
    "Fix the crash when a file is missing",
    "Handle errors of the parser",
    "Update the guide",
    "Add a test",
)
STRATEGIES = [None, Logs(), ToolOutput()]


def ids(size: int) -> list[str]:
    return [f"{(n + 7) * 0x9E3779B1 % 2**32:08x}" for n in range(size)]


def commits(size: int) -> list[str]:
    """Records as `git log` writes them, newest first; one body talks of what fails."""
    made = []
    for n, name in enumerate(ids(size)):
        body = "\n\n    An event such as (TEST-TIMEOUT) says that it failed." if n == 30 else ""
        date = f"Mon Nov {30 - n // 4} 10:{59 - n}:00 2026 +0100"
        head = f"commit {name * 5}\nAuthor: Ann Lee <ann@example.org>\nDate:   {date}"
        made.append(f"{head}\n\n    {SUBJECTS[n % 4]} of part {n}{body}")
    return made


def of_svn(size: int) -> list[str]:
    rule = "-" * 72
    return [
        f"{rule}\nr{900 - n} | ann | 2026-11-{30 - n // 4} 10:00:00 | 1 line\n\n{SUBJECTS[n % 4]} {n}"
        for n in range(size)
    ]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("budget", [100, 300, 600])
@pytest.mark.parametrize("made", [commits, of_svn])
def test_of_commits_the_newest_stay_whole(made: object, budget: int, strategy: object) -> None:
    records = made(40)  # type: ignore[operator]
    text = ("\n\n" if made is commits else "\n").join(records)
    kept = tersely.compress(text, budget=budget, strategy=strategy)
    whole = [record for record in records if record in kept.text]
    assert whole and whole == records[: len(whole)]
    rest = kept.text.split(whole[-1])[1]
    assert len(rest) < max(map(len, records)) + 40 and re.search(r"… \d+ lines$", kept.text)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("graph", ["", "* "])
def test_of_commits_in_a_line_each_the_newest_stay(graph: str, strategy: object) -> None:
    lines = [
        f"{graph}{name} {SUBJECTS[n % 4]} of part {n} as it was asked for" for n, name in enumerate(ids(120))
    ]
    kept = tersely.compress("\n".join(lines), ratio=0.2, strategy=strategy).text.split("\n")
    shown = [line for line in kept if not line.startswith("…")]
    assert len(shown) > 15 and shown[:-1] == lines[: len(shown) - 1] and kept[-1].startswith("… ")


def test_trees_and_commits() -> None:
    records = commits(40)
    records[33] += " for the zebras"
    kept = tersely.compress("\n\n".join(records), "Which commit is about zebras?", budget=120).text
    assert records[33] in kept
    lines = ["."]
    for folder in range(12):
        lines.append(f"├── folder_{folder}")
        lines += [f"│   ├── module_{n * n}_of_{folder}.py" for n in range(20)]
    text = "\n".join([*lines, "", "12 directories, 240 files"])
    kept = tersely.compress(text, budget=200).text
    assert all(f"├── folder_{folder}\n" in kept for folder in range(12))
    assert "12 directories, 240 files" in kept and re.search(r"… \d+ lines", kept)
    row = tersely.compress(text, "Where is module_361_of_7.py?", budget=60).text
    assert "├── folder_7\n" in row and "module_361_of_7" in row


LINES = {
    "series": lambda n: f"tick {n}",
    "broken series": lambda n: f"tick {n + n // 7}",
    "ids": lambda n: f"{n * 0x9E3779B1 % 2**32:08x} some words of it",
    "records": lambda n: f"commit {n * 977:040x}\nAuthor: a\n\n    Fix the thing of part {n}\n",
    "trees": lambda n: "│ " * (n % 60) + f"├── file_{n * n}",
}


@pytest.mark.growth
@pytest.mark.parametrize("kind", LINES)
def test_time_grows_with_the_lines_of_lists(kind: str) -> None:
    def make(size: int) -> str:
        return "\n".join(map(LINES[kind], range(size // 20)))

    assert growth(make, lambda text: tersely.compress(text, budget=400, strategy=ToolOutput())) < MOST


UNIFORM = (
    "waiting for the database to come up",
    "tick {n}",
    "2026-11-27T10:{m:02}:{s:02}Z INFO heartbeat seq={n} ok",
    "Attempt {n}: connection refused, retrying in 5 seconds",
    "Downloading... {n}% of 10 MB",
)


@pytest.mark.parametrize("ratio", [0.1, 0.3, 0.9])
@pytest.mark.parametrize("line", UNIFORM)
def test_lines_that_say_the_same_are_one_and_a_count(line: str, ratio: float) -> None:
    lines = [line.format(n=n, m=n // 60, s=n % 60) for n in range(300)]
    kept = tersely.compress("\n".join(lines), ratio=ratio)
    assert re.fullmatch(re.escape(lines[0]) + r" … ×300( to [\d:]+Z)?", kept.text)
    odd = [*lines[:211], "the leader is node 5 now", *lines[211:]]
    kept = tersely.compress("\n".join(odd), ratio=ratio)
    assert kept.text.split("\n")[0].startswith(f"{lines[0]} … ×300") and odd[211] in kept.text
    assert kept.tokens < 80


def test_lines_of_a_series_that_stay() -> None:
    lines = [f"received packet id={n}" for n in range(300) if n not in (111, 112)]
    kept = tersely.compress("\n".join(lines), ratio=0.3).text
    assert kept == "received packet id=0 … ×111\nreceived packet id=113 … ×187"
    lines = [f"2026-11-27T10:{n // 60:02}:{n % 60:02}Z INFO heartbeat seq={n} ok" for n in range(600)]
    text = "\n".join(lines)
    assert lines[371] in tersely.compress(text, "What about seq=371?", budget=200).text
    pinned = tersely.compress(text, budget=200, pinned=["seq=371 ok"]).text
    assert lines[371] in pinned and "×" not in pinned and pinned.endswith("… 228 lines")
    lines = [f'ts=2024-05-02T12:17:{n:02}Z level=info orgID={n % 7} msg="request served"' for n in range(60)]
    lines[17] = lines[17].replace("info", "error")
    lines[40] = lines[40].replace("orgID=5", "orgID=5 retry=3")
    result = tersely.compress("\n".join(lines), budget=220)
    assert lines[17] in result.text and lines[40] in result.text


def test_lines_are_counted_once_by_their_series_or_as_a_gap() -> None:
    runs = ["\n".join(map(str, range(first, first + 300_000))) for first in (1, 700_000)]
    kept = tersely.compress("\nand then\n".join(runs), budget=60).text
    assert kept == "1 … ×300000\nand then\n700000 … ×300000"
    odd = runs[0].replace("\n211000\n", "\nthe leader is node 5 now\n")
    kept = tersely.compress(odd, budget=60).text
    assert sum(map(int, re.findall(r"×(\d+)|$", kept)[:-1])) + 1 == 300_000 and "lines" not in kept


@given(
    st.lists(
        st.tuples(st.sampled_from(["red", "blue"]), st.integers(1, 10**6), st.integers(1, 40)), max_size=8
    )
)
def test_runs_of_counters_are_series(runs: list[tuple[str, int, int]]) -> None:
    lines = [
        f"{word} {'-' * at}> {start + n}" for at, (word, start, size) in enumerate(runs) for n in range(size)
    ]
    table = read_lines(["\n".join(lines)], None, 1024)
    assert table.in_series.tolist() == [size for _, _, size in runs]
    assert table.series.tolist() == [at for at, (_, _, size) in enumerate(runs) for _ in range(size)]
