"""Read from a call of a tool what its result is: of which tool, file or command."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tersely.core.types import Document
from tersely.history.messages import Entry, Piece

__all__ = ["called_arguments", "called_tools", "document_of_result", "hints_by_call", "hints_of"]

_PATHS = (
    "file_path",
    "path",
    "filename",
    "file",
    "absolute_path",
    "target_file",
)  # arguments that name a file
_COMMANDS = ("command", "cmd")
_NONE = (None, None)

#: A path or file name, and a command line, where they are known.
Hints = tuple[str | None, str | None]


def hints_of(arguments: Any) -> Hints:
    """Return the path and the command line that a call's arguments (a mapping, or its JSON) name."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            return _NONE
    if not isinstance(arguments, Mapping):
        return _NONE
    file, command = (
        next((arguments[key] for key in keys if isinstance(arguments.get(key), str)), None)
        for keys in (_PATHS, _COMMANDS)
    )
    return file, command


def called_tools(entries: Sequence[Entry]) -> dict[str, str]:
    """Return the name of the tool of each call, by the call's id."""
    return {
        piece.call: piece.text.partition(" ")[0]
        for entry in entries
        for piece in entry.pieces
        if piece.kind == "call"
    }


def called_arguments(entries: Sequence[Entry]) -> dict[str, str]:
    """Return the arguments of each call as JSON, by the call's id; "" where one message has an id twice."""
    found: dict[str, str] = {}
    for entry in entries:
        own: dict[str, str] = {}
        for piece in entry.pieces:
            if piece.kind == "call":
                own[piece.call] = "" if piece.call in own else piece.text.partition(" ")[2]
        found |= own
    return found


def hints_by_call(entries: Sequence[Entry]) -> dict[str, Hints]:
    """Return what the calls of a history say of their results, by the id of the call. O(characters)."""
    return {call: hints_of(arguments) for call, arguments in called_arguments(entries).items()}


def document_of_result(result: Piece, hints: Mapping[str, Hints]) -> Document:
    """Return a result as a document that is read as what its call says it is (`hints_by_call`)."""
    file, command = hints.get(result.call, _NONE)
    return Document(result.text, name=file, command=command)
