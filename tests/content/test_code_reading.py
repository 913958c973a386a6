"""Units of code: the reader of marks against tree-sitter, literals, layout of unknown languages, odd text."""

from __future__ import annotations

import ast
import sysconfig
from pathlib import Path

import numpy as np
import pytest
from code_samples import SAMPLES
from hypothesis import given, settings, strategies as st
from tersely import _native
from tersely.content.code import CodeUnits, Role, read_code
from tersely.models.tree_sitter import LANGUAGES, read_spans

STDLIB = Path(sysconfig.get_path("stdlib"))
PYTHON = ["argparse", "difflib", "heapq", "tempfile", "csv", "ast", "typing", "inspect", "tokenize", "locale"]


def by_marks(language: str, text: str) -> CodeUnits | None:
    found = _native.code_units(text, language, "", True)
    return None if found is None else CodeUnits(*found)


def by_parser(language: str, text: str) -> CodeUnits:
    return CodeUnits(*_native.code_units_of(text, language, "", *read_spans(language, text)))


def shape(units: CodeUnits) -> list[tuple[int, int, int, int, int]]:
    free = np.isin(units.role, (Role.COMMENT, Role.TEXT))  # readers differ in what a comment belongs to
    columns = (units.first, units.last, np.where(free, -2, units.parent), units.follows, units.role)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def signatures(text: str, units: CodeUnits) -> set[str]:
    lines = text.split("\n")
    rows = zip(units.first.tolist(), units.last.tolist(), units.role.tolist(), strict=True)
    return {
        line.strip()
        for first, last, role in rows
        if role in (Role.DEFINITION, Role.DECLARATION)
        for line in lines[first : last + 1]
    }


@pytest.mark.parametrize("name", PYTHON)
def test_python_is_read_as_its_parsers_do(name: str) -> None:
    text = (STDLIB / f"{name}.py").read_text(encoding="utf-8")
    units = by_marks("python", text)
    assert units is not None
    assert shape(units) == shape(by_parser("python", text))
    nodes = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    lines = text.split("\n")
    defined = {
        lines[node.lineno - 1].strip() for node in ast.walk(ast.parse(text)) if isinstance(node, nodes)
    }
    assert defined <= signatures(text, units)


@pytest.mark.parametrize(
    ("language", "before"),
    [
        ("python", 'x = f"{a[\'}\']} {b["{"]:>{width}} {{ {c!r:\'>9}"'), ("python", "x = '''\n'{[(\n'''"),
        ("python", 'x = r"\\\\"\ny = b"(" "[" \'"\''), ("python", "x = 1 + \\\n  2  # (["),
        ("javascript", "const x = a / b / /[/\"']{/.exec(c)"),
        ("javascript", "const x = `{ ${f({ a: `}` })} '`"),
        ("javascript", "const x = 'it\\'s {'; // don't {\n/* { */"), ("go", "var x = `{\n'\"`\nvar y = '\"'"),
        ("rust", "fn a<'a>() -> char { '{' }\nconst S: &str = r##\"{\"# \"##;\nconst C: char = '\\'';"),
        ("rust", '/* { /* } */ { */\nconst B: &[u8] = br#"{"#;'),
        ("cpp", 'auto x = R"a(})" {)a"; char c = \'"\';'),
        ("c", "#if A\nint x = '{';\n#else /* { */\n#define B {\\\n  {\n#endif"),
        ("java", "String x = \"}\"; char c = '\\'';"),
    ],
)  # fmt: skip
def test_literals_and_comments_are_passed_over(language: str, before: str) -> None:
    braces, indents = "class F {\n  int a;\n  int b;\n}", "def f(a):\n    b = a\n    return b"
    after = indents if language == "python" else braces
    text = f"{before}\n{after}\n"
    units = by_marks(language, text)
    assert units is not None
    row = units.first.tolist().index(text.split("\n").index(after.split("\n")[0]))
    assert units.role[row] == Role.DEFINITION and units.parent[row] == -1
    assert units.parent[row + 1 : row + 3].tolist() == [row, units.parent[row + 2]]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("typescript", "import {\n  a,\n} from 'b'\nlet x = a\n  .b()\nfoo()\n", [(0, 2), (3, 4), (5, 5)]),
        ("javascript", "if (a) b()\nelse c()\nif (d)\n  e()\nf++\ng()\n", [(0, 1), (2, 3), (4, 4), (5, 5)]),
        ("javascript", "switch (a) {\n  case 1:\n    b()\n    c()\n  // no\n  default:\n    d()\n}\n", None),
        ("go", "x := a +\n\tb\ny++\nz()\n", [(0, 1), (2, 2), (3, 3)]),
        ("rust", "#![a(b)]\nuse c::{\n  d,\n};\nstruct E<\n  F,\n>(F);\n", [(0, 0), (1, 3), (4, 6)]),
        ("java", "int a = 1; // b\nvoid c() { d(); }\nint e;\n", [(0, 0), (1, 1), (2, 2)]),
        ("c", "#include <a>\nint b\n  = 1;\ndo {\n} while (c);\n", [(0, 0), (1, 2), (3, 4)]),
    ],
)
def test_statements_end_where_the_language_says(
    language: str, text: str, expected: list[tuple[int, int]] | None
) -> None:
    units = by_marks(language, text)
    assert units is not None
    rows = zip(units.first.tolist(), units.last.tolist(), units.parent.tolist(), strict=True)
    spans = [(first, last) for first, last, parent in rows if parent == -1]
    if expected is None:  # cases are whole, for a statement cannot do without one
        spans, expected = (
            list(zip(units.first.tolist(), units.last.tolist(), strict=True)),
            [(0, 0), (1, 3), (4, 4), (5, 6), (7, 7)],
        )  # fmt: skip
    assert spans == expected


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", "x = (1,\n"),
        ("python", 'x = """a\n'),
        ("python", "if a:\nb = 1\n"),
        ("python", "    a = 1\n  b = 2\n"),
        ("rust", "fn a() {\n"),
        ("go", "a)\n"),
        ("javascript", "a = `b\n"),
        ("c", "#if A\nint a() {\n#endif\n}\n"),
    ],
)
def test_what_does_not_add_up_is_not_sure(language: str, text: str) -> None:
    assert by_marks(language, text) is None
    assert _native.code_units(text, language, "", False) is not None


GUARDED = """#ifndef SHOP_H
#define SHOP_H
#ifdef __cplusplus
extern "C" {
#endif

int open_shop(const char *name);
int close_shop(const char *name);

#ifdef __cplusplus
}
#endif
#endif
"""
BRANCHES = """#ifdef WIDE
int count(int a) {
#else
int count(void) {
#endif
    first();
    second();
}
int other(void);
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (GUARDED, [(0, 0), (1, 1), (2, 4), (6, 6), (7, 7), (9, 11), (12, 12)]),
        (BRANCHES, [(0, 4), (5, 5), (6, 6), (7, 7), (8, 8)]),
    ],
)
def test_what_a_conditional_opens_holds_what_follows(text: str, expected: list[tuple[int, int]]) -> None:
    """`extern "C" {` for C++ alone, and a head for each branch: their members are units."""
    units = by_marks("c", text)
    assert units is not None
    assert list(zip(units.first.tolist(), units.last.tolist(), strict=True)) == expected


PIECES = (
    "def f():|{|\"|'|`|/*|*/|//|#|#if|#endif|\n|\n    |\n\t|\r\n|case|else|;|,|class A|type B =|impl|=>|@x|/"
    '|}|\\|f"{|match|:|é'
)
pieces = st.sampled_from(PIECES.split("|"))


@settings(max_examples=300)
@given(
    st.sampled_from([*LANGUAGES, "php"]), st.lists(pieces, max_size=60).map(" ".join), st.sampled_from([0, 9])
)
def test_every_line_is_in_one_unit(language: str, text: str, piece: int) -> None:
    units = CodeUnits(*_native.code_units(text, language, "def", False, piece) or ())
    lines = text.split("\n")
    spans = zip(units.first.tolist(), units.last.tolist(), strict=True)
    covered = [line for first, last in spans for line in range(first, last + 1)]
    assert covered == sorted(set(covered))
    assert {number for number, line in enumerate(lines) if line.strip()} <= set(covered)
    assert (units.parent < np.arange(len(units.parent))).all()
    for start, end in zip(units.start.tolist(), units.end.tolist(), strict=True):
        assert text[start:end] == text[start:end].strip() != ""


def test_spans_that_are_not_in_the_text_are_refused() -> None:
    none, three = np.empty(0, dtype=np.int64), np.array([3], dtype=np.int64)
    for starts, ends in ((three, three + 5), (three, three - 1), (-three, three), (three, none)):
        with pytest.raises(ValueError, match=r"must"):
            _native.code_units_of("a\nb c", "go", "", starts, ends, none, none, none)


@pytest.mark.parametrize(
    "path", [*sorted(STDLIB.glob("[a-z]*.py"))[::6], STDLIB / "sqlite3" / "dump.py", STDLIB / "hashlib.py"]
)
def test_python_is_told_by_reading_it(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    nodes = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.If, ast.For, ast.Try, ast.ImportFrom)
    blocks = any(isinstance(node, nodes) for node in ast.parse(text).body)
    assert _native.is_python(text) == blocks


@pytest.mark.parametrize("language", [*SAMPLES])
def test_no_other_language_reads_as_python(language: str) -> None:
    assert _native.is_python(SAMPLES[language][0]) == (language == "python")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "import os\n",  # of Java, Go and others, too
        "Use this one:\n    def f(x):\n        return x\nIt is the shortest.\n",
        "if:\n  - a\nfor:\n  - b\n",
        "def f():\nreturn 1\n",
        "def f(x)\n  x + 1\nend\n",
        "class A:\n    x = 'open\n",
        "from the start, import duties rose\n",
        "x = 1 2\ndef f():\n    pass\n",
        "def f():\n    return `ls`\n",
    ],
)
def test_what_no_python_parser_takes_is_not_told_as_python(text: str) -> None:
    assert not _native.is_python(text)


def _cut(text: str) -> list[tuple[str, int, int]]:
    units = read_code("", text)
    return [
        (text[start:end].strip(), parent, follows)
        for start, end, parent, follows in zip(
            units.start.tolist(),
            units.end.tolist(),
            units.parent.tolist(),
            units.follows.tolist(),
            strict=True,
        )
    ]


def test_layouts_of_unknown_languages() -> None:
    text = "class Cart\n  def add(item)\n    @items << item\n  rescue Full\n    nil\n  end\nend\nputs 1\n"
    assert _cut(text) == [
        ("class Cart", -1, -1),
        ("def add(item)", 0, -1),
        ("@items << item", 1, -1),
        ("rescue Full", 1, 1),
        ("nil", 1, -1),
        ("end", 1, 1),
        ("end", 0, 0),
        ("puts 1", -1, -1),
    ]
    text = "all: a b\n\tcc -c a \\\n  -o b\n\techo 'it\\'s done'\n\nclean:\n\trm a \"\n"
    assert [said for said, _, _ in _cut(text)] == [
        "all: a b",
        "cc -c a \\\n  -o b",
        "echo 'it\\'s done'",
        "clean:",
        'rm a "',
    ]
    text = "class Cart {\nfun add(item: Item) {\nitems += item\n}\n}\n"
    units = read_code("kotlin", text)
    assert units.role.tolist()[:2] == [Role.DEFINITION, Role.DEFINITION]


@given(st.text(alphabet=" \t\n\\abend#'\"(){}:", max_size=80), st.sampled_from(["", "x", "else b"]))
def test_every_line_of_a_layout_is_in_one_unit(text: str, query: str) -> None:
    units = read_code("", text, query)
    rows = range(len(units.start))
    lines = [line for row in rows for line in range(units.first[row], units.last[row] + 1)]
    assert lines == sorted(set(lines))
    said = [number for number, line in enumerate(text.split("\n")) if line.strip(" \t")]
    assert set(said) <= set(lines)
    assert all(units.parent[row] < row and units.follows[row] < row for row in rows)
