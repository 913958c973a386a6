"""What a tool gave more than once: the newest stays whole, older ones point to it or say how they differ."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Sequence

from tersely.memory.messages import Entry, Path

__all__ = ["find_repeats"]

_LEAST = 200  # characters: shorter results are left as they are
_LONGEST_DIFF = 2000  # lines of both together that are compared line by line
_WORTHWHILE = 0.5  # a difference replaces a text where it is at most this share of it


def find_repeats(
    entries: Sequence[Entry], stays: Collection[int], numbers: Sequence[int]
) -> dict[int, dict[Path, str]]:
    """Other texts for results that a newer message repeats: index -> path -> text.

    Two results of the same call (tool and arguments) are compared line by line, any two as a whole. Entries
    in `stays` are not changed. `numbers`: of the entries, as the reader is told them. O(characters), and for
    repeated calls the lines of both.
    """
    asked: dict[str, str] = {}  # id of a call -> what was called
    for entry in entries:
        calls = [piece.text for piece in entry.pieces if piece.kind == "call"]
        asked |= dict(zip(entry.calls, calls, strict=False))
    same: dict[str, int] = {}
    newest: dict[str, tuple[int, str]] = {}
    found: dict[int, dict[Path, str]] = {}
    for index in reversed(range(len(entries))):
        entry = entries[index]
        results = [piece for piece in entry.pieces if piece.kind == "result"]
        for piece in results:
            if len(piece.text) < _LEAST:
                continue
            call = asked.get(piece.call, "")
            if piece.text in same:
                text: str | None = f"[The same as in message {numbers[same[piece.text]]}]"
            elif call and call in newest:
                text = _difference(piece.text, numbers[newest[call][0]], newest[call][1])
            else:
                text = None
            if text is not None and index not in stays:
                found.setdefault(index, {})[piece.path] = text
                continue
            same.setdefault(piece.text, index)
            if call:
                newest.setdefault(call, (index, piece.text))
    return found


def _difference(text: str, index: int, newer: str) -> str | None:
    """How a text differs from the newer one in message `index`; None where that is not much shorter."""
    old, new = text.splitlines(), newer.splitlines()
    if len(old) + len(new) > _LONGEST_DIFF:
        return None
    lines = list(difflib.unified_diff(new, old, lineterm="", n=0))[2:]
    difference = f"[As in message {index}, but for:]\n" + "\n".join(lines)
    return difference if len(difference) <= _WORTHWHILE * len(text) else None
