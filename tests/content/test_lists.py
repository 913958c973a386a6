"""Lists and uniform logs: what comes first whole, and one line with a count for many that say the same."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest
import tersely
from hypothesis import given, strategies as st
from tersely.content.lines import read_lines
from tersely.content.logs import Logs
from tersely.content.tool_output import ToolOutput

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


def test_what_a_question_asks_of_commits_brings_its_head() -> None:
    records = commits(40)
    records[33] += " for the zebras"
    kept = tersely.compress("\n\n".join(records), "Which commit is about zebras?", budget=120).text
    assert records[33] in kept


def test_a_tree_keeps_what_stands_highest_and_its_count() -> None:
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


def test_an_error_among_a_list_of_findings_comes_first() -> None:
    """Records of tools are no list of people: what failed goes before the order."""
    parts = [f"==> Checking charts/part-{n}\n[INFO] the icon is recommended" for n in range(60)]
    parts[50] += "\n[ERROR] templates/app.yaml: cannot parse: did not find expected key"
    assert "[ERROR] templates/app.yaml" in tersely.compress("\n\n".join(parts), budget=100).text


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


def test_a_gap_in_a_counter_shows() -> None:
    lines = [f"received packet id={n}" for n in range(300) if n not in (111, 112)]
    kept = tersely.compress("\n".join(lines), ratio=0.3).text
    assert kept == "received packet id=0 … ×111\nreceived packet id=113 … ×187"


def test_a_line_that_is_asked_for_or_pinned_stays_among_its_like() -> None:
    lines = [f"2026-11-27T10:{n // 60:02}:{n % 60:02}Z INFO heartbeat seq={n} ok" for n in range(600)]
    text = "\n".join(lines)
    assert lines[371] in tersely.compress(text, "What about seq=371?", budget=200).text
    pinned = tersely.compress(text, budget=200, pinned=["seq=371 ok"]).text
    assert lines[371] in pinned and "×" not in pinned and pinned.endswith("… 228 lines")


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


@given(
    st.lists(st.sampled_from(["a b", "a  b 1", "x: 7 of 9", "12:00:01 up 3", "é 5"]), max_size=40),
    st.lists(st.integers(0, 3), min_size=40, max_size=40),
    st.integers(8, 80),
)
def test_lines_of_a_series_differ_in_numbers_alone(forms: list[str], steps: list[int], budget: int) -> None:
    """And each line that is left out as its like stands behind the line whose note tells of it."""
    total, lines = np.cumsum(steps).tolist(), []
    for at, form in enumerate(forms):
        lines.append(re.sub(r"\d+$", lambda digits, at=at: str(int(digits[0]) + total[at]), form))  # type: ignore[misc]
    text = "\n".join(lines)
    table = read_lines([text], None, 1024)
    forms_of = [re.sub(r"\d+", "0", line) for line in lines]
    for one, other in pairwise(sorted(range(len(lines)), key=lambda row: (table.series[row], row))):
        if table.series[one] == table.series[other]:
            assert forms_of[one] == forms_of[other] and other - one <= 2
    try:
        kept = tersely.compress(text, budget=budget, strategy=ToolOutput())
    except tersely.BudgetExceededError:
        return
    said = [int(count) for count in re.findall(r"×(\d+)", "".join(kept.text[a:b] for a, b in kept.generated))]
    assert all(count in table.in_series for count in said)
