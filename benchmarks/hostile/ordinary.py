"""Ordinary text of each content type, as large as wanted: words as frequent as words are."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from itertools import accumulate

__all__ = ["ORDINARY", "ordinary_text"]

_SYLLABLES = ["ba", "co", "de", "fi", "gu", "ha", "le", "mi", "no", "pra", "ro", "sta", "te", "un", "ver"]
_RARE = 6_000  # words, made of syllables
_FEW = random.Random(1)
_WORDS = [
    *(
        [
            "the",
            "of",
            "and",
            "to",
            "in",
            "is",
            "was",
            "for",
            "on",
            "that",
            "with",
            "by",
            "it",
            "as",
            "at",
            "from",
            "not",
            "be",
            "are",
            "this",
        ]
    ),
    *dict.fromkeys("".join(_FEW.choices(_SYLLABLES, k=_FEW.randint(2, 4))) for _ in range(_RARE)),
]
_WEIGHTS = list(accumulate(1 / (rank + 2) for rank in range(len(_WORDS))))  # Zipf's law

_Random = random.Random


def _words(rng: _Random, least: int, most: int) -> list[str]:
    return rng.choices(_WORDS, cum_weights=_WEIGHTS, k=rng.randint(least, most))


def _sentence(rng: _Random) -> str:
    words = _words(rng, 6, 24)
    if rng.random() < 0.3:
        words[rng.randrange(len(words))] = rng.choice(
            [str(rng.randrange(3_000)), "Varen Tolm", "2024-05-01", "$1,200"]
        )
    return " ".join(words).capitalize() + "."


def _paragraph(rng: _Random) -> str:
    return " ".join(_sentence(rng) for _ in range(rng.randint(2, 7))) + "\n\n"


def _markdown(rng: _Random) -> str:
    kind = rng.randrange(6)
    if kind == 0:
        return f"## {' '.join(_words(rng, 2, 6)).title()}\n\n"
    if kind == 1:
        return "".join(f"- {_sentence(rng)}\n" for _ in range(rng.randint(2, 6))) + "\n"
    return f"```python\n{_code(rng)}```\n\n" if kind == 2 else _paragraph(rng)


def _turn(rng: _Random) -> str:
    return f"{rng.choice(['Anna', 'Ben', 'Chris'])}: {_sentence(rng)} {_sentence(rng)}\n"


def _code(rng: _Random) -> str:
    name, other, noun = ("_".join(_words(rng, 1, 2)) for _ in range(3))
    return (
        f"def {name}({noun}: int, limit: float = {rng.randrange(99)}) -> float:\n"
        f'    """{_sentence(rng)}"""\n    total = 0.0\n    for item in range({noun}):\n'
        f"        if item > limit:  # {' '.join(_words(rng, 2, 5))}\n"
        f'            raise ValueError("{other}")\n'
        f"        total += {other}(item) * {rng.randrange(9)}\n    return total\n\n\n"
    )


def _stamp(rng: _Random) -> str:
    day, minute, second = rng.randint(1, 9), rng.randrange(10, 60), rng.randrange(10, 60)
    return f"2024-05-0{day} 10:{minute}:{second}.{rng.randrange(100, 999)}"


def _log(rng: _Random) -> str:
    level = rng.choices(["INFO", "DEBUG", "WARN", "ERROR"], [80, 15, 4, 1])[0]
    said = rng.choice(_LOG_FORMS).format(rng.randrange(9_000), rng.choice(_WORDS))
    return f"{_stamp(rng)} {level} [worker-{rng.randrange(8)}] {said}\n"


_LOG_FORMS = [
    f"{' '.join(_words(_Random(n), 2, 5))} {{0}} {_words(_Random(n), 1, 1)[0]} {{1}}" for n in range(40)
]


def _tool_output(rng: _Random) -> str:
    name = "_".join(_words(rng, 1, 3))
    if rng.random() < 0.02:
        return f"tests/test_{name}.py::test_{name} FAILED\nE   AssertionError: {_sentence(rng)}\n"
    return f"tests/test_{name}.py::test_{name} PASSED [{rng.randrange(100):3}%]\n"


def _trace(rng: _Random) -> str:
    frames = "".join(
        f'  File "/app/{rng.choice(_WORDS)}.py", line {rng.randrange(900)}, in {rng.choice(_WORDS)}\n'
        f"    {rng.choice(_WORDS)}({rng.choice(_WORDS)})\n"
        for _ in range(rng.randint(3, 20))
    )
    return f"Traceback (most recent call last):\n{frames}ValueError: {_sentence(rng)}\n\n"


def _record(rng: _Random) -> dict[str, object]:
    return {
        "id": rng.randrange(10**6),
        "state": rng.choice(["paid", "open", "sent"]),
        "host": f"web-{rng.randrange(20)}",
        "note": " ".join(_words(rng, 3, 9)),
        "total": round(rng.random() * 900, 2),
        "tags": _words(rng, 0, 3),
    }


def _row(rng: _Random) -> str:
    cells = (rng.randrange(10**6), f"web-{rng.randrange(20)}", rng.randrange(900), rng.choice(["OK", "LATE"]))
    return f"{','.join(map(str, cells))},{rng.choice(_WORDS)}\n"


def _hunk(rng: _Random) -> str:
    name = "/".join(_words(rng, 1, 3))
    lines = [rng.choice(" +-") + "    " + " ".join(_words(rng, 2, 8)) for _ in range(rng.randint(4, 20))]
    old, new = (sum(line[0] in sides for line in lines) for sides in (" -", " +"))
    at = rng.randrange(1, 900)
    return (
        f"diff --git a/{name}.py b/{name}.py\n--- a/{name}.py\n+++ b/{name}.py\n"
        f"@@ -{at},{old} +{at},{new} @@\n" + "\n".join(lines) + "\n"
    )


def _element(rng: _Random) -> str:
    word = rng.choice(_WORDS)
    return f'<p class="{word}">{_sentence(rng)} <a href="/{word}">{rng.choice(_WORDS)}</a></p>\n'


def _entry(rng: _Random) -> str:
    row = _record(rng)
    return f'<order id="{row["id"]}"><state>{row["state"]}</state><note>{row["note"]}</note></order>\n'


def _item(rng: _Random) -> str:
    row = _record(rng)
    state, host, note = row["state"], row["host"], row["note"]
    return f"  - id: {row['id']}\n    state: {state}\n    host: {host}\n    note: {note}\n"


def _grow(one: Callable[[_Random], str], before: str = "", behind: str = "") -> Callable[[int], str]:
    def make(size: int) -> str:
        rng, parts, length = _Random(3), [before], len(before) + len(behind)
        while length < size:
            parts.append(one(rng))
            length += len(parts[-1])
        return "".join(parts) + behind

    return make


#: By content type: bytes -> text of about so many bytes.
ORDINARY: dict[str, Callable[[int], str]] = {
    "prose": _grow(_paragraph),
    "markdown": _grow(_markdown, "# Report\n\n"),
    "conversation": _grow(_turn),
    "code": _grow(_code, "import math\n\n\n"),
    "log": _grow(_log),
    "tool_output": _grow(_tool_output, "collecting ...\n", "1 failed, 60 passed in 3.20s\n"),
    "stack_trace": _grow(_trace),
    "json": _grow(lambda rng: json.dumps(_record(rng)) + ",\n", '{"page": 1, "orders": [', "{}]}"),
    "jsonl": _grow(lambda rng: json.dumps(_record(rng)) + "\n"),
    "table": _grow(_row, "id,host,latency,status,owner\n"),
    "diff": _grow(_hunk),
    "html": _grow(_element, "<!DOCTYPE html><html><body>\n", "</body></html>\n"),
    "mixed": _grow(lambda rng: f"{_paragraph(rng)}```log\n{''.join(_log(rng) for _ in range(20))}```\n\n"),
    "xml": _grow(_entry, '<?xml version="1.0"?>\n<orders>\n', "</orders>\n"),
    "yaml": _grow(_item, "orders:\n"),
}


def ordinary_text(kind: str, size: int) -> str:
    """Text of this content type of about `size` bytes: whole units, so that it stays well-formed."""
    return ORDINARY[kind](size)
