"""A line brings the line that says whose it is: its block's head, what it is indented below, a title."""

from __future__ import annotations

import pytest
import tersely
from tersely import Document
from tersely.content.logs import Logs
from tersely.content.units import Units

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
UNITS = [
    f"● svc{n}.service - Service {n}\n     Loaded: loaded (/lib/systemd/system/svc{n}.service; enabled)\n"
    f"     Active: {'inactive (dead)' if n == 37 else 'active (running)'}\n   Main PID: {1000 + n} (svc{n})"
    for n in range(60)
]
SECTIONS = [
    f"[s{n}]\nupstream=10.0.1.{n}:8080\ntimeout=30\ntls={'off' if n == 27 else 'on'}" for n in range(80)
]
SERVERS = [
    f"server {{\n    listen 443 ssl;\n    server_name s{n}.example.com;\n    location / {{\n"
    f"        proxy_pass http://{'127.0.0.1:9' if n == 27 else f'10.0.1.{n}:8080'};\n    }}\n}}"
    for n in range(40)
]


@pytest.mark.parametrize("file", [None, "sites.ini"])
@pytest.mark.parametrize("ratio", [0.1, 0.2, 0.3])
def test_a_block_whose_head_says_nothing_is_named_by_its_first_line_of_its_own(
    file: str | None, ratio: float
) -> None:
    servers = tersely.compress("\n".join(SERVERS), ratio=ratio).text
    assert servers.index("s27.example.com") < servers.index("127.0.0.1:9")
    sections = tersely.compress(Document("\n".join(SECTIONS), id=file or ""), ratio=ratio).text
    assert sections.index("[s27]") < sections.index("tls=off")


@pytest.mark.parametrize(
    ("blocks", "odd", "owner", "query"),
    [
        (HOSTS, "degraded", "host db31.", "Which host has a degraded raid?"),
        (SCANS, "redis", "report for 10.0.0.33\n", "Which host has redis open?"),
        (UNITS, "inactive (dead)", "● svc37.", "Which service is inactive?"),
        (SECTIONS, "tls=off", "[s27]", "Which has tls=off?"),
        (SUITES, "TIMED OUT", "suite pkg44\n", "Which suite timed out?"),
    ],
    ids=["hosts", "scans", "units", "sections", "suites"],
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


def read(text: str) -> Units:
    return Logs().read([Document(text)], None, 1 << 16)


def heads(text: str) -> list[int]:
    return read(text).table.heading.tolist()


def test_a_line_that_mostly_stands_within_blocks_is_no_head() -> None:
    blocks = [f"node {n}\nnode {n + 1}\nnode {n + 2}\nok" for n in range(6)]
    assert set(heads("\n\n".join(blocks))) == {-1}


def test_what_leads_is_worth_little_but_for_what_stands_below_it() -> None:
    units = read(
        "Disks:\n  sda ok\n  sdb ok\nFans:\nwell then\n   9 rows\n  10 rows\nERROR out of ink:\n  tray 2"
    )
    worth = units.worth.tolist()
    assert worth[3] < worth[0] < worth[7] and units.table.heading.tolist() == [-1] * 9


def test_a_column_set_to_the_right_is_of_nobody_above() -> None:
    """Of rows of one form, and of those that begin with digits, none is an owner: each is as odd as it is."""
    rows = "\n".join(f"{10 ** (n % 3):>6} calls of f{n}" + (" (slow)" if n == 7 else "") for n in range(30))
    worth = read("calls name\n" + rows).worth
    assert worth[8] == worth[1:].max() and (worth[1:] > 0.7 * worth[8]).sum() <= 3
