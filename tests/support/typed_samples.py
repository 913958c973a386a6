"""A text of each content type, long enough that a third of it is a choice."""

from __future__ import annotations

import difflib
import json

from tersely.types import KINDS

_SAID = ("The ferry is late again.", "Somebody should ask the harbour office.", "I can do that on Monday.")

PROSE = " ".join(f"Sentence {n} says that gate {n % 7} of the dam was opened on day {n}." for n in range(60))
MARKDOWN = "# Gates\n\n" + "\n\n".join(
    f"## Gate {n}\n\nGate {n} was opened on day {n}. It has held since then.\n\n- oak\n- steel {n}"
    for n in range(20)
)
CONVERSATION = "\n".join(
    f"{('Anna', 'Ben', 'Chris')[n % 3]}: {_SAID[n % 3]} That was point {n}." for n in range(40)
)
CODE = "import math\n\n\n" + "\n\n".join(
    f'def area_{n}(width: float, height: float) -> float:\n    """The area of shape {n}."""\n'
    f"    if width < {n}:\n        return 0.0\n    return width * height * math.pi"
    for n in range(20)
)
LOG = "\n".join(
    f"2024-05-01 10:{n // 60:02}:{n % 60:02} INFO [worker-{n % 3}] served /items/{n} in {n % 90} ms"
    for n in range(100)
).replace("INFO [worker-2] served /items/50 in 50 ms", "ERROR [worker-2] payment timeout for order 9")
TOOL_OUTPUT = (
    "collecting ...\n"
    + "\n".join(f"tests/test_{n}.py::test_case_{n} PASSED [ {n}%]" for n in range(60))
    + "\ntests/test_x.py::test_gate FAILED [ 99%]\nE   AssertionError: gate 7 is open\n"
    + "1 failed, 60 passed in 3.20s"
)
STACK_TRACE = (
    "Traceback (most recent call last):\n"
    + "\n".join(
        f'  File "/app/part_{n}.py", line {n}, in step_{n}\n    step_{n + 1}(value)' for n in range(30)
    )
    + "\nValueError: gate 7 is open"
)
JSON = json.dumps(
    {"page": 1, "orders": [{"id": n, "state": "paid", "note": f"order number {n}"} for n in range(60)]}
)
JSONL = "\n".join(json.dumps({"n": n, "event": "tick", "took": n % 9}) for n in range(80))
TABLE = "\n".join(["id,host,latency,status", *(f"{n},web-{n % 5},{90 + n % 13},OK" for n in range(90))])
_BEFORE = [f"value = step_{n}(value)\n" for n in range(60)]
_AFTER = [line.replace("step", "stage") if n % 9 == 4 else line for n, line in enumerate(_BEFORE)]
DIFF = "".join(difflib.unified_diff(_BEFORE, _AFTER, "a/gates.py", "b/gates.py"))
HTML = (
    "<!DOCTYPE html><html><head><title>Dams</title></head><body><nav><a href='/'>Home</a></nav>"
    + "".join(f"<p>Gate {n} is <b>closed</b> at night &amp; on day {n}.</p>" for n in range(40))
    + "</body></html>"
)
MIXED = (
    f"We saw failures in checkout.\n\n```log\n{LOG}\n```\n\n"
    f"We will add retries by Friday.\n\n```json\n{JSON}\n```\n"
)

#: By the name of the content type.
SAMPLES: dict[str, str] = {
    "prose": PROSE, "markdown": MARKDOWN, "conversation": CONVERSATION, "code": CODE, "log": LOG,
    "tool_output": TOOL_OUTPUT, "stack_trace": STACK_TRACE, "json": JSON, "jsonl": JSONL, "table": TABLE,
    "diff": DIFF, "html": HTML, "mixed": MIXED,
}  # fmt: skip
assert list(SAMPLES) == list(KINDS)
