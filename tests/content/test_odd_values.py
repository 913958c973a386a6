"""A value that is rare or far where it stands makes its line odd; what always varies makes none."""

from __future__ import annotations

import numpy as np
import pytest
import tersely
from tersely.content.lines import read_lines
from tersely.types import AnyStrategyName

SAID = {
    "status": ("job {n} of {name} ended with status {value}", ["0"], "137"),
    "share": ("lib/{name}.py:{n}: unused name '{name}_{n}' ({value} confidence)", ["60%"], "100%"),
    "field": ("64 bytes from host: icmp_seq={n} ttl={value} time=1{n} ms", ["63"], "12"),
    "version": ("node-{n} Ready kernel {value} {name}", ["6.1.112", "6.1.111"], "6.1.90"),
    "word": ("host {n}: {name} lamp is {value}", ["blue", "green"], "amber"),
    "duration": ("GET /{name}/{n} took {value}", [f"{k}ms" for k in range(18, 90)], "48210ms"),
    "memory": ("pod-{n} {name} uses {value}", [f"{k}Mi" for k in range(100, 190)], "7.8Gi"),
    "opens with an id": ("host{n:03} cpu {value}%", [f"{k}" for k in range(20, 29)], "99"),
    "zero": ("worker {n} did {value} rows of {name}", [f"{k}" for k in range(300, 400)], "0"),
}
NAMES = ["cart", "mail", "tax", "auth", "feed", "sync", "pay"]


def said(kind: str, lines: int = 150, odd_one: int | None = 97) -> str:
    form, usual, odd = SAID[kind]
    values = [odd if n == odd_one else usual[n * 7 % len(usual)] for n in range(lines)]
    return "\n".join(
        form.format(n=n * 31 % 977 + 100, name=NAMES[n % len(NAMES)], value=value)
        for n, value in enumerate(values)
    )


@pytest.mark.parametrize("strategy", ["auto", "log", "tool_output"])
@pytest.mark.parametrize("kind", SAID)
def test_the_line_with_the_odd_value_stays(kind: str, strategy: AnyStrategyName) -> None:
    text = said(kind)
    assert read_lines([text], None, 1024).odd.argmax() == 97
    assert text.splitlines()[97] in tersely.compress(text, ratio=0.1, strategy=strategy).text


@pytest.mark.parametrize("kind", SAID)
def test_lines_without_an_odd_value_are_no_oddities(kind: str) -> None:
    measured = kind in ("duration", "memory")  # the largest of such numbers tells something
    assert read_lines([said(kind, odd_one=None)], None, 1024).odd.max() < (0.7 if measured else 0.1)


def test_the_largest_times_stay_and_what_varies_is_no_oddity() -> None:
    times = [round(3 * 1.4 ** (n * 7 % 24)) + n for n in range(120)]
    rows = [f"{time:9} |   part_{n}.{NAMES[n % 7]}" for n, time in enumerate(times)]
    table = "\n".join(["     time |   module", *rows])
    largest = [rows[n] for n in sorted(range(120), key=lambda n: -times[n])[:3]]
    assert all(row in tersely.compress(table, ratio=0.15).text for row in largest)
    lines = [
        f"2026-01-02 10:{n // 60:02}:{n % 60:02} request {n * 7919 % 99991} of {hash_of(n)}"
        for n in range(1, 200)
    ]
    assert not read_lines(["\n".join(lines)], None, 1024).odd.any()
    text = said("status", 5000, 4321)
    lines = read_lines([text], None, 1024)
    assert lines.gaps
    row = int(lines.odd.argmax())
    assert text[lines.table.start[row] : lines.table.end[row]].endswith("status 137")


def test_a_value_is_compared_with_others_of_its_name() -> None:
    node = "{gap}->  {name} on {of}  (cost=0.18..{n}.81 rows={n} width=24) (actual time=0.{n} loops={loops})"
    names = [
        "Seq Scan",
        "Index Only Scan",
        "Hash Join",
        "Bitmap Heap Scan",
        "Sort",
        "Merge Left Join",
        "Limit",
    ]
    plan = [
        node.format(gap="  " * n, name=name, of=NAMES[n], n=n + 3, loops=412266 if name == "Sort" else 1)
        for n, name in enumerate(names)
    ]
    plan = [
        part
        for n, line in enumerate(plan)
        for part in (line, f"{'  ' * n}      Filter {n}: ({NAMES[n]}.id = {n})")
    ]
    jobs = [
        f"{verb} {NAMES[n]} with {'much ' * n}care, retries={9 if n == 4 else 0}, worker {n}"
        for n, verb in enumerate(["built", "sent", "read", "kept", "wrote", "moved", "closed"])
    ]
    for lines, row in ((plan, 8), (jobs, 4)):
        odd = read_lines(["\n".join(lines)], None, 1024).odd
        assert odd.argmax() == row and odd[row] > 0.3
        assert lines[row] in tersely.compress("\n".join(lines), ratio=0.6, strategy="tool_output").text
    alike = "\n".join(plan).replace("loops=412266", "loops=1")
    assert read_lines([alike], None, 1024).odd.max() < 0.3


def hash_of(number: int) -> str:
    return f"{(number + 17) * 2654435761 % 2**32:08x}"


def many(size: int, form: str = "{}", least: int = 300) -> list[str]:
    return [form.format(least + n * 7 % 90) for n in range(size)]


@pytest.mark.parametrize(
    ("values", "odd"),
    [
        ([*["0"] * 30, "137", "0.0", "7"], {"137": 1.0, "0.0": 0.6065, "7": 1.0}),
        ([*"a" * 28, *"b" * 3, "c"], {"b": 0.5226, "c": 0.871}),
        ([*["7"] * 5, "8", "8"], {"8": 0.2503}),
        ([*["60%"] * 20, "100%"], {"100%": 0.8232}),
        ([*map(str, range(20, 52)), "4096"], {"4096": 1.0}),
        ([*many(39, least=5000), "7"], {"7": 1.0}),
        ([*many(39, "{}ms"), "9s"], {"9s": 1.0}),
        ([*many(30, "{}Mi", 100), "3Gi", "2MiB"], {"3Gi": 1.0, "2MiB": 1.0}),
        ([*many(40), "-4", "0"], {"-4": 1.0, "0": 1.0}),
        ([*(f"{311 + n * 17 % 180}ms" for n in range(40)), "571ms"], {"571ms": 0.65}),
        ([f"{n * 3}.5" for n in range(40)], {}),  # who counts has a new largest one with each line
        ([*(f"{'xyz'[n % 3]}{n}" for n in range(30)), "50%", "12"], {}),  # names
    ],
)
def test_how_odd_values_are(values: list[str], odd: dict[str, float]) -> None:
    """By the numbers of odd_values.hpp: a change of one that is meant is written here."""
    lines = read_lines(["\n".join(f"value {value} here" for value in values)], None, 1024)
    np.testing.assert_allclose(lines.odd, [odd.get(value, 0) for value in values], atol=6e-5)
