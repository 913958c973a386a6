"""In blocks that begin alike, a line brings the line that says whose it is."""

from __future__ import annotations

import pytest
import tersely
from tersely.content.lines import read_lines
from tersely.content.logs import block_heads

HOSTS = [
    f"== host db{n}.internal ==\nuptime: {100 + n} days\nraid: {'degraded, 1 of 4' if n == 31 else 'clean'}"
    for n in range(50)
]
SCANS = [
    f"Scan report for 10.0.0.{n}\nHost is up (0.00{n % 9} s).\n22/tcp open ssh"
    + ("\n6379/tcp open redis" if n == 33 else "")
    for n in range(60)
]
SUITES = [
    f"suite pkg{n}\nran {n + 3} tests\nstatus {'TIMED OUT after 60 s' if n == 44 else 'passed'}"
    for n in range(50)
]


@pytest.mark.parametrize(
    ("blocks", "odd", "owner", "query"),
    [
        (HOSTS, "degraded", "host db31.", "Which host has a degraded raid?"),
        (SCANS, "redis", "report for 10.0.0.33\n", "Which host has redis open?"),
        (SUITES, "TIMED OUT", "suite pkg44\n", "Which suite timed out?"),
    ],
    ids=["hosts", "scans", "suites"],
)
@pytest.mark.parametrize("ratio", [0.1, 0.2, 0.3])
def test_an_odd_line_stands_under_its_own_head(
    blocks: list[str], odd: str, owner: str, query: str, ratio: float
) -> None:
    for asked in (None, query):
        text = tersely.compress("\n\n".join(blocks), asked, ratio=ratio).text
        assert owner in text and text.index(owner) < text.index(odd)
        begin = blocks[0].split("\n")[0].split()[0]  # of every head
        between = text[text.index(owner) : text.index(odd)].split("\n")[1:]
        assert not [line for line in between if line.split()[:1] == [begin]]


def heads(text: str) -> list[int]:
    return block_heads(read_lines([text], None, 1 << 16)).tolist()


def test_blocks_that_begin_each_with_something_else_have_no_heads() -> None:
    first = ["Disk", "The fan: 3", "load = 4 %", "Up since 8:00", "[power] on", "temp/40"]
    assert heads("\n\n".join(f"{line}\nit is well" for line in first)) == []


def test_rows_of_a_block_need_its_first() -> None:
    found = heads("\n\n".join(f"node {n}\nload {n}\nok" for n in range(5)))
    assert found == [-1 if row % 3 == 0 else row - row % 3 for row in range(15)]


def test_a_line_that_mostly_stands_within_blocks_is_no_head() -> None:
    blocks = [f"node {n}\nnode {n + 1}\nnode {n + 2}\nok" for n in range(6)]
    assert heads("\n\n".join(blocks)) == []
