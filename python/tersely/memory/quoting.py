"""Quote parts of messages with their sources, in one message, and read such a message back.

A message of excerpts has the role of a user, so nothing that a tool gave may pass for his words, nor end the
quotes: a marker line that no excerpt holds stands before and behind them, and only a source ("user 12: ")
begins at the start of a line. One that is folded again is read as its quotes, whose sources get the number of
its message and their own: "user 4.7" is the seventh quote of message 4.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate, groupby
from operator import attrgetter, itemgetter
from typing import NamedTuple

from tersely.memory.messages import HEADER, Entry, Kind, Piece
from tersely.writing.prompt import fence

#: Places in a message: (piece, start, end).
Places = tuple[tuple[int, int, int], ...]

_NAME = re.compile(r"[\w.:-]{1,64}", re.ASCII)  # of a tool; any other is not repeated
_INDENT = re.compile("(?<=[\n\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029])|(?<=\r)(?!\n)")  # behind line ends
_SOURCE = re.compile(
    r"(user|assistant|excerpts|other|tool(?: [\w.:-]{1,64})??) \d{1,20}(?:\.\d{1,20})?: ", re.ASCII
)
_KINDS: dict[str, Kind] = {"user": "text", "assistant": "text", "excerpts": "excerpts", "other": "data"}
_KIND = attrgetter("kind")
_ROLES = {"excerpts": "user"}  # of what is quoted as something else than by its speaker


class Quote(NamedTuple):
    """An excerpt in a message of excerpts, with its source."""

    role: str  # and the tool's name, "" without
    name: str
    kind: Kind  # of its piece
    places: Places  # in the message, a line each

    def entry(self, message: Entry, places: Places) -> Entry:
        """Read these of its places as a message."""
        cut = cut_pieces(message.pieces, places)
        return Entry(self.role, tuple(piece._replace(kind=self.kind) for piece in cut), name=self.name)


def sources_of(entries: Sequence[Entry], numbers: Sequence[str], called: Mapping[str, str]) -> list[str]:
    """Name the source of each piece of entries, with the number of its message: "user 12", "tool grep 13".

    A result is a tool's, whatever the role of its message; a message of excerpts that nobody can read back
    says itself whose its words are: "excerpts 14"; what has no known shape is nobody's words: "other 12".
    `called`: id of a call -> name of the tool.
    """
    found = []
    for entry, number in zip(entries, numbers, strict=True):
        of_tool = entry.role == "tool"
        speaker = entry.role if entry.role in ("user", "assistant") else "other"
        for piece in entry.pieces:
            if piece.kind == "result" or (piece.kind in ("data", "picture") and (piece.call or of_tool)):
                name = entry.name if of_tool and entry.name else called.get(piece.call, "")
                found.append(f"tool {name} {number}" if _NAME.fullmatch(name) else f"tool {number}")
            elif piece.kind == "excerpts":
                found.append(f"excerpts {number}")
            else:
                found.append(f"other {number}" if piece.kind == "data" else f"{speaker} {number}")
    return found


def frame_excerpts(lines: str) -> str:
    """Write a message of excerpts: an explanation, and `lines` between two equal marker lines."""
    return f"{HEADER}\n{fence(lines).put(lines)}"


EMPTY = frame_excerpts("")


def quote(sources: Sequence[str], parts: Sequence[str]) -> str:
    """Write parts, each behind its source; only a source begins a line."""
    lines: list[str] = []
    before = ""
    for source, part in zip(sources, parts, strict=False):
        if part:
            said = _INDENT.sub(" ", part)
            lines.append(f" {said}" if source == before else f"{source}: {said}")
            before = source
    return "\n".join(lines)


def read_quotes(entry: Entry) -> list[Quote]:
    """Read a user's message with excerpts as `frame_excerpts` writes them; [] for any other.

    What a tool gave, what a model said, and a file are never read so, whatever they say. What stands beside
    the excerpts is a quote by itself. O(characters).
    """
    if entry.role != "user" or entry.answers or entry.calls or entry.opaque:
        return []
    found: list[Quote] = []
    if "excerpts" not in map(_KIND, entry.pieces):
        return found
    for row, piece in enumerate(entry.pieces):
        if piece.kind == "text" and "source" not in piece.path:
            found.append(Quote("user", "", "text", ((row, 0, len(piece.text)),)))
        elif piece.kind == "excerpts" and "source" not in piece.path and (quotes := _quotes(row, piece.text)):
            found += quotes
        else:
            return []
    return found


def _quotes(row: int, text: str) -> list[Quote]:
    marker, _, rest = text[len(HEADER) + 1 :].partition("\n")
    lines = rest.removesuffix(f"\n{marker}")
    if frame_excerpts(lines) != text:
        return []
    found: list[tuple[str, list[tuple[int, int, int]]]] = []
    at = len(text) - len(rest)
    for line in lines.split("\n"):
        end = at + len(line)
        if source := _SOURCE.match(line):
            found.append((source[1], [(row, at + source.end(), end)]))
        elif found and line.startswith(" "):
            found[-1][1].append((row, at + 1, end))
        else:
            return []
        at = end + 1
    quotes = []
    for source_name, places in found:
        speaker, _, name = source_name.partition(" ")
        kind = _KINDS.get(speaker, "result")
        quotes.append(Quote(_ROLES.get(speaker, speaker), name, kind, tuple(places)))
    return quotes


def cut_pieces(pieces: Sequence[Piece], kept: Places) -> tuple[Piece, ...]:
    """Cut the pieces of a message to some places, a line each."""
    return tuple(
        pieces[row]._replace(
            text="\n".join([pieces[row].text[start:end] for _, start, end in places]), path=()
        )
        for row, places in groupby(kept, key=itemgetter(0))
    )


def original_places(kept: Places, left: Places) -> Places:
    """Convert places in the pieces that `cut_pieces` made to places in the message."""
    made = []
    for row, group in groupby(kept, key=itemgetter(0)):
        places = [(start, end) for _, start, end in group]
        made.append((row, places, [0, *accumulate(end - start + 1 for start, end in places)]))
    found = []
    for number, first, last in left:
        row, places, lines = made[number]  # where each place begins in the piece, a line each
        for index in range(bisect_right(lines, first) - 1, len(places)):
            at, (start, end) = lines[index], places[index]
            if at >= last:
                break
            low, high = max(first, at), min(last, at + end - start)
            if low < high:
                found.append((row, start + low - at, start + high - at))
    return tuple(found)
