"""Fit a list of tools into a token budget: shorter descriptions and schemas, the same names and types."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tersely
from tersely.files import private
from tersely.mcp.answers import count_tokens
from tersely.memory.messages import to_json

# How much of a definition may stay, step by step: tokens of the tool's description, and of each argument's.
_STEPS = ((80, 20), (40, 0), (15, 0))
_NOTES = frozenset({"title", "description", "examples", "$comment", "markdownDescription"})  # bind nobody
_MAPS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")  # names to schemas
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_ONE = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames")


@dataclass(slots=True)
class CallCounts:
    """Calls of each tool, counted in a file that outlives the session; one that cannot be used is empty."""

    path: Path
    counts: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        with suppress(OSError, ValueError):
            given = json.loads(self.path.read_bytes())
            self.counts.update({name: count for name, count in given.items() if type(count) is int})

    def add(self, name: str) -> None:
        """Count a call."""
        self.counts[name] += 1
        with suppress(OSError), open(self.path, "w", encoding="utf-8", opener=private) as file:
            json.dump(self.counts, file)


def fit_tools(
    tools: Sequence[Any], budget: int, counts: Mapping[str, int], keep: Callable[[str], str]
) -> list[Any]:
    """Shorten definitions of tools until their JSON has at most `budget` tokens, the least asked first.

    Names, types, required arguments, enums and defaults stay. Where even the shortest definitions take more,
    these are given.

    Args:
        tools: as a server lists them; what is no definition stays as it is.
        budget: tokens (o200k_base) of all of them.
        counts: how often each was called.
        keep: takes the JSON of a whole definition, and gives words that say how to get it.
    """
    made = list(tools)
    costs = [count_tokens(to_json(tool)) for tool in tools]
    named = [
        row for row, tool in enumerate(tools) if isinstance(tool, dict) and isinstance(tool.get("name"), str)
    ]
    order = sorted(named, key=lambda row: (counts.get(tools[row]["name"], 0), -costs[row], row))
    for step in _STEPS:
        for row in order:
            if sum(costs) <= budget and count_tokens(to_json(made)) <= budget:
                return made
            short = _shorter(tools[row], *step)
            if short != tools[row]:
                way = keep(to_json(tools[row]))
                short["description"] = f"{short.get('description', '')} [{way}]".strip()
            if (cost := count_tokens(to_json(short))) < costs[row]:
                made[row], costs[row] = short, cost
    return made


def _shorter(tool: Mapping[str, Any], described: int, arguments: int) -> dict[str, Any]:
    made = dict(tool)
    made.pop("title", None)
    if isinstance(tool.get("description"), str):
        made["description"] = _cut(tool["description"], described)
    if isinstance(tool.get("inputSchema"), Mapping):
        made["inputSchema"] = _schema(tool["inputSchema"], arguments)
    return made


def _schema(schema: Any, described: int) -> Any:
    """A schema without what binds nobody, but for the beginnings of descriptions; it allows the same."""
    if not isinstance(schema, Mapping):
        return schema
    made: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _MAPS and isinstance(value, Mapping):
            made[key] = {name: _schema(inner, described) for name, inner in value.items()}
        elif key in _LISTS and isinstance(value, list):
            made[key] = [_schema(inner, described) for inner in value]
        elif key in _ONE:
            made[key] = _schema(value, described)
        elif key == "description" and described and isinstance(value, str):
            made[key] = _cut(value, described)
        elif key not in _NOTES:
            made[key] = value
    return made


def _cut(text: str, budget: int) -> str:
    """The beginning of a text, in whole sentences where they fit."""
    return tersely.compress(text, budget=budget, strategy="lead").text if text.strip() else text
