"""No regular expression of the package takes time that grows faster than its text."""

from __future__ import annotations

import ast
import functools
import importlib
import pkgutil
import re
import signal
import time
from collections.abc import Callable, Iterator
from itertools import islice, product
from pathlib import Path
from string import ascii_letters, digits
from typing import Any

import pytest
import tersely

# Patterns that are made while a program runs: file -> functions. They hold escaped text and numbers only.
BUILDERS = {
    "engine/finish.py": {"_unaccounted"},
    "report/pieces.py": {"_place"},
    "memory/segments/reading.py": {"says_line"},
    "memory/segments/words.py": {"pattern", "finder"},
}
SIZES = (4_096, 8_192, 16_384)  # characters
FLOOR = 0.02  # seconds of CPU at the largest size: less is too little to tell growth from noise
CUT = 0.25  # seconds of CPU after which a run is given up
MOST = 2.6  # for twice the size: linear is 2, quadratic 4
INPUTS = 80  # of a pattern, at most
PACKAGE = Path(tersely.__file__).parent
WAYS: dict[str, Callable[[re.Pattern[Any], Any], object]] = {
    "finditer": lambda pattern, text: sum(1 for _ in pattern.finditer(text)),
    "match": lambda pattern, text: pattern.match(text),
    "fullmatch": lambda pattern, text: pattern.fullmatch(text),
}
SAME = {
    "search": "finditer",
    "sub": "finditer",
    "subn": "finditer",
    "split": "finditer",
    "findall": "finditer",
}


def modules() -> Iterator[Any]:
    for found in pkgutil.walk_packages(tersely.__path__, "tersely."):
        if found.name.endswith("__main__"):
            continue
        try:
            module = importlib.import_module(found.name)
        except ImportError:  # an extra that is not here
            continue
        if (module.__file__ or "").endswith(".py"):
            yield module


def patterns_in(value: Any, depth: int = 0) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict) and depth < 4:
        for one in value.values():
            yield from patterns_in(one, depth + 1)
    elif isinstance(value, tuple | list | set | frozenset) and depth < 4:
        for one in value:
            yield from patterns_in(one, depth + 1)
    elif hasattr(value, "__dataclass_fields__") and not isinstance(value, type) and depth < 4:
        for name in value.__dataclass_fields__:
            yield from patterns_in(getattr(value, name, None), depth + 1)


@functools.cache
def calls() -> dict[tuple[str, str], set[str]]:
    """(module, name) of a variable, and ("", name) of one that others import -> the ways it is called."""
    found: dict[tuple[str, str], set[str]] = {}
    methods = "|".join([*WAYS, *SAME])
    for path in PACKAGE.rglob("*.py"):
        module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        for name, method in re.findall(rf"\b([A-Z_]+)\.({methods})\b", path.read_text(encoding="utf-8")):
            key = (module if name.startswith("_") else "", name)
            found.setdefault(key, set()).add(SAME.get(method, method))
    return found


@functools.cache
def all_patterns() -> dict[str, re.Pattern[Any]]:
    """Name of the module and the variable -> pattern; each pattern once, where it is written."""
    found: dict[re.Pattern[Any], str] = {}
    for module in modules():
        source = Path(module.__file__ or "").read_text(encoding="utf-8")
        for name in re.findall(r"^(\w+)\b.*=", source, re.MULTILINE):  # the others are imported
            value = vars(module).get(name)
            for place, pattern in enumerate(patterns_in(value)):
                found.setdefault(pattern, f"{module.__name__.removeprefix('tersely.')}.{name}[{place}]")
    return {name: pattern for pattern, name in found.items()}


class LateError(Exception):
    """A run took too long."""


def seconds(run: Callable[[Any], object], text: Any, cut: float = CUT) -> float:
    """CPU seconds of run(text), `cut` where it would take longer: the engine of `re` answers signals."""

    def stop(_number: int, _frame: object) -> None:
        raise LateError

    before = signal.signal(signal.SIGVTALRM, stop)
    begun = time.process_time()
    signal.setitimer(signal.ITIMER_VIRTUAL, cut)
    try:
        run(text)
    except LateError:
        return cut
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    return time.process_time() - begun


def steep(run: Callable[[Any], object], made: Callable[[int], Any]) -> list[float]:
    """Seconds at each size where they grow faster than the text, else []; the best of all tries counts.
    What grows faster does so at twice the sizes, too."""
    if max(seconds(run, made(64)), seconds(run, made(1_024)), seconds(run, made(SIZES[-1]))) < FLOOR:
        return []
    times: list[float] = []
    for factor, tries in ((1, 6), (2, 3)):
        cut = factor * CUT
        times = [cut] * len(SIZES)
        for _ in range(tries):
            tried = (seconds(run, made(factor * size), cut) for size in SIZES)
            times = list(map(min, times, tried))
            if times[-1] < cut and times[-1] <= MOST**2 * max(times[0], FLOOR / MOST**2):
                return []
            if times[0] >= cut:
                return times
    return times


def hostile_texts(pattern: re.Pattern[Any]) -> Iterator[tuple[str, str, str]]:
    """(before, repeated, behind): texts are before + repeated * n + behind, the likeliest first.

    Each character and word that a pattern names is repeated, alone and with others, behind what may begin a
    match and with something behind it that does not fit.
    """
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    plain = re.sub(r"\(\?[:=!<>P#a-z]*>?|\\[a-zA-Z]", " ", source)
    signs = dict.fromkeys([" ", "a", "1", "\n", *sorted({*plain} - {*"^$\\?*+|()", *ascii_letters, *digits})])
    words = sorted({*re.findall(r"[^\W_]+", plain)}, key=len)[-4:]
    for before in ("", *words[-1:], *list(signs)[4:7]):
        for pieces in (signs, words, (f"{word}{sign}" for word in words for sign in list(signs)[:6])):
            for repeated in pieces:
                yield before, repeated, "\x00"
    for one, other in product(list(signs)[:6], signs):
        yield "", one + other, "\x00"
        yield one, other, ""


def check(name: str) -> None:
    pattern = all_patterns()[name]
    for before, repeated, behind in islice(dict.fromkeys(hostile_texts(pattern)), INPUTS):

        def made(size: int, parts: tuple[str, str, str] = (before, repeated, behind)) -> Any:
            text = parts[0] + parts[1] * (size // len(parts[1])) + parts[2]
            return text if isinstance(pattern.pattern, str) else text.encode()

        module, _, variable = name.partition("[")[0].rpartition(".")
        used = calls().get((module, variable)) or calls().get(("", variable)) or set(WAYS)
        for way in sorted(used):
            times = steep(functools.partial(WAYS[way], pattern), made)
            assert not times, f"{name}: {way} on {before!r} + {repeated!r} * n + {behind!r}: {times}"


@pytest.mark.seconds
@pytest.mark.parametrize("part", range(8))
def test_patterns_are_linear(part: int) -> None:
    assert len(all_patterns()) > 100
    for name in list(all_patterns())[part::8]:
        check(name)


def test_patterns_are_made_when_a_module_is_loaded() -> None:
    """So that the test above sees all of them, and no text of a user's becomes one unescaped."""
    functions = {"compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"}
    for path in PACKAGE.rglob("*.py"):
        file = path.relative_to(PACKAGE).as_posix()
        for top in ast.parse(path.read_text(encoding="utf-8")).body:
            for node in ast.walk(top):
                if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.name in BUILDERS.get(
                    file, ()
                ):
                    continue
                for inner in ast.walk(node):
                    if not (isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute)):
                        continue
                    called = inner.func
                    made = isinstance(called.value, ast.Name) and called.value.id == "re"
                    assert not (made and called.attr in functions), f"{file} line {inner.lineno}"
