"""Who said what: the source that is named before an excerpt."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tersely.memory.messages import Entry, Piece

__all__ = ["called_tools", "source_of"]

_NAME = re.compile(r"[\w.:-]{1,64}", re.ASCII)  # of a tool; any other is not repeated


def source_of(entry: Entry, piece: Piece, number: int, called: Mapping[str, str]) -> str:
    """Who said a piece of an entry, and the number of the message: "user 12", "tool grep 13".

    A result is a tool's, whatever the role of its message; what was quoted before says itself whose it is:
    "excerpts 14". `called`: id of a call -> name of the tool.
    """
    if piece.kind == "result" or (piece.kind == "call" and entry.role != "assistant"):  # a result in JSON
        name = entry.name if entry.role == "tool" and entry.name else called.get(piece.call, "")
        return f"tool {name} {number}" if _NAME.fullmatch(name) else f"tool {number}"
    if piece.kind == "excerpts":
        return f"excerpts {number}"
    return f"{entry.role if entry.role in ('user', 'assistant') else 'other'} {number}"


def called_tools(entries: Sequence[Entry]) -> dict[str, str]:
    """The name of the tool of each call, by the call's id."""
    found: dict[str, str] = {}
    for entry in entries:
        names = [piece.text.partition(" ")[0] for piece in entry.pieces if piece.kind == "call"]
        found |= dict(zip(entry.calls, names, strict=False))
    return found
