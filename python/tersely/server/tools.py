"""What a tool is: a name, a schema, and a function from checked arguments to a reply."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Tool", "ToolError", "ToolReply"]


class ToolError(Exception):
    """A call that cannot be answered; the message is for the model that made it."""


@dataclass(frozen=True, slots=True)
class ToolReply:
    """What a tool says.

    Attributes:
        text: for the model.
        data: the same for programs, as plain JSON types.
    """

    text: str
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool of a server.

    Attributes:
        name, description: as the model sees them.
        input_schema: JSON schema of an object, of the kind that `checked_arguments` reads.
        run: from checked arguments (all of the schema's that are given or have a default) to the reply. Runs
            on any thread. Raises ToolError, ValueError, TypeError or CompressionError for what the caller can
            mend; anything else is a fault of the server and is reported without its message.
        read_only: whether it changes nothing.
    """

    name: str
    description: str
    input_schema: Mapping[str, Any]
    run: Callable[[dict[str, Any]], ToolReply]
    read_only: bool = True
