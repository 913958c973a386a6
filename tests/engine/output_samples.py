"""Output of tools that looks a little like a stack trace, a talk or data, written for the tests."""

# ruff: noqa: E501

OTHERS = {"meeting": "conversation", "markdown": "markdown", "code": "code", "log": "log"}
TEXTS = {
    "unittest": """..F.
======================================================================
FAIL: test_total (tests.test_order.OrderTest.test_total)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/srv/shop/tests/test_order.py", line 17, in test_total
    self.assertEqual(order.total(), 30)
AssertionError: 20 != 30

----------------------------------------------------------------------
Ran 4 tests in 0.003s

FAILED (failures=1)
""",
    "pytest": """============================= test session starts ==============================
platform linux -- Python 3.12.1, pytest-8.0.0, pluggy-1.4.0
rootdir: /srv/shop
collected 4 items

tests/test_order.py ..F.                                                 [100%]

=================================== FAILURES ===================================
__________________________________ test_total __________________________________

    def test_total():
        order = Order([10, 10])
>       assert order.total() == 30
E       assert 20 == 30
E        +  where 20 = total()

tests/test_order.py:17: AssertionError
=========================== short test summary info ============================
FAILED tests/test_order.py::test_total - assert 20 == 30
========================= 1 failed, 3 passed in 0.03s ==========================
""",
    "gotest": """=== RUN   TestTotal
--- FAIL: TestTotal (0.00s)
    order_test.go:17: got 20, want 30
=== RUN   TestEmpty
--- PASS: TestEmpty (0.00s)
FAIL
FAIL	example.org/shop/order	0.004s
ok  	example.org/shop/pay	0.003s
""",
    "cargotest": """running 3 tests
test order::tests::empty ... ok
test order::tests::one ... ok
test order::tests::total ... FAILED

failures:

---- order::tests::total stdout ----
thread 'order::tests::total' panicked at src/order.rs:31:9:
assertion `left == right` failed
  left: 20
 right: 30
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace


failures:
    order::tests::total

test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
""",
    "jest": """FAIL src/order.test.js
  ✓ empty (2 ms)
  ✕ total (3 ms)

  ● total

    expect(received).toBe(expected) // Object.is equality

    Expected: 30
    Received: 20

      15 |   const order = new Order([10, 10]);
    > 16 |   expect(order.total()).toBe(30);
         |                         ^
      17 | });

      at Object.toBe (src/order.test.js:16:25)

Test Suites: 1 failed, 1 total
Tests:       1 failed, 1 passed, 2 total
Time:        0.512 s
""",
    "rspec": """F.

Failures:

  1) Order#total sums the prices
     Failure/Error: expect(order.total).to eq(30)

       expected: 30
            got: 20

       (compared using ==)
     # ./spec/order_spec.rb:9:in `block (3 levels) in <top (required)>'

Finished in 0.01 seconds (files took 0.08 seconds to load)
2 examples, 1 failure

Failed examples:

rspec ./spec/order_spec.rb:8 # Order#total sums the prices
""",
    "phpunit": """PHPUnit 10.5.5 by Sebastian Bergmann and contributors.

..F.                                                                4 / 4 (100%)

Time: 00:00.012, Memory: 8.00 MB

There was 1 failure:

1) OrderTest::testTotal
Failed asserting that 20 matches expected 30.

/srv/shop/tests/OrderTest.php:17

FAILURES!
Tests: 4, Assertions: 4, Failures: 1.
""",
    "gcc": """In file included from src/order.c:3:
src/order.h:12:5: error: unknown type name 'money_t'
   12 |     money_t total;
      |     ^~~~~~~
src/order.c: In function 'total':
src/order.c:42:12: warning: returning 'int' from a function with return type 'char *' [-Wint-conversion]
   42 |     return 0x1;
      |            ^~~
make: *** [Makefile:9: order.o] Error 1
""",
    "perlsyntax": """Global symbol "$totl" requires explicit package name (did you forget to declare "my $totl"?) at order.pl line 9.
syntax error at order.pl line 12, near "}"
Execution of order.pl aborted due to compilation errors.
""",
    "pylint": """************* Module shop.order
C:  1, 0: Missing module docstring (missing-docstring)
W: 12, 4: Unused variable 'x' (unused-variable)
E: 31,15: Instance of 'Order' has no 'totl' member (no-member)
R: 40, 0: Too many return statements (7/6) (too-many-return-statements)
""",
    "flake8": """shop/order.py:1:1: D100 Missing docstring in public module
shop/order.py:12:5: F841 local variable 'x' is assigned to but never used
shop/pay.py:9:80: E501 line too long (88 > 79 characters)
""",
    "meeting": """A: 25, 30 people will come, I think.
B: That many? Last year it was 12.
A: Yes, and 3, 4 of them with children.
B: Then we need the large room.
""",
    "coolflux": """coolflux: dsp/FirOperator_slave.c->dsp/FirOperator_slave.o
coolflux: dsp/GenericTuner.c->dsp/GenericTuner.o
coolflux: dsp/GunOperator.c->dsp/GunOperator.o
coolflux: dsp/GunTuner.c->dsp/GunTuner.o
Warning in "dsp/Local.c", line 12: unused variable
coolflux: dsp/LocalChAdmin.c->dsp/LocalChAdmin.o
""",
    "markdown": """# Order total fails

When I run the shop with an empty order it fails. I expected a total of zero, as in the
documentation of the `total` function.

```
Traceback (most recent call last):
  File "shop.py", line 3, in <module>
    main()
ValueError: empty
```

## Steps

- start the shop
- open an empty order
""",
    "code": '''import traceback

TRACE = """Traceback (most recent call last):
  File "x.py", line 3, in <module>
ValueError: empty
"""


def last(text):
    lines = text.splitlines()
    return lines[-1]


class Order:
    def total(self):
        raise ValueError("empty")
''',
    "log": """2024-05-02 10:11:12,345 INFO worker: started job 17
2024-05-02 10:11:13,001 ERROR worker: job 17 failed
Traceback (most recent call last):
  File "/srv/app/worker.py", line 88, in run
    job.execute()
  File "/srv/app/jobs.py", line 41, in execute
    self.client.post(url, json=body)
  File "/srv/app/client.py", line 19, in post
    raise Timeout(url)
app.client.Timeout: https://pay.example.org/charge
2024-05-02 10:11:13,020 INFO worker: retry of job 17 in 30 s
2024-05-02 10:11:43,044 INFO worker: started job 17
2024-05-02 10:11:44,500 INFO worker: job 17 done
2024-05-02 10:11:45,120 INFO worker: started job 18
2024-05-02 10:11:46,777 INFO worker: job 18 done
""",
    "events that go on": "".join(
        f"INFO     step {n} of the run has started\n"
        "            and what it does is told in some words on lines of their own,\n"
        "            which are indented as far as the message.\n"
        for n in range(9)
    ),
}
#: What it is, and the text.
OUTPUTS = {name: (OTHERS.get(name, "tool_output"), text) for name, text in TEXTS.items()}
