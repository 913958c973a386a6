"""Where what is left out of source code is larger than the room, it is cut at its lines."""

from __future__ import annotations

import ast

import pytest
import tersely

BUDGET = 400
NAMES = [f"price_{index}" for index in range(300)]


def _lines(form: str) -> str:
    return "".join(form.format(name) for name in NAMES)


PROTOTYPES = _lines("int {}(const char *name);\n")
GUARDED = f'#ifdef __cplusplus\nextern "C" {{\n#endif\n\n{PROTOTYPES}\n#ifdef __cplusplus\n}}\n#endif\n'
FILES = {
    "guard.h": GUARDED,
    "inner_guard.h": f"#ifndef SHOP_H\n#define SHOP_H\n{GUARDED}#endif\n",
    "space.hpp": f"namespace shop {{\n{PROTOTYPES}}}\n",
    "branches.c": "#ifdef A\nint f(int a) {\n#else\nint f(void) {\n#endif\n" + _lines("    {}(1);\n") + "}\n",
    "no_end.c": "int prices = 0\n" + _lines("  + {}(2)\n") + ";\n",
    "long_text.js": "module.exports = function () {\n  return `\n"
    + _lines("    {} is a price,\n")
    + "`;\n};\n",
}
PYTHON = {
    "dict": '"""Prices."""\n\nimport os\n\nPRICES = {\n' + _lines('    "{}": (1, "one"),\n') + "}\n",
    "attribute": "class Shop:\n    NAMES = [\n" + _lines('        "{}",\n') + "    ]\n",
    "deep": "X = f(\n    [\n" + _lines('        {{\n            "{}": 1,\n        }},\n') + "    ]\n)\n",
    "closed beside": "X = [" + _lines('"{}",\n     ') + '"last"]\n',
    "beside": "X = {'a': ('one',\n    'two'),\n" + _lines("    '{}': 1,\n") + "}\n",
    "lambda": "X = f(\n" + _lines("    lambda a,\n    b: {},\n") + ")\n",
    "strings": "X = (\n" + _lines("    '''{}\n    ),''',\n") + ")\n",
    "index": "X = Union[\n" + _lines("    {},\n") + "]\n",
    "operators": "X = (\n" + _lines("    {} +\n") + "    1\n)\n",
    "dict of lists": "X = {\n"
    + _lines("    # about it\n    '{}': [\n        1,\n        # 2\n    ],\n")
    + "}\n",
    "return": "def f():\n    return [\n" + _lines("        *{}[\n            1],\n") + "    ]\n",
}


@pytest.mark.parametrize("name", FILES)
def test_most_of_the_budget_is_used(name: str) -> None:
    """Also where all stands in one outer block."""
    result = tersely.compress({"text": FILES[name], "name": name}, budget=BUDGET)
    assert result.receipt.content_types == ("code",)
    assert BUDGET / 2 < result.tokens <= BUDGET


@pytest.mark.parametrize("budget", [60, 150, BUDGET])
@pytest.mark.parametrize("name", PYTHON)
def test_large_literals_of_python_are_cut_between_elements(name: str, budget: int) -> None:
    """What is left of them parses."""
    text = PYTHON[name]
    ast.parse(text)
    result = tersely.compress({"text": text, "name": "prices.py"}, budget=budget)
    assert result.tokens <= budget
    if name == "index":  # which cannot be cut: it is read as text
        assert "no_unit_fits" in result.receipt.warnings
        return
    ast.parse(result.text)
    assert name == "operators" or result.tokens > budget / 2  # one element
    one = ("larger_left_out",) if result.tokens <= budget / 2 else ()
    assert result.receipt.warnings == ("segments_cut", *one)


WORDS = "QUJDREVG" * 1000
ONE_LINE = {
    "text.py": f'"""Data."""\n\nDATA = "{WORDS}"\n',
    "pattern.js": f"module.exports = () => {{\n\treturn /[{WORDS}]/g;\n}};\n",
    "value.yaml": f"data: {WORDS}\nsize: 1\n",
    "row.csv": f"id,data\n1,2\n2,{WORDS}\n3,4\n",
}


@pytest.mark.parametrize("name", ONE_LINE)
def test_what_is_too_large_to_be_kept_and_cannot_be_cut_is_said(name: str) -> None:
    """As text it is cut."""
    document = {"text": ONE_LINE[name], "name": name}
    result = tersely.compress(document, budget=BUDGET)
    assert result.tokens < BUDGET / 10 and result.receipt.warnings == ("larger_left_out",)
    assert tersely.compress(document, budget=BUDGET, strategy="prose").tokens > BUDGET / 2
    for small in ({"text": "import os\n" * 9, "name": name}, {"text": "DATA = 1\n" * 900, "name": name}):
        assert "larger_left_out" not in tersely.compress(small, budget=BUDGET).receipt.warnings


def test_one_file_does_not_take_others_down_with_it() -> None:
    """A head that is larger than the budget, and what needs it, leave the room to the others."""
    head = "int sum = of(\n" + _lines("    {}(1),\n") + ") {\n  int parse(const char *tokens);\n}\n"
    notes = "".join(f"Version 1.{index} mends the parse of constant tokens.\n\n" for index in range(30))
    small = "#include <a.h>\n\nint parse(const char *name);\n"
    documents = [{"text": head, "name": "a.c"}, notes, {"text": small, "name": "a.h"}]
    result = tersely.compress(documents, "const tokens", budget=BUDGET)
    assert BUDGET / 2 < result.tokens <= BUDGET
