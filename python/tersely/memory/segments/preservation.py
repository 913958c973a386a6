"""The quality gate: whether a compressed segment still says what it has to, and what it lost."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tersely.facts import FactKind
from tersely.memory.segments.clauses import Role
from tersely.memory.segments.presence import anchors, missing_anchors, says, shared_words
from tersely.memory.segments.preserved import PLACES, extract_preserved_metadata, fields_to_preserve, states
from tersely.memory.segments.reading import Reading, is_notes, read
from tersely.memory.segments.segment import ContextSegment
from tersely.stages.facts import facts_after

__all__ = ["PreservationReport", "PreservedItem", "check_preserved"]

ENOUGH_WORDS = 0.25  # of a clause's terms, beside all its numbers, paths and names
_DENIES = re.compile(r"\b(?:not|never|neither|nor|without|cannot|no longer)\b|n['’]t\b", re.IGNORECASE)
_DENIED = re.compile(  # the same in other words
    rf"{_DENIES.pattern}|\bno\b|\bun\w+|\bfail|\bmissing\b|\binvalid\b|\black|\bstill\b|\binstead\b",
    re.IGNORECASE,
)
_MOST_MADE_UP = 50  # are looked at
_ACTIVE = ("active_task", "active_state")  # these must also be said to be current
_TO_THE_LETTER = ("file_path", "line_number", "function_name", "current_file", "topic", "timestamp")
_MADE_UP = (
    FactKind.NUMBER,
    FactKind.DATE,
    FactKind.VERSION,
    FactKind.PATH,
    FactKind.URL,
    FactKind.IDENTIFIER,
)


@dataclass(frozen=True, slots=True)
class PreservedItem:
    """A field and what became of it.

    Attributes:
        name: one of `tersely.memory.segments.preserved.FIELDS`.
        value: what the original says.
        outcome: "kept", or "lost".
        missing: the numbers, paths and names of the value that are gone; empty where only its words are.
    """

    name: str
    value: Any
    outcome: str
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PreservationReport:
    """What a compressed text kept, and what it made up.

    Attributes:
        items: each field that the original has, in the order of the fields.
        unsupported: numbers, dates, versions, paths, URLs and identifiers that the original does not have.
    """

    items: tuple[PreservedItem, ...]
    unsupported: tuple[str, ...]

    @property
    def kept(self) -> list[str]:
        """Fields that the text still states."""
        return [item.name for item in self.items if item.outcome == "kept"]

    @property
    def lost(self) -> list[str]:
        """Fields that it does not."""
        return [item.name for item in self.items if item.outcome == "lost"]

    @property
    def missing(self) -> list[str]:
        """The numbers, paths and names that are gone, each once."""
        return list(dict.fromkeys(text for item in self.items for text in item.missing))

    @property
    def passed(self) -> bool:
        """Whether nothing was lost and nothing made up."""
        return not self.lost and not self.unsupported


def check_preserved(
    segment: ContextSegment, compressed_text: str, fields: Sequence[str] | None = None
) -> PreservationReport:
    """Whether `compressed_text` states what `segment` says of the `fields` (None: `fields_to_preserve()`),
    and its decisions.

    Only what the segment's text says counts, not what its metadata adds. A file, line, function or error
    message has to stand there to the letter (but for case and white space). A clause (task, progress, ...) is
    kept where all its numbers, paths and identifiers are, and a quarter of its terms; one with a negation
    only where the text denies something, and the task only where something is said to be current. What is
    missing is held against the first field that has it: a lost path loses "file_path", not the task that
    names the file. O(characters x fields).
    """
    names = list(dict.fromkeys([*(fields_to_preserve() if fields is None else fields), "decision"]))
    values = extract_preserved_metadata(segment, names)
    source = read(segment.text, notes=is_notes(segment))
    written = read(compressed_text)
    known: set[str] = set()
    items = []
    for name, value in values.items():
        if not _said(segment.text, name, value):
            continue
        lost, missing = _lost(name, value, compressed_text, source, written, known)
        known.update(missing)
        items.append(PreservedItem(name, value, "lost" if lost else "kept", tuple(missing)))
    return PreservationReport(tuple(items), tuple(_unsupported(segment, compressed_text)))


def _said(text: str, name: str, value: Any) -> bool:
    """Whether the text itself says a value: metadata may have given it."""
    return name not in (*_TO_THE_LETTER, *PLACES) or states(text, name, value)


def _lost(
    name: str, value: Any, text: str, source: Reading, written: Reading, known: set[str]
) -> tuple[bool, list[str]]:
    """(whether it is lost, its missing anchors); anchors that another field has lost do not count."""
    whole = str(value)
    if name in _TO_THE_LETTER or (name == "last_error" and source.error_exact):
        gone = not states(text, name, value)
        return gone and whole not in known, [whole] if gone else []
    missing = missing_anchors(text, whole)
    if name in PLACES:
        return not states(text, name, value) and (not missing or bool(set(missing) - known)), missing
    if set(missing) - known:
        return True, missing
    if (denied := _DENIES.search(whole)) and not _DENIED.search(text):
        return denied.group() not in known, [*missing, denied.group()]
    if name in _ACTIVE and not any(clause.role is Role.ACTIVE for clause in written.clauses):
        return not missing, missing
    # A clause whose anchors are gone, and reported elsewhere, is judged by its other words.
    return shared_words(text, whole) < ENOUGH_WORDS, missing


def _unsupported(segment: ContextSegment, text: str) -> list[str]:
    """What of the text is neither in the original nor in its metadata; `path:line` may be put together."""
    known = segment.metadata
    sources = [
        segment.text,
        f"{known.file_path or ''} {known.line_number if known.line_number is not None else ''}",
    ]
    found = []
    for fact in facts_after(sources, text).of("unsupported")[:_MOST_MADE_UP]:
        if fact.kind is FactKind.PATH_LINE:
            found += [part for part in anchors(fact.text) if not any(says(s, part) for s in sources)]
        elif fact.kind in _MADE_UP and not any(says(s, fact.text) for s in sources):
            found.append(fact.text)
    return list(dict.fromkeys(found))
