"""A068: markers are comments of the language that a file is in, whatever it is called."""

from __future__ import annotations

import pytest
import tersely
from hypothesis import given, strategies as st
from tersely import Document
from tersely.content.code import Code, language_of
from tersely.content.code_languages import comment_of, named_language

NAMES = {
    "app/models/order.rb": "#",
    "Rakefile": "#",
    "deploy/values.yml": "#",
    "Cargo.toml": "#",
    "Makefile": "#",
    "src/CMakeLists.txt": "#",
    "docker/Dockerfile": "#",
    "analysis.R": "#",
    "C:\\work\\model.jl": "#",
    "lib/shop.ex": "#",
    "lib/Shop.pm": "#",
    "main.tf": "#",
    "run.ps1": "#",
    "install.sh": "#",
    "Main.kt": "//",
    "build.gradle": "//",
    "App.swift": "//",
    "Shop.scala": "//",
    "index.php": "//",
    "Program.cs": "//",
    "main.dart": "//",
    "style.scss": "//",
    "schema.sql": "--",
    "init.lua": "--",
    "Main.hs": "--",
    "core.clj": ";",
    "paper.tex": "%",
    "style.css": "/*",
    "main.ml": "(*",
    "page.vue": "<!--",
}


@pytest.mark.parametrize("name", NAMES)
def test_a068_markers_are_comments_of_the_file_s_language(name: str) -> None:
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


def test_what_a_document_says_of_itself_counts_if_it_is_known() -> None:
    assert language_of(Document("x = 1", metadata={"language": "lua"}, id="a.py")) == "lua"
    assert language_of(Document("x = 1", metadata={"language": "text"}, id="a.py")) == "python"
    assert language_of(Document("x = 1", id="notes", title="src/main.rs")) == "rust"
    assert language_of(Document("x = 1", id="a.unheard-of")) == ""


def test_a_fence_names_the_language_of_its_block() -> None:
    block = "\n\n".join(  # looks like Lua
        f"function value_{n}(a)\n  sum = a + {n};\n  disp(sum);\n  b({n}) = sum;\nend" for n in range(40)
    )
    text = f"The values are computed like this.\n\n```matlab\n{block}\n```\n\nNothing else is needed."
    result = tersely.compress(text, budget=150, strategy="auto")
    markers = [result.text[start:end] for start, end in result.generated]
    assert markers and all(marker.lstrip().startswith("% …") for marker in markers)


@given(st.text(max_size=400), st.text(max_size=12))
def test_any_text_and_name_is_safe(text: str, name: str) -> None:
    opens, closes = comment_of(language_of(Document(text, id=name)), text)
    assert opens.strip() == opens != "" and closes == closes.rstrip()
