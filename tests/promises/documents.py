"""Random documents of every content type, texts of this repository, and what damages or disguises them."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from text_strategies import PIECES
from typed_samples import SAMPLES

_ROOT = Path(os.environ.get("PROMISES_FILES") or Path(__file__).parents[2])  # files that are documents
_LARGEST = 12_000  # characters: larger ones are cut, so that many calls are made in a second

_SAID = (
    "harbour sluice granite crew winch kettle fee storm ledger anchor pilot barley copper lantern the a of "
    "is was not never before after must may opened closed failed passed 7 42 3.14 1,200 v2.10.3 2024-03-05 "
    "10:11:12 ERROR WARN INFO main.py:12 src/app/store.go https://example.org/a?b=c snake_case camelCase "
    "E-42 OPS-4711 港 été Überfluß дом 🚢 👩‍👩‍👧‍👦"
)
_WORDS = _SAID.split(" ")
_WHITE = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2007\u200a\u2028\u2029\u202f\u205f\u3000"
    "\u200b\u2060\ufeff"
)
_SURROGATE = re.compile("[\ud800-\udfff]")


def word(random: Random) -> str:
    return random.choice(_WORDS)


def words(random: Random, most: int = 14) -> str:
    return " ".join(random.choices(_WORDS, k=random.randint(1, most)))


def _sentence(random: Random) -> str:
    return words(random).capitalize() + random.choice([".", ".", ".", "!", "?", " …", ":", ""])


def prose(random: Random) -> str:
    paragraphs = [
        random.choice([" ", " ", "\n"]).join(_sentence(random) for _ in range(random.randint(1, 6)))
        for _ in range(random.randint(1, 8))
    ]
    return random.choice(["\n\n", "\n\n", "\n", "\r\n\r\n"]).join(paragraphs)


def markdown(random: Random) -> str:
    parts = []
    for _ in range(random.randint(1, 7)):
        kind = random.randrange(7)
        if kind == 0:
            parts.append("#" * random.randint(1, 4) + " " + words(random, 5))
        elif kind == 1:
            parts.append("\n".join(f"- {_sentence(random)}" for _ in range(random.randint(1, 5))))
        elif kind == 2:
            fence = random.choice(["```", "~~~", "````"])
            inside = random.choice([code, log, json_text, csv_text, diff, prose])(random)
            closing = random.choice([fence, fence, fence, ""])
            parts.append(
                f"{fence}{random.choice(['', 'python', 'log', 'json', 'diff'])}\n{inside}\n{closing}"
            )
        elif kind == 3:
            parts.append(table(random))
        elif kind == 4:
            parts.append(f"> {_sentence(random)}\n> {_sentence(random)}")
        else:
            parts.append(prose(random))
    return "\n\n".join(parts)


def _name(random: Random) -> str:
    return random.choice(["load", "store", "open_gate", "resetGate", "rate_of", "main"]) + str(
        random.randrange(9)
    )


def code(random: Random) -> str:
    language = random.choice(["python", "c", "go", "rust", "typescript", "sql", "shell"])
    parts = []
    for _ in range(random.randint(1, 6)):
        name, said = _name(random), words(random, 4)
        body = [
            f"value = {random.randrange(99)}",
            f'print("{said}")',
            f"return value + {random.randrange(9)}",
        ]
        if language == "python":
            decorator = random.choice(["", "@cache\n", "@pytest.mark.slow\n"])
            doc = random.choice(["", f'    """{said}."""\n', f"    # {said}\n"])
            inside = "".join(f"    {line}\n" for line in body[random.randint(0, 2) :])
            nested = random.choice(["", f"    if value:\n        raise ValueError('{said}')\n"])
            parts.append(f"{decorator}def {name}(value: int) -> int:\n{doc}{nested}{inside}")
            if random.random() < 0.3:
                parts.append(f"class {name.title()}:\n    limit = 3\n\n    def {name}(self):\n        pass\n")
        elif language == "sql":
            parts.append(f"SELECT {name}, count(*) FROM gates WHERE note = '{said}' GROUP BY 1;\n")
        elif language == "shell":
            parts.append(f"{name}() {{\n  echo '{said}'\n  exit 3\n}}\n")
        else:
            head = {
                "c": f"int {name}(int value)",
                "go": f"func {name}(value int) int",
                "rust": f"pub fn {name}(value: i32) -> i32",
                "typescript": f"export function {name}(value: number): number",
            }[language]
            comment = random.choice(["", f"// {said}\n", f"/* {said}\n   {said} */\n"])
            inside = "".join(f"    {line};\n" for line in body)
            parts.append(f"{comment}{head} {{\n{inside}}}\n")
    return "\n".join(parts)


def log(random: Random) -> str:
    lines = []
    for number in range(random.randint(1, 60)):
        stamp = f"2024-05-01 10:{number // 60:02}:{number % 60:02}"
        level = random.choice(["INFO", "INFO", "INFO", "DEBUG", "WARN", "ERROR"])
        said = random.choice(
            [
                f"served /items/{random.randrange(200)} in {random.randrange(90)} ms",
                f"worker {random.randrange(4)} is up",
                words(random, 8),
            ]
        )
        lines.append(f"{stamp} {level} [{random.choice('abc')}] {said}")
        if random.random() < 0.05:
            lines.append(stack_trace(random))
    return "\n".join(lines)


def tool_output(random: Random) -> str:
    lines = [random.choice(["collecting ...", "$ pytest -q", "npm run build", "==> Building", ""])]
    for number in range(random.randint(1, 40)):
        name = f"tests/test_{number}.py::test_{_name(random)}"
        lines.append(
            random.choice(
                [
                    f"{name} PASSED [ {number}%]",
                    f"{name} FAILED",
                    f"src/{number}.c:{number}: warning: {words(random, 4)}",
                    f"  ok {number} {words(random, 4)}",
                    f"E   AssertionError: {words(random, 4)}",
                    f"{words(random, 3)}",
                ]
            )
        )
    lines.append(f"{random.randrange(9)} failed, {random.randrange(99)} passed in 3.20s")
    return "\n".join(lines)


def stack_trace(random: Random) -> str:
    depth = random.randint(1, 12)
    if random.random() < 0.5:
        frames = "\n".join(
            f'  File "/app/part_{n}.py", line {n}, in {_name(random)}\n    {_name(random)}(value)'
            for n in range(depth)
        )
        return f"Traceback (most recent call last):\n{frames}\nValueError: {words(random, 5)}"
    frames = "\n".join(f"\tat com.acme.{_name(random)}.run(Store.java:{n})" for n in range(depth))
    cause = random.choice(["", f"\nCaused by: java.io.IOException: {words(random, 4)}\n\t... 3 more"])
    return f"java.lang.IllegalStateException: {words(random, 5)}\n{frames}{cause}"


def _value(random: Random, depth: int = 0) -> Any:
    kind = random.randrange(8 if depth < 3 else 5)
    if kind < 2:
        return words(random, 6)
    if kind == 2:
        return random.choice([0, -1, 3.5, 10**20, 1e-7])
    if kind == 3:
        return random.choice([True, False, None])
    if kind == 4:
        return random.choice(["", "\n", '"', "\\", "é", "a\tb"])
    if kind == 5:
        return [_value(random, depth + 1) for _ in range(random.randrange(7))]
    return {_name(random): _value(random, depth + 1) for _ in range(random.randrange(6))}


def _record(random: Random, number: int) -> dict[str, Any]:
    record = {"id": number, "state": random.choice(["paid", "open"]), "note": words(random, 5)}
    if random.random() < 0.1:
        record["error"] = words(random, 4)
    if random.random() < 0.2:
        record["extra"] = _value(random, 2)
    return record


def json_text(random: Random) -> str:
    if random.random() < 0.5:
        value: Any = [_record(random, n) for n in range(random.randint(1, 25))]
        if random.random() < 0.5:
            value = {"page": 1, "orders": value}
    else:
        value = _value(random)
    indent = random.choice([None, None, 2, "\t"])
    separators = random.choice([None, (",", ":"), (" , ", " : ")])
    return json.dumps(value, indent=indent, separators=separators, ensure_ascii=random.random() < 0.5)


def ndjson(random: Random) -> str:
    ending = random.choice(["\n", "\n", "\r\n", "\n\n"])
    return ending.join(json.dumps(_record(random, n)) for n in range(random.randint(1, 25)))


def csv_text(random: Random) -> str:
    file = io.StringIO()
    dialect = random.choice([",", ";", "\t"])
    ending = random.choice(["\n", "\r\n"])
    writer = csv.writer(file, delimiter=dialect, lineterminator=ending)
    writer.writerow(["id", "host", "note"])
    for number in range(random.randint(1, 30)):
        writer.writerow(
            [number, f"web-{random.randrange(5)}", random.choice([words(random, 4), "a\nb", "", '"'])]
        )
    return file.getvalue()


def table(random: Random) -> str:
    columns = random.randint(1, 4)
    rows = ["| " + " | ".join(_name(random) for _ in range(columns)) + " |", "|---" * columns + "|"]
    for _ in range(random.randint(0, 12)):
        rows.append("| " + " | ".join(words(random, 3) for _ in range(columns)) + " |")
    return "\n".join(rows)


def diff(random: Random) -> str:
    parts = []
    for number in range(random.randint(1, 3)):
        name = f"src/{_name(random)}.py"
        head = random.choice([f"diff --git a/{name} b/{name}\nindex 1a2b3c..4d5e6f 100644\n", ""])
        parts.append(f"{head}--- a/{name}\n+++ b/{name}\n")
        for _ in range(random.randint(1, 3)):
            lines = [random.choice(" +-") + words(random, 5) for _ in range(random.randint(1, 9))]
            old = sum(line[0] in " -" for line in lines)
            new = sum(line[0] in " +" for line in lines)
            parts.append(f"@@ -{number + 1},{old} +{number + 1},{new} @@ {words(random, 3)}\n")
            parts.append("\n".join(lines) + "\n")
    if random.random() < 0.3:
        parts.insert(0, f"commit 4d5e6f\nAuthor: A <a@b.c>\nDate:   Mon May 1\n\n    {words(random, 6)}\n\n")
    return "".join(parts)


def html(random: Random) -> str:
    parts = []
    for _ in range(random.randint(1, 12)):
        said = words(random, 10)
        parts.append(
            random.choice(
                [
                    f"<p>{said} <b>{words(random, 2)}</b> &amp; {words(random, 3)}</p>",
                    f"<h2>{said}</h2>",
                    f"<ul><li>{said}<li>{words(random, 3)}</ul>",
                    f"<table><tr><td>{said}<td>{words(random, 2)}</table>",
                    f"<!-- {said} --><script>let a = '{said}';</script>",
                    f"<pre>{code(random)}</pre>",
                    f"<div>{said}<br/>{words(random, 5)}</div>",
                ]
            )
        )
    head = random.choice(["<!DOCTYPE html><html><head><title>T</title></head><body>", "<html><body>", ""])
    return head + random.choice(["", "\n"]).join(parts) + random.choice(["</body></html>", ""])


def chat(random: Random) -> str:
    names = random.choice([("User", "Assistant"), ("Anna", "Ben", "Chris"), ("user", "assistant", "tool")])
    return random.choice(["\n", "\n\n"]).join(
        f"{random.choice(names)}: {_sentence(random)} {_sentence(random)}"
        for _ in range(random.randint(1, 20))
    )


def odd(random: Random) -> str:
    """Pieces that are likely to hit a rule, one behind the other."""
    return "".join(random.choice(PIECES) for _ in range(random.randrange(60)))


def sample(random: Random) -> str:
    text = random.choice(list(SAMPLES.values()))
    return text if random.random() < 0.5 else _part(random, text)


@cache
def files() -> tuple[Path, ...]:
    found = [
        path
        for pattern in (
            "python/**/*.py",
            "csrc/**/*.[ch]pp",
            "docs/**/*.md",
            "*.md",
            "*.toml",
            "ci/*.sh",
            "tests/**/*.py",
        )
        for path in _ROOT.glob(pattern)
    ]
    return tuple(sorted(found))


def file(random: Random) -> str:
    """A piece of a file of this repository."""
    with random.choice(files()).open(encoding="utf-8", newline="") as opened:
        return _part(random, opened.read(), random.choice([500, 3000, _LARGEST]))


def blank(random: Random) -> str:
    return random.choice(["", " ", "\n", "\r\n \t", "\ufeff", "\x00", "\u200b", "\u3000"])


KINDS: dict[str, Callable[[Random], str]] = {
    "prose": prose,
    "markdown": markdown,
    "code": code,
    "log": log,
    "tool_output": tool_output,
    "stack_trace": stack_trace,
    "json": json_text,
    "ndjson": ndjson,
    "csv": csv_text,
    "table": table,
    "diff": diff,
    "html": html,
    "chat": chat,
    "odd": odd,
    "sample": sample,
    "file": file,
    "blank": blank,
}


def _part(random: Random, text: str, most: int = _LARGEST) -> str:
    """A random piece of a text."""
    size = min(len(text), random.randint(0, most))
    at = random.randint(0, len(text) - size)
    return text[at : at + size]


def _inserted(random: Random, text: str, piece: str) -> str:
    for _ in range(random.randint(1, 4)):
        at = random.randint(0, len(text))
        text = text[:at] + piece + text[at:]
    return text


def _bidi(random: Random, text: str) -> str:
    return _inserted(random, text, random.choice(["\u202e", "\u2066", "\u200f", "\u202a"]))


def _ansi(random: Random, text: str) -> str:
    return _inserted(random, text, random.choice(["\x1b[31m", "\x1b[0m", "\x1b[2K\r", "\x1b]0;t\x07"]))


def _separators(random: Random, text: str) -> str:
    odd = ["\u2028", "\x85", "\x0b", "\x0c", "\x1c", "\u00a0", "\u200b"]
    return _inserted(random, text, random.choice(odd))


def _surrogates(random: Random, text: str) -> str:
    """Halves of characters beyond the first 65,536, as programs leave them that cut a string anywhere."""
    return _inserted(
        random, text, random.choice(["\ud83d", "\ude00", "\udcff", "\ude00\ud83d", "\ud83d\ude00"])
    )


def _white_run(random: Random, text: str) -> str:
    return _inserted(random, text, random.choice(_WHITE) * random.choice([2, 30, 900]))


def as_read(text: str) -> str:
    """The text as it is read: U+FFFD for each lone surrogate, so that places stay the same."""
    return _SURROGATE.sub("\ufffd", text)


def undecodable(random: Random, text: str) -> bytes:
    """Its bytes, with some between them that are no UTF-8."""
    data = as_read(text).encode()
    for _ in range(random.randint(1, 3)):
        at = random.randint(0, len(data))
        data = (
            data[:at]
            + random.choice([b"\xe9", b"\xff\xfe", b"\xc3", b"\xed\xa0\x80", b"\xf0\x9f"])
            + data[at:]
        )
    return data


def _shuffled(random: Random, text: str) -> str:
    lines = text.split("\n")
    random.shuffle(lines)
    return "\n".join(lines)


MUTATIONS: dict[str, Callable[[Random, str], str]] = {
    "truncated": lambda random, text: text[: random.randint(0, len(text))],
    "beheaded": lambda random, text: text[random.randint(0, len(text)) :],
    "doubled": lambda random, text: text + random.choice(["", "\n", "\n\n"]) + text,
    "crlf": lambda random, text: text.replace("\n", "\r\n"),
    "cr": lambda random, text: text.replace("\n", "\r"),
    "progress": lambda random, text: _inserted(random, text, "\rdone 3%\rdone 4%"),
    "nul": lambda random, text: _inserted(random, text, "\x00"),
    "ansi": _ansi,
    "bidi": _bidi,
    "emoji": lambda random, text: _inserted(random, text, random.choice(["👩‍👩‍👧‍👦", "🏳️‍🌈", "e\u0301" * 9])),
    "long_line": lambda random, text: text.replace("\n", " ") + "x" * random.choice([0, 100, 5000]),
    "no_spaces": lambda random, text: text.replace(" ", ""),
    "bom": lambda random, text: "\ufeff" + text,
    "inner_bom": lambda random, text: _inserted(random, text, "\ufeff"),
    "odd_separators": _separators,
    "shuffled": _shuffled,
    "surrogates": _surrogates,
    "white_run": _white_run,
    "indented": lambda random, text: "    " + text.replace("\n", "\n    "),
    "fenced": lambda random, text: f"Look:\n\n```\n{text}\n```\n\nThat is all.",
    "quoted": lambda random, text: json.dumps(text),
    "padded": lambda random, text: "\n" * random.randint(1, 5) + text + " " * random.randint(1, 5),
}


def document(random: Random) -> str:
    """A text of some kind, as it is or mutated: as who asks has it (`kinds`, `mutated`, `largest`)."""
    kinds: dict[str, Callable[[Random], str]] = getattr(random, "kinds", KINDS)
    text = random.choice(list(kinds.values()))(random)
    while random.random() < getattr(random, "mutated", 0.25):
        text = random.choice(list(MUTATIONS.values()))(random, text)
        text = text[: getattr(random, "largest", _LARGEST)]
    return text


def documents(random: Random, most: int = 4) -> list[str]:
    """One text, or several, of which some are the same."""
    found = [document(random) for _ in range(random.choice([1, 1, 1, 2, 3, most]))]
    if random.random() < 0.1:
        found.append(random.choice(found))
    return found if random.random() < 0.98 else []
