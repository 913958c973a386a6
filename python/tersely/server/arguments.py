"""Arguments of a call, checked against the tool's schema, with the defaults filled in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tersely.documents import check_text
from tersely.server.tools import ToolError

__all__ = ["checked_arguments"]

_PYTHON = {"string": str, "boolean": bool, "array": list, "object": dict}


def checked_arguments(schema: Mapping[str, Any], given: Mapping[str, Any] | None) -> dict[str, Any]:
    """The arguments by name.

    `schema` may use: type, properties, required, default, enum, minimum, exclusiveMinimum (with maximum),
    maximum, items, minItems, maxItems. true and false are no numbers; 5.0 is the integer 5; names that the
    schema does not have are refused.

    Raises ToolError that names the argument, what came and what is allowed.
    """
    arguments = dict(given or {})
    properties: Mapping[str, Any] = schema["properties"]
    for name in arguments:
        if name not in properties:
            raise ToolError(f"unknown argument {name[:60]!r}; allowed: {', '.join(properties)}")
    for name in schema.get("required", ()):
        if name not in arguments:
            raise ToolError(f"{name} is required")
    checked = {name: part["default"] for name, part in properties.items() if "default" in part}
    return checked | {name: _checked(name, properties[name], value) for name, value in arguments.items()}


def _checked(name: str, schema: Mapping[str, Any], value: Any) -> Any:
    value = _typed(name, schema.get("type"), value)
    if "enum" in schema and value not in schema["enum"]:
        raise ToolError(f"{name} must be one of {', '.join(map(str, schema['enum']))}, not {_shown(value)}")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        low, high, above = (schema.get(limit) for limit in ("minimum", "maximum", "exclusiveMinimum"))
        too_low = (low is not None and value < low) or (above is not None and value <= above)
        if too_low or (high is not None and value > high):
            limits = f"over {above}, at most {high}" if above is not None else f"in [{low}, {high}]"
            limits = limits if high is not None else f"{low} or more"
            raise ToolError(f"{name} must be {limits}, not {value}")
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            low, high = schema.get("minItems", 0), schema.get("maxItems")
            limits = f"{low} or more" if high is None else f"{low} to {high}"
            raise ToolError(f"{name} must have {limits} items, not {len(value)}")
        value = [
            _checked(f"{name}[{place}]", schema.get("items", {}), item) for place, item in enumerate(value)
        ]
    return value


def _typed(name: str, kind: str | None, value: Any) -> Any:
    if kind is None:
        return value
    if kind in ("integer", "number"):
        good = isinstance(value, (int, float)) and not isinstance(value, bool) and value == value
        if good and kind == "integer":
            good = isinstance(value, int) or value.is_integer()
        if not good:
            raise ToolError(
                f"{name} must be {'an' if kind == 'integer' else 'a'} {kind}, not {_shown(value)}"
            )
        return int(value) if kind == "integer" else value
    if not isinstance(value, _PYTHON[kind]):
        raise ToolError(f"{name} must be of type {kind}, not {_shown(value)}")
    if isinstance(value, str):
        try:
            check_text(value, name)
        except ValueError as error:
            raise ToolError(str(error)) from None
    return value


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"
