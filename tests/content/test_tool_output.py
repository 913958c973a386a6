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


NAMES = """total empty refund tax coupon gift weight split
round hold retry void merge sort page lock"""


def run_with_tracebacks(failures: int, sources: int) -> str:
    """What a test runner writes of failures below the source of each test."""
    parts = ["." * 60 + " [100%]", "=" * 30 + " FAILURES " + "=" * 30]
    for n, name in enumerate(NAMES.split()[:failures]):
        parts += [f"{'_' * 25} TestCart.test_{name} {'_' * 25}", "", f"    def test_{name}(self):"]
        parts += [f'        item_{k} = self.cart.add("thing {k}", price={k})' for k in range(sources)]
        parts += [f">       assert self.cart.{name}() == {n}17", f"E       assert {n}18 == {n}17"]
        parts += [f"E        +  where {n}18 = <bound method Cart.{name} of <Cart {k}>>()" for k in range(3)]
        parts += ["", f"tests/test_cart.py:{n + 40}: AssertionError"]
    parts += ["=" * 24 + " short test summary info " + "=" * 24]
    parts += [
        f"FAILED tests/test_cart.py::TestCart::test_{name} - assert" for name in NAMES.split()[:failures]
    ]
    return "\n".join([*parts, f"{failures} failed, 60 passed in 1.42s"])


@pytest.mark.parametrize(("failures", "sources"), [(4, 60), (12, 20), (16, 8)])
def test_a_test_run_is_a_report_however_much_source_it_quotes(failures: int, sources: int) -> None:
    short = tersely.compress(run_with_tracebacks(failures, sources), budget=60 + 60 * failures).text
    assert short.endswith(f"{failures} failed, 60 passed in 1.42s")
    for n, name in enumerate(NAMES.split()[:failures]):
        assert f"FAILED tests/test_cart.py::TestCart::test_{name} - " in short
        assert f"E       assert {n}18 == {n}17" in short


@pytest.mark.parametrize("tool", OUTPUTS)
def test_errors_places_and_verdicts_stay(tool: str) -> None:
    text, wanted = OUTPUTS[tool]
    result = tersely.compress(text, ratio=0.2, strategy=ToolOutput())
    assert result.tokens <= result.original_tokens // 5
    for piece in wanted:
        assert piece in result.text, result.text
    marks = [result.text[start:end] for start, end in result.generated]
    assert any("lines" in mark or "×" in mark for mark in marks)


def test_errors_matches_and_repeats() -> None:
    lines = [f"step {n} done" for n in range(400)]
    errors = [f"src/module_{n}.py:{n}: error: name 'x{n}' is not defined" for n in range(30)]
    for n, error in enumerate(errors):
        lines.insert(13 * n, error)
    result = tersely.compress("\n".join(lines), ratio=0.5, strategy=ToolOutput())
    assert result.original_tokens / result.tokens >= 2
    assert all(error in result.text for error in errors)
    lines = [f"src/mod{n % 30}/view.py:{7 * n}:    log.info('step %s of job', {n * 31})" for n in range(300)]
    lines[180] = "src/mod9/secret.py:17:    log.info('password %s', password)"
    lines.append("Binary file src/mod9/cache.bin matches")
    for budget in (1_000, 2_000):
        result = tersely.compress("\n".join(lines), budget=budget, strategy=ToolOutput())
        kept = [line for line in result.text.splitlines() if not line.startswith("…")]
        assert set(kept) <= set(lines) and lines[180] in kept and lines[-1] in kept
        assert result.tokens > 0.9 * budget
    text = "\n".join(["src/a.c:1: error: bad"] * 50 + ["src/b.c:2: error: worse"] + ["ok"] * 100)
    result = tersely.compress(text, budget=40, strategy=ToolOutput())
    assert "src/a.c:1: error: bad" in result.text and "src/b.c:2: error: worse" in result.text
    text = (
        "".join(f"downloading {n}%\r" for n in range(300))
        + "downloaded 300 MB\nbuild failed: no space left\n"
    )
    result = tersely.compress(text, budget=30, strategy=ToolOutput())
    assert "build failed: no space left" in result.text


def test_what_failed_comes_first() -> None:
    passed = "".join(f"test tests::part_{n} ... ok\n" for n in range(120))
    failed = "thread 'tests::pays' panicked at src/lib.rs:191:9:\nassertion `left == right` failed\n"
    text = f"{passed}test tests::pays ... FAILED\n{failed}  left: 7699\n right: 7700\n" + passed
    result = tersely.compress(text, budget=110, strategy=ToolOutput())
    assert "left: 7699" in result.text and "right: 7700" in result.text
    warnings = "".join(
        f"warning: unused variable: `v{n}`\n  --> src/part{n}.rs:{n + 1}:9\n\n" for n in range(60)
    )
    error = (
        "error[E0308]: mismatched types\n  --> src/pay.rs:51:5\n   |   ^^^ expected `u64`, found `&str`\n\n"
    )
    result = tersely.compress(warnings + error + warnings, budget=90, strategy=ToolOutput())
    assert all(part in result.text for part in ("error[E0308]", "src/pay.rs:51:5", "expected `u64`, found"))
    failed = "".join(f"FAILED part {n}: " + "these are many words " * 60 + "\n" for n in range(12))
    result = tersely.compress(failed, budget=700, strategy=ToolOutput())
    assert all(f"FAILED part {n}:" in result.text for n in range(12))
    text = "\n".join(
        f"error: the value of part_{chr(97 + n)} is not used\n  --> src/parts/p{n}.rs:{n + 3}:9\n   |\n"
        f"{n + 3} | let p{n} = 1;"
        for n in range(26)
    )
    result = tersely.compress(text, budget=160, strategy=ToolOutput())
    assert sum(line.startswith("error: ") for line in result.text.splitlines()) >= 9, result.text


@pytest.mark.parametrize("kind", ["tool_output", "log", "stack_trace"])
def test_marks_of_many_gaps_are_one_count(kind: AnyStrategyName) -> None:
    lines = [
        f"step {n}: part {chr(97 + n % 26)} FAILED for {n * 37 % 91}" if n % 9 == 4 else f"step {n}: done"
        for n in range(360)
    ]
    result = tersely.compress("\n".join(lines), budget=220, strategy=kind)
    marks = [result.text[start:end] for start, end in result.generated if "lines" in result.text[start:end]]
    kept = sum(line.partition(" … ")[0] in lines for line in result.text.splitlines())
    assert marks == [f"… {len(lines) - kept} lines"] and kept > 10


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


TREES = "amber basil cedar delta ember fjord grove heron iris jade kelp pine"


def test_a_wrapped_list_of_names_does_not_hide_what_stands_behind_it() -> None:
    """Lines of one form in a run tell less and less: the count behind them and the first step have room."""
    words = TREES.split()
    names = [f"  lib{word}{n} {word}-tools python3-{word} {word}{n}-dev" for n in range(3) for word in words]
    steps = [f"Unpack lib{word}{n} [{n}.{n}-1] ({n}.{n}-2 main [amd64])" for n in range(3) for word in words]
    lines = [
        "Reading package lists...",
        "These packages will be renewed:",
        *names,
        f"{len(steps)} renewed, 0 new.",
    ]
    result = tersely.compress("\n".join([*lines, *steps]), budget=190)
    assert "36 renewed, 0 new." in result.text
    assert "These packages will be renewed:" in result.text
    assert "Unpack lib" in result.text


@pytest.mark.parametrize(
    "place, says, below",
    [
        (
            "Build Error at cmake/find.cmake:23 (message):",
            "  Nothing suitable of the name Fern",
            "  CMakeLists.txt:{n} (find)",
        ),
        (
            "src/Tree.java:41: error: incompatible",
            "    leaf is a Branch and no Twig",
            "    Tree.java:{n}: grow",
        ),
    ],
)
def test_the_message_indented_below_its_place_stays_before_the_calls_below_it(
    place: str, says: str, below: str
) -> None:
    steps = [
        f"-- Looking for header_{word}.h - found"
        for word in ["amber", "basil", "cedar", "delta", "ember", "fjord", "grove"]
    ]
    calls = [below.format(n=n) for n in range(3, 40, 4)]
    short = tersely.compress("\n".join([*steps, place, says, *calls, *steps]), budget=75).text
    assert place in short
    assert says.strip() in short
