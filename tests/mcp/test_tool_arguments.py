"""Arguments of tools are checked as JSON schema says, by the validator that the SDK brings."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st
from tersely.mcp.tools import ToolError, check_arguments

jsonschema = pytest.importorskip("jsonschema")

SCHEMA = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "count": {"type": "integer", "default": 5, "minimum": 1, "maximum": 100},
        "share": {"type": "number", "default": 0.3, "minimum": 0.0, "maximum": 1.0},
        "sure": {"type": "boolean", "default": False},
        "kind": {"type": "string", "enum": ["a", "b"]},
        "ids": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3},
        "more": {"type": "object"},
    },
    "required": ["text"],
}
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 102),
    st.floats(-0.5, 101, allow_nan=False),
    st.sampled_from([5.0, 1.5, float("inf"), 10**400]),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=3),
    st.sampled_from(["a", "b"]),
    st.lists(st.one_of(st.text(max_size=2, alphabet="xy"), st.integers()), max_size=4),
    st.dictionaries(st.text(max_size=2, alphabet="xy"), st.integers(), max_size=2),
)


@given(st.dictionaries(st.sampled_from(list(SCHEMA["properties"])), VALUES))
def test_arguments_are_taken_as_the_schema_says(given_arguments: dict[str, Any]) -> None:
    valid = jsonschema.Draft202012Validator(SCHEMA).is_valid(given_arguments)
    try:
        checked = check_arguments(SCHEMA, given_arguments)
    except ToolError as error:
        assert not valid and str(error)
        return
    assert valid
    assert checked == {"count": 5, "share": 0.3, "sure": False} | given_arguments
    assert isinstance(checked["count"], int)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"text": "x", "share": float("nan")}, r"share must lie in \[0, 1\], not nan"),
        ({"text": "x", "ids": ["a", 1]}, r"ids\[1\] must be of type string, not 1"),
        ({"text": "x", "kind": "c"}, "kind must be one of a, b, not 'c'"),
        ({"text": "x", "\n" * 100: 1}, "unknown argument"),
        (None, "text is required"),
    ],
)
def test_what_is_wrong_is_named(arguments: dict[str, Any] | None, message: str) -> None:
    with pytest.raises(ToolError, match=message):
        check_arguments(SCHEMA, arguments)
