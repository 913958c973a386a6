"""Grades of lines are what NumPy makes of the same marks, whatever stands beside whatever."""

from __future__ import annotations

import random

import line_grades_oracle as oracle
import numpy as np
import pytest
from hypothesis import given, strategies as st
from tersely import _native
from tersely.content.lines import FAILED, asked_for, outcome_grades, read_lines, report_grades

LINES = [
    "not ok 3 - reads the file",
    "ok 4 - writes it",
    "src/a.c:3:1: error: expected ';'",
    "src/b.c:9:2: warning: unused",
    "error[E0308]: mismatched types",
    "error[E0277]: no such trait",
    "Tests: 3 failed, 40 passed",
    "3 warnings",
    "SUMMARY: 2 problems",
    "  expected: 5",
    "  actual: 6",
    "ValueError: no",
    '  File "a.py", line 3, in f',
    "    at com.a.B.c(B.java:12)",
    "level=debug msg=error",
    "progress 1\rdone 2",
    "… 12 lines",
    "x" * 2500,
    "",
    "plain words of a line",
    "took 3 s",
    "0 errors, 0 warnings",
    "  possibly lost: 0 bytes in 0 blocks",
    "   | ^^^",
    " 3 | let x = y;",
    "  let x = y;",
    "          ^",
    "  --> src/main.rs:3:5",
    "  : ~~ here",
    "src/a.py:3:1: [E1124] too many",
    "src/b.py:3:1: [W0621] again",
    "status: ready",
    "written successfully",
]
DOCUMENTS = st.lists(st.lists(st.sampled_from(LINES), max_size=60).map("\n".join), min_size=1, max_size=3)


@given(DOCUMENTS)
def test_grades_of_lines(texts: list[str]) -> None:
    lines = read_lines(texts, None, 1024)
    assert outcome_grades(lines).tobytes() == oracle.outcome_grades(lines).tobytes()
    grade = report_grades(lines)
    assert grade.tobytes() == oracle.report_grades(lines).tobytes()
    assert _native.scenes(grade, lines.graded()).tobytes() == oracle.scenes(lines, grade).tobytes()


@given(DOCUMENTS, st.integers(0, 5), st.booleans())
def test_worth_of_lines(texts: list[str], context: int, kinds: bool) -> None:
    lines = read_lines(texts, "took words", 1024)
    grade, asked = report_grades(lines), asked_for(lines)[1].astype(np.float32)
    worth, first = _native.line_worth(grade, asked, lines.graded(), context, kinds)
    expected = oracle.line_worth(lines, grade, asked, context, kinds)
    assert worth.tolist() == pytest.approx(expected[0].tolist(), rel=1e-6)
    assert first.tolist() == expected[1]


def test_unknown_weights_are_named() -> None:
    lines = read_lines(["one"], None, 1024)
    zero = np.zeros(1, dtype=np.float32)
    with pytest.raises(ValueError, match="unknown weight last"):
        _native.line_worth(zero, zero, lines.graded(), 0, False, {"last": 1.0})


@given(DOCUMENTS, st.randoms(use_true_random=False))
def test_units_have_the_best_grade_of_their_lines(texts: list[str], chance: random.Random) -> None:
    """Units are the rows of lines: each has its own grade, or that of what it stands beside."""
    every = read_lines(texts, None, 1024).table
    graded = np.array([chance.random() < 0.3 for _ in range(len(every))], dtype=np.uint8)
    for known in (np.empty(0, dtype=np.uint8), graded, np.ones(len(every), dtype=np.uint8)):
        lined = _native.lined(texts)
        wanted = [
            bool(lined[i]) and (len(known) == 0 or not known[every.document == i].all())
            for i in range(len(texts))
        ]
        lines = read_lines(
            [text if read else "" for text, read in zip(texts, wanted, strict=True)], None, 1024
        )
        grade = oracle.report_grades(lines)
        told = np.maximum(grade, np.float32(0.25) * oracle.scenes(lines, grade))
        expected = np.zeros(len(every), dtype=np.float32)
        expected[np.isin(every.document, np.flatnonzero(wanted))] = told
        found = _native.grades_of_units(texts, every.document, every.start, every.end, known, 1024)
        if told.any():
            expected[known[: len(every)].astype(bool) if len(known) else []] = 0
            assert found.tobytes() == expected.tobytes()
        else:
            assert len(found) == 0


@given(st.lists(st.sampled_from(LINES), max_size=40).map("\n".join))
def test_a_text_tells_failures_where_a_line_does(text: str) -> None:
    told = bool((oracle.outcome_grades(read_lines([text], None, 1024)) >= FAILED).any())
    assert _native.tells_failures(["", text], 1, FAILED, 1024) == (told and bool(_native.lined([text])[0]))
