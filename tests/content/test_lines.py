"""The native reader of lines: spans, numbers, marks, places, templates; however the bytes come."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from tersely import _native
from tersely.content.lines import Mark, asked_for, read_lines, relevance

TEXT = st.text(alphabet=st.sampled_from("ab1 :\"'()[]{}/\\.,-=\r\n\t\x1b[mé漢"), max_size=300)


def marks_of(line: str) -> Mark:
    return Mark(int(read_lines([line], None, 1024).marks[0]))


@given(st.lists(TEXT, max_size=3))
@example(["\r\n\r\r\n", "x\r", "\ra"])
@example(["a\r\r\nb\r\r\r\nc\r\rd\r\n\re", "\r\r\n\r\rb"])
@example(["x" * 5000 + "\n" + "é " * 3000])
def test_rows_are_the_lines(texts: list[str]) -> None:
    lines = read_lines(texts, "a1", 1024)
    table = lines.table
    for document, text in enumerate(texts):
        rows = np.flatnonzero(table.document == document)
        numbered = [
            (number, line.strip(" \t\x0b\x0c"))
            for number, line in enumerate(re.split(r"\r*\n|\r+", text))
            if line.strip(" \t\x0b\x0c")
        ]
        assert sorted({int(lines.line[row]) for row in rows}) == [number for number, _ in numbered]
        at = 0
        for row in rows:
            start, end = int(table.start[row]), int(table.end[row])
            assert at <= start < end <= len(text) and not text[at:start].strip()
            assert "\n" not in text[start:end] and "\r" not in text[start:end]
            at = end
        assert not text[at:].strip()


@given(TEXT, st.lists(st.integers(1, 40), max_size=12))
@example("a\r\nb\rc\n", [2, 1, 1, 1])
@example("a\r\r\nb\r\r\rc\r", [1] * 12)
@example("word " * 2000 + "\r\nend", [2047, 1, 1, 5000])
def test_rows_do_not_depend_on_how_the_bytes_come(text: str, sizes: list[int]) -> None:
    data = text.encode()
    whole, parts = _native.LineReader("a1", 1024), _native.LineReader("a1", 1024)
    whole.append(data, True)
    at = 0
    for size in sizes:
        parts.append(data[at : at + size], False)
        at += size
    parts.append(data[at:], True)
    for one, other in zip(whole.rows(), parts.rows(), strict=True):
        assert one.tolist() == other.tolist()
    every = range(len(whole.templates()))
    assert [*map(whole.stamps, every)] == [*map(parts.stamps, every)] and whole.lines == parts.lines


def test_threads_that_share_a_reader_take_turns() -> None:
    reader, text = (
        _native.LineReader("a1", 1024),
        "".join(f"{i % 89} jobs, {i} left\n" for i in range(20_000)),
    )

    def read(_: int) -> int:
        reader.read(text)
        return min(reader.templates().sum(), len(reader.rows()[0]))

    with ThreadPoolExecutor(4) as pool:
        assert min(pool.map(read, range(8))) > 0
    assert reader.lines == 8 * 20_000 and reader.templates().sum() == reader.lines


@given(st.lists(st.binary(max_size=80), max_size=6))
def test_any_bytes_are_safe(parts: list[bytes]) -> None:
    reader = _native.LineReader("query 123", 1024)
    for part in parts:
        reader.append(part, False)
    reader.append(b"", True)
    start, end = reader.rows()[1:3]
    assert (start < end).all() and (end[:-1] <= start[1:]).all()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("ERROR could not connect", Mark.ERROR), ("TypeError: x is not a function", Mark.ERROR),
        ("java.lang.NullPointerException: null", Mark.ERROR), ("[warn] disk is nearly full", Mark.TROUBLE),
        ("connection refused by peer", Mark.TROUBLE), ("3 failed, 12 passed in 4.1s", Mark.SUMMARY),
        ("0 errors", Mark.SUMMARY), ("Process exited with exit code 137", Mark.SUMMARY),
        ("src/main.c:12:4: note", Mark.ANCHOR), ("Program.cs(29,3): info", Mark.ANCHOR),
        ('  File "app.py", line 12, in f', Mark.ANCHOR | Mark.FRAME),
        ("    at com.shop.Main.main(Main.java:9)", Mark.ANCHOR | Mark.FRAME),
        ("\x1b[31mFAILED\x1b[0m tests/test_a.py", Mark.ERROR),
        ("\x1b[1mFAI\x1b[0m\x1b[31mLED\x1b[0m", Mark.ERROR),
        ("\x1b[35msrc/main.c\x1b[m\x1b[36m:\x1b[m12: found", Mark.ANCHOR),
        ("\x1b]8;;file://x\x1b\\src/main.c\x1b]8;;\x1b\\:12", Mark.ANCHOR),
    ],
)  # fmt: skip
def test_marks(line: str, expected: Mark) -> None:
    assert expected in marks_of(line)


@pytest.mark.parametrize(
    "line", ["all is well", "see https://example.org/a:b", "no errors", "0 failures", "12:30:10 up"]
)
def test_marks_that_are_not_there(line: str) -> None:
    assert not marks_of(line) & (Mark.ERROR | Mark.ANCHOR)


def test_returns_and_colours_are_no_part_of_lines() -> None:
    lines = read_lines(["10%\r50%\r100%\ndone\r\nnext"], None, 1024)
    assert lines.has(Mark.OVERWRITTEN).tolist() == [True, True, False, False, False]
    lines = read_lines(["one\r\r\ntwo\r\r\r\n10%\r20%\r\r\nthree\r\r"], None, 1024)
    assert lines.has(Mark.OVERWRITTEN).tolist() == [False, False, True, False, False]
    assert lines.line.tolist() == [0, 1, 2, 3, 4]
    text = "\x1b[35msrc/main.c\x1b[m:\x1b[32m12\x1b[m: bad"
    lines = read_lines([f"{text}\nsrc/main.c:12: bad"], "main", 1024)
    assert (lines.template == 0).all() and lines.has(Mark.ANCHOR).all()
    assert int(lines.table.end[0]) == len(text) and (lines.asked == 3).all()


def test_long_lines_and_templates() -> None:
    words = " ".join(f"k{n}=v{n}" for n in range(2000))
    head = "2024-01-02 10:00:00 INFO request"
    text = "\n".join([f"{head} 1 short", f"{head} {words} needle ERROR at the end", f"{head} 3 short"])
    lines = read_lines([text], "needle", 1024)
    continued = lines.continued
    assert np.unique(lines.line).tolist() == [0, 1, 2] and lines.total == 3 == lines.counts.sum()
    assert (lines.table.heading[continued] == 1).all() and not continued[[0, 1, -1]].any()
    assert len(np.unique(lines.template[lines.line == 1])) == 1
    heads, rests = lines.asked[1], lines.asked[2:-2]
    assert heads == lines.asked[-2] == 3, "the word, and the word with other endings"
    assert lines.asked_lines[:2].tolist() == [1, 1] and not rests.any()
    assert Mark.ERROR in Mark(int(lines.marks[1])), "the head has the marks of the whole line"
    long = "INFO payload " + "word " * 3000
    text = "\n".join(f"{long}{n} ERROR" if n % 9 == 0 else f"INFO tick {n} of {n % 7}" for n in range(4000))
    lines = read_lines([text], "payload", 1024)
    assert lines.gaps and lines.continued.any()
    pieces = np.flatnonzero(lines.continued & ~lines.bulk)
    heads = lines.table.heading[pieces]
    assert (lines.line[heads] == lines.line[pieces]).all() and not lines.continued[heads].any()
    body = [f"10:00:00 INFO step {n} of the job took {n * 7} ms" for n in range(20_000)]
    body[7_777] = "10:00:00 ERROR out of memory in job 7777"
    text = "\n".join(body)
    lines = read_lines([text], None, 1024)
    assert len(lines.table) < 4096 and lines.gaps and lines.counts.sum() == 20_000
    single = ~lines.bulk
    assert (
        single.sum() <= 1024
        and 7_777 in lines.line[single]
        and {0, 19_999} <= set(lines.line[single].tolist())
    )
    covered = lines.table.end - lines.table.start
    assert int(covered.sum()) + 20_000 >= len(text)
    text = "\n".join(f"2024-01-02 10:00:{n:02d} INFO user {n} logged in from 10.0.0.{n}" for n in range(30))
    lines = read_lines([text + "\n2024-01-02 11:00:00 ERROR disk sda1 is full"], None, 1024)
    assert lines.counts.tolist() == [30, 1]
    assert [*map(lines.stamps, (0, 1))] == [
        ("2024-01-02 10:00:00", "2024-01-02 10:00:29"),
        ("2024-01-02 11:00:00",) * 2,
    ]
    lines = read_lines(["a.c:1: x\na.c:1: x\nb.c:2: a.c:1: y"], None, 1024)
    assert lines.copies.tolist() == [0, 1, 0]
    lines = read_lines(
        ["payment timeouts here\nreq-7f3a9 done\nnothing\nreq-7f3a8 done"], "timeout of req-7f3a9", 1024
    )
    assert asked_for(lines)[0].tolist() == [False, True, False, False]
    assert (relevance(lines) > 0).tolist()[:3] == [True, True, False]
    text = "".join(
        f"Feb 8 17:15:{n:02} shop sshd[{n}]: Connection {'reset' if n == 31 else 'closed'}\n"
        for n in range(60)
    )
    asked, worth = asked_for(read_lines([text], "connection reset", 1024))
    assert np.flatnonzero(asked).tolist() == [31] and worth.argmax() == 31
    assert not asked_for(read_lines([text], "connection of the shop", 1024))[0].any()  # so many lines say it
    assert not asked_for(read_lines([text], None, 1024))[0].any()


@pytest.mark.parametrize(
    ("line", "stands_for", "own"),
    [
        ("… 12 lines", 12, True), ("    … 1 line", 1, True), ("… 1,204 more rows", 1204, True),
        ("… more lines", 0, True), ("…", 0, True), ("ERROR payment failed … ×117 to 10:15:30", 117, False),
        ("ERROR payment failed … ×3 …", 3, False), ("ERROR payment failed …", 1, False),
        ("… 12 apples", 1, False), ("… ×3", 1, False), ("ERROR x … ×3 failed", 1, False),
    ],
)  # fmt: skip
def test_marks_of_an_earlier_compression(line: str, stands_for: int, own: bool) -> None:
    lines = read_lines([f"ERROR payment failed\n{line}"], None, 1024)
    assert lines.stands_for.tolist() == [1, stands_for] and lines.bulk.tolist() == [False, own]
    if line.startswith("ERROR payment"):
        assert lines.template.tolist() == [0, 0] and lines.counts.tolist() == [max(2, stands_for)]


@pytest.mark.parametrize(
    ("line", "stamp"),
    [
        ("[Sun Dec 04 04:47:44 2005] [notice] ok", "Sun Dec 04 04:47:44 2005"),
        ("Jun 14 15:16:01 combo sshd: x", "Jun 14 15:16:01"),
        ('1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] "GET /"', "10/Oct/2000:13:55:36 -0700"),
        ("17/06/09 20:10:40 INFO x", "17/06/09 20:10:40"),
        ("2024-01-02T10:00:00.123Z x", "2024-01-02T10:00:00.123Z"),
        ("081109 203615 148 INFO x", "081109 203615"),
        ("no time here", ""),
    ],
)
def test_time_stamps(line: str, stamp: str) -> None:
    assert read_lines([line], None, 1024).stamps(0) == (stamp, stamp)


@pytest.mark.parametrize("number", ["7", "12", "112"])
def test_a_number_of_the_query_is_found_where_it_stands_alone(number: str) -> None:
    text = f"room {number} is let\nv1.5{number}a of 2012-1{number}-05\n{number}, paid\nroom 8 is let"
    lines = read_lines([text], f"Who pays {number} EUR?", 1024)
    assert (lines.asked > 0).tolist() == [True, False, True, False]
