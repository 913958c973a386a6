"""Output of tools: failures, places and verdicts stay; what passed is counted."""

from __future__ import annotations

import pytest
import tersely
from tersely.content.tool_output import ToolOutput

PASSING = "\n".join(f"tests/test_part_{n}.py::test_case_{n} PASSED [{n // 3:3d}%]" for n in range(250))
OUTPUTS = {
    "pytest": (
        f"collected 252 items\n{PASSING}\ntests/test_pay.py::test_refund FAILED\n"
        "E   AssertionError: assert 3 == 4\ntests/test_pay.py:88: AssertionError\n"
        "=== 1 failed, 250 passed in 4.20s ===",
        [
            "test_refund FAILED",
            "AssertionError: assert 3 == 4",
            "tests/test_pay.py:88",
            "1 failed, 250 passed",
        ],
    ),
    "gcc": (
        "".join(f"[ {n:2d}%] Building CXX object part_{n}.cpp.o\n" for n in range(100))
        + "src/pay.cpp:12:5: error: 'amount' was not declared in this scope\n"
        + "src/cart.cpp:40:9: warning: unused variable 'x' [-Wunused-variable]\nmake: *** [all] Error 2\n",
        ["src/pay.cpp:12:5: error: 'amount'", "src/cart.cpp:40", "make: *** [all] Error 2"],
    ),
    "cargo": (
        "".join(f"   Compiling crate-{n} v1.0.{n}\n" for n in range(150))
        + "error[E0382]: borrow of moved value: `order`\n  --> src/main.rs:14:9\n"
        + 'error: could not compile `shop` (bin "shop") due to 1 previous error\n',
        ["error[E0382]: borrow of moved value", "src/main.rs:14", "could not compile `shop`"],
    ),
    "jest": (
        "".join(f"PASS src/part{n}.test.ts\n" for n in range(200))
        + "FAIL src/pay.test.ts\n  ● refunds › gives money back\n    TypeError: gateway is not a function\n"
        + "      at Object.<anonymous> (src/pay.test.ts:31:7)\nTests: 1 failed, 200 passed, 201 total\n",
        ["FAIL src/pay.test.ts", "TypeError: gateway", "src/pay.test.ts:31", "1 failed, 200 passed"],
    ),
    "npm": (
        "".join(f"npm http fetch GET 200 https://registry.example.org/p{n} {n}ms\n" for n in range(120))
        + "npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency tree\nexit code 1\n",
        ["npm ERR! code ERESOLVE", "unable to resolve dependency tree", "exit code 1"],
    ),
}


@pytest.mark.parametrize("tool", OUTPUTS)
def test_a071_errors_places_and_verdicts_stay(tool: str) -> None:
    text, wanted = OUTPUTS[tool]
    result = tersely.compress(text, ratio=0.2, strategy=ToolOutput())
    assert result.tokens <= result.original_tokens // 5
    for piece in wanted:
        assert piece in result.text, result.text
    assert any("lines" in result.text[start:end] for start, end in result.generated)


def test_a004_half_of_a_tool_output_keeps_all_error_lines() -> None:
    lines = [f"step {n} done" for n in range(400)]
    errors = [f"src/module_{n}.py:{n}: error: name 'x{n}' is not defined" for n in range(30)]
    for n, error in enumerate(errors):
        lines.insert(13 * n, error)
    result = tersely.compress("\n".join(lines), ratio=0.5, strategy=ToolOutput())
    assert result.original_tokens / result.tokens >= 2
    assert all(error in result.text for error in errors)


def test_the_same_line_again_counts_little() -> None:
    text = "\n".join(["src/a.c:1: error: bad"] * 50 + ["src/b.c:2: error: worse"] + ["ok"] * 100)
    result = tersely.compress(text, budget=40, strategy=ToolOutput())
    assert "src/a.c:1: error: bad" in result.text and "src/b.c:2: error: worse" in result.text


def test_a_line_that_only_names_a_place_may_be_cut_after_it() -> None:
    long = " because of something that takes very many words to say and says nothing that anybody needs" * 2
    text = "\n".join(f"src/part_{n}.cs({n},3): info{long} number {n}" for n in range(40))
    result = tersely.compress(text, ratio=0.3, strategy=ToolOutput())
    assert all(f"src/part_{n}.cs({n}" in result.text for n in range(40))
    assert " …\n" in result.text and "\n…" not in result.text  # in their lines


def test_overwritten_progress_goes_first() -> None:
    text = (
        "".join(f"downloading {n}%\r" for n in range(300))
        + "downloaded 300 MB\nbuild failed: no space left\n"
    )
    result = tersely.compress(text, budget=30, strategy=ToolOutput())
    assert "build failed: no space left" in result.text
