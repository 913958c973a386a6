"""What a text is taken for: by its name, the command that wrote it, metadata, and where signs disagree."""

from __future__ import annotations

import json
from typing import Any

import pytest
import tersely
from hypothesis import given, strategies as st
from tersely import Document
from tersely.content.detect import detect_each, kind_of_output, named_code, named_detection
from tersely.content.registry import trusted_kind
from tersely.types import Detection

PLAIN = "three files\ncollected things here\nnothing of note\n"


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("pytest -q tests", "tool_output"), ("cd app && CI=1 npx jest --ci", "tool_output"),
        ("python3 -m mypy src", "tool_output"), ("git diff HEAD~1", "diff"),
        ("kubectl get pods -o wide", "table"), ("kubectl get pods -n shop -oyaml", "code"),
        ("kubectl get pods --output=json", "json"), ("eslint --format junit src", "html"),
        ("cargo build --message-format json", "json"), ("helm template shop .", "code"),
        ("helm upgrade shop . --install", "tool_output"), ("git diff --stat main", None),
        ("git log --stat", "log"), ("pip install -U yaml", "tool_output"), ("kubectl logs web-1", "log"),
        ("/usr/bin/make -j8 2>&1 | tee build.log", "tool_output"), ("make | python parse.py", None),
        ("cat notes.txt", None), ("", None), ("| ; &&", None),
    ],
)  # fmt: skip
def test_a_command_tells_what_it_writes(command: str, kind: str | None) -> None:
    found = kind_of_output(command)[0]
    assert (None if found is None else found.kind) == kind


def test_commands_are_hints() -> None:
    assert tersely.detect(PLAIN, command="git diff").kind == "diff"
    assert tersely.detect('{"a": 1}', command="pytest").kind == "json"
    assert tersely.detect(PLAIN, command="cat src/app.py").language == "python"
    assert tersely.detect(PLAIN, name="a.py", command="git diff").language == "python"
    assert kind_of_output("git show HEAD~2:src/app.py") == (None, "src/app.py")
    assert tersely.detect(PLAIN, command="git show main:src/app.py").language == "python"
    assert Document("x", command="make").command_line == "make"
    assert Document("x", metadata={"command": "pytest"}).command_line == "pytest"
    result = tersely.compress(Document(PLAIN * 30, command="pytest"), budget=20)
    assert result.receipt.content_types == ("tool_output",)
    numbers = "\n".join(map(str, range(1, 3001))) + "\noops\n"
    assert tersely.detect(numbers).kind == "tool_output"
    assert tersely.detect(numbers, command="sh -c 'make-numbers 3000'").kind == "tool_output"
    assert tersely.compress(numbers, budget=100).text.endswith("oops")
    story = "The ship left the harbour at dawn, and nobody on the quay had slept. " * 20
    assert tersely.detect(story, command="fortune").kind == "prose"


SETTINGS = "".join(
    f"- kind: Pod\n  metadata:\n    name: web-{n}\n  status:\n    phase: Running\n" for n in range(12)
)
SAYS = {  # texts that leave nothing open, by what they are
    "yaml": SETTINGS,
    "json": json.dumps([{"id": n, "state": "ok"} for n in range(20)]),
    "python": "import os\n\n\ndef size(path: str) -> int:\n    return os.stat(path).st_size\n" * 4,
    "table": "NAME       READY   STATUS    AGE\n"
    + "".join(f"pod-{n:03d}    1/1     Running   {n}d\n" for n in range(20)),
}


@pytest.mark.parametrize(
    "command", ["kubectl get pods", "kubectl get pods -o json", "pytest -q", "git show", "helm list"]
)
@pytest.mark.parametrize("says", SAYS)
def test_a_command_never_overrules_what_a_text_says(says: str, command: str) -> None:
    assert tersely.detect(SAYS[says], command=command) == tersely.detect(SAYS[says])


LANGUAGES = (
    "CMakeLists.txt=cmake main.tf=hcl a.swift=swift Makefile.am=makefile Makefile.PL=perl config.h.in=c "
    "src/settings.py.example=python Dockerfile.template=dockerfile .bashrc.bak=shell Model.cs.pp=csharp "
    "a.tsx=typescript a.f90=fortran .clang-format=yaml A.kt=kotlin"
)


@pytest.mark.parametrize("named", LANGUAGES.split())
def test_names_of_files_settle_the_language(named: str) -> None:
    name, _, language = named.partition("=")
    assert tersely.detect(PLAIN, name=name).language == language


SHOWN = {  # code and data between what a tool says of it
    "psql": "".join(f"update acct set tier = {n} where id = {n};\nUPDATE {n}\n" for n in range(12))
    + 'psql:mig.sql:15: ERROR:  update on table "acct" violates a constraint\ncommit;\nROLLBACK\n',
    "xmllint": "feed.xml:20: element line: validity error : no qty\n<line sku='S7'>7</line>\n   ^\n<order>\n"
    + "".join(f"  <line sku='S{n}' qty='2'>item {n}</line>\n" for n in range(30))
    + "</order>\n",
    "sqlfluff": "".join(f"select a, b from t where c = {n};\n" for n in range(12))
    + "q/a.sql:3: warning: the join has no condition\n",
}


@pytest.mark.parametrize("tool", SHOWN)
def test_code_that_a_tool_shows_is_no_program(tool: str) -> None:
    text = SHOWN[tool]
    told = next(line for line in text.splitlines() if "error" in line.lower() or "warning" in line)
    result = tersely.compress(text, ratio=0.25)
    assert result.receipt.content_types == ("tool_output",) and told in result.text
    plain = text.replace(told, "-- " + told)
    assert tersely.compress(plain, ratio=0.25).receipt.content_types != ("tool_output",)


@pytest.mark.parametrize("key", ["source", "filename", "file_name", "path", "file_path", "url"])
def test_documents_are_named_by_their_metadata(key: str) -> None:
    assert Document(PLAIN, metadata={key: "https://x.org/a/b.csv?v=1"}).file_name.endswith("b.csv")


def test_names_are_hints() -> None:
    ini = "[Definition]\nfailregex = ^denied from <HOST>$\nignoreregex =\nmaxlines = 3\nmode = normal\n"
    assert tersely.detect(ini, name="filter.d/guard.conf").language == "ini"
    assert tersely.detect("x = [1, 2];\nfunction y = f(x)\ny = x;\nend\n", name="run.m").language is None
    words = '<?xml version="1.0"?>\n<TS language="de">\n<message><source>Open</source></message>\n</TS>\n'
    assert tersely.detect(words, name="app_de.ts").kind == "html"
    rows = json.dumps([{"id": n, "state": "ok", "path": f"/srv/{n}"} for n in range(9)], indent=1)
    settings = "scan:\n  - id: F38\n    type: FAIL\n    lines:\n      - 18\n  - id: F3\n    type: WARN\n"
    assert tersely.detect(rows, name="describe-events.rst").kind == "json"
    assert tersely.detect(rows, name="rows.yaml").kind == "json"
    assert tersely.detect(settings, name="scan.json").language == "yaml"
    assert tersely.detect("{", name="half.json").kind == "json"
    events = "".join(f"2024-05-01 10:00:{n:02d} INFO step {n} done\n" for n in range(20))
    assert tersely.detect(events, name="app.json").kind == "log"
    assert tersely.detect(f"Rows:\n\n{rows}\n", name="notes.md").kind == "markdown"


NAMES = ["a.py", "src/App.tsx", "a.rs", "a.ts.bak", "b.h", "x.conf", "Makefile", "a.yml", "a.json", "a", ""]
TAGS = '<?xml version="1.0"?>\n<ts>\n' + "  <message>hello</message>\n" * 20 + "</ts>\n"
CODE = "fn len(all: Vec<u8>) -> usize {\n    all.len()\n}\n"


@given(
    text=st.one_of(
        st.sampled_from([*SAYS.values(), PLAIN, TAGS, "\ufeff" + TAGS, "\x1b[1m" + TAGS, CODE, CODE + TAGS]),
        st.lists(
            st.sampled_from(
                ["<a>", "<b c='d'>", " ", "\n", "\r", "// x\n", '{"a": 1}', "\x1b[0m", "é", "if x:"]
            ),
            max_size=40,
        ).map("".join),
    ),
    name=st.sampled_from(NAMES),
)
def test_the_name_of_a_file_of_code_is_enough_where_the_look_would_say_no_more(text: str, name: str) -> None:
    known = named_code(name, text)
    assert known in (None, named_detection(name, detect_each([text])[0]))
    assert (known is not None) or text != CODE or name not in ("a.py", "src/App.tsx", "a.rs", "a.ts.bak")


def test_columns_remarks_and_documentation() -> None:
    rows = [f"pod-{n:03d}    1/1     Running   {n % 3}          {n}d" for n in range(12)]
    text = "\n".join(["NAME       READY   STATUS    RESTARTS   AGE", *rows])
    assert tersely.detect(text).kind == "table"
    rows = "".join(f"chr{n % 3}\t{100 * n}\trs{n}\tA\tG\n" for n in range(30))
    assert (
        tersely.detect(f"##format=5\n##fields=<a,b>\n# made by hand\n#CHR\tAT\tID\tREF\tALT\n{rows}").kind
        == "table"
    )
    words = "\n".join("    * :param x: what it is, in many words that read as prose do" for _ in range(20))
    told = f'    """Reads.\n\n    Notes\n    -----\n{words}\n    """\n'
    text = f"import os\n\n\ndef read(x):\n{told}    return os.stat(x)\n"
    found = tersely.detect(text * 3)
    assert (found.kind, found.language) == ("code", "python")
    text = "with Ada.Text_IO; use Ada.Text_IO;\nprotected body Gate is\n   entry Pass when Open is\n" * 9
    assert tersely.detect(text).language is None
    assert read_as(SECTIONS) == read_as(SECTIONS.replace("[part", "[[part").replace("]", "]]")) == "code"


def read_as(text: str) -> str:
    return trusted_kind(detect_each([text])[0], text)


def coverage(margin: str) -> str:
    """A source of which each line has a count in the margin."""
    body = [
        "int total(int n) {",
        "  int sum = 0;",
        "  for (int i = 0; i < n; i++) {",
        "    sum += i;",
        "  }",
        "  return sum;",
        "}",
    ]
    return "\n".join(margin.format(count=(7 * n * n) % 23, line=n + 1, code=body[n % 7]) for n in range(60))


def excerpts() -> str:
    """What a linter says of places, each with lines of its source."""
    told = "  x no-shadow: `value` is declared above\n  help: rename one of them\n"
    return "\n".join(
        f"{told}  ,-[src/part{n}.ts:{3 * n % 50}:5]\n{3 * n % 50:3} | function part{n}(value: string) {{\n"
        f"{3 * n % 50 + 1:3} |   const value = read();\n    :         ^^^^^\n  `----\n"
        for n in range(30)
    )


STREAMS = "".join(
    f"[STREAM]\nindex={n}\ncodec_name=h26{n}\nwidth={320 * n}\n[/STREAM]\n" for n in range(1, 5)
)
ENVIRONMENT = "".join(f"APP_{name}=value {n}\n" for n, name in enumerate(("HOST", "PORT", "USER")))
TRACED = "".join(
    f'open("/etc/part{n}.conf", O_RDONLY) = {n % 7 + 3}\nread({n % 7 + 3}) = {n}\n' for n in range(30)
)
SECTIONS = "".join(f"[part{n}]\nhost = h{n}\nport = 80{n}\nmode = on\n\n" for n in range(9))


@pytest.mark.parametrize("text", [STREAMS, ENVIRONMENT, TRACED])
def test_settings_and_calls_that_a_tool_writes_are_lines(text: str) -> None:
    assert read_as(text) == "tool_output"


STATUS = "On branch main\nChanges not staged for commit:\n" + "".join(
    f"\t{'deleted' if n % 9 == 4 else 'modified'}:   lib/part{n}.rb\n" for n in range(60)
)
RSYNC = "sending incremental file list\n" + "".join(
    f"  skipped: lib/part{n}.rb\n  skipped: lib/other{n}.rb\n" for n in range(30)
)
BENCH = "".join(f"Ieee/IEEE/size={n}/entity  {n}.5n ± {n % 9}%\n\n" for n in range(60))
SENSORS = "coretemp-isa-0000\nAdapter: ISA adapter\n" + "".join(
    f"Core {n}:        +{40 + n}.0°C  (high = +80.0°C, crit = +100.0°C)\n" for n in range(16)
)


@pytest.mark.parametrize(
    "text",
    [
        coverage("%{count:06}  {code}"),
        coverage("{count:8}:  {line:4}:{code}"),
        coverage("{line:5}|{count:8}|{code}"),
        excerpts(),
        STATUS,
        RSYNC,
        BENCH,
        SENSORS,
    ],
)
def test_what_tools_write_is_no_code(text: str) -> None:
    assert read_as(text) in ("tool_output", "table")


@pytest.mark.parametrize(
    "margin", ["{line:5} | {code}", "{line:6}\t{code}", "{line}:{code}", "{line:4}: {code}"]
)
def test_a_source_with_line_numbers_is_code(margin: str) -> None:
    assert read_as(coverage(margin)) == "code"


@given(st.sampled_from(["entity", "IEEE", "downto", "fn", "defmodule", "std_logic"]), st.integers(12, 60))
def test_a_word_that_is_on_every_line_makes_no_code(word: str, lines: int) -> None:
    assert read_as("".join(f"runs/{word}/part={n} {n}.5 {n % 7}%\n" for n in range(lines))) != "code"


@pytest.mark.parametrize(
    "head",
    [
        "Page {n} of 212                CONFIDENTIAL                Annual Report",
        "The Harbour Board        Minutes of the Meeting          {n}",
        "{n}      CHAPTER THREE      The Winter",
    ],
)
def test_running_heads_make_no_table_of_sentences(head: str) -> None:
    streets = ["Mill", "Church", "Station", "High", "Bridge"]
    pages = [
        f"{head.format(n=n)}\n\nThe house in {streets[n % 5]} Street was sold in the spring, and all of\n"
        f"those who had lived there since the war moved to the {n}th floor of a new building.\n\n"
        for n in range(14, 34)
    ]
    text = "".join(pages)
    assert read_as(text) == "prose"
    kept = tersely.compress(text, "When was the house in Mill Street sold?", budget=60).text
    assert "more row" not in kept


@pytest.mark.parametrize(
    ("language", "text", "kind"),
    [
        ("sql", "SELECT 1;\nwaited 3 s for a lock\nUPDATE t SET a = 1;\n", "tool_output"),
        ("go", "package a\n\nfunc f() int {\n\treturn 1\n}\n", "code"),
    ],
)
def test_what_hardly_looks_like_code_and_defines_nothing_is_lines(
    language: Any, text: str, kind: str
) -> None:
    assert trusted_kind(Detection("code", language, 0.9), text) == kind
    assert trusted_kind(Detection("code", language, 1.0), text) == "code"
