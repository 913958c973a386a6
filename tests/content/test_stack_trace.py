"""Stack traces: what was thrown, causes, own frames; what comes again is counted."""

from __future__ import annotations

import pytest
import tersely
from tersely.content.stack_trace import StackTrace
from trace_samples import TRACES

PYTHON = """Traceback (most recent call last):
  File "/app/shop/web.py", line 41, in handle
    return pay(order)
{library}  File "/app/shop/pay.py", line 12, in charge
    raise TimeoutError("gateway")
TimeoutError: gateway did not answer order {number}
""".replace(
    "{library}",
    "".join(
        f'  File "/venv/lib/python3.12/site-packages/web/layer_{n}.py", line {n}, in call_{n}\n'
        "    return inner()\n"
        for n in range(12)
    ),
)
JAVA = """Exception in thread "main" java.lang.IllegalStateException: order 7 is closed
\tat com.shop.Cart.add(Cart.java:31)
{library}\tat com.shop.Main.main(Main.java:9)
Caused by: java.sql.SQLTimeoutException: no answer
\tat com.shop.Db.query(Db.java:77)
\t... 12 more
""".replace(
    "{library}", "".join(f"\tat org.springframework.web.F{n}.call(F{n}.java:{n})\n" for n in range(12))
)
JAVASCRIPT = """TypeError: Cannot read properties of undefined (reading 'id')
    at total (/app/src/cart.js:14:21)
{library}    at main (/app/src/index.js:3:1)
""".replace(
    "{library}", "".join(f"    at next (/app/node_modules/express/lib/r{n}.js:{n}:5)\n" for n in range(12))
)
GO = """panic: runtime error: index out of range [3] with length 3

goroutine 1 [running]:
main.pick(0xc000012345)
\t/app/cmd/pick.go:17 +0x1d
{library}main.main()
\t/app/cmd/main.go:8 +0x2a
""".replace(
    "{library}",
    "".join(f"runtime.call{n}(0x1)\n\t/usr/local/go/src/runtime/p{n}.go:{n} +0x1\n" for n in range(12)),
)
RUST = """thread 'main' panicked at src/pay.rs:5:9:
   0: rust_begin_unwind
{library}   13: shop::pay::charge
             at ./src/pay.rs:5:9
   14: shop::main
             at ./src/main.rs:3:5
""".replace(
    "{library}",
    "".join(f"   {n}: core::ops::f{n}\n             at /rustc/abc/f{n}.rs:1:1\n" for n in range(1, 12)),
)
CSHARP = """Unhandled exception. System.InvalidOperationException: order is closed
   at Shop.Cart.Add(Order order) in /app/Cart.cs:line 31
{library}   at Shop.Program.Main() in /app/Program.cs:line 9
""".replace("{library}", "".join(f"   at System.Linq.F{n}.Call()\n" for n in range(12)))

GEMS = "".join(f"\tfrom /usr/local/bundle/gems/rack-3/lib/r{n}.rb:{n}:in `call'\n" for n in range(12))
RUBY = f"""/usr/local/bundle/gems/pg-1/lib/pg.rb:9:in 'PG#exec': no answer (PG::ConnectionBad)
{GEMS}\tfrom /app/lib/shop/cart.rb:31:in 'Shop::Cart#add'
\tfrom bin/server:3:in '<main>'
"""
GDB = """Thread 1 "shop" received signal SIGSEGV, Segmentation fault.
#0  0x000055555555513d in pick (items=0x0, n=3) at src/pick.c:17
{library}#13 0x0000555555555160 in charge (order=7) at src/pay.c:31
#14 0x0000555555555190 in main () at src/main.c:8
""".replace(
    "{library}",
    "".join(f"#{n}  0x00007f2 in __libc_f{n} () from /lib/x86_64/libc.so.6\n" for n in range(1, 13)),
)

CASES = {
    "python": (PYTHON.replace("{number}", "7"), ["TimeoutError: gateway", "web.py", "pay.py"], "layer_5"),
    "java": (JAVA, ["IllegalStateException: order 7", "Cart.java:31", "Main.java:9", "Caused by: java.sql",
        "Db.java:77"], "F5.java"),
    "javascript": (JAVASCRIPT, ["TypeError: Cannot read", "cart.js:14", "index.js:3"], "r5.js"),
    "go": (GO, ["panic: runtime error", "pick.go:17", "main.go:8"], "p5.go"),
    "rust": (RUST, ["panicked at src/pay.rs:5:9", "./src/pay.rs:5:9", "./src/main.rs:3:5"], "f5.rs"),
    "csharp": (CSHARP,
     ["InvalidOperationException", "Cart.cs:line 31", "Program.cs:line 9"], "System.Linq.F5"),
    "ruby": (RUBY, ["no answer (PG::ConnectionBad)", "cart.rb:31", "bin/server:3"], "r9.rb"),
    "gdb": (GDB, ["received signal SIGSEGV", "pick.c:17", "main.c:8"], "__libc_f9"),
}  # fmt: skip


@pytest.mark.parametrize("language", CASES)
def test_what_was_thrown_and_own_frames_stay(language: str) -> None:
    text, wanted, library = CASES[language]
    result = tersely.compress(text, ratio=0.5, strategy=StackTrace())
    assert result.tokens <= result.original_tokens // 2
    for piece in wanted:
        assert piece in result.text, result.text
    assert library not in result.text
    assert any(result.text[start:end].lstrip().startswith("… ") for start, end in result.generated)


THROWN = {
    "Python, a group": "ExceptionGroup: several (2 sub", "Rust, without places": "`Err` value: Os",
    "Rust, anyhow": "1: No such file or directory", "Node, a cause": "ECONNREFUSED 127.0.0.1:5432",
    "PHP, Laravel": "SQLSTATE[HY000]", "Perl": "Can't locate object method",
    "Lua": "attempt to index a nil value", "Elixir": "** (KeyError) key :price",
    "Julia": 'KeyError: key "price"', "Haskell": "Prelude.head: empty list", "Dart": "RangeError (index)",
    "Swift": "Index out of range", "SpiderMonkey": "can't access property",
}  # fmt: skip


@pytest.mark.parametrize("form", THROWN)
def test_what_was_thrown_stays_in_every_language(form: str) -> None:
    calls = [line for line in TRACES[form].splitlines() if THROWN[form] not in line]
    result = tersely.compress(TRACES[form] + "\n".join(calls * 4), ratio=0.25, strategy=StackTrace())
    assert THROWN[form] in result.text and result.tokens <= result.original_tokens // 4


def test_repeats_and_own_code() -> None:
    text = "\n".join(PYTHON.replace("{number}", str(number)) for number in range(30)) + "\n" + JAVA
    result = tersely.compress(text, budget=230, strategy=StackTrace())
    assert "TimeoutError: gateway did not answer order 0 … ×30" in result.text
    assert "IllegalStateException" in result.text and "Caused by: java.sql" in result.text
    assert result.text.count("did not answer") == 1
    result = tersely.compress(JAVA, ratio=0.4, strategy=StackTrace(own=("org.springframework.web.F5.",)))
    assert "F5.java" in result.text and "F6.java" not in result.text
    with pytest.raises(TypeError, match="own must be a tuple"):
        StackTrace(own="org")  # type: ignore[arg-type]


@pytest.mark.parametrize("strategy", ["tool_output", "log", "stack_trace"])
def test_a_trace_that_comes_again_is_counted_once_but_never_one_from_other_lines(strategy: str) -> None:
    again = "\n".join(PYTHON.replace("{number}", str(number)) for number in range(20))
    result = tersely.compress(again, budget=200, strategy=strategy)
    assert "did not answer order 0 … ×20" in result.text
    assert result.text.count("did not answer") == 1
    moved = PYTHON.replace("{number}", "99").replace("line 12, in charge", "line 15, in charge")
    result = tersely.compress(again + "\n" + moved, budget=260, strategy=strategy)
    for said in ("order 0 … ×20", "order 99", "line 15, in charge"):
        assert said in result.text


def test_of_two_equal_traces_one_is_said_with_their_number() -> None:
    text = "".join(JAVA.replace("order 7", f"order {number}") + "\nretry\n\n" for number in (7, 8))
    result = tersely.compress(text, ratio=0.55, strategy="tool_output")
    assert "order 7 is closed … ×2" in result.text and "order 8" not in result.text
