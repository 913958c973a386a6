"""Random documents of every content type, small, large, flat and nested, and what damages them."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Callable, Sequence
from functools import cache
from itertools import cycle, islice
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import tersely
import yaml
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
    makers: list[Callable[[Random], str]] = [
        lambda random: "#" * random.randint(1, 4) + " " + words(random, 5),
        lambda random: "\n".join(f"- {_sentence(random)}" for _ in range(random.randint(1, 5))),
        _fenced,
        lambda random: flat(random, "table", random.randint(1, 12)),
        lambda random: f"> {_sentence(random)}\n> {_sentence(random)}",
        prose,
        prose,
    ]
    return "\n\n".join(random.choice(makers)(random) for _ in range(random.randint(1, 7)))


def _fenced(random: Random) -> str:
    """A fence around a text of another kind, closed by one as long, most times."""
    fence = random.choice(["```", "~~~", "````"])
    inside = random.choice([code, few, json_text, diff, prose])(random)
    name, closing = random.choice(["", "python", "log", "json", "diff"]), random.choice([fence] * 3 + [""])
    return f"{fence}{name}\n{inside}\n{closing}"


def _name(random: Random) -> str:
    return random.choice(["load", "store", "open_gate", "resetGate", "rate_of", "main"]) + str(
        random.randrange(9)
    )


#: Parts of code in each language. {f} is a name, {n} a number, {w} some words.
_CODE = {
    "python": (
        '@cache\ndef {f}(value: int) -> int:\n    """{w}."""\n    return value + {n}\n',
        "def {f}(value):\n    # {w}\n    if value:\n        raise ValueError('{w}')\n    value = {n}\n",
        "class {f}:\n    limit = {n}\n\n    @property\n    def {f}(self):\n        pass\n",
    ),
    "c": (
        "int {f}(int value) {{\n    return value + {n};\n}}\n",
        "/* {w}\n   {w} */\nstatic int {f} = {n};\n",
    ),
    "go": (
        "// {w}\nfunc {f}(value int) int {{\n    return value + {n}\n}}\n",
        "type {f} struct {{\n\ta int\n}}\n",
    ),
    "rust": (
        "/// {w}\npub fn {f}(value: i32) -> i32 {{\n    value + {n}\n}}\n",
        "pub const {f}: u32 = {n};\n",
    ),
    "typescript": ("export function {f}(value: number): number {{\n    return value + {n};\n}}\n",),
    "sql": ("SELECT {f}, count(*) FROM gates WHERE note = '{w}' GROUP BY 1;\n",),
    "shell": ("{f}() {{\n  echo '{w}'\n  exit {n}\n}}\n",),
}


def code(random: Random) -> str:
    parts = random.choice(list(_CODE.values()))
    return "\n".join(
        random.choice(parts).format(f=_name(random), n=random.randrange(99), w=words(random, 4))
        for _ in range(random.randint(1, 6))
    )


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


def yaml_text(random: Random) -> str:
    parts = [
        yaml.safe_dump({"root": _value(random), "more": _value(random)}, allow_unicode=True, sort_keys=False)
        for _ in range(2)
    ]
    head = random.choice(["", "# " + words(random) + "\n", "---\n", "%YAML 1.2\n---\n"])
    script = f"\nscript: |\n  {words(random)}\n\n  {words(random)}\n"
    block = random.choice(["", script, "\nanchor: &a 1\nref: *a\n"])
    return head + parts[0] + block + random.choice(["", "\n---\n" + parts[1], "\n...\n"])


def xml_text(random: Random, depth: int = 0) -> str:
    name = random.choice(["case", "item", "a", "note", "ns:row"])
    attributes = "".join(f' {key}="{words(random, 3)}"' for key in random.sample(["id", "url", "name"], 2))
    if depth > 3 or random.random() < 0.3:
        said = random.choice(["", words(random), "a &lt; b", "<![CDATA[a < b]]>", "<!-- n -->"])
        return f"<{name}{attributes}>{said}</{name}>" if said else f"<{name}{attributes}/>"
    gap = random.choice(["", "\n" + "  " * depth])
    inside = gap.join(xml_text(random, depth + 1) for _ in range(random.randint(1, 5)))
    head = random.choice(['<?xml version="1.0"?>\n', ""]) if depth == 0 else ""
    return f"{head}<{name}{attributes}>{gap}{inside}{gap}</{name}>"


def page_of_links(random: Random) -> str:
    """A page, mostly of one line, that is full of addresses."""
    blocks = (
        "<li>{a} {w}", "<p>{w} {a} <b>{w}</b> &amp; {w}.</p>", "<tr><td>{a}<td>{w}</tr>",
        "<h2>{w}</h2><pre>{c}</pre>",
        '<img src="/{n}.png" alt="{w}">', "<!-- {w} --><script>var a = '{w}'</script><div>{w}<br/>{w}</div>",
    )  # fmt: skip
    gap = random.choice(["", "", "\n"])
    parts = ["<nav>", *(f'<a href="/{n}">{word(random)}</a>' for n in range(3)), "</nav>"]
    for n in range(random.randint(1, 20)):
        link = f'<a href="https://example.org/{word(random)}/{n}?q={word(random)}">{words(random, 4)}</a>'
        parts.append(random.choice(blocks).format(a=link, n=n, w=words(random), c=code(random)))
    head = random.choice(["<!DOCTYPE html><html><head><title>T</title></head>", "<html><body>", ""])
    return head + gap.join(parts) + random.choice(["<footer>end</footer></html>", ""])


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


def compressed(random: Random) -> str:
    """What compression made of a document: our own markers stand in it."""
    text = random.choice([kind for kind in KINDS.values() if kind is not compressed])(random)
    for _ in range(random.randint(1, 2)):
        try:
            text = tersely.compress(text, ratio=random.choice([0.2, 0.5, 0.8])).text
        except tersely.BudgetExceededError:
            break
    return text


def joined(random: Random) -> str:
    """Documents of several types in one text, as tools print them."""
    parts = [random.choice(list(KINDS.values()))(random)[:2000] for _ in range(random.randint(2, 4))]
    heads = [
        random.choice(["", f"==> {word(random)} <==\n", "$ " + word(random) + "\n", "# A\n\n"]) for _ in parts
    ]
    return random.choice(["\n", "\n\n", "\r\n", "\u2028"]).join(map("".join, zip(heads, parts, strict=True)))


def endings(random: Random) -> str:
    """Lines that end in every way."""
    lines = random.choice(list(KINDS.values()))(random).splitlines()
    return "".join(
        line + random.choice(["\n", "\r\n", "\r", "\r\r\n", "\u2028", "\u2029", "\x85", "\n\ufeff"])
        for line in lines
    )


def marks(random: Random) -> str:
    """Combining marks, joiners, directions, NULs: more of them than letters."""
    odd = [
        "\u0301", "\u0323\u0301" * 20, "\u200d", "\ufe0f", "\u202e", "\x00", "\ufeff", "\U000e0100", "\u00ad",
        "\U0010ffff", "\ufffe", "\uffff", "\u0345", "\u1160", "a", " ", "\n", ". ", "ﬁ", "ǆ", "İ", "ſ",
    ]  # fmt: skip
    return "".join(random.choices(odd, k=random.randrange(200)))


#: A flat text: what stands before its units, a unit, what stands between two, and behind the last. In a
#: unit, {n} is its number, {i} an identifier and {w} some words.
_FLAT: dict[str, tuple[str, str, str, str]] = {
    "prose": ("", "{w} {n}.", " ", ""),
    "sentences": ("", "The {w} of {n} was told.", "\n", ""),
    "paragraphs": ("", "{w}. {w} {n}.", "\n\n", ""),
    "words": ("", "{i}", " ", ""),
    "no white space": ("", "{i}", "", ""),
    "numbers": ("", "{n}", "\n", ""),
    "headings": ("# All\n\n", "## {w}", "\n\n", "\n"),
    "sections": ("# All\n\n", "## {i}\n\n{w}.", "\n\n", "\n"),
    "list": ("All of it:\n\n", "- {w} {n}", "\n", "\n"),
    "numbered list": ("", "{n}. {w}", "\n", "\n"),
    "quotes": ("", "> {w} {n}", "\n", ""),
    "fence": ("Look:\n\n```\n", "{i} {n}", "\n", "\n```\n"),
    "table": ("| name | note |\n|---|---|\n", "| {i} | {w} |", "\n", "\n"),
    "csv": ("id,name,note\n", "{n},{i},{w}", "\n", "\n"),
    "tsv": ("id\tname\tnote\n", "{n}\t{i}\t{w}", "\r\n", "\r\n"),
    "columns": ("NAME        READY   NOTE\n", "{i}-7f9c   1/1     {w}", "\n", "\n"),
    "yaml": ("", "{i}: {n}", "\n", "\n"),
    "yaml, words": ("all:\n", "  {i}: {w}", "\n", "\n"),
    "yaml list": ("all:\n", "  - {w}", "\n", "\n"),
    "yaml records": ("", "- id: {n}\n  name: {i}\n  note: {w}", "\n", "\n"),
    "ini": ("[all]\n", "{i} = {w}", "\n", "\n"),
    "ini sections": ("", "[{i}]\nport = {n}\n", "\n", ""),
    "env": ("", "{i}={n}", "\n", "\n"),
    "toml": ("", '[{i}]\nname = "{w}"', "\n\n", "\n"),
    "css": ("", ".{i} {{ margin: {n}px; }}", "\n", "\n"),
    "sql": ("", "INSERT INTO gates VALUES ({n}, '{w}');", "\n", "\n"),
    "sql, one insert": ("INSERT INTO gates VALUES\n", "({n}, '{w}')", ",\n", ";\n"),
    "javascript": ("", "export const {i} = {n};", "\n", "\n"),
    "javascript imports": ("", "import {{ {i} }} from './{i}';", "\n", "\n"),
    "typescript": ("", "export type {i} = {{ size: {n} }};", "\n", "\n"),
    "python": ("", "{i} = {n}", "\n", "\n"),
    "python imports": ("", "from app.{i} import value_{n}", "\n", "\n"),
    "python functions": ("import os\n\n", "def {i}(value):\n    return value + {n}\n", "\n", ""),
    "go": ("package main\n\n", "const {i} = {n}", "\n", "\n"),
    "go block": ("package main\n\nconst (\n", "\t{i} = {n}", "\n", "\n)\n"),
    "rust": ("", "pub const {i}: u32 = {n};", "\n", "\n"),
    "rust uses": ("", "use crate::{i}::value;", "\n", "\n"),
    "c": ("", "#define {i} {n}", "\n", "\n"),
    "c prototypes": ("#include <stdio.h>\n", "int {i}(int value);", "\n", "\n"),
    "java imports": ("package com.acme;\n\n", "import com.acme.{i};", "\n", "\n"),
    "shell": ("#!/bin/sh\n", "export {i}={n}", "\n", "\n"),
    "shell calls": ("#!/bin/sh\nset -e\n", "run --name {i} --size {n}", "\n", "\n"),
    "log": ("", "2024-05-01 10:00:00 INFO [worker] {w} in {n} ms", "\n", "\n"),
    "log, errors": ("", "2024-05-01 10:00:00 ERROR [{i}] {w}", "\n", "\n"),
    "syslog": ("", "May  1 10:00:00 web-1 sshd[{n}]: {w}", "\n", "\n"),
    "access log": ("", '10.0.0.1 - - [01/May/2024:10:00:00 +0000] "GET /{i} HTTP/1.1" 200 {n}', "\n", "\n"),
    "log, pairs": ("", 'time=10:00:00 level=info msg="{w}" size={n}', "\n", "\n"),
    "jsonl": ("", '{{"id": {n}, "name": "{i}", "note": "{w}"}}', "\n", "\n"),
    "json records": ("[", '{{"id": {n}, "name": "{i}", "note": "{w}"}}', ", ", "]"),
    "json scalars": ("[", "{n}", ",", "]"),
    "json texts": ('{"all": [\n  ', '"{w}"', ",\n  ", "\n]}"),
    "json members": ("{", '"{i}": {n}', ", ", "}"),
    "xml": ('<?xml version="1.0"?>\n<all>\n', '<item id="{n}" name="{i}">{w}</item>', "\n", "\n</all>\n"),
    "html list": ("<!DOCTYPE html><html><body><ul>", "<li>{w} {n}</li>", "", "</ul></body></html>"),
    "html table": ("<html><body><table>\n", "<tr><td>{i}<td>{w}</tr>", "\n", "\n</table></body></html>"),
    "html paragraphs": ("<html><body>\n", '<p>{w} <a href="/{i}">{n}</a></p>', "\n", "\n</body></html>"),
    "diff": ("--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n", "+{i} = {n}", "\n", "\n"),
    "diff of files": ("",
                      "diff --git a/{i} b/{i}\n--- a/{i}\n+++ b/{i}\n@@ -1 +1 @@\n-{n}\n+{w}", "\n", "\n"),
    "git log": ("", "commit 4d5e6f{n}\nAuthor: A <a@b.c>\n\n    {w}\n", "\n", ""),
    "stack trace": ("java.lang.Exception: all\n", "\tat com.acme.{i}.run(Store.java:{n})", "\n", "\n"),
    "traceback": ("Traceback (most recent call last):\n",
                  '  File "/app/{i}.py", line {n}, in {i}\n    {i}()', "\n", "\nValueError: all\n"),
    "pytest": ("collecting ...\n", "tests/test_{i}.py::test_{n} PASSED", "\n", "\n3 passed in 3.20s\n"),
    "compiler": ("", "src/{i}.c:{n}:3: warning: {w}", "\n", "\n"),
    "grep": ("", "src/{i}.py:{n}: {w}", "\n", "\n"),
    "paths": ("", "./src/{i}/part_{n}.py", "\n", "\n"),
    "chat": ("", "User: {w}?\nAssistant: {w} {n}.", "\n", "\n"),
    "lone brackets": ("", "{{[(", "\n", "\n"),
    "lines of one letter": ("", "x", "\n", ""),
    "empty lines": ("", "{w}", "\n\n\n\n", "\n\n\n"),
}  # fmt: skip

#: How units differ: number -> (identifier, words).
Differing = Callable[[int], tuple[str, str]]


def _differing(random: Random, most: int = 300) -> Differing:
    """Choose how the units of a flat text differ: by a number alone, in all, hardly, or as names do."""
    some = [words(random, 8).replace('"', "'").replace("\n", " ") for _ in range(most)]
    names = [f"{word(random).lower()}_{random.choice('abcdefgh')}" for _ in range(most)]
    names = ["".join(c if c.isalnum() else "_" for c in name) for name in names]
    kind = random.choice(["number", "words", "same", "rare", "names"])
    odd = random.randint(2, 400)

    def differing(n: int) -> tuple[str, str]:
        if kind == "number":
            return f"k{n}", f"row {n}"
        if kind == "same":
            return "gate", "all is well"
        if kind == "rare" and n % odd:
            return f"k{n}", "all is well"
        if kind == "names":
            return f"{names[n % most]}_{names[n // most % most]}", some[n * 7919 % most]
        return f"{names[n * 7919 % most]}{n}", f"{some[n % most]} {some[n * 31 % most]}"

    return differing


def flat(random: Random, name: str, units: int) -> str:
    """A text of so many units, one behind the other; of so many lines, where they have several."""
    head, unit, between, tail = _FLAT[name]
    differing = _differing(random, min(units, 300))
    units = max(units // (1 + unit.count("\n")), 1)
    made = [unit.format(n=n, i=i, w=w) for n in range(units) for i, w in [differing(n)]]
    return head + between.join(made) + tail


def _levels(random: Random, units: int) -> tuple[int, int]:
    """How deep so many units lie in each other, and how many there are of such depth."""
    depth = random.choice([2, 5, 30, 300, units])
    return depth, max(units // depth, 1)


def _nested(
    opens: str, closes: str, inside: str, between: str = "", around: tuple[str, str] = ("", "")
) -> Callable[[Random, int], str]:
    """What makes a text of towers: each `opens` so often, what is `inside`, and `closes` as often."""

    def made(random: Random, units: int) -> str:
        depth, many = _levels(random, units)
        said = cycle([inside.format(n=n, w=words(random, 6)) for n in range(50)])
        tower = opens * depth, closes * depth
        return around[0] + between.join(said.join(tower) for said in islice(said, many)) + around[1]

    return made


def _indented(unit: str, step: str) -> Callable[[Random, int], str]:
    """What makes a text whose lines are indented, deeper and deeper, and again from the start."""

    def made(random: Random, units: int) -> str:
        depth = random.choice([2, 5, 30])
        differing = _differing(random)
        return "\n".join(
            step * (n % depth) + unit.format(n=n, i=i, w=w) for n in range(units) for i, w in [differing(n)]
        )

    return made


def _tree(random: Random, units: int) -> Any:
    """Records of records, wide, of so many leaves."""
    leaves: list[Any] = [random.choice([words(random, 5), n, None, True]) for n in range(min(units, 500))]
    level = list(islice(cycle(leaves), units))
    while len(level) > 1:
        wide = random.choice([2, 3, 10, 100])
        groups = [level[start : start + wide] for start in range(0, len(level), wide)]
        if random.random() < 0.5:
            level = [{f"k{n}": value for n, value in enumerate(group)} for group in groups]
        else:
            level = list(groups)
    return level[0]


_NESTED: dict[str, Callable[[Random, int], str]] = {
    "json tree": lambda random, units: json.dumps(
        _tree(random, units), indent=random.choice([None, None, 2])
    ),
    "json objects": _nested('{"a": ', "}", '"{w}"', ", ", ("[", "]")),
    "json lists": _nested("[", "]", "{n}", ",\n", ("[", "]")),
    "json, open": _nested('{"a": [', "", '"{w}"', ","),
    "xml": _nested("<a><b>", "</b></a>", "{w}", "\n", ("<all>", "</all>")),
    "xml, open": _nested("<a>", "", "{w}", "\n"),
    "html": _nested("<div><p>", "</div>", "{w}", "\n", ("<html><body>", "</body></html>")),
    "html lists": _nested("<ul><li>", "</li></ul>", "{w}", "\n", ("<html><body>", "</body></html>")),
    "brackets": _nested("(", ")", "{w}", " "),
    "quotes": _nested("> ", "", "{w}", "\n"),
    "c": _nested("if (a) {\n", "}\n", "b = {n};\n", "", ("int main() {\n", "}\n")),
    "javascript": _nested("f(() => {\n", "});\n", "b({n});\n"),
    "yaml": _indented("{i}:", "  "),
    "yaml list": _indented("- {w}", "  "),
    "list": _indented("- {w} {n}", "  "),
    "python": _indented("if {i}:", "    "),
    "headings": lambda random, units: "\n\n".join(f"{'#' * (1 + n % 6)} part {n}" for n in range(units)),
    "traces": lambda random, units: "\n".join(
        f"Caused by: java.io.IOException: {words(random, 3)}\n\tat com.acme.Run.run(Run.java:{n})"
        for n in range(units // 2)
    ),
}


def few(random: Random) -> str:
    """Some units of a flat text, sometimes with those of another among them."""
    text = flat(random, random.choice(list(_FLAT)), random.randint(1, 40))
    if random.random() < 0.3:
        lines = text.split("\n")
        at = random.randint(0, len(lines))
        lines[at:at] = flat(random, random.choice(list(_FLAT)), random.randint(1, 5)).split("\n")
        text = "\n".join(lines)
    return text


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
    ending, mark = random.choice(["\n", "\r\n"]), random.choice([",", ";", "\t"])
    writer = csv.writer(file, lineterminator=ending, delimiter=mark)
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


def within(random: Random) -> str:
    """A piece of a file, put into texts of other types up to three deep, damaged at some of the steps."""
    text = file(random)[:6000]
    for _ in range(random.choice([0, 1, 1, 2, 3])):
        if random.random() < 0.4:
            text = random.choice(list(MUTATIONS.values()))(random, text)
        text = random.choice(list(_INTO.values()))(random, text)[:_LARGEST]
    return text


KINDS: dict[str, Callable[[Random], str]] = {
    "few, of another type": few,
    "few, again": few,
    "prose": prose,
    "markdown": markdown,
    "code": code,
    "few": few,
    "json": json_text,
    "csv": lambda random: _as_csv(random, prose(random)[:2000]),
    "diff": diff,
    "yaml": yaml_text,
    "xml": xml_text,
    "page of links": page_of_links,
    "odd": odd,
    "sample": sample,
    "file": file,
    "blank": blank,
    "compressed": compressed,
    "joined": joined,
    "endings": endings,
    "marks": marks,
    "within": within,
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


def _some(pieces: Sequence[str]) -> Callable[[Random, str], str]:
    """Make what inserts one of these pieces here and there."""
    return lambda random, text: _inserted(random, text, random.choice(pieces))


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


MUTATIONS: dict[str, Callable[[Random, str], str]] = {
    "truncated": lambda random, text: text[: random.randint(0, len(text))],
    "beheaded": lambda random, text: text[random.randint(0, len(text)) :],
    "doubled": lambda random, text: text + random.choice(["", "\n", "\n\n"]) + text,
    "crlf": lambda random, text: text.replace("\n", "\r\n"),
    "cr": lambda random, text: text.replace("\n", "\r"),
    "progress": _some(["\rdone 3%\rdone 4%"]),
    "nul": _some("\x00"),
    "ansi": _some(["\x1b[31m", "\x1b[0m", "\x1b[2K\r", "\x1b]0;t\x07"]),
    "bidi": _some("\u202e\u2066\u200f\u202a"),
    "emoji": _some(["👩‍👩‍👧‍👦", "🏳️‍🌈", "e\u0301" * 9]),
    "long_line": lambda random, text: text.replace("\n", " ") + "x" * random.choice([0, 100, 5000]),
    "no_spaces": lambda random, text: text.replace(" ", ""),
    "bom": lambda random, text: "\ufeff" + text,
    "inner_bom": _some("\ufeff"),
    "odd_separators": _some("\u2028\x85\x0b\x0c\x1c\u00a0\u200b"),
    "shuffled": lambda random, text: "\n".join(random.sample(lines := text.split("\n"), len(lines))),
    # Halves of characters beyond the first 65,536, as programs leave them that cut a string anywhere.
    "surrogates": _some(["\ud83d", "\ude00", "\udcff", "\ude00\ud83d", "\ud83d\ude00"]),
    "white_run": lambda random, text: _inserted(
        random, text, random.choice(_WHITE) * random.choice([2, 30, 900])
    ),
    "indented": lambda random, text: "    " + text.replace("\n", "\n    "),
    "fenced": lambda random, text: f"Look:\n\n```\n{text}\n```\n\nThat is all.",
    "quoted": lambda random, text: json.dumps(text),
    "endings": lambda random, text: "".join(
        line + random.choice(["\n", "\r\n", "\r", "\n\r"]) for line in text.replace("\r", "").split("\n")
    ),
    "unseen": lambda random, text: "".join(
        part + random.choice("\u200b\u200c\u2060\u00ad\u202a\u2069\u200f")
        for part in re.split(r"(?<=\s)" if random.random() < 0.5 else r"(?<=\n)", text)
    ),
    "cut in": lambda random, text: text[: len(text) // 3] + text[len(text) // 2 :],
    "lines again": lambda random, text: "\n".join(
        line for line in text.split("\n") for _ in range(random.choice([1, 1, 1, 2, 9]))
    ),
    "tabs": lambda random, text: text.replace("    ", "\t"),
    "capitals": lambda random, text: text.upper(),
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


def _sized(random: Random) -> str:
    """A text of some type and size."""
    least, most = random.sizes  # type: ignore[attr-defined]
    units = int(least * (most / least) ** random.random())
    name = random.choice([*_FLAT, *_NESTED, *_FLAT])
    if name in _NESTED and random.random() < 0.5:
        return _NESTED[name](random, units)
    return flat(random, name if name in _FLAT else random.choice(list(_FLAT)), units)


class Sized(Random):
    """A random generator of which all documents have thousands of units, and most budgets are small."""

    kinds: ClassVar[dict[str, Callable[[Random], str]]] = {"sized": _sized}
    largest = 10**8  # characters of a document
    small_budgets = 0.5  # share of those that are far smaller than the documents
    mutated = 0.05
    strict = 0.0  # share of options that raise where facts are lost: each budget up to enough is tried
    sizes = (2_000, 6_000)  # units


class Large(Sized):
    """The same, of more units."""

    sizes = (6_000, 200_000)
