"""Tools of a server: name, JSON schema of the arguments, and a function from checked arguments to a reply."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tersely import checks

__all__ = ["Tool", "ToolError", "ToolReply", "check_arguments", "object_schema"]

LONGEST_TEXT = 2_000_000  # characters of one argument where its schema has no maxLength
_PYTHON = {"string": str, "boolean": bool, "array": list, "object": dict}


class ToolError(Exception):
    """A call that cannot be answered; its message is for the model that made the call."""

    @classmethod
    def of_budget(cls, budget: float, required: float) -> ToolError:
        """Make the error of a reply over the caller's budget; `required` tokens were tested."""
        return cls(f"the reply does not fit into {budget:.0f} tokens; {required:.0f} tokens would do")


@checks.brief
@dataclass(frozen=True, slots=True)
class ToolReply:
    """The reply of a tool."""

    text: str  #: for the model
    data: Mapping[str, Any]  #: the same for programs, as plain JSON types


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool of a server."""

    name: str  #: with `description`: as the model sees them
    description: str
    input_schema: Mapping[str, Any]  #: JSON schema of an object, of the kind that `check_arguments` reads
    #: from checked arguments (all of the schema's that are given or have a default) to the reply. Runs on any
    #: thread. Raises ToolError, ValueError, TypeError or CompressionError for errors that the caller can
    #: correct; anything else is a fault of the server and is reported without its message.
    run: Callable[[dict[str, Any]], ToolReply]
    read_only: bool = True  #: whether it changes nothing
    #: schemas of arguments beside those of `input_schema`, which models see: for programs
    unlisted: Mapping[str, Any] = field(default_factory=dict)

    @property
    def properties(self) -> dict[str, Any]:
        """Schemas of all arguments, listed or not."""
        return {**self.input_schema["properties"], **self.unlisted}

    def checked(self, given: Mapping[str, Any] | None) -> dict[str, Any]:
        """Check the arguments of a call (`check_arguments`)."""
        return check_arguments({**self.input_schema, "properties": self.properties}, given)


def object_schema(required: Sequence[str], **properties: Mapping[str, Any]) -> dict[str, Any]:
    """Make the schema of a tool's arguments."""
    return {"type": "object", "properties": properties, "required": list(required)}


def argument(kind: str, description: str, **more: Any) -> dict[str, Any]:
    """Make the schema of an argument: its JSON type, what it is, and its default and limits."""
    return {"type": kind, "description": description, **more}


TOP_N = argument("integer", "Maximum results to return (default: 5)", default=5, minimum=1, maximum=100)
Run = TypeVar("Run", bound=Callable[..., ToolReply])


def tool(
    description: str,
    required: Sequence[str] = (),
    *,
    read_only: bool = True,
    unlisted: Mapping[str, Any] | None = None,
    **properties: Any,
) -> Callable[[Run], Run]:
    """Mark a method as a tool (`tools_of`)."""

    def mark(method: Run) -> Run:
        method.tool = description, required, properties, read_only, unlisted or {}  # type: ignore[attr-defined]
        return method

    return mark


def tools_of(server: object) -> list[Tool]:
    """List the tools that methods of an object are, in their order."""
    tools = []
    for name, method in vars(type(server)).items():
        if hasattr(method, "tool"):
            description, required, properties, read_only, unlisted = method.tool
            schema = object_schema(required, **properties)
            tools.append(Tool(name, description, schema, getattr(server, name), read_only, unlisted))
    return tools


def check_arguments(schema: Mapping[str, Any], given: Mapping[str, Any] | None) -> dict[str, Any]:
    """Check the arguments of a call against the tool's schema, and fill in its defaults.

    `schema` may use: type, properties, required, default, enum, minimum (which an integer must have),
    exclusiveMinimum (with maximum), maximum, maxLength, items, minItems, maxItems. A text has at most
    LONGEST_TEXT characters unless its schema says otherwise. true and false are not numbers; 5.0 is the
    integer 5; names that are not in the schema are refused.

    Raises ToolError that names the argument, what was passed and what is allowed.
    """
    arguments = dict(given or {})
    properties: Mapping[str, Any] = schema["properties"]
    for name in arguments:
        if name not in properties:
            raise ToolError(f"unknown argument {name[:60]!r}; allowed: {', '.join(properties)}")
    for name in schema.get("required", ()):
        if name not in arguments:
            raise ToolError(f"{name} is required")
    defaults = {name: part["default"] for name, part in properties.items() if "default" in part}
    try:
        return defaults | {name: _check(name, properties[name], value) for name, value in arguments.items()}
    except (TypeError, ValueError) as error:
        raise ToolError(str(error)) from None


def _check(name: str, schema: Mapping[str, Any], value: Any) -> Any:
    kind = schema.get("type")
    if kind in ("integer", "number"):
        return _check_number(name, schema, value)
    if kind is not None and not isinstance(value, _PYTHON[kind]):
        raise TypeError(f"{name} must be of type {kind}, not {checks.shown(value)}")
    if isinstance(value, str):
        longest = schema.get("maxLength", LONGEST_TEXT)
        if len(value) > longest:
            raise ValueError(f"{name} must have at most {longest:,} characters, not {len(value):,}")
    if "enum" in schema:
        checks.one_of(value, name, schema["enum"])
    if not isinstance(value, list):
        return value
    fewest, most = schema.get("minItems", 0), schema.get("maxItems")
    if len(value) < fewest or (most is not None and len(value) > most):
        limits = f"{fewest} or more" if most is None else f"{fewest} to {most}"
        raise ValueError(f"{name} must have {limits} items, not {len(value)}")
    items = schema.get("items")  # without: the schema says nothing about them
    return [_check(f"{name}[{place}]", items, item) for place, item in enumerate(value)] if items else value


def _check_number(name: str, schema: Mapping[str, Any], value: Any) -> int | float:
    if schema["type"] == "number":
        limits = {"least": "minimum", "most": "maximum", "above": "exclusiveMinimum"}
        return checks.number(value, name, **{ours: schema.get(theirs) for ours, theirs in limits.items()})
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return checks.whole_number(value, name, least=schema["minimum"], most=schema.get("maximum"))
