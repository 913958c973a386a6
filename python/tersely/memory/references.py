"""Find what a newer call took the place of, and say of a result that a newer one has it.

A reference names the newer result by its call, counted from where the reference stands ("the 2nd next result
of this call"): numbers of messages change when older ones are folded, and are not shown to a model.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from tersely.memory.messages import Entry, Path, Piece
from tersely.memory.quoting import Places

if TYPE_CHECKING:
    from tersely.memory.folding import History

_LEAST = 200  # characters: results that are shorter are left as they are, however often they came
_LONGEST_DIFF = 2000  # lines of two results together that are compared line by line
_LONGEST_CALL = 200  # characters of a call that a reference names
_WORTHWHILE = 0.5  # a difference replaces a text where it is at most this share of it
_LONGEST_STATE = 2000  # characters of a call that states a list of things
_SAME_STATE = 0.7  # of the words of an earlier one, from which it states the same things anew
_SHORT = 240  # characters of what is told anew as a whole, or in lines
_PIECES = attrgetter("pieces")
_SETS = re.compile(r"(?:\w*_)?(?:set|update|change|assign|configure)(?![a-z])", re.I)
_LISTS = re.compile(r"\[\s*\{")
_WORD = re.compile(r"\w+")
_REFERENCE = re.compile(
    r"\[(?:The same as (?:lines \d+ to \d+ of )?|As )the (?:\d+(?:st|nd|rd|th) )?next result of "
)


class Reference(NamedTuple):
    """A line in the place of a result, and the number of the newer message that it names."""

    text: str
    target: int


class _Result(NamedTuple):
    """A result that newer ones were compared with."""

    at: int  # its message
    text: str
    call: str  # name and arguments of its call
    place: int  # among the results of such calls, from the last on


def is_reference(text: str) -> bool:
    """Whether a result says no more than which newer one it is like."""
    return bool(_REFERENCE.match(text))


def find_references(history: History) -> dict[int, dict[Path, Reference]]:
    """Find results that a newer message repeats, by index and path.

    Two results of the same call (tool and arguments) are compared line by line, any two as a whole; lines
    that a newer result has in a row are these. The newest stays as it is. Where a message stays, all that is
    newer has to. O(characters), and for repeated calls the lines of both.
    """
    group = {index: first for first, last in history.groups for index in range(first, last)}
    same: dict[str, _Result] = {}
    newest: dict[str, _Result] = {}
    having: dict[str, _Result] = {}  # line -> the newest result that has it
    results: dict[str, list[tuple[int, str]]] = {}  # call -> (message, id) of each, the last first
    found: dict[int, dict[Path, Reference]] = {}
    for index, piece, call in reversed(_answers(history)):
        of_call = results.setdefault(call, [])
        if call and of_call[-1:] != [(index, piece.call)]:
            of_call.append((index, piece.call))
        whole = piece.kind == "result" and piece.path not in history.changed.get(index, ())
        if not whole or len(piece.text) < _LEAST or is_reference(piece.text):
            continue
        lines = piece.text.split("\n")
        others = (same.get(piece.text), having.get(max(lines, key=len)), newest.get(call))
        text = None
        for other, write in zip(others, (_whole, _part, _difference), strict=True):
            if text is None and other is not None and group[other.at] != group[index]:
                own = other.call == call
                name = _name(other.call, own, len(results[other.call]) - own - other.place)
                text = write(piece.text, other.text, name) if name else None
                target = other.at
        if text is not None and index not in history.stays:
            found.setdefault(index, {})[piece.path] = Reference(text, target)
        elif call:
            mine = _Result(index, piece.text, call, len(of_call) - 1)
            same.setdefault(piece.text, mine)
            having.update(dict.fromkeys(set(lines).difference(having), mine))
            newest.setdefault(call, mine)
    return found


def find_outdated(entries: Sequence[Entry]) -> tuple[list[int], Places]:
    """Find results that a newer one of the same call takes the place of, and what the newest tell anew.

    Calls that state a list of things anew, as of tasks, are such, too. Returns the numbers of the outdated
    pieces, of all pieces of the entries, and places (piece, start, end): of a short one all, else the lines
    that the one before did not have, where these are few. O(characters).
    """
    known: dict[str, str] = {}
    states: dict[str, tuple[int, Piece]] = {}  # by the name of the call
    answers: dict[str, tuple[int, list[int]]] = {}  # by the call: its last entry and the pieces there
    pieces = list(chain.from_iterable(map(_PIECES, entries)))
    before: dict[int, int] = {}  # a piece -> the one that it takes the place of
    first = 0
    for index, entry in enumerate(entries):
        for number, piece in enumerate(entry.pieces, first):
            if piece.kind == "call":
                known[piece.call] = piece.text
                name = piece.text.partition(" ")[0]
                if len(piece.text) <= _LONGEST_STATE and (_SETS.match(name) or _LISTS.search(piece.text)):
                    last = states.get(name)
                    if last is not None and _tells_anew(last[1].text, piece.text):
                        before[number] = last[0]
                    states[name] = number, piece
            elif piece.kind in ("result", "records", "rows") and not piece.failed:
                call = known.get(piece.call, "")
                at, own = answers.get(call, (-1, []))
                if at != index:
                    if call and len(own) == 1:
                        before[number] = own[0]
                    own = []
                answers[call] = index, [*own, number]
        first += len(entry.pieces)
    outdated = set(before.values())
    places = [
        (at, *place)
        for at, old in before.items()
        if at not in outdated
        for place in _told_anew(pieces[old].text, pieces[at].text)
    ]
    return sorted(outdated), tuple(places)


def _tells_anew(old: str, new: str) -> bool:
    """Whether a list has most of the words of an earlier one."""
    words = set(_WORD.findall(old))
    return len(words.intersection(_WORD.findall(new))) >= _SAME_STATE * len(words)


def _told_anew(old: str, new: str) -> list[tuple[int, int]]:
    """The places of what a text tells that the one before did not: all of it, or its new lines where few."""
    if len(new) <= _SHORT or "\n" not in new:
        return [(0, len(new))] if len(new) <= _LONGEST_STATE else []
    had, found, at = set(old.split("\n")), [], 0
    for line in new.split("\n"):
        if line not in had and line.strip():
            found.append((at, at + len(line)))
        at += len(line) + 1
    return found if sum(end - start for start, end in found) <= _SHORT else []


def _answers(history: History) -> list[tuple[int, Piece, str]]:
    """(message, piece, name and arguments of its call) of what tools gave, in order.

    "" where the call is not known, or one message gives its id twice.
    """
    known: dict[str, str] = {}
    found: list[tuple[int, Piece, str]] = []
    for index, entry in enumerate(history.entries):
        own: dict[str, str] = {}
        for piece in entry.pieces if index not in history.folded else ():
            if piece.kind == "call":
                own[piece.call] = "" if piece.call in own else piece.text
                known[piece.call] = own[piece.call]
            elif piece.kind == "result" or piece.call:
                found.append((index, piece, known.get(piece.call, "")))
    return found


def _name(call: str, own: bool, count: int) -> str:
    """Name a newer result by its call, as one counts from here; "" where that takes too many words."""
    if not own and (len(call) > _LONGEST_CALL or "\n" in call):
        return ""
    last = "th" if 10 < count % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(count % 10, "th")
    return f"the {'' if count == 1 else f'{count}{last} '}next result of {'this call' if own else call}"


def _whole(text: str, newer: str, name: str) -> str:
    return f"[The same as {name}]"


def _part(text: str, newer: str, name: str) -> str | None:
    """Which lines of the newer text a text is; None where it is none."""
    text = text.strip("\n")
    at = f"\n{newer}\n".find(f"\n{text}\n")
    if at < 0:
        return None
    first = newer.count("\n", 0, at) + 1
    return f"[The same as lines {first} to {first + text.count(chr(10))} of {name}]"


def _difference(text: str, newer: str, name: str) -> str | None:
    """How a text differs from the newer one; None where that is not much shorter."""
    old, new = text.splitlines(), newer.splitlines()
    if len(old) + len(new) > _LONGEST_DIFF:
        return None
    lines = list(difflib.unified_diff(new, old, lineterm="", n=0))[2:]
    difference = f"[As {name}, but for:]\n" + "\n".join(lines)
    return difference if len(difference) <= _WORTHWHILE * len(text) else None
