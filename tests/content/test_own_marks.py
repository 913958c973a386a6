"""What an earlier compression wrote is no content of a text: it is counted, and no failure yields to it."""

from __future__ import annotations

import json
import re

import pytest
import tersely

_ROUNDS = 4


def order(number: int) -> str:
    return json.dumps(
        {"id": number, "state": "paid", "host": f"web-{number % 7}", "total": number * 37 % 900}
    )


FAILED = '{"id": 61, "state": "failed", "error": "disk full on web-3"}'
ORDERS = [FAILED if number == 61 else order(number) for number in range(150)]
ROWS = [f"{n},web-{n % 7},{90 + n % 13},{'disk full' if n == 61 else 'OK'}" for n in range(150)]
FORMS = {
    "json": '{"page": 1, "orders": [\n' + ",\n".join(ORDERS) + "\n]}",
    "jsonl": "\n".join(ORDERS),
    "table": "\n".join(["id,host,latency,status", *ROWS]),
}
MARK = re.compile(r"… ([\d,]+) more")


@pytest.mark.parametrize("kind", FORMS)
def test_a_failure_outlives_compressions_that_are_counted(kind: str) -> None:
    text = FORMS[kind]
    for _ in range(_ROUNDS):
        result = tersely.compress(text, ratio=0.5)
        text = result.text
        assert result.receipt.content_types == (kind,)
        assert "disk full" in text
        assert kind != "json" or json.loads(text)
    text = FORMS[kind]
    for _ in range(_ROUNDS):
        text = tersely.compress(text, ratio=0.5).text
        assert accounted(kind, text) == 150


def accounted(kind: str, text: str) -> int:
    """Records that are there, and those that markers beside them count."""
    if kind == "json":
        items = json.loads(text)["orders"]
    elif kind == "jsonl":
        items = list(map(json.loads, text.splitlines()))
    else:
        items = text.splitlines()[1:]
    marks = [MARK.match(item) if isinstance(item, str) else None for item in items if item != "…"]
    return sum(int(mark[1].replace(",", "")) if mark else 1 for mark in marks)


@pytest.mark.parametrize("mark", ['"…": "40 more"', '"…": 40', '"… 41-80": "40 more"', '"… 41-80": ""'])
def test_markers_in_objects_are_no_members(mark: str) -> None:
    fields = ", ".join(f'"name{n}": {{"size": {n}, "note": "part {n}"}}' for n in range(40))
    text = tersely.compress(f"{{{fields}, {mark}}}", budget=60, strategy="json").text
    left = json.loads(text)
    counted = {"…": 0, **{key: value for key, value in left.items() if "…" in key}}
    numbers = [40 if value == "" else int(str(value).split()[0]) for value in counted.values()]
    assert sum(numbers) + sum("name" in key for key in left) == 80


@pytest.mark.parametrize(
    "text",
    [
        "The tool writes “ … ×3” behind a line that came three times. Nobody reads it.",
        "A mark such as … 12 lines says how many are gone. We like that.",
        "It says 5 more",
    ],
)
def test_prose_that_speaks_of_markers_is_prose(text: str) -> None:
    whole = " ".join([text, *(f"Gate {n} was opened on day {n}." for n in range(30))])
    result = tersely.compress(whole, budget=60, pinned=[text])
    assert text in result.text and result.receipt.content_types in ((), ("prose",))


def test_diffs_that_were_compressed_are_diffs_and_counted() -> None:
    text = "".join(
        f"diff --git a/f{n}.py b/f{n}.py\n--- a/f{n}.py\n+++ b/f{n}.py … +4 -3 in 1 hunk\n… 9 lines\n"
        for n in range(9)
    )
    assert tersely.detect(text).kind == "diff"
    files = "".join(f"--- a/f{n}\n+++ b/f{n}\n@@ -1,9 +1,9 @@\n-old {n}\n… 7 lines\n" for n in range(6))
    result = tersely.compress(files, ratio=0.7, strategy="diff")
    assert "+++ b/f1 … +0 -1 in 1 hunk\n" in result.text
    text = "".join(map(changes, range(12)))
    for _ in range(_ROUNDS):
        before, text = text, tersely.compress(text, ratio=0.6).text
        lines = text.splitlines()
        marks = [re.fullmatch(r"… (\d+) lines?", line) for line in lines]
        assert sum(int(mark[1]) if mark else 1 for mark in marks) == 12 * 23
        assert all(line.count("…") <= 1 for line in lines)
        assert all("+6 -6 in 1 hunk" in line for line in lines if line.startswith("+++ "))
        assert set(lines) - {line for line in lines if "…" in line} <= set(before.splitlines())
    assert "+++ b/src/f0.py" in text


def changes(number: int) -> str:
    """The changes of a file: 23 lines."""
    lines = "".join(f" kept {number} {k}\n-old {number} {k}\n+new {number} {k}\n" for k in range(6))
    name = f"src/f{number}.py"
    head = f"diff --git a/{name} b/{name}\nindex 1..2 100644\n--- a/{name}\n+++ b/{name}\n"
    return f"{head}@@ -1,12 +1,12 @@\n{lines}"


def test_a_failure_in_xml_outlives_compressions_of_compressions() -> None:
    cases = [
        f'<case id="{n}"><name>step {n}</name><status>{"failed" if n == 61 else "ok"}</status>'
        + ("<error>disk full on web-3</error>" if n == 61 else f"<time>{n * 37 % 900}</time>")
        + "</case>"
        for n in range(150)
    ]
    text = '<?xml version="1.0"?>\n<run>\n' + "\n".join(cases) + "\n</run>\n"
    for _ in range(_ROUNDS):
        result = tersely.compress(text, ratio=0.5)
        text = result.text
        assert result.receipt.content_types == ("xml",) and "disk full" in text
