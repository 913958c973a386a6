"""Output of tools: failures, places and verdicts stay; what passed is counted."""

from __future__ import annotations

import pytest
import tersely
from tersely.content.lines import Mark, read_lines
from tersely.content.tool_output import ToolOutput
from tersely.types import AnyStrategyName

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
def test_errors_places_and_verdicts_stay(tool: str) -> None:
    text, wanted = OUTPUTS[tool]
    result = tersely.compress(text, ratio=0.2, strategy=ToolOutput())
    assert result.tokens <= result.original_tokens // 5
    for piece in wanted:
        assert piece in result.text, result.text
    marks = [result.text[start:end] for start, end in result.generated]
    assert any("lines" in mark or "×" in mark for mark in marks)


@pytest.mark.parametrize("kind", ["tool_output", "log", "stack_trace"])
def test_marks_of_many_gaps_are_one_count(kind: AnyStrategyName) -> None:
    lines = [
        f"step {n}: part {chr(97 + n % 26)} FAILED for {n * 37 % 91}" if n % 9 == 4 else f"step {n}: done"
        for n in range(360)
    ]
    result = tersely.compress("\n".join(lines), budget=220, strategy=kind)
    marks = [result.text[start:end] for start, end in result.generated if "lines" in result.text[start:end]]
    kept = sum(line.partition(" … ")[0] in lines for line in result.text.splitlines())
    assert marks == [f"… {len(lines) - kept} lines in all"] and kept > 10


def test_all_that_failed_is_named_first() -> None:
    lines = [f"##ci[testStarted name='part {n}']\n##ci[testFinished name='part {n}']" for n in range(120)]
    for n in range(0, 120, 10):
        said = "|n".join(f"expected {n + k} in row {k}" for k in range(12))
        failed = f"\n##ci[testFailed name='part {n}' message='{said}"
        lines[n] += f"{failed}']{failed}|n']"
    result = tersely.compress("\n".join(lines), budget=360, strategy=ToolOutput())
    assert result.tokens <= 360
    assert all(f"testFailed name='part {n}'" in result.text for n in range(0, 120, 10)), result.text
    lines = read_lines(["E   assert 3 == 4\nE    +  where 3 = f()\nE     - 4\n\nE   KeyError"], None, 1024)
    assert lines.has(Mark.FAILURE).tolist() == [True, False, False, True]
    assert lines.has(Mark.COMPARED).tolist() == [False, True, True, False]


@pytest.mark.parametrize("says", ["error #1786: function", "Error #4: UNINITIALIZED READ:", "failure while"])
@pytest.mark.parametrize("size", [150, 350, 401, 600])
def test_an_error_line_that_fits_is_kept_whole(says: str, size: int) -> None:
    """However long it is, up to what follows the name of what failed."""
    line = f"src/engine/profiler.cpp(120): {says} "
    line += " ".join(f"part{n}" for n in range(size))[: size - len(line)]
    steps = [f"[{n:3}/400] Building CXX object engine/part{n}.obj" for n in range(400)]
    result = tersely.compress("\n".join([*steps[:200], line, *steps[200:]]), budget=600)
    assert line.rstrip() in result.text
