"""Outcomes: what tools write of failures is found in any form, graded as NumPy does it, and raises units."""

from __future__ import annotations

import numpy as np
import pytest
import tersely
from format_samples import FORMATS
from tersely import _native
from tersely.content.lines import (
    ERROR,
    FAILED,
    Mark,
    asked_for,
    outcome_grades,
    read_lines,
    report_grades,
)
from tersely.types import AnyStrategyName

FAILURES = [
    "not ok 3 - reads the file",
    "12/40 Test #12: parser ...***Failed    0.02 sec",
    "FAIL  src/cart.test.ts",
    "  ✗ adds two numbers",
    "E       assert 3 == 4",
    'ts=1 level=error msg="x"',
    '{"level": "error", "msg": "x"}',
    '{"level":50,"msg":"x"}',
    "-/+ aws_instance.web (forces replacement)",
    '1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.1" 503 12',
    "HTTP/1.1 422 Unprocessable Entity",
    "     Active: failed (Result: exit-code) since Tue 08:10:02; 3min ago",
    'errors_total{code="500"} 8123',
    "Process completed with exit code 2",
    "panic: runtime error: index out of range",
    "error[E0308]: mismatched types",
    "##[error]Bash exited with code '1'.",
    "make: *** [Makefile:3: all] Error 2",
    "Tests: 3 failed, 40 passed",
    "Failures: 2",
    "BUILD FAILED in 3s",
    "src/a.c:3:1: error: expected ';'",
    "E0825 20:46:02.589571 1115822 file.cc:16] Check failed",
    "BUG: KASAN: use-after-free in f",
    "thread 'tests::refund' (494) panicked at src/lib.rs:191:9:",
    "==1==ERROR: AddressSanitizer: SEGV",
    "Error #4: UNINITIALIZED READ: reading 14 byte(s)",
    "Failure #12: a queue was not empty",
    "src/a.cpp(120): error #1786: f was declared deprecated",
    "12:00 INFO - BUILD-STEP-TIMEOUT | unpack | nothing was heard for 300 s",
    "peer answered NT_STATUS_ACCESS_DENIED",
    "      Reason:            OOMKilled",
    "CONFLICT (content): Merge conflict in src/cart.py",
    "UNREACHABLE! => the host",
    "+++ exited with 1 +++",
    "web05 : ok=5  changed=0  unreachable=0  failed=1",
    "web06 : ok=5  changed=0  unreachable=1  failed=0",
    "ERRO[0331] thresholds on metrics 'duration' have been crossed",
    "PERFORMANCE REGRESSION: merge_large was 98 us",
    "billing/rounding_test.cc:88: Failure",
    "** (KeyError) key :cursor not found",
    "  Failing:              2",
    "   88:14   error    a hook is called conditionally  hooks/rules",
]
NO_FAILURES = [
    "0 failed, 12 passed",
    "Failures: 0",
    'tests="4" failures="0" errors="0"',
    "no errors",
    "the crowd panicked when it heard of it",
    "Process finished with exit code 0",
    "compiled without errors",
    "test_error_handling ... ok",
    "the committee found an error in the second report",
    '"GET / HTTP/1.1" 200 503',
    'errors_total{code="500",pod="a"} 0',
    "std::error::Error",
    "throw new Error(message);",
    "LOG_LEVEL_ERROR=3",
    "compiled io/errors/mod.rs and error-prone-core",
    "WARNING: soon",
    "a merge CONFLICT is possible",
    "+++ exited with 0 +++",
    "web07 : ok=5  changed=3  unreachable=0  failed=0",
    "    indirectly lost: 0 bytes in 0 blocks",
    "see the note (KeyError) in the guide",
    "  Timeout: 30",
    "  Failing:              0",
    "   88:14   warning  unexpected console statement  no-console",
]


@pytest.mark.parametrize(
    ("line", "failed"), [*((line, True) for line in FAILURES), *((line, False) for line in NO_FAILURES)]
)
def test_failures_are_found_in_the_forms_of_tools_alone(line: str, failed: bool) -> None:
    assert read_lines([line], None, 1024).has(Mark.FAILURE)[0] == failed


def test_findings_and_their_codes() -> None:
    text = "\n".join(
        [*(f"app/x{n}.rb:{n}:1: C: Missing comment {n}." for n in range(90)), "app/y.rb:3:1: W: Odd."]
    )
    lines = read_lines([text], None, 1024)
    grade = outcome_grades(lines)
    assert sorted(lines.findings.tolist()) == [1, 90]
    assert grade[0] >= FAILED and grade[-1] >= FAILED and (grade[1:-1] < FAILED).all()
    text = "RUF001 one\nRUF002 two\nRUF001 three\nx.c:1:2: error: y [-Wunused-variable]"
    text += "\nx.cs(1,2): error CS1002: z"
    assert read_lines([text], None, 1024).finding.tolist() == [0, 1, 0, 2, 3]
    assert read_lines(["APP_ROOT = 3\nMAX_SIZE"], None, 1024).finding.tolist() == [-1, -1]
    settings = "".join(f"    {name}_{n}:  value-{n}\n" for n in range(12) for name in ("CACHE", "MAIL"))
    lines = read_lines(["Exit Code:    137\n" + settings], None, 1024)
    assert (lines.finding < 0).all()
    assert (
        read_lines([f"SA5011: possible nil pointer {n}\n" for n in range(3)], None, 1024).finding >= 0
    ).all()
    named = ">> Issue: [B602:shell_equals_true] shell=True identified."
    assert (read_lines([named], None, 1024).finding >= 0).all()


def test_marks_of_single_lines() -> None:
    lines = read_lines(["Notes\n~~~~~\nUsage\n^^^^^\n  x = 1\n  ^"], None, 1024)
    assert lines.has(Mark.POINTS).tolist() == [False, False, False, False, False, True]
    marks = read_lines(["Dockerfile:31\nlib/Makefile:12: recipe\nProfile: 3\nProfile 3"], None, 1024).marks
    assert ((marks & np.uint32(Mark.ANCHOR)) != 0).tolist() == [True, True, False, False]
    lines = read_lines(["total_forks:0\nused_memory_total: 12\nTotal: 12\n"], None, 1024)
    assert lines.has(Mark.VERDICT).tolist() == [False, False, True]
    lines = read_lines(["one thing\n   |   ::#\n======\n"], None, 1024)
    grade = report_grades(lines)
    worth, first, *_ = _native.line_worth(grade, np.zeros(3, dtype=np.float32), lines.graded(), 2, False)
    assert worth[0] > 10 * worth[1] == 10 * worth[2]
    assert first.tolist()[1:] == [0, 0]
    grade = outcome_grades(read_lines(["ERROR disk is full\n" * 5], None, 1024))
    assert (grade[1:] < grade[:-1]).all()


@pytest.mark.parametrize(
    "strategy", ["auto", "extractive", "prose", "markdown", "table", "code", "diff", "log"]
)
def test_a_wrong_kind_costs_no_error(strategy: str) -> None:
    names = [f"copying part{chr(97 + n // 26)}{chr(97 + n % 26)} of the tree into place" for n in range(300)]
    names[211] = "src/cart.py:41: error: name 'total' is not defined"
    text = "\n".join(names)
    result = tersely.compress(text, budget=60, strategy=strategy)
    assert "name 'total' is not defined" in result.text


def test_outcomes_beside_a_query_and_totals() -> None:
    lines = [f"step {n} of the cart finished" for n in range(200)]
    lines[120] = "stage three: FAILED, see the log"
    text = "\n".join(lines)
    result = tersely.compress(text, "why did the build break?", budget=80, strategy="extractive")
    assert "FAILED" in result.text
    steps = [f"step {'abcd'[n % 4]} of part {n}: {n * 7 % 90} files read" for n in range(40)]
    remark = "  Note: the disk cache may be cold. " + "You can warm it with the option --warm. " * 6
    totals = ["RUN TOTALS", "", "  files seen 3128", "  mean of files 41.7 kB"]
    end = ["Thank you for the use of this tool", "Its pages hold more", "Goodbye then", "and farewell"]
    text = "\n".join([*steps[:20], remark, *steps[20:], "", *totals, "", *end])
    kept = tersely.compress(text, ratio=0.08, strategy="tool_output").text
    assert all(line in kept for line in totals[2:])
    said = "Then I see 90\n  expected: 90\n       got: 100 (RSpec::Expectations::NotMetError)\nThen I see 3\n"
    assert (outcome_grades(read_lines([said], None, 1024)) >= ERROR).tolist() == [False, True, True, False]
    quiet = said.replace("(RSpec::Expectations::NotMetError)", "")
    assert not (outcome_grades(read_lines([quiet], None, 1024)) >= ERROR).any()


def test_sentences_are_told_from_lines_of_one_mould() -> None:
    prose = (
        "The second error: nobody had asked. They failed 3 times, and the report said so in plain words.\n"
        * 9
    )
    assert not _native.lined([prose])[0]
    assert _native.lined(["a: 1\nb: 2\nc: 3\n"])[0]
    moulded = "".join(
        f"The part{n}() call is deprecated and will go away soon, use item{n}() instead.\n" for n in range(30)
    )
    assert _native.lined([moulded])[0]


def test_traces_bring_what_they_are_of_and_their_odd_frames() -> None:
    lines = [f"step {number}: load part {number * 7}" for number in range(150)]
    lines[90:90] = [
        "==81== Invalid read of size 4",
        "==81==    at 0x16A1: pause (bucket.c:285)",
        *["==81==    by 0x1: run (a.c:9)"],
    ]
    short = tersely.compress("\n".join(lines), budget=90, strategy="tool_output").text
    assert "Invalid read of size 4" in short and "pause (bucket.c:285)" in short

    def record(number: int, says: str, caller: str) -> str:
        return (
            f"==7== {says} in loss record {number}\n==7==    at 0x48: malloc (in /usr/lib/memcheck.so)\n"
            f"==7==    by 0x{number + 300:X}: {caller}\n==7=="
        )

    parts = [record(n, f"{n} bytes are still reachable", f"step_{n} (part.c:{n})") for n in range(59)]
    parts.append(record(60, "4,096 bytes are definitely lost", "load_table (table.c:51)"))
    parts.append("==7== ERROR SUMMARY: 1 errors from 1 contexts")
    short = tersely.compress("\n".join(parts), budget=160, strategy="tool_output").text
    assert "definitely lost" in short and "load_table (table.c:51)" in short

    def record(number: int, says: str, *calls: str) -> list[str]:
        frames = [
            f"   {'by' if n else 'at'} 0x{number * 977 + n:06X}: {call}" for n, call in enumerate(calls)
        ]
        return [f"==7== {line}" for line in (f"{number} bytes in 1 blocks are {says}", *frames, "")]

    lines = record(
        16, "definitely lost", "calloc (in /usr/lib/check.so)", "open_row (rows.c:9)", "main (rows.c:15)"
    )
    for number in range(30, 42):
        said = ("calloc (in /usr/lib/check.so)", "add_page (rows.c:5)", "main (rows.c:14)")
        lines += record(number, "still reachable", *said)
    text = "\n".join([*lines, "==7== LEAK SUMMARY:", "==7==    definitely lost: 16 bytes in 1 blocks"])
    assert "open_row (rows.c:9)" in tersely.compress(text, budget=150, strategy="tool_output").text


def test_matches_and_conflicts() -> None:
    found = [
        f"lib/part_{n}.py-{n + 6}-    try:\n"
        f"lib/part_{n}.py:{n + 7}:        fetch(times={0 if n == 17 else 4})\n"
        f"lib/part_{n}.py-{n + 8}-    except FetchError:\n--"
        for n in range(30)
    ]
    kept = tersely.compress("\n".join(found), ratio=0.3).text
    assert "fetch(times=0)" in kept and kept.count("FetchError") < kept.count("fetch(times=")
    body = "".join(f"export function rule{n}(order) {{\n  return order.net * {n};\n}}\n\n" for n in range(12))
    sides = "<<<<<<< HEAD\n  throw new RangeError(c);\n=======\n  return net / 100;\n>>>>>>> round\n"
    text = body + "export function price(net, c) {\n" + sides + "}\n\n" + body.replace("rule", "tax")
    kept = tersely.compress(text, ratio=0.3).text
    assert all(line in kept for line in sides.splitlines())


@pytest.mark.parametrize("form", FORMATS)
def test_a_fifth_of_what_a_tool_writes_keeps_what_failed(form: str) -> None:
    text, wanted = FORMATS[form]
    kept = tersely.compress(text, ratio=0.2).text
    assert [part for part in wanted if part not in kept] == []


#: What each line says of what went wrong, in a report, as a unit; what it is worth; 1: fails, 2: is new.
GRADED = """
0.000 0.000 0.000  5.500 2 | ==> Checking charts/part-1
0.000 0.000 0.000 16.787 2 | took 3 s
0.450 0.450 0.450 10.000 2 | level=debug msg=error
0.000 0.000 0.000  5.500 2 | ok 4 - writes it
0.000 0.000 0.000 15.627 2 | plain words of a line
0.000 0.000 0.000  4.709 0 | plain words of a line
0.550 0.550 0.550 11.000 2 | src/b.c:9:2: warning: unused
0.900 0.900 0.900 14.500 3 | src/a.c:3:1: error: expected ';'
0.000 0.000 0.000  1.650 0 |  3 | let x = y;
0.000 0.000 0.000  0.330 0 |    | ^^^
0.000 0.000 0.000  1.650 0 |   let x = y;
0.000 0.000 0.000  0.330 0 |           ^
1.000 1.000 1.000 15.500 3 | error[E0308]: mismatched types
0.000 0.000 0.000  5.500 2 |   --> src/main.rs:3:5
1.000 1.000 1.000 15.500 3 | error[E0277]: no such trait
0.000 0.000 0.000  5.500 2 |   : ~~ here
0.900 0.900 0.900 14.500 3 | src/a.py:3:1: [E1124] too many
0.550 0.550 0.550  8.561 2 | src/b.py:3:1: [W0621] again
0.000 0.000 0.000  2.000 0 | src/c.py:4:1: [W0621] again
0.000 0.000 0.000  2.000 0 | src/d.py:5:1: [W0621] again
0.000 0.000 0.000  1.000 0 | src/e.py:6:1: [W0621] again
0.000 0.000 0.000  4.500 2 | suite of the cart
0.000 0.000 0.000  0.010 0 | progress 1
0.000 0.000 0.000  5.500 2 | done 2
0.900 0.900 0.900 13.914 3 | not ok 3 - reads the file
0.650 0.650 0.650 12.000 2 |   expected: 5
0.650 0.650 0.650 11.561 2 |   actual: 6
0.650 0.650 0.650 12.000 2 | Traceback (most recent call last):
0.600 0.600 0.600 10.914 2 |   File "a.py", line 3, in f
0.000 0.000 0.000  3.414 2 |   File "b.py", line 9, in g
0.900 0.900 0.900 14.500 3 | ValueError: no
0.000 0.000 0.000  4.914 2 |     at com.a.B.c(B.java:12)
0.000 0.000 0.000  3.414 2 |     at com.a.B.d(B.java:14)
0.000 0.000 0.000  0.000 0 | … 12 lines
0.300 0.300 0.300  8.500 2 | status: ready
0.650 0.650 0.650 12.000 2 | written successfully
0.400 0.400 0.400  2.471 0 | not ok 3 - reads the file
0.300 0.300 0.300  8.500 2 |   possibly lost: 0 bytes in 0 blocks
0.000 0.000 0.000  4.500 2 | RUN TOTALS
0.000 0.400 0.400  9.500 2 |   files seen 3128
0.000 0.400 0.400  9.061 2 |   libgd3 libcap2-bin e2fsprogs
0.850 0.850 0.850 14.000 3 | 0 errors, 0 warnings
0.850 0.850 0.850 14.000 3 | 3 warnings
0.850 0.850 0.850 14.000 3 | SUMMARY: 2 problems
0.900 0.900 0.900 14.500 3 | Tests: 3 failed, 40 passed
0.000 0.500 0.500 10.500 2 | mean of files 41.7 kB
"""
#: The same of a section among lines of steps: the failures are few, so what stands around one tells of it.
IN_A_SECTION = """
0.000 0.600 0.600 11.500 2 | ==> charts of the cart
0.000 0.000 0.500  5.500 2 | [INFO] icon is recommended
0.000 0.000 0.500  6.300 2 |   below it is a note
0.350 0.350 0.500  9.800 2 | cannot go on here
0.900 0.900 0.900 14.500 3 | FAILED: no such key
0.000 0.000 0.500  7.167 2 |   it was looked for in three places
0.000 0.000 0.500  6.929 2 |   none of them has it
0.000 0.000 0.500  5.750 2 | see the guide for more
0.000 0.000 0.500  5.611 2 | and ask the yard
0.000 0.000 0.500  5.500 2 | or leave it
0.000 0.000 0.500  4.970 2 | it ends
0.000 0.000 0.500  5.333 2 | and goes on
0.000 0.000 0.500  4.500 2 | the last one
"""


@pytest.mark.parametrize(("told", "query"), [(GRADED, "took words"), (IN_A_SECTION, None)])
def test_grades_of_lines(told: str, query: str | None) -> None:
    """By the numbers of line_grades.hpp: a change of one that is meant is written here."""
    rows = [row.split(" | ", 1) for row in told.strip("\n").split("\n")]
    said = [line for _, line in rows]
    steps = [f"step {chr(97 + n % 26)}{n} of the yard is {n * 7 % 90} long" for n in range(150)]
    text = "\n".join(said if query else [*steps[:90], "", *said, "", *steps[90:]])
    text = text.replace("progress 1\n", "progress 1\r")
    lines, nothing = read_lines([text], query, 1024), np.empty(0, dtype=np.uint8)
    grade, asked, units = report_grades(lines), asked_for(lines)[1].astype(np.float32), lines.table
    worth, first, *_ = _native.line_worth(grade, asked, lines.graded(), 2, False)
    places = units.document, units.start, units.end
    of_units = _native.grades_of_units([text], *places, nothing, 1024)
    mine = np.isin([text[a:b] for a, b in zip(units.start, units.end, strict=True)], said)
    found = np.stack([outcome_grades(lines), grade, of_units, worth, first], axis=1)[mine]
    expected = [[float(number) for number in row.split()] for row, _ in rows]
    np.testing.assert_allclose(found, expected, atol=6e-4)
    known = np.arange(len(grade)) % 2 == 0
    left = _native.grades_of_units([text], *places, known.astype(np.uint8), 1024)
    assert not left[known].any() and left[~known].tolist() == of_units[~known].tolist()


def test_a_line_alone_is_graded_where_it_is_known_to_be_of_a_tool() -> None:
    texts = ["3 failed, 20 passed", "health poll failed, fw reset needed", "heartbeat ok"]
    places = np.arange(3, dtype=np.int32), np.zeros(3, dtype=np.int64), np.array(list(map(len, texts)))
    graded = [
        _native.grades_of_units(texts, *places, np.full(3, known, dtype=np.uint8), 1024) for known in (0, 2)
    ]
    assert not len(graded[0])
    assert (graded[1] >= [0.6, 0.6, 0]).all() and graded[1][2] < 0.6


@pytest.mark.parametrize("strategy", ["tool_output", "log"])
def test_counts_of_progress_do_not_push_out_what_failed(strategy: AnyStrategyName) -> None:
    lines, failed = [], 0
    for n in range(1, 161):
        if n in (57, 121):
            failed += 1
            lines.append(f"worker {n % 4} unit {n}: checkout of basket {n} differs from the ledger")
        lines.append(
            f"[{n}/160] {n - failed} passed, {failed} failed, {160 - n} pending ({n * 37 % 90 / 10}s)"
        )
    lines += ["", "Ran 160 units in 71.3 s", "158 of 160 units agree with the ledger"]
    kept = tersely.compress("\n".join(lines), ratio=0.1, strategy=strategy).text
    assert all(
        said in kept for said in ("unit 57:", "unit 121:", "158 passed, 2 failed, 0 pending", "158 of")
    )


LED = {
    "pip": (
        "ERROR: Cannot install a and b.",
        "The conflict is caused by:",
        ["    a 2 needs c>=3", "    b 5 needs c<3"],
    ),
    "npm": (
        "npm ERR! code ERESOLVE",
        "npm ERR! Could not resolve dependency:",
        ['npm ERR! peer r@"^17" from m@4'],
    ),
    "linker": ("ld: cannot link", "error: undefined symbol, needed by:", ["  main.o", "  plan.o"]),
    "apt": (
        "E: Unable to correct problems",
        "The following have unmet dependencies:",
        [" web : Depends: ssl (>= 3)"],
    ),
}


@pytest.mark.parametrize("tool", LED)
def test_what_a_line_of_trouble_leads_to_stays_with_it(tool: str) -> None:
    failed, lead, led = LED[tool]
    steps = [
        f"step {name} was done in {n} ms by {name}.{n}"
        for n, name in enumerate(["lorem", "ipsum", "dolor", "sit"] * 4)
    ]
    text = "\n".join(
        [*steps, failed, "", lead, *led, "", "Hints may be found below", "see the manual of it", "or ask"]
    )
    result = tersely.compress(text, ratio=0.35, strategy="tool_output").text
    assert all(line in result for line in (failed, lead, *led))


def test_a_name_in_a_call_is_no_finding() -> None:
    calls = [f"{n} 0.1 parse.py:{n}(part_{n})" for n in range(9)]
    assert not (read_lines(["\n".join(calls)], None, 1024).finding >= 0).any()
    found = [f"parse.py:{n}: too long (part-{n})" for n in range(9)]
    assert (read_lines(["\n".join(found)], None, 1024).finding >= 0).all()
