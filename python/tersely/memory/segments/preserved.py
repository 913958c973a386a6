"""What of a segment must survive its compression: the fields, reading them, and writing them in front."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tersely.memory.segments.presence import says, says_line
from tersely.memory.segments.reading import Reading, read_segment
from tersely.memory.segments.segment import ContextSegment

__all__ = [
    "DEFAULT_PRESERVE_METADATA",
    "FIELDS",
    "PRESERVE_ALWAYS",
    "RECENCY_METADATA",
    "extract_preserved_metadata",
    "fields_to_preserve",
    "inject_preserved_metadata",
    "states",
]

#: Preserved whatever a caller asks for.
PRESERVE_ALWAYS = [
    "file_path",
    "line_number",
    "function_name",
    "active_task",
    "last_error",
    "error_location",
    "progress_state",
]
#: Preserved as well where the active state is.
RECENCY_METADATA = ["current_file", "cursor_position", "recent_changes", "pending_work"]
#: Preserved as well where a caller does not say.
DEFAULT_PRESERVE_METADATA = ["file_path", "line_number", "active_state"]

_Reader = Callable[[ContextSegment, Reading], Any]


def _joined(parts: Sequence[str]) -> str | None:
    return "; ".join(parts) or None


def _progress(reading: Reading) -> str | None:
    done, ahead = _joined(reading.done), _joined(reading.next)
    return "; ".join([*([f"done: {done}"] if done else []), *([f"next: {ahead}"] if ahead else [])]) or None


# field -> (label in front of a text, how it is read). "error" is another name of last_error.
FIELDS: dict[str, tuple[str, _Reader]] = {
    "file_path": ("File", lambda segment, reading: reading.place.path),
    "line_number": ("Line", lambda segment, reading: reading.place.line),
    "active_state": ("State", lambda segment, reading: _joined(reading.active)),
    "function_name": ("Function", lambda segment, reading: reading.function),
    "active_task": ("Task", lambda segment, reading: _joined(reading.active[-1:])),
    "last_error": ("Error", lambda segment, reading: reading.error),
    "error_location": ("Error at", lambda segment, reading: str(reading.error_place) or None),
    "progress_state": ("Progress", lambda segment, reading: _progress(reading)),
    "current_file": ("Current file", lambda segment, reading: reading.now.path),
    "cursor_position": (
        "Cursor",
        lambda segment, reading: str(reading.now) if reading.now.line is not None else None,
    ),
    "recent_changes": ("Changes", lambda segment, reading: _joined(reading.done)),
    "pending_work": ("Pending", lambda segment, reading: _joined(reading.next)),
    "decision": ("Decision", lambda segment, reading: _joined(reading.decisions)),
    "topic": ("Topic", lambda segment, reading: segment.metadata.topic),
    "timestamp": ("Time", lambda segment, reading: segment.metadata.timestamp.isoformat()),
}
PLACES = ("cursor_position", "error_location")
_ALIASES = {"error": "last_error"}


def fields_to_preserve(
    preserve_metadata: Sequence[str] | None = None, preserve_active_state: bool = True
) -> list[str]:
    """The fields that a compression has to keep, each once.

    PRESERVE_ALWAYS; then `preserve_metadata` (None: DEFAULT_PRESERVE_METADATA; []: nothing more); then, where
    `preserve_active_state`, "active_state" and RECENCY_METADATA. Raises ValueError for an unknown field.
    """
    asked = DEFAULT_PRESERVE_METADATA if preserve_metadata is None else preserve_metadata
    if isinstance(asked, str) or not all(isinstance(name, str) for name in asked):
        raise TypeError(f"preserve_metadata must be a list of names or None, not {asked!r}")
    names = [_ALIASES.get(name, name) for name in asked]
    if unknown := [name for name in names if name not in FIELDS]:
        allowed = ", ".join([*FIELDS, *_ALIASES])
        raise ValueError(f"preserve_metadata: unknown {unknown[0]!r}; allowed: {allowed}")
    recent = ["active_state", *RECENCY_METADATA] if preserve_active_state else []
    return list(dict.fromkeys([*PRESERVE_ALWAYS, *names, *recent]))


def extract_preserved_metadata(
    segment: ContextSegment, preserve_list: Sequence[str] | None = None
) -> dict[str, Any]:
    """field -> value, of the fields of `preserve_list` (None: of `fields_to_preserve()`) that are known.

    Values are read by patterns (English words for the state, any language for paths, lines and code) and are
    pieces of the text, joined with "; "; line numbers are int. What the text does not say of file and line
    comes from the segment's metadata. O(characters).
    """
    names = fields_to_preserve() if preserve_list is None else list(preserve_list)
    if unknown := [name for name in names if _ALIASES.get(name, name) not in FIELDS]:
        raise ValueError(f"unknown field {unknown[0]!r}; known: {', '.join([*FIELDS, *_ALIASES])}")
    reading = read_segment(segment)
    values = {name: FIELDS[_ALIASES.get(name, name)][1](segment, reading) for name in names}
    return {name: value for name, value in values.items() if value is not None}


def inject_preserved_metadata(compressed_text: str, metadata: Mapping[str, Any]) -> str:
    """The text with "[File: X, Line: N, State: S] " in front: what it does not state by itself.

    None is left out, 0 is not; a value whose words another one in front has already (the current file beside
    the file) is not said twice. Unknown fields have their name as label. O(characters x fields).
    """
    parts: list[str] = []
    order = {name: rank for rank, name in enumerate(FIELDS)}
    for name in sorted(metadata, key=lambda name: order.get(name, len(order))):
        value = metadata[name]
        if value is None or value == "" or states(compressed_text, name, value):
            continue
        if name != "line_number" and says(", ".join(parts), str(value)):
            continue
        label = FIELDS[name][0] if name in FIELDS else name
        parts.append(f"{label}: {' '.join(str(value).split())}")
    return f"[{', '.join(parts)}] {compressed_text}" if parts else compressed_text


def states(text: str, name: str, value: Any) -> bool:
    """Whether a text states the value of a field to the letter; a line number must be called one, and a place
    may be told as its file and its line."""
    if name == "line_number" and isinstance(value, int):
        return says_line(text, value)
    if says(text, str(value)):
        return True
    path, _, line = str(value).rpartition(":")
    return name in PLACES and line.isdigit() and (not path or says(text, path)) and says_line(text, int(line))
