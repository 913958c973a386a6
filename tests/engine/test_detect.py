"""What a text is, from its lines."""

from __future__ import annotations

import csv
import io
import json
import random

import pytest
import tersely
from hypothesis import given, strategies as st
from language_samples import LIKE, RELATIVES
from output_samples import OUTPUTS
from tersely.types import KINDS, LANGUAGES
from trace_samples import TRACES

TEXTS = {
    "prose": "The river rose for three days before it reached the town. Nobody had seen that since 1953.\n\n"
    "What the engineers had built in the years after that flood held, except in one place.",
    "markdown": "# Install\n\nRun the script:\n\n```sh\nmake install\n```\n\n- **cmake**\n- see [it](x)",
    "conversation": "Anna: Did you see the mail?\nBen: Which one?\nAnna: About the move.\nBen: Not yet.",
    "code": "import os\n\n\ndef size(path):\n    if not path:\n        return 0\n    return os.stat(path)\n",
    "log": "2024-05-01 10:00:01,120 INFO [main] app.Server: started\n"
    "2024-05-01 10:00:02,007 WARN [io-1] app.Pool: 3 connections left\n"
    "2024-05-01 10:00:02,913 ERROR [io-2] app.Pool: none left",
    "tool_output": "gcc -c main.c\nmain.c:12:5: error: expected ';' before 'return'\n   12 |     return 0;\n"
    "      |     ^~~~~~\nmain.c:3:10: warning: unused variable 'x'\nmake: *** [Makefile:4: main.o] Error 1",
    "stack_trace": "Traceback (most recent call last):\n"
    '  File "app.py", line 3, in <module>\n    main()\n'
    '  File "app.py", line 9, in main\n    run()\nValueError: no such port',
    "json": '{"id": 7, "tags": ["a", "b"], "text": "brackets } in \\" strings ]"}',
    "jsonl": '{"id": 1, "ok": true}\n{"id": 2, "ok": false}\n{"id": 3, "ok": null}\n',
    "table": "name,born,died\nAda Lovelace,1815,1852\nAlan Turing,1912,1954\nGrace Hopper,1906,1992\n",
    "diff": "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1,3 +1,3 @@\n a\n-x = 1\n+x = 2\n z\n",
    "html": "<!DOCTYPE html>\n<html><head><title>T</title></head>\n<body><p>Some words.</p></body></html>",
    "mixed": "The server answers with the following object, which the client reads as it comes:\n"
    '{\n  "status": 200,\n  "items": [\n    "a",\n    "b"\n  ],\n  "next": null\n}\n',
}
CODE = {
    "python": "from x import y\n\nclass A(B):\n    def f(self):\n        return self.x\n",
    "javascript": "const fs = require('fs');\n\nmodule.exports = function (x) {\n  return x === null;\n};\n",
    "typescript": "export interface A {\n  name: string;\n  size?: number;\n}\n\nexport type B = A | null;\n",
    "go": 'package main\n\nimport "fmt"\n\nfunc main() {\n\tx := 1\n\tfmt.Println(x)\n}\n',
    "rust": "use std::io;\n\npub fn main() -> io::Result<()> {\n    let mut x = 1;\n    Ok(())\n}\n",
    "java": "package a.b;\n\nimport java.util.List;\n\npublic class A {\n    private final int x;\n}\n",
    "c": '#include <stdio.h>\n\nint main(void) {\n    printf("x");\n    return 0;\n}\n',
    "cpp": "#include <vector>\n\nnamespace a {\ntemplate <typename T>\nstd::vector<T> f(const T& x);\n}\n",
    "shell": '#!/bin/sh\nset -e\nif [ -z "$1" ]; then\n  echo "usage: $0 FILE"\n  exit 1\nfi\n',
    "sql": "CREATE TABLE a (\n  id INTEGER PRIMARY KEY,\n  name VARCHAR(20)\n);\nSELECT name FROM a;\n",
    "yaml": "services:\n  web:\n    image: nginx\n    ports:\n      - 80:80\n  db:\n    image: postgres\n",
    "toml": '[project]\nname = "x"\nversion = "1.0"\n\n[tool.x]\nline-length = 100\n',
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_told(kind: str) -> None:
    found = tersely.detect(TEXTS[kind])
    assert found.kind == kind and 0.4 < found.confidence <= 1


OF_LANGUAGES = [*CODE.items(), *LIKE.items(), *((None, text) for text in RELATIVES.values())]


@pytest.mark.parametrize(("language", "text"), OF_LANGUAGES, ids=[*CODE, *LIKE, *RELATIVES])
def test_languages_are_told_from_their_relatives_and_what_they_look_like(
    language: str | None, text: str
) -> None:
    """A relative of a language is code in none."""
    for said in (text, text * 4):
        found = tersely.detect(said)
        assert (found.kind, found.language) == ("code", language)


@pytest.mark.parametrize("form", TRACES)
def test_stack_traces_are_told_from_output(form: str) -> None:
    for text in (TRACES[form], TRACES[form] * 4):
        found = tersely.detect(text)
        assert found.kind == "stack_trace" and found.confidence >= 0.6  # what `Auto` asks for


@pytest.mark.parametrize("form", OUTPUTS)
def test_output_is_told_from_stack_traces_talks_and_data(form: str) -> None:
    kind, text = OUTPUTS[form]
    assert tersely.detect(text).kind == kind


def test_comments_first_lines_and_data_of_code() -> None:
    licence = "/*\n" + " * Redistribution and use in source and binary forms are permitted.\n" * 20 + " */\n"
    assert tersely.detect(licence).kind == "code"
    packed = tersely.detect(licence[:-1] + "body{margin:0;color:#333}a:hover{color:red}p{padding:0 2px}\n")
    assert packed.kind == "code"
    code = "".join(
        f"    pub fn f{n}(&self) -> Option<u32> {{\n        Some({n})\n    }}\n" for n in range(400)
    )
    for text in (
        "impl A {\n" + code + "}\n",
        "impl A {\n" + code + "}\n" + "Words of a guide, and more.\n" * 20,
    ):
        assert tersely.detect(text).language == "rust"
    rows = "\n".join(f"    '\\x{n:02x}'     #  0x{n:02X} -> LETTER {n}" for n in range(32, 200))
    table = f'"""Maps bytes to letters."""\n\nimport codecs\n\ndecoding_table = (\n{rows}\n)\n'
    assert tersely.detect(table).language == "python"
    names = "\n".join(f"    'name{n}'    : 'other{n}'," for n in range(80))
    aliases = f'"""Other names."""\naliases = {{\n    # of letters\n{names}\n}}\n'
    assert tersely.detect(aliases).language == "python"
    assert tersely.detect("keywords\n\n__all__ = ['a']\n\nlist = [\n" + names + "\n]\n").language == "python"


def test_lines_are_read_alike_wherever_their_bytes_stand() -> None:
    log = "".join(f"2024-05-01 10:00:{n % 60:02d} INFO  src/a{n}.c:{n}: done in {n} ms\n" for n in range(60))
    table = "name  born  died\n" + "".join(f"ada{n}   18{n}  19{n}\n" for n in range(10, 40))
    for text in (*CODE.values(), *TEXTS.values(), log, table):
        whole = tersely.detect(text)
        assert tersely.detect(text + "\n" * 200) == whole  # bytes behind the last line: read, or a copy of it
        assert tersely.detect(text.rstrip("\n")) == tersely.detect(text.rstrip("\n") + "\n")
    with pytest.raises(TypeError, match="text must be str, not bytes"):
        tersely.detect(b"x")  # type: ignore[arg-type]
    assert tersely.detect("a \ud800", "b\ud800.py") == tersely.detect("a \ufffd", "b.py")


@pytest.mark.parametrize(
    ("opens", "language"),
    [
        ("#!/usr/bin/python3.11 -u\n", "python"),
        ("#!/usr/bin/env -S A=1 bash -e\n", "shell"),
        ('#!/bin/sh\nexec tclsh "$0" "$@"\n', "tcl"),
        ("#!/usr/bin/env fish\n", None),
    ],
)
def test_a_file_is_in_the_language_of_what_runs_it(opens: str, language: str | None) -> None:
    assert tersely.detect(opens + "x 1\ny 2\nz 3\n").language == language


def test_lines_of_logs_and_what_is_no_place() -> None:
    event = "2025-04-12 00:14:12.837 CEST [132] STATEMENT:  create table x (\n"
    columns = "".join(f"\t    column_{n} smallint not null,\n" for n in range(12))
    assert tersely.detect((event + columns) * 6).kind == "log"
    lines = "".join(f"[{n:5d}.{n * 37:06d}] usb 1-{n % 4}: new device number {n}\n" for n in range(30))
    assert tersely.detect(lines).kind == "log"
    pods = "".join(
        f"  - name: cart-{n}\n    image: registry/cart:1.{n}\n    replicas: 3\n    health: ok\n"
        for n in range(40)
    )
    found = tersely.detect("services:\n" + pods)
    assert (found.kind, found.language) == ("code", "yaml")
    settings = "".join(
        f"PART{n}_URL=https://part{n}.internal:80{n}\nPART{n}_TOKEN=abc{n}\n" for n in range(9)
    )
    found = tersely.detect(settings)
    assert (found.kind, found.language) == ("code", "ini")


@pytest.mark.parametrize("names", [["web  "], ["web  ", "db   "], ["app_1     ", "worker_1  ", "cache_1   "]])
def test_lines_that_say_who_wrote_them_are_no_table(names: list[str]) -> None:
    said = [
        "listening on port 80",
        "loading the plugin for pages",
        "asset served from disk",
        "watching 3 modules",
    ]
    lines = [f"{names[n % len(names)]}| {said[n * 7 % 4]} {n * 37 % 11}" for n in range(40)]
    assert tersely.detect("\n".join(lines)).kind == "log"
    table = "\n".join(["kind | message", *lines])  # the first cell of this one names a column
    assert tersely.detect(table).kind == "table"


@pytest.mark.parametrize(
    "before",
    [
        "a_service_with_a_long_name      | 2024-05-01T09:13:{:02d},820Z [exec-5] WARN  ",
        "[pid: 8{0}|app: 0|req: 1/{0}] 127.0.0.1 () {{3 vars in 69 bytes}} [Sun Mar 13 22:49:{0:02d} 2024] ",
    ],
)
def test_the_time_of_an_event_may_stand_behind_who_says_it(before: str) -> None:
    lines = "".join(before.format(n) + f"request {n} took {n * 7 % 13} ms\n" for n in range(30))
    assert tersely.detect(lines).kind == "log"


LINES_OF_TOOLS = {
    "linker": "".join(
        f"/usr/bin/ld: part{n}.cpp:(.text+0x{n:x}): undefined reference to `A::f{n}()'\n" for n in range(12)
    ),
    "annotations": "\n"
    + "".join(
        f"::error title=ruff (E{n % 3}01),file=a{n}.py,line={n},endLine={n}::a{n}.py:{n}:1: E{n % 3}01 Bad\n"
        for n in range(20)
    ),
    "markdown by its bars": "\n".join(
        f"  |\n  |     ^^^^^^ help: use `x{n}` instead of `y`" for n in range(20)
    ),
}


@pytest.mark.parametrize("form", LINES_OF_TOOLS)
def test_what_tools_say_of_places_is_their_output(form: str) -> None:
    assert tersely.detect(LINES_OF_TOOLS[form]).kind == "tool_output"


def test_tables_and_lines_that_are_none() -> None:
    rows = "".join(f"{'package-' + str(n):20} {n}.{n % 3}.0\n" for n in range(20))
    assert tersely.detect(f"{'Package':20} Version\n{'-' * 20} -------\n{rows}").kind == "table"
    rows = [
        f"shop/part_{n}.py:{n * 3}: error: Function is missing a type annotation  [no-untyped-def]"
        for n in range(40)
    ]
    assert tersely.detect("\n".join(rows)).kind == "tool_output"
    words = ["tax", "a longer name", "cart", "the one", "parcels sent"]
    runs = [f"00:{n:02} +{n}: /app/{words[n % 5]}_test.dart: adds {words[n % 3]}" for n in range(40)]
    assert tersely.detect("\n".join(runs)).kind != "table"
    assert tersely.detect("\n".join(f"    Pump *pump_{name};" for name in "abcdefgh")).kind != "table"
    assert tersely.detect("id;note\n" + "\n".join(f"{row};" for row in range(9))).kind == "table"
    clause = (
        "The yard builds ships. It has two docks. Nobody may enter them without the consent of the owner. "
    )
    page = f"{clause * 9}\n\n{{}}\n\nFrom: NORTH YARD, INC., Annex 4, 3/30/2020\n\n\n"
    assert tersely.detect("".join(page.format(number) for number in range(30))).kind == "prose"


def test_markup_settings_and_quotes() -> None:
    assert tersely.detect('<?xml version="1.0"?>\n<a><b>x</b></a>').language == "xml"
    assert tersely.detect(TEXTS["html"]).language == "html"
    case = '  <testcase name="pays_{0}" time="0.{0}">\n    <failure message="{0} != 1">a = {0};</failure>\n'
    case += "  </testcase>\n"
    found = tersely.detect("with expansion:\n" + "".join(case.format(n) for n in range(30)))
    assert (found.kind, found.language) == ("html", "xml")
    ini = (
        "[Unit]\nDescription=Serve pages\nAfter=network.target\n\n[Service]\nExecStart=/bin/serve\nUser=www\n"
    )
    toml = '[package]\nname = "pages"\nversion = "0.1.0"\n\n[lib]\npath = "src/lib.rs"\nproc-macro = true\n'
    assert (tersely.detect(ini).language, tersely.detect(toml).language) == ("ini", "toml")
    quoted = (
        "Some words of a guide that explains it.\n\n```python\nfrom __future__ import annotations\n```\n\n"
        * 6
    )
    assert tersely.detect("# Guide\n\n" + quoted).kind == "markdown"
    lines = ["diff --git a/x.py b/x.py", "--- a/x.py", "+++ b/x.py", "@@ -1,3 +1,3 @@"]
    changed = "\n".join([*lines, " from __future__ import annotations", "-a", "+b", " c", ""])
    assert tersely.detect(changed).kind == "diff"
    notes = [f"The `{name}' column says how often {name} was called." for name in ("total", "self", "child")]
    rows = [f"[{n}]   {n * 7}.0   0.0{n}   {n}/60   step_{n}" for n in range(12)]
    assert tersely.detect("\n".join([*rows, *notes])).kind != "markdown"
    assert (
        tersely.detect("\n".join(["# Notes", *(note.replace("'", "`") for note in notes)])).kind == "markdown"
    )


@given(st.text())
def test_any_text_has_a_kind(text: str) -> None:
    found = tersely.detect(text)
    assert found.kind in KINDS and found.language in LANGUAGES and 0 <= found.confidence <= 1
    assert found == tersely.detect(text)
    assert text.strip() or (found.kind, found.confidence) == ("prose", 0.0)


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=20,
    ),
    st.sampled_from([None, 2]),
)
def test_whatever_json_writes_is_json(value: object, indent: int | None) -> None:
    for ascii_only in (True, False):
        text = json.dumps([value], indent=indent, ensure_ascii=ascii_only)
        assert tersely.detect(text.encode("utf-8", "replace").decode()).kind == "json"


CELLS = st.text(st.sampled_from('ab c,;"\n\t'), min_size=1)


@given(
    st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=4, max_size=30),
    st.sampled_from(",;\t"),
)
def test_quoted_cells_may_hold_anything(rows: list[list[str]], delimiter: str) -> None:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(["name", "size", "note"])
    writer.writerows(rows)
    text = out.getvalue().encode("utf-8", "replace").decode()
    if len(text) < 6000:
        assert tersely.detect(text).kind == "table"


def test_a_long_text_is_read_in_parts() -> None:
    lines = [
        json.dumps({"id": number, "text": "x" * random.Random(number).randrange(9_000)})
        for number in range(200)
    ]
    assert tersely.detect("\n".join(lines)).kind == "jsonl"
    assert tersely.detect(json.dumps([json.loads(line) for line in lines])).kind == "json"
    assert tersely.detect(TEXTS["log"] * 5_000).kind == "log"
    for size in (20_000, 1_000_000):  # only three parts are read
        lines = TEXTS["log"] * (size // len(TEXTS["log"]))
        middle = lines.find("\n", len(lines) // 2) - 1
        filled = lines[:6144] + "é" * (middle - 6144) + lines[middle : middle + 3072]
        filled += "é" * (len(lines) - 3072 - len(filled)) + lines[-3072:]
        assert tersely.detect(filled) == tersely.detect(lines)
    log = "".join(
        f"2026-01-02 03:19:{n % 60:02} INFO worker-{n % 7} handled request {n}\n" for n in range(150)
    )
    code = "".join(
        f"def part_{n}(self, value):\n    if not value:\n        return {n}\n\n" for n in range(90)
    )
    text = f"# Incident\n\nWe looked.\n\n```log\n{log}```\n\nWhat we changed:\n\n```python\n{code}```\n"
    for more in ("", "\n## Decision\n\nWe raised the limit. Nobody objected.\n" * 9):
        assert len(text + more) > 12_288
        assert tersely.detect(text + more).kind == "markdown"
    lines = [f"+    raise ValueError(f'module_{n}.py:{n}: error: no value {{value}}')\n" for n in range(600)]
    text = f"diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -0,0 +1,600 @@\n{''.join(lines)}"
    assert len(text) > 12_288
    assert tersely.detect(text).kind == "diff"


@pytest.mark.parametrize(
    "text",
    [
        "ORDER = {\n" + "".join(f"    0x{8000 + index}: {index},\n" for index in range(300)) + "}\n",
        "# Made by a script.\n\nORDER: dict[str, str] = {  # by name\n"
        + '    "AWS::A": "8f",\n' * 300
        + "}\n",
        "ORDER = (\n" + "1, 2, 65535,\n" * 300 + ")\n",
        '"""\nThe version.\n"""\nversion = "2.4"\nfull = version\nrelease = "dev" not in version\n',
        "from .answers import Answer\n\nanswer = Answer()\n\npaths = {\n"
        + '    "{0}/a": answer,\n' * 99
        + "}\n",
        "import pytest\nfrom graphs import sb\n\n\nclass TestGraphs:\n    def test_star(self):\n"
        + "        assert sb(2) == pytest.approx(0.843)\n" * 40,
    ],
)
def test_python_that_looks_like_something_else_is_python(text: str) -> None:
    """Data, lines of settings, tests: whatever its lines look like, all of it parses as nothing else does."""
    assert tersely.detect(text).language == "python"
    assert tersely.detect(text + "What follows is a sentence.\n").language != "python"


@pytest.mark.parametrize(
    "text",
    [
        "public enum Color {\n" + "".join(f"    COLOR_{index},\n" for index in range(300)) + "}\n",
        "/** Codes. */\npublic enum Code {\n"
        + "".join(f'    /** Error {index}. */\n    E{index}("{index}"),\n' for index in range(99))
        + "}\n",
    ],
)
def test_members_between_braces_are_code(text: str) -> None:
    """Each has a name of its own: as many are told as fit."""
    assert tersely.detect(text).kind == "code"
    assert tersely.compress(text, budget=300).tokens > 250


def test_words_of_code_in_prose_and_lines() -> None:
    said = "The file does not seem to exist in the `/srv/` directory.curl -X POST -F a=@b http://host:80/run.pl?/x"
    assert tersely.detect(said).kind == "prose"
    assert tersely.detect("Function: drainQueue\nLine: 92\nFile: a/b.go").kind == "tool_output"
    said = ["Nobody had been on the quay, they say. It was the lamp of pier {} that went out."] * 2
    other = "The mayor was told of it in the evening, but not by whom. He had left for the capital."
    assert tersely.detect("\n".join([other, *said]).format(1, 2)).kind == "prose"
    assert tersely.detect("\n".join(said * 20).format(*range(40))).kind != "prose"
    names = ["rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", "rip"]
    frames = [
        f"#{n} in part_{n}\n     {names[n % 9]} = 0x{n * 7919:016x}   {names[n % 7]} = 0x{n:016x}"
        for n in range(30)
    ]
    assert tersely.detect("Thread 3 (stopped):\n" + "\n".join(frames)).language != "assembly"


SENTENCES = (
    "let me know|import the list before noon|from here to eternity we import goods|public holiday|"
    "yield to traffic|void where prohibited|using it well|given https://example.org/a we should wait|"
    "discard http://example.org/a|return the book to https://library.example.org/desk|"
    "echo of the bay https://example.org|static noise https://example.org/noise?loud=1|"
    "Please run the report.\nusing curl for http://example.org/a\nand send it."
)


@pytest.mark.parametrize("said", SENTENCES.split("|"))
def test_a_word_of_a_language_makes_no_code_of_a_sentence(said: str) -> None:
    assert tersely.detect(said).kind == "prose"


@pytest.mark.parametrize(
    "code",
    [
        "let x = 5;",
        "echo $HOME",
        "SELECT * FROM berths WHERE a = 1;",
        "using System;\nnamespace A { }",
        "import os\nos.getcwd()",
    ],
)
def test_signs_beside_a_word_of_a_language_make_code(code: str) -> None:
    assert tersely.detect(code).kind == "code"


@pytest.mark.parametrize(
    "said",
    [
        "In 2021, the harbour earned 28.6 million crowns (2020: 25.4 million) from 1,160 ships, and in 2022 "
        "another 31.2 million from 1,309 ships, for a total of 59.8 million in any two years since 1998.",
        "the parties undertake that -\n"
        "4.2 they will not, without the consent of the owner, use any of the plans;\n"
        "4.3 they will return each drawing of the bridge within ten days after the work is done;",
        "a. a list of all ships, engines and spare parts that are in the yard at the end;\n"
        "b. any other paper, plan or drawing that the yard has of these ships and engines;\n"
        "c. the names of those who worked in the yard during the last ten years;",
        'She wrote "The Pier" (1978), "A Lamp" (1980), "Night Ferry" (1983), "The Ropes" (1985) and "Tide" '
        "(1992), as well as songs for many others, and was given a prize for these in 2001 with two friends.",
        "ABSTRACT.SHIPS:\n" + "The ships that came in were counted by two boys with a bell. " * 12,
        "So we put the kettle on {laughter} and then she said that nobody had ever seen it {pause}",
    ],
    ids=["numbers", "clauses", "list", "titles", "a paragraph under a label", "marks of a transcript"],
)
def test_sentences_are_prose_whatever_they_hold_and_end_with(said: str) -> None:
    assert tersely.detect(said).kind == "prose"


def test_talks_are_told_from_fields_and_programs() -> None:
    said = [
        ("rhobo", "does anybody know how to mount this disk ?"),
        ("tomtom9", "what does dmesg say when you plug it in"),
        ("rhobo", "only that there is no such device"),
        ("lia_k", "then i would try another cable first"),
        ("tomtom9", "or another port , mine was broken too"),
        ("rhobo", "ok i will try that and come back"),
    ]
    assert tersely.detect("\n".join(f"{who}: {what}" for who, what in said)).kind == "conversation"
    assert (
        tersely.detect("\n".join(f"{who}{i}: {what}" for i, (who, what) in enumerate(said))).kind == "prose"
    )
    # One program that says its name again and again is no talk, nor are the settings of several things.
    assert tersely.detect("\n".join(f"tar: {what}" for _, what in said)).kind != "conversation"
    settings = "\n---\n".join(
        f"name: part {i}\ndescription: what it does for us\nport: {i}" for i in range(4)
    )
    assert tersely.detect(settings).kind == "code"
    fields = ["Name: lanterns", *[f"Keyword: Harbour :: Lamp {n}" for n in range(6)], "License: MIT"]
    talk = ["Ada: Is the lamp lit?", "Ben: It is.", "Ada: Since when?", "Ben: Since six."]
    assert tersely.detect("\n".join([*fields, "", "Lamps for a harbour."])).kind != "conversation"
    assert tersely.detect("\n".join(talk)).kind == "conversation"


@pytest.mark.parametrize(("above", "kind"), [("", "tool_output"), ("\n", "markdown")])
def test_a_title_above_a_rule_opens_a_paragraph(above: str, kind: str) -> None:
    rows = [
        f"{n}.{n}   {n}/{n}  caller\n{above}[{n}]  {n * 3}.0  step of run\n" + "-" * 22 for n in range(12, 30)
    ]
    assert tersely.detect("\n".join(rows)).kind == kind
