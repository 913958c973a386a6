"""Mutations of real files: cut, joined, nested in one another, damaged in ways that files are damaged."""

from __future__ import annotations

import csv
import io
import json
import sysconfig
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import ClassVar

from promises import documents as plain
from promises.documents import words

_SUFFIXES = {
    ".py",
    ".pyi",
    ".txt",
    ".cfg",
    ".toml",
    ".json",
    ".html",
    ".xml",
    ".csv",
    ".md",
    ".rst",
    ".h",
    ".c",
}


@cache
def _files_of_python() -> tuple[Path, ...]:
    """Files that came with the Python that runs this, without what was installed into it."""
    roots = [Path(sysconfig.get_path(name)) for name in ("stdlib", "include")]
    found = (path for root in roots for path in root.rglob("*") if path.suffix in _SUFFIXES)
    return tuple(sorted(path for path in found if "site-packages" not in path.parts))


def _file(random: Random) -> str:
    """A piece of a file, in whatever form its bytes are text."""
    ours = not random.python_too or random.random() < 0.5  # type: ignore[attr-defined]
    path = random.choice(plain.files() if ours else _files_of_python())
    text = path.read_bytes().decode("utf-8", "replace")
    most = random.choice([300, 2000, 6000])
    if random.random() < 0.3 or len(text) <= most:
        return text[:most]
    start = random.randrange(len(text) - most)
    return text[start : start + most]


def _as_log(random: Random, text: str) -> str:
    heads = [
        "2024-05-01 10:00:00 INFO ",
        "10:00:01 web-1 app[7]: ",
        "[ERROR] worker: ",
        "ts=1 level=warn msg=",
    ]
    head = random.choice(heads)
    return "\n".join(head + line for line in text.split("\n"))


def _as_diff(random: Random, text: str) -> str:
    lines = text.split("\n")
    size = len(lines)
    marked = "\n".join(random.choice(" +-") + line for line in lines)
    return f"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,{size} +1,{size} @@\n{marked}\n"


def _as_csv(random: Random, text: str) -> str:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator=random.choice(["\n", "\r\n"]))
    writer.writerow(["id", "text"])
    size = max(len(text) // random.randint(1, 9), 1)
    writer.writerows((start, text[start : start + size]) for start in range(0, len(text), size))
    return file.getvalue()


def _twice(random: Random, text: str) -> str:
    """An object of JSON that has some of its keys twice."""
    keys = [random.choice("abc") for _ in range(random.randint(2, 30))]
    size = max(len(text) // len(keys), 1)
    members = [
        f"{json.dumps(key)}: {json.dumps(text[n * size : (n + 1) * size])}" for n, key in enumerate(keys)
    ]
    gap = random.choice([", ", ",\n  "])
    return f"{{{gap.join(members)}, {json.dumps('a')}: {{{members[0]}, {members[0]}}}}}"


#: What puts a text into one of another type.
_INTO: dict[str, Callable[[Random, str], str]] = {
    "json text": lambda random, text: json.dumps({"id": 7, "log": text}, indent=random.choice([None, 2])),
    "json records": lambda random, text: json.dumps(
        [{"n": n, "line": line} for n, line in enumerate(text.split("\n"))]
    ),
    "jsonl": lambda random, text: "\n".join(json.dumps({"line": line}) for line in text.split("\n")),
    "log": _as_log,
    "diff": _as_diff,
    "csv": _as_csv,
    "keys twice": _twice,
    "fence": lambda random, text: (
        f"{words(random)}:\n\n```{random.choice(['', 'py', 'json'])}\n{text}\n```\n"
    ),
    "yaml": lambda random, text: (
        "a:\n  b: |\n" + "\n".join(f"    {line}" for line in text.split("\n")) + "\nc: 1\n"
    ),
    "html": lambda random, text: f"<html><body><p>{words(random)}</p><pre>{text}</pre></body></html>",
    "xml": lambda random, text: f'<?xml version="1.0"?>\n<a><b n="1"><![CDATA[{text}]]></b><c/></a>',
    "comment": lambda random, text: "\n".join(
        f"{random.choice(['#', '//', '--'])} {line}" for line in text.split("\n")
    ),
    "quotes": lambda random, text: "\n".join(f"> {line}" for line in text.split("\n")),
    "chat": lambda random, text: f"User: {words(random)}\nAssistant: {text}\nUser: {words(random)}",
    "here-document": lambda random, text: f"cat <<'EOF' > x\n{text}\nEOF\necho done\n",
    "python string": lambda random, text: f'TEXT = """\n{text}\n"""\n\n\ndef f():\n    return TEXT\n',
}


def _endings(random: Random, text: str) -> str:
    return "".join(
        line + random.choice(["\n", "\r\n", "\r", "\n\r"]) for line in text.replace("\r", "").split("\n")
    )


def _unseen(random: Random, text: str) -> str:
    """Characters of no width and marks of direction between others."""
    odd = [
        "\u200b",
        "\u200c",
        "\u200d",
        "\u2060",
        "\ufeff",
        "\u00ad",
        "\u202a",
        "\u202e",
        "\u2066",
        "\u2069",
        "\u200f",
    ]
    places = sorted(random.randint(0, len(text)) for _ in range(random.randint(1, 60)))
    return "".join(
        text[start:end] + random.choice(odd)
        for start, end in zip([0, *places], [*places, len(text)], strict=True)
    )


def _joined(random: Random, text: str) -> str:
    return text + random.choice(["", "\n", "\n\n", "\r\n", "\n---\n", "\x0c"]) + _file(random)


_DAMAGE: dict[str, Callable[[Random, str], str]] = {
    "endings": _endings,
    "unseen": _unseen,
    "joined": _joined,
    "cut in": lambda random, text: text[: len(text) // 3] + text[len(text) // 2 :],
    "lines again": lambda random, text: "\n".join(
        line for line in text.split("\n") for _ in range(random.choice([1, 1, 1, 2, 9]))
    ),
    "tabs": lambda random, text: text.replace("    ", "\t"),
    "capitals": lambda random, text: text.upper(),
}


def mutated(random: Random) -> str:
    """A real file, put into others up to three deep, damaged at each step."""
    text = _file(random)
    for _ in range(random.choice([0, 1, 1, 2, 3])):
        if random.random() < 0.4:
            text = random.choice(list(_DAMAGE.values()))(random, text)
        text = random.choice(list(_INTO.values()))(random, text)[:30_000]
    if random.random() < 0.5:
        text = random.choice([*_DAMAGE.values(), *plain.MUTATIONS.values()])(random, text)
    return text[:30_000]


class RealFiles(Random):
    """A random generator of which all documents are mutations of real files."""

    kinds: ClassVar[dict[str, Callable[[Random], str]]] = {"mutated": mutated}
    python_too = True  # files of Python beside those of this repository


class OwnFiles(RealFiles):
    """The same, of files of this repository alone: no test reads what else is on the machine."""

    python_too = False
