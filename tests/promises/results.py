"""Results that are read, pickled and copied in any order: copies say the same, and what is JSON is JSON."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from random import Random
from typing import Any

from promises.check import Call, Door

_READ = ("relevance", "ratio", "places", "facts", "warnings", "to_dict", "to_list", "__repr__")
_COPIES: dict[str, Callable[[Any], Any]] = {
    "pickle": lambda result: pickle.loads(pickle.dumps(result)),
    "pickle, protocol 2": lambda result: pickle.loads(pickle.dumps(result, protocol=2)),
    "copy": copy.copy,
    "deep copy": copy.deepcopy,
}


def strict_json(text: str | bytes) -> Any:
    """Read JSON as its standard has it: raises ValueError for NaN, infinities and what has no UTF-8."""

    def refuse(name: str) -> Any:
        raise ValueError(f"{name} is no JSON")

    data = text.encode() if isinstance(text, str) else text
    return json.loads(data.decode(), parse_constant=refuse)


def _of_ours(value: Any, depth: int = 0) -> Iterator[Any]:
    """The objects of this package in what a door gave."""
    if type(value).__module__.startswith("tersely") and not isinstance(value, Exception):
        yield value
        if is_dataclass(value) and depth < 2:
            for entry in fields(value):
                yield from _of_ours(getattr(value, entry.name), depth + 1)
    elif isinstance(value, (list, tuple)) and depth < 3:
        for inner in value:
            yield from _of_ours(inner, depth + 1)
    elif isinstance(value, Mapping) and depth < 3:
        yield from _of_ours(list(value.values()), depth + 1)


def _read(value: Any, name: str) -> list[str]:
    """Read a part of an object, and say where what should be JSON is none."""
    part = getattr(value, name, None)
    said = part() if callable(part) else part
    if name not in ("to_dict", "to_list") or part is None:
        return []
    try:
        strict_json(json.dumps(said, allow_nan=False, ensure_ascii=False))
    except (TypeError, ValueError) as error:
        return [f"{type(value).__name__}.{name}() is no JSON: {error}"]
    return []


def _copied(door: Door) -> Door:
    """Make a door whose results are read, copied, and read again, in an order of its own."""

    def made(random: Random) -> Call:
        call, order = door(Random(random.random())), random.random()

        def check(result: Any, budget: int) -> list[str]:
            mixed, wrong = Random(order), []
            seen = call.seen(result) if mixed.random() < 0.3 else None
            for value in _of_ours(result):
                for name in mixed.sample(_READ, 3):
                    wrong += _read(value, name)
            for name in mixed.sample(list(_COPIES), 2):
                try:
                    other = _COPIES[name](result)
                except Exception as error:
                    wrong.append(f"{name} raised {error!r}")
                    continue
                seen = call.seen(result) if seen is None else seen
                for one, two in zip(_of_ours(result), _of_ours(other), strict=True):
                    kind = type(one).__name__
                    wrong += [] if one == two or kind[0] == "_" else [f"the {name} is not equal: {kind}"]
                wrong += [] if call.seen(other) == seen else [f"the {name} says something else"]
            return wrong[:5]

        return replace(call, check=check)

    return made


def results_doors(doors: Mapping[str, tuple[Door, int]]) -> dict[str, tuple[Door, int]]:
    """These doors, and how often each is tried."""
    return {f"{name}, copied": (_copied(door), often) for name, (door, often) in doors.items()}
