"""What many tools write, in short: much that went well, and one thing that must be kept. Written for the tests."""

# ruff: noqa: E501

from __future__ import annotations

import json
from collections.abc import Callable

_WORDS = ("alpha", "beta", "cart", "order", "invoice", "user", "stock", "search", "cache", "mailer", "report")


def _word(n: int) -> str:
    return _WORDS[n * 7 % len(_WORDS)]


def _lines(count: int, form: str) -> str:
    """Lines of a number {n}, one more {m}, seconds {s}, a level {l}, and a word {w}, {t}, {u}."""
    return "".join(
        form.format(
            n=n, m=n + 1, s=n % 60, l="DIV"[n % 3], w=_word(n), t=_word(n).title(), u=_word(n).upper()
        )
        + "\n"
        for n in range(count)
    )


def _records(
    count: int, record: Callable[[int, str], dict[str, object]], **odd: object
) -> list[dict[str, object]]:
    records = [record(n, _word(n)) for n in range(count)]
    records[count * 2 // 3].update(odd)
    return records


#: What builds, tests and checks write, what runs for long writes, and rows: (text, what must be kept at a fifth).
FORMATS: dict[str, tuple[str, tuple[str, ...]]] = {
    "maven": (
        _lines(60, "[INFO] Downloading from central: https://repo.example.org/{w}/{n}.0/{w}-{n}.jar")
        + "[ERROR] Tests run: 12, Failures: 1, Errors: 0 <<< FAILURE! - in shop.CartTest\n"
        "org.opentest4j.AssertionFailedError: expected: <90.00> but was: <100.00>\n\tat shop.CartTest.totals(CartTest.java:57)\n"
        + _lines(30, "[INFO] Tests run: {m}, Failures: 0, Errors: 0 - in shop.{t}Test")
        + "[INFO] BUILD FAILURE\n",
        ("expected: <90.00> but was: <100.00>", "CartTest.java:57", "BUILD FAILURE"),
    ),
    "gradle": (
        _lines(60, "> Task :{w}:{w}{n} UP-TO-DATE")
        + "> Task :app:compileDebugKotlin FAILED\ne: file:///srv/app/MainActivity.kt:34:21 Unresolved reference: viewModelz\n"
        + _lines(30, "w: file:///srv/app/{w}.kt:{n}:9 Parameter '{w}' is never used")
        + "\nFAILURE: Build failed with an exception.\n\nBUILD FAILED in 14s\n",
        ("Unresolved reference: viewModelz", "BUILD FAILED"),
    ),
    "buildkit": (
        "".join(
            f"#{n} [stage-0 {n}/24] RUN apt-get install -y {_word(n)}\n"
            + _lines(
                6, f"#{n} {{n}}.1{n:02} Get:{{n}} http://deb.example.org bookworm/main {{w}} all {n}.{{n}}"
            )
            + f"#{n} DONE {n}.3s\n\n"
            for n in range(1, 25)
        )
        + '#25 3.911 E: Unable to locate package libfoo-dev\n#25 ERROR: process "apt-get" did not complete successfully: exit code: 100\n',
        ("Unable to locate package libfoo-dev", "exit code: 100"),
    ),
    "ansible": (
        _lines(
            40, "TASK [{w} : install {w}] ****************************************\nok: [web1]\nok: [db1]\n"
        )
        + 'TASK [db : install] *****\nfatal: [db1]: FAILED! => {"msg": "No package matching \'postgresql-99\' is available"}\n\n'
        "PLAY RECAP *****\nweb1 : ok=25   changed=3    unreachable=0    failed=0\ndb1 : ok=17   changed=1    unreachable=0    failed=1\n",
        ("No package matching 'postgresql-99'", "failed=1"),
    ),
    "kubectl describe": (
        "Name:             shop-6d4cf56db6-x7k2p\nStatus:           Running\nContainers:\n  shop:\n    State:          Waiting\n"
        "      Reason:       CrashLoopBackOff\n    Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code:    137\n    Environment:\n"
        + _lines(30, "      {u}_{n}:  value-{n}")
        + "Events:\n  Warning  BackOff    30s (x220 over 49m)  kubelet  Back-off restarting failed container\n",
        ("CrashLoopBackOff", "OOMKilled", "Back-off restarting failed container"),
    ),
    "dotnet": (
        _lines(30, "/srv/{w}{n}.cs({n},{m}): warning CS0168: The variable 'e' is declared but never used")
        + "/srv/Cart.cs(44,17): error CS0103: The name 'voucherz' does not exist in the current context\n\n"
        "Build FAILED.\n    30 Warning(s)\n    1 Error(s)\n",
        ("CS0103: The name 'voucherz'", "1 Error(s)"),
    ),
    "logcat": (
        _lines(150, "05-06 10:11:{s:02}.{n:03}  1812  18{s:02} {l} {t}Manager: took {n} ms")
        + "05-06 10:12:01.442  1812  1812 E AndroidRuntime: FATAL EXCEPTION: main\n"
        "05-06 10:12:01.442  1812  1812 E AndroidRuntime: \tat shop.CartView.bind(CartView.kt:88)\n"
        + _lines(50, "05-06 10:13:{s:02}.{n:03}  1812  18{s:02} D {t}Manager: took {n} ms"),
        ("FATAL EXCEPTION: main", "CartView.kt:88"),
    ),
    "ctest": (
        _lines(
            60, "      Start {n:2}: {w}_{n}\n{n:2}/60 Test #{n:2}: {w}_{n} ........   Passed    0.{n:02} sec"
        )
        + "60/60 Test #60: voucher ........***Failed    0.37 sec\n\n98% tests passed, 1 tests failed out of 60\n",
        ("voucher ........***Failed", "1 tests failed out of 60"),
    ),
    "gtest": (
        _lines(80, "[ RUN      ] {t}Test.Case{n}\n[       OK ] {t}Test.Case{n} ({n} ms)")
        + "[ RUN      ] CartTest.Total\n/srv/cart_test.cc:88: Failure\n    Which is: 100\n  90\n[  FAILED  ] CartTest.Total (2 ms)\n",
        ("/srv/cart_test.cc:88: Failure", "Which is: 100", "[  FAILED  ] CartTest.Total"),
    ),
    "ffmpeg": (
        "ffmpeg version 6.0\n"
        + "".join(
            f"frame={n * 24:5} fps= 24 size={n * 100:8}kB time=00:00:{n % 60:02}.00 speed=1x    \r"
            for n in range(80)
        )
        + "\n[mov,mp4 @ 0x55] moov atom not found\nin.mp4: Invalid data found when processing input\n",
        ("moov atom not found", "Invalid data found"),
    ),
    "dbt": (
        _lines(
            60, "10:00:{s:02}  {n} of 60 OK created sql table model {w}_{n} .... [SELECT {n} in 0.{n:02}s]"
        )
        + "10:01:02  Completed with 1 error and 0 warnings:\n10:01:02    Database Error in model orders_daily (orders_daily.sql)\n"
        '10:01:02    column "totl" does not exist\n10:01:02  Done. PASS=59 WARN=0 ERROR=1 SKIP=0 TOTAL=60\n',
        ('column "totl" does not exist', "orders_daily", "ERROR=1"),
    ),
    "trail": (
        "\n".join(
            json.dumps(record)
            for record in _records(
                80,
                lambda n, w: {
                    "eventTime": f"2024-05-06T10:11:{n % 60:02}Z",
                    "eventName": "GetObject",
                    "user": w,
                    "key": f"{w}/{n}",
                },
                eventName="DeleteBucket",
                errorCode="AccessDenied",
                user="mallory",
            )
        ),
        ("DeleteBucket", "AccessDenied", "mallory"),
    ),
    "trx": (
        '<?xml version="1.0"?>\n<TestRun><Results>\n'
        + _lines(60, '<UnitTestResult testName="Shop.{t}{n}" outcome="Passed" duration="00:00:00.{n:02}" />')
        + '<UnitTestResult testName="Shop.CartTests.Voucher" outcome="Failed"><Output><ErrorInfo><Message>Expected 90, Actual 100</Message>'
        "</ErrorInfo></Output></UnitTestResult>\n</Results></TestRun>\n",
        ("Expected 90, Actual 100", "Shop.CartTests.Voucher"),
    ),
}
