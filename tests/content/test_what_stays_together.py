"""Values stay with the code that uses them, ends of long lines with their beginnings, notes behind errors."""

from __future__ import annotations

import tersely
from tersely.agents import compress_tool_result
from tersely.types import Kind

CODE = (
    "import time\n\nGRACE = 7.5\nCOLOURS = ['red', 'green', 'blue', 'white']\n\n\n"
    + "".join(
        f"def draw_{name}(canvas, size):\n    canvas.{name}(size, size)\n    return canvas\n\n\n"
        for name in "abcdefgh"
    )
    + "def may_enter(ticket, now):\n    return now <= ticket.ends + GRACE\n"
)
NOTES = "".join(
    f"/usr/include/x.h:{line}:5: note: candidate: 'bool less(const Box<{line}>&, const Box<{line}>&)'\n"
    f"  {line} | bool less(const Box<{line}>& a, const Box<{line}>& b)\n      |      ^~~~\n"
    f"/usr/include/x.h:{line}:5: note:   template argument deduction/substitution failed:\n"
    for line in range(100, 140)
)
COMPILED = (
    "/usr/include/a.h:10:3:   required from 'void sort(It, It) [with It = Part*]'\n"
    "main.cc:7:9:   required from here\n"
    "/usr/include/x.h:40:12: error: no match for 'less' (operand types are 'Part' and 'Part')\n" + NOTES
)
MANUAL = (
    "OPTIONS\n\n       -quick  Skips the files that were not changed since the last run of the\n"
    "              program, which takes a part of the time.\n\n       -slow  Reads all the files again.\n"
)


def test_a_value_stays_with_the_code_that_uses_it() -> None:
    kept = tersely.compress(CODE, "who may enter with a ticket?", ratio=0.3).text
    assert "ticket.ends + GRACE" in kept
    assert "GRACE = 7.5" in kept


def test_a_long_line_that_says_what_failed_keeps_its_end() -> None:
    versions = ", ".join(f"{major}.{minor}" for major in range(1, 12) for minor in range(20))
    text = "Looking in indexes\nERROR: No version of thing==99 (from versions: " + versions + ")\n"
    kept = compress_tool_result(text, budget=300)
    assert "No version of thing==99" in kept
    assert "11.19)" in kept


def test_the_place_that_an_error_came_from_stands_before_its_notes() -> None:
    kept = compress_tool_result(COMPILED, budget=220)
    assert "main.cc:7:9:   required from here" in kept
    assert "error: no match for 'less'" in kept


def test_paragraphs_of_a_manual_are_no_code() -> None:
    assert Kind.CODE not in {Kind(kind) for kind in tersely.segment(MANUAL).kind.tolist()}
