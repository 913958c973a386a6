"""Diffs: every file named, changes by the query, and patches that git and patch take."""

from __future__ import annotations

import difflib
import random
import shutil
import subprocess
from pathlib import Path

import pytest
import tersely
from hypothesis import given, strategies as st
from result_checks import verbatim
from tersely import Document
from tersely.content.diff import Diff
from tersely.content.tool_output import ToolOutput

ALL = 1 << 40  # units worth telling apart
GIT, PATCH = shutil.which("git"), shutil.which("patch")


def sources(seed: int, files: int = 4, lines: int = 120) -> dict[str, tuple[list[str], list[str]]]:
    """Files before and after: lines that repeat, changes that move what follows."""
    generator = random.Random(seed)
    result = {}
    for number in range(files):
        before = [f"    value = step_{generator.randrange(12)}(value)\n" for _ in range(lines)]
        after = list(before)
        for _ in range(5):
            at = generator.randrange(len(after))
            new = [f"    -- {generator.random()} payment timeout\n"] * generator.randrange(3)
            after[at : at + generator.randrange(3)] = new
        result[f"part_{number}.py"] = (before, after)
    return result


def diff_of(files: dict[str, tuple[list[str], list[str]]]) -> str:
    parts = []
    for name, (before, after) in files.items():
        body = "".join(difflib.unified_diff(before, after, f"a/{name}", f"b/{name}"))
        if body:
            parts.append(f"diff --git a/{name} b/{name}\n{body}")
    return "".join(parts)


@pytest.mark.parametrize("budget", [250, 400, 900])
@pytest.mark.parametrize("applies", [False, True])
def test_every_file_stays_and_every_line_is_of_the_diff(budget: int, applies: bool) -> None:
    files = sources(1)
    text = diff_of(files)
    result = tersely.compress(text, budget=budget, strategy=Diff(applies=applies))
    assert result.tokens <= budget < result.original_tokens
    for name in files:
        assert f"b/{name}" in result.text
    lines = set(text.split("\n"))
    assert all(line in lines for line in verbatim(result).split("\n") if line)


@pytest.mark.skipif(GIT is None or PATCH is None, reason="needs git and patch")
@pytest.mark.parametrize("seed", range(6))
def test_the_result_applies_where_it_says_so(tmp_path: Path, seed: int) -> None:
    files = sources(seed)
    text = diff_of(files)
    result = tersely.compress(text, ratio=0.5, strategy=Diff(applies=True))
    assert result.dropped and len(result.kept) > len(files)
    for tool in (["git", "apply", "-"], ["patch", "-p1", "-s", "--fuzz=0"]):
        place = tmp_path / tool[0]
        place.mkdir()
        for name, (before, _) in files.items():
            (place / name).write_text("".join(before))
        run = subprocess.run(tool, cwd=place, input=result.text, text=True, capture_output=True, check=False)
        assert run.returncode == 0, run.stderr
        assert "offset" not in run.stdout + run.stderr
        for name, (before, after) in files.items():
            now = (place / name).read_text().splitlines(keepends=True)
            changed = [line for line in now if line not in before]
            assert changed == [line for line in after if line in changed]


def test_the_query_chooses_a_hunk_with_its_context() -> None:
    before = [f"line {number}\n" for number in range(200)]
    after = list(before)
    after[20], after[100], after[180] = "nothing\n", "retry after payment timeout\n", "something\n"
    text = diff_of({"a.txt": (before, after)})
    result = tersely.compress(text, "payment timeout", budget=80, strategy=Diff())
    assert "+retry after payment timeout" in result.text and "@@ -98" in result.text
    assert "+3 -3 in 3 hunks" in result.text
    assert " line 101\n line 102" in result.text  # lines of others are left out before them
    assert "line 22" not in result.text and "something" not in result.text


def test_headers_of_files_and_lines_of_hunks() -> None:
    text = (
        "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n context\n--- old\n+++ new\n context\n"
        "@@ -9,2 +9,3 @@\n a\n+diff --git a/y b/y\n b\n"
    )
    assert int(Diff().read([Document(text)], None, ALL).essential.sum()) == 1  # one file
    whole = Diff(applies=True).read([Document(text)], None, ALL).table
    assert [text[a:b].count("@@ -") for a, b in zip(whole.start, whole.end, strict=True)] == [1, 1]
    text = (
        "diff --git a/old b/new\nsimilarity index 100%\nrename from old\nrename to new\n"
        "\ncommit 0123456789abcdef\nAuthor: A\n\n    Say why\n\n"
        "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n-- \n2.39.2\n"
        "Index: y\n=====\n--- y\n+++ y\n@@ -1 +1 @@\n-a\n+b\n"
    )
    units = Diff().read([Document(text)], None, ALL)
    pieces = [text[a:b] for a, b in zip(units.table.start, units.table.end, strict=True)]
    assert pieces[0].endswith("rename to new") and "    Say why" in pieces and "2.39.2" in pieces
    needed = pieces[units.table.heading[pieces.index("diff --git a/x b/x\nold mode 100644\nnew mode 100755")]]
    assert needed == "commit 0123456789abcdef"
    assert "Index: y\n=====\n--- y" in pieces and "+++ y" in pieces  # the name alone says which file it is


def commits(count: int) -> tuple[str, str]:
    """What `git log -p` and `git format-patch --stdout` write for so many commits."""
    log, patches = [], []
    for number in range(1, count + 1):
        change = (
            f"diff --git a/x{number}.py b/x{number}.py\nindex 1234567..89abcde 100644\n--- a/x{number}.py\n"
            f"+++ b/x{number}.py\n@@ -1,3 +1,3 @@ def f():\n a\n-b\n+c{number}\n d\n"
        )
        says = f"Fix thing {number} that broke payments", f"The retry was lost, see PAY-{number}."
        log.append(
            f"commit {number:040x}\nAuthor: A <a@example.org>\nDate:   Mon Jan 1 10:00:00 2024 +0100\n\n"
            f"    {says[0]}\n\n    {says[1]}\n\n{change}"
        )
        patches.append(
            f"From {number:040x} Mon Sep 17 00:00:00 2001\nFrom: A <a@example.org>\nSubject: [PATCH {number}/"
            f"{count}] {says[0]}\n\n{says[1]}\n---\n x{number}.py | 2 +-\n 1 file changed\n\n"
            f"{change}-- \n2.39.2\n\n"
        )
    return "\n".join(log), "".join(patches)


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("strategy", [None, "diff", Diff(applies=True)])
def test_commits_are_kept_or_dropped_and_their_pins_hold(which: int, strategy: object) -> None:
    text = commits(8)[which]
    result = tersely.compress(text, budget=260, strategy=strategy)  # its promises are checked, too
    marks = [result.text[start:end] for start, end in result.generated]
    assert any(" lines" in mark for mark in marks)
    pin = "The retry was lost, see PAY-5."
    result = tersely.compress(commits(8)[which], budget=260, strategy=strategy, pinned=[pin])
    assert pin in result.text and "pinned_read_as_text" not in result.receipt.warnings


@pytest.mark.parametrize("which", [0, 1])
def test_a_change_brings_its_commit_along_and_subjects_come_first(which: int) -> None:
    text = commits(8)[which]
    asked = tersely.compress(text, "c7", budget=200, strategy="diff").text
    assert "+c7" in asked and f"{7:040x}" in asked
    subjects = tersely.compress(text, budget=800, strategy="diff").text
    assert all(f"Fix thing {number} that" in subjects for number in range(1, 9))


def hunk(old: int, new: int, lines: list[str]) -> str:
    return f"@@ -1,{old} +1,{new} @@\n" + "".join(f"{line}\n" for line in lines)


def of_file(name: str, *hunks: str) -> str:
    return f"diff --git a/{name} b/{name}\nindex 1..2 100644\n--- a/{name}\n+++ b/{name}\n" + "".join(hunks)


@pytest.mark.parametrize(
    "odd", ["+refund by hand: -98000", '+    "link": "http://x.example/?next=%2F",', "+wide"]
)
@pytest.mark.parametrize("at", [0, 3, 71, 149])
def test_the_odd_line_of_a_long_run_is_kept(odd: str, at: int) -> None:
    lines = [f'+    "step.{number}": "turn {number % 7}",' for number in range(150)]
    lines[at] = odd
    assert odd in tersely.compress(of_file("a.json", hunk(0, 150, lines)), budget=120).text


@given(st.integers(9, 60), st.integers(0, 59), st.integers(20, 400))
def test_a_removed_line_and_the_one_in_its_place_stay_together(many: int, at: int, budget: int) -> None:
    before = [f"-gauge_{number} = {number * 7 % 50}" for number in range(many)]
    after = [f"+gauge_{number}  = {number * 7 % 50}" for number in range(many)]
    after[at % many] = f"+gauge_{at % many}  = 90000"
    text = of_file("limits.ini", hunk(many, many, before + after))
    kept = set(tersely.compress(text, budget=budget).text.split("\n"))
    assert all((minus in kept) == (plus in kept) for minus, plus in zip(before, after, strict=True))
    if budget >= 80:
        assert after[at % many] in kept


def test_what_programs_wrote_and_lists_of_names() -> None:
    locked = [f'+    "node_modules/part-{number}": {{ "version": "{number}.1" }},' for number in range(200)]
    made = [
        "+// Code generated by tool. DO NOT EDIT.",
        *[f"+func Get{n}() int {{ return {n} }}" for n in range(99)],
    ]
    changed = ["-  const total = order.sum;", "+  const total = order.sum - order.discount;"]
    text = (
        of_file("package-lock.json", hunk(0, 200, locked))
        + of_file("api/message.go", hunk(0, 100, made))
        + of_file("src/charge.js", hunk(1, 1, changed))
    )
    kept = tersely.compress(text, budget=200).text
    assert all(line in kept for line in changed)
    assert all(f"+++ b/{name}" in kept for name in ("package-lock.json", "api/message.go", "src/charge.js"))
    names = "".join(f"docs/part{number % 4}/page-{number}.qmd\n" for number in range(100))
    assert "lines" in tersely.compress(names, budget=60, strategy="diff").text
    read = [reader.read([Document(names)], None, ALL) for reader in (Diff(), ToolOutput())]
    assert (
        read[0].table.start.tolist() == read[1].table.start.tolist()
        and (read[0].worth == read[1].worth).all()
    )
    other = [
        Document(
            f"--- src/part{n}.py\n@@ -{n},3 +{n},3 @@ def r_{n}():\n a = 1\n-    size = {n}\n+    size = 9"
        )
        for n in range(1, 20)
    ]
    asked = (
        "--- src/retry.py\n@@ -10,3 +10,3 @@ def backoff():\n     base = 2\n-    limit = 5\n+    limit = 9\n"
    )
    kept = tersely.compress(
        [*other, Document(asked)], query="raise the retry limit of backoff", ratio=0.15
    ).text
    assert "     base = 2\n-    limit = 5\n+    limit = 9" in kept


def test_files_that_are_not_compared_line_by_line_stay() -> None:
    parts = [
        f"diff -ru o/f{n}.conf n/f{n}.conf\n--- o/f{n}.conf\n+++ n/f{n}.conf\n"
        f"@@ -8,3 +8,3 @@\n a{n}=1\n-b{n}=1\n+b{n}=2\n c{n}=1\n"
        for n in range(12)
    ]
    said = ["Only in o: old.conf\n", "Binary files o/k.bin and n/k.bin differ\n"]
    result = tersely.compress("".join([*parts[:5], said[0], *parts[5:9], said[1], *parts[9:]]), ratio=0.3)
    assert all(line in result.text for line in said)
