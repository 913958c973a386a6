"""Documents of thousands of units, of every content type, flat and nested, for every door."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import cycle, islice
from random import Random
from typing import Any, ClassVar

from promises.documents import word, words

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


def _differing(random: Random) -> Differing:
    """Choose how the units of a flat text differ: by a number alone, in all, hardly, or as names do."""
    some = [words(random, 8).replace('"', "'").replace("\n", " ") for _ in range(300)]
    names = [f"{word(random).lower()}_{random.choice('abcdefgh')}" for _ in range(300)]
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
            return f"{names[n % 300]}_{names[n // 300 % 300]}", some[n * 7919 % 300]
        return f"{names[n * 7919 % 300]}{n}", f"{some[n % 300]} {some[n * 31 % 300]}"

    return differing


def flat(random: Random, name: str, units: int) -> str:
    """A text of so many units, one behind the other; of so many lines, where they have several."""
    head, unit, between, tail = _FLAT[name]
    differing = _differing(random)
    units //= 1 + unit.count("\n")
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
