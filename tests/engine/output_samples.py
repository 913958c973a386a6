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
    "meeting": """A: 25, 30 people will come, I think.
B: That many? Last year it was 12.
A: Yes, and 3, 4 of them with children.
B: Then we need the large room.
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
