"""Texts made to provoke: runs, nesting, one line, many lines, unbalanced pairs, near-matches of marks."""

from __future__ import annotations

import random
from collections.abc import Callable

__all__ = ["INPUTS", "hostile_text"]

#: Repeated until the size is reached.
PIECES: dict[str, str] = {
    # one character
    **{f"letter {one}": one for one in "axZ0"},
    "blank": " ",
    "tab": "\t",
    "newline": "\n",
    "carriage return": "\r",
    "nul": "\x00",
    "no-break blank": "\xa0",
    **{f"run of {one}": one for one in "([{<)]}>\"'`*_#-=~|+@&%$:;,.!?/\\"},
    "dash": "—",
    "ellipsis": "…",
    "curly quote": "“",
    "ideograph": "漢",
    "emoji": "👍",
    "byte order mark": "\ufeff",
    "combining mark": "\u0301",
    "joiner": "\u200d",
    "flag": "🇩",
    "right-to-left mark": "\u200f",
    "hangul": "ᄀ",
    "letter and mark": "e\u0301",
    "family": "👩\u200d",
    "thai": "กา",
    "arabic": "مرحبا ",
    # words and sentences
    "one word": "word ",
    "one sentence": "A word. ",
    "two letters": "ab",
    "capital words": "Aa ",
    "capitals": "ABCD ",
    "initials": "A. B. ",
    "abbreviations": "Dr. ",
    "stops with letters": "a.b.",
    "camel case": "aB",
    "snake case": "a_b",
    "negations": "not ",
    "quotes with words": '"a" ',
    "open quotes": ' "a',
    "open brackets with words": "(see ",
    "questions": "Why? ",
    "ellipses": "... a",
    "and": "a and ",
    "commas": "a, ",
    "semicolons": "a; ",
    "dashes with words": "a - ",
    "because": "because ",
    # numbers and facts
    "numbers": "1 ",
    "numbers with stops": "1.",
    "numbers with commas": "1,",
    "signs": "-1",
    "percent": "1% ",
    "money": "$1,",
    "dates": "2024-05-01 ",
    "dates without blanks": "2024-05-01",
    "times": "10:11:12",
    "hexadecimal": "0x",
    "digits and letters": "a1",
    "urls": "http://a.b/c?d=e ",
    "open url": "http://",
    "addresses": "a@b.",
    "paths": "/a",
    "dotted path": "a/b.c ",
    "versions": "v1.2.",
    "key=value": "a=1 ",
    "key: value": "a: 1 ",
    "equals": "a=",
    "percent codes": "%20",
    # lines
    "short lines": "a\n",
    "blank lines with blanks": " \n",
    "lines that a terminal overwrites": "a\r",
    "\\r\\r\\n": "a\r\r\n",
    "indented lines": "    a\n",
    "rules": "---\n",
    "underlined": "a\n==\n",
    "headings": "# a\n\n",
    "empty headings": "#\n",
    "items": "- a\n",
    "numbered items": "1. a\n",
    "quoted lines": "> a\n",
    "nested quotes": "> ",
    "fences": "```\n",
    "fences of two lengths": "````\n```\n",
    "tildes": "~~~ a\n",
    "html comments": "<!--",
    "links": "[a](",
    "images": "![",
    "footnotes": "[^1]: a\n",
    "emphasis": "*a _b ",
    "table rows": "a|b\n",
    "rules of tables": "|---",
    "form feeds": "a\f",
    # logs, traces, tools
    "log lines": "2031-04-05 06:07:08 ERROR a\n",
    "levels": "ERROR ",
    "colours": "\x1b[31m",
    "open colours": "\x1b[",
    "open titles": "\x1b]",
    "progress": "\r 50%",
    "frames": '  File "a.py", line 1, in f\n',
    "java frames": "\tat a.b.C.d(E.java:1)\n",
    "causes": "Caused by: a\n",
    "tracebacks": "Traceback (most recent call last):\n",
    "failures": "FAILED a::b\n",
    "prompts": "$ a\n",
    "dots": "..F",
    "exit codes": "exit code 1\n",
    # conversations
    "turns": "User: a\n",
    "speakers without words": "A:\n",
    "chat stamps": "[10:11] <a> b\n",
    # code
    "definitions": "def f():\n",
    "one-line bodies": "def f(): 0\n",
    "decorators": "@a\n",
    "triple quotes": '"""\n',
    "open comments": "/*",
    "line comments": "//",
    "braces": "{\n",
    "closing braces": "}\n",
    "includes": "#include <a>\n",
    "continued lines": "a\\\n",
    "semicolons alone": ";\n",
    "calls": "f(",
    "templates": "a<",
    "strings": 'f"{',
    "preprocessor": "#if a\n",
    "escapes": '"\\"',
    "lambda": "lambda: ",
    "else": "else:\n",
    "heredocs": "cat <<E\n",
    # JSON
    "arrays": "[1,",
    "objects": '{"a":',
    "strings of JSON": '"a",',
    "keys": '"a":1,',
    "records": '{"a": 1}\n',
    "open strings": '{"a',
    "unicode escapes": "\\u0041",
    "empty objects": "{},",
    "null": "null,",
    "numbers of JSON": "1e9,",
    # HTML and XML
    "tags": "<p>",
    "open tags": "<p ",
    "closing tags": "</p>",
    "crossed tags": "<b><i></b></i>",
    "attributes": '<a b="c" ',
    "entities": "&amp;",
    "open entities": "&am",
    "divisions": "<div>",
    "cells": "<td>",
    "scripts": "<script>",
    "declarations": "<!",
    "instructions": "<?a",
    "character data": "<![CDATA[",
    "selects": "<option>",
    # diffs
    "hunks": "@@ -1 +1 @@\n",
    "files of a diff": "diff --git a/a b/a\n",
    "old and new": "--- a\n+++ b\n",
    "large hunks": "@@ -1,99999 +1,99999 @@\n",
    "changes": "-a\n+b\n",
    "one side": "+a\n",
    "commits": "commit 0123456789abcdef\n",
    # the tool's own marks
    "marks of lines": "… 12 lines\n",
    "repeats": "a … ×3\n",
    "marks of records": "… 5 more\n",
    "more": "5 more\n",
    "counted": '{"…": "5 more"},',
    "compacted": "[COMPACTED] ",
    "results": "**Result 2** (Score: 0.9)\n",
    "fence lines": "=== 482913 ===\n",
    "cut marks": "[…]",
    "tersely marks": "… 3 messages …\n",
}


def _nested(opening: str, closing: str) -> Callable[[int], str]:
    """As deep as the size allows, and balanced."""
    return lambda size: (
        opening * (size // len(opening + closing)) + closing * (size // len(opening + closing))
    )


def _counted(form: str) -> Callable[[int], str]:
    """A form with a number that counts up."""

    def make(size: int) -> str:
        parts, length, number = [], 0, 0
        while length < size:
            parts.append(form.replace("@", str(number)))
            length += len(parts[-1])
            number += 1
        return "".join(parts)

    return make


def _steps(piece: str, behind: str = "\n", most: int = 2_000) -> Callable[[int], str]:
    """Runs of 1, 2, 3... of a piece, begun anew after `most`."""

    def make(size: int) -> str:
        parts, length, number = [], 0, 0
        while length < size:
            number = number % most + 1
            parts.append(piece * number + behind)
            length += len(parts[-1])
        return "".join(parts)

    return make


def _letters(alphabet: str) -> Callable[[int], str]:
    """Random characters: nothing is there twice."""
    return lambda size: "".join(random.Random(7).choices(alphabet, k=size))


def _wide_table(mark: str) -> Callable[[int], str]:
    """As many columns as rows."""

    def make(size: int) -> str:
        side = max(int((size / 4) ** 0.5), 2)
        rows = [mark.join(f"c{column}" for column in range(side))]
        rows += [mark.join(str(row * column % 97) for column in range(side)) for row in range(side)]
        return "\n".join(
            rows + [mark.join(str((row * column) % 97) for column in range(side)) for row in range(side)]
        )

    return make


_DIFF = "\ndiff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n"

#: Made by a function of the size.
MADE: dict[str, Callable[[int], str]] = {
    "nested arrays": _nested("[", "]"),
    "nested objects": _nested('{"a":', "}"),
    "nested brackets": _nested("(", ")"),
    "nested blocks": _nested("{\n", "}\n"),
    "nested divisions": _nested("<div>", "</div>"),
    "nested elements": _nested("<a><b>", "</b></a>"),
    "nested lists": _nested("<ul><li>", "</li></ul>"),
    "half a nesting": lambda size: "[" * (size // 3) + "]" * (size // 6),
    "distinct words": _counted("word@ "),
    "distinct sentences": _counted("Gate @ was opened on day @. "),
    "distinct lines": _counted("line @ of them\n"),
    "distinct capitals": _counted("Name@ Person@ "),
    "distinct speakers": _counted("Speaker @: yes.\n"),
    "distinct keys": lambda size: "{" + _counted('"key@": @,')(size) + '"z": 0}',
    "records of other keys": _counted('{"key@": @}\n'),
    "list of other records": lambda size: "[" + _counted('{"key@": @, "a": [@]},')(size) + "{}]",
    "repeated keys": lambda size: "{" + '"a": 1,' * (size // 7) + '"a": 2}',
    "one long string": lambda size: '{"a": "' + "x " * (size // 2) + '"}',
    "array of numbers": lambda size: "[" + _counted("@,")(size) + "0]",
    "array of arrays": lambda size: "[" + _counted("[@,@],")(size) + "[]]",
    "column names": _counted("name@,"),
    "wide table": _wide_table(","),
    "wide table of pipes": _wide_table("|"),
    "growing rows": _steps("a,", most=1_000),
    "growing quotes": _steps("> ", "a\n", 500),
    "growing backticks": _steps("`", " "),
    "growing indentation": _steps(" ", "if a:\n", 300),
    "growing fences": _steps("`", "\n"),
    "growing headings": _steps("#", " a\n", 12),
    "growing items": _steps("  ", "- a\n", 200),
    "growing lines": _steps("word ", "\n"),
    "distinct entities": _counted("&e@;"),
    "distinct tags": _counted("<t@>"),
    "distinct attributes": lambda size: "<p " + _counted('a@="b" ')(size) + ">",
    "distinct definitions": _counted("def f@(): return f@\n"),
    "distinct log lines": _counted("2024-05-01 10:11:12 INFO a@ b@ c@ d@\n"),
    "lengths of log lines": _steps("w ", "\n", 300),
    "distinct templates": _counted("INFO task@x: state@y is value@z\n"),
    "distinct urls": _counted("https://a@.example/b@ "),
    "distinct paths": _counted("src/a@/b@.py:@ "),
    "distinct errors": _counted("ERROR code @: part@ failed\n"),
    "distinct files of a diff": _counted("diff --git a/f@ b/f@\n--- a/f@\n+++ b/f@\n@@ -@ +@ @@\n-a@\n+b@\n"),
    "distinct footnotes": _counted("[^@]: a [^@] "),
    "base64": _letters("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"),
    "random digits": _letters("0123456789"),
    "random marks": _letters("()[]{}<>\"'`*_#-=~|+@&%$:;,.!?/\\ \n"),
    "random letters and lines": _letters("abcdefgh \n"),
    "random ideographs": _letters("漢字仮名交文章長短高低上下左右前後東西南北"),
    "random unicode": _letters("".join(map(chr, range(0x20, 0xD7FF, 7)))),
    "one long line of prose": _counted("gate @ was opened and "),
    "blanks before a diff": lambda size: " " * (size - 60) + _DIFF,
    "letters and one line": lambda size: "x" * (size - 8) + "\nThe end.",
    "negated sentences": _counted("Gate @ was not opened. Gate @ was opened. "),
    "near-duplicates": _counted("The keeper of the lamp at gate @ was told to close it before the storm. "),
}


def _repeat(piece: str) -> Callable[[int], str]:
    return lambda size: piece * (size // len(piece.encode()) + 1)


#: All of them, by name: bytes -> text of about so many bytes.
INPUTS: dict[str, Callable[[int], str]] = {**{name: _repeat(piece) for name, piece in PIECES.items()}, **MADE}


def hostile_text(name: str, size: int) -> str:
    """The input of this name, cut to at most `size` bytes of UTF-8."""
    return INPUTS[name](size).encode()[:size].decode(errors="ignore")
