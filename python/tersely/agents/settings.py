"""Add a hook to an agent's settings, a JSON file, and take it out again: all else stays byte for byte."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_SPACE = re.compile(r"[ \t\r\n]*")
_READER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class _Member:
    """A member of an object (with its key) or an element of an array, in the text."""

    key: str
    start: int
    value: int  # where its value starts
    end: int


def add_hook(
    text: str, event: str, entry: dict[str, Any], marker: str, head: Mapping[str, Any] | None = None
) -> str:
    """The settings with an entry at the end of `hooks.EVENT`; where a hook has the marker, with its command.

    `text` is "" where there is no file: a new one has the members of `head`, too. Raises ValueError for what
    is no JSON object, or has hooks of a shape that is not an agent's.
    """
    (hook,) = entry.get("hooks", [entry])
    for _, there, command in _hooks(text, event):
        if marker in command:
            new = json.dumps(hook["command"], ensure_ascii=False)
            return text if command == hook["command"] else text[: there.value] + new + text[there.end :]
    written = json.dumps(entry, ensure_ascii=False)
    if not text.strip():
        return json.dumps({"hooks": {event: [entry]}, **(head or {})}, ensure_ascii=False) + "\n"
    found = _path(text, event)
    place, missing = found[-1][0], ("hooks", event)[len(found) - 1 :]
    # What is made here begins right at its bracket: so `remove_hook` knows what was there before.
    for key in reversed(missing):
        written = f'"{key}": [{written}]' if key == event else f'"{key}": {{{written}}}'
    return _insert(text, place, written)


def remove_hook(text: str, event: str, marker: str, head: Mapping[str, Any] | None = None) -> str:
    """Remove the hook with the marker from the settings; "" if nothing else is left."""
    while (entry := find_hook(text, event, marker)) is not None:
        start, end = entry.start, entry.end
        for place, _ in reversed(_path(text, event)):
            members = _members(text, place)
            inner = [member for member in members if member.start <= start and end <= member.end]
            member = inner[0]
            start, end = member.start, member.end
            others = {other.key: _value(text, other) for other in members if other is not member}
            if others != (head or {} if member.key == "hooks" else {}) or start != place + 1:
                # It was there before the hook.
                text = _cut(text, place, members, member)
                break
        else:
            return ""
    return text


def find_hook(text: str, event: str, marker: str) -> _Member | None:
    """The entry of `hooks.EVENT` that has a command with the marker; None without. Raises as `add_hook`."""
    return next((member for member, _, command in _hooks(text, event) if marker in command), None)


def hook_commands(text: str, event: str) -> list[str]:
    """All command lines of `hooks.EVENT`. Raises as `add_hook`."""
    return [command for _, _, command in _hooks(text, event)]


def _hooks(text: str, event: str) -> list[tuple[_Member, _Member, str]]:
    """Each command line of `hooks.EVENT`, with its entry and its place."""
    places = _path(text, event) if text.strip() else []
    found = []
    for entry in _members(text, places[2][0]) if len(places) > 2 else ():
        inner = _inside(text, entry, "{").get("hooks")
        for hook in [entry] if inner is None else _inside(text, inner, "[").values():
            place = _inside(text, hook, "{").get("command")
            if place is not None and isinstance(command := _value(text, place), str):
                found.append((entry, place, command))
    return found


def _inside(text: str, member: _Member, bracket: str) -> dict[str, _Member]:
    """The values of an object or a list; nothing for other values."""
    members = _members(text, member.value) if text[member.value] == bracket else ()
    return {one.key or str(one.start): one for one in members}


def _value(text: str, member: _Member) -> Any:
    return _READER.raw_decode(text, member.value)[0]


def _path(text: str, event: str) -> list[tuple[int, str]]:
    """Where the outer object, `hooks` and its list for the event start, as far as they are there."""
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"it is no plain JSON: {error}") from None
    places = [(_skip(text, 0), "{")]
    for key, bracket in (("hooks", "{"), (event, "[")):
        if not isinstance(given, dict):
            raise ValueError("its outermost value is no object")
        named = [member for member in _members(text, places[-1][0]) if member.key == key]
        if not named:
            return places
        place, given = named[-1].value, given[key]
        if text[place] != bracket:
            kind = "an object" if bracket == "{" else "a list"
            raise ValueError(f"its {key!r} is not {kind}")
        places.append((place, bracket))
    return places


def _members(text: str, place: int) -> list[_Member]:
    """The members of the object or array that starts at `place`, in valid JSON. O(its length)."""
    found = []
    at = _skip(text, place + 1)
    while text[at] not in "]}":
        start, key, value = at, "", at
        if text[place] == "{":
            key, at = _READER.raw_decode(text, at)
            value = _skip(text, _skip(text, at) + 1)  # behind the colon
        end = _READER.raw_decode(text, value)[1]
        found.append(_Member(key, start, value, end))
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return found


def _insert(text: str, place: int, written: str) -> str:
    """The text with one more member in the object or list at `place`, indented as its last one."""
    members = _members(text, place)
    if not members:
        newline = "\r\n" if "\r\n" in text else "\n"
        return f"{text[: place + 1]}{newline}  {written}{text[place + 1 :]}"
    last = members[-1]
    before = text[: last.start]
    space = before[len(before.rstrip(" \t\r\n")) :]
    return f"{text[: last.end]},{space or ' '}{written}{text[last.end :]}"


def _cut(text: str, place: int, members: Sequence[_Member], member: _Member) -> str:
    """The text without a member, with the comma and the white space that came with it."""
    number = members.index(member)
    if number:
        return text[: members[number - 1].end] + text[member.end :]
    end = members[1].start if len(members) > 1 else member.end
    return text[: place + 1 if len(members) == 1 else member.start] + text[end:]


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at
