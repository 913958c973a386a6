"""Shorter forms of a segment without a model: its state by rules, and an extract of the rest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import tersely
from tersely.errors import CompressionError
from tersely.memory.segments.clauses import Role, stripped
from tersely.memory.segments.paraphrases import PARAPHRASES
from tersely.memory.segments.presence import says
from tersely.memory.segments.preserved import inject_preserved_metadata, states
from tersely.memory.segments.reading import Reading, is_notes, read_segment
from tersely.memory.segments.segment import ContextSegment
from tersely.protocols import BatchTokenCounter
from tersely.stages.count import count

__all__ = ["Draft", "drafts", "only_in_metadata"]

_OPENING = 5  # clauses of fewer words ("After discussing the options") say nothing by themselves
_FIRST = ("paths", "errors", "decisions", "identifiers", "numbers")  # facts that an extract should hold


@dataclass(frozen=True, slots=True)
class Draft:
    """A shorter form, not judged yet.

    Attributes:
        text: of it.
        generated: (start, end) of what rules wrote; the rest is verbatim.
    """

    text: str
    generated: tuple[tuple[int, int], ...]


def drafts(segment: ContextSegment, budget: int, counter: BatchTokenCounter) -> Iterator[Draft]:
    """Shorter forms of about `budget` tokens, the fullest first.

    Of notes: their state with an extract of the rest, the same with less of what was done. Of anything: an
    extract alone, in which every clause stands that says what must survive. Each O(characters).
    """
    reading = read_segment(segment)
    for rule in ("state", "brief") if is_notes(segment) else ():
        if state := PARAPHRASES[rule](reading):
            yield _with_state(segment, reading, state, budget, counter)
    room = budget - _front(segment, segment.text, counter)
    pinned = [(clause.start, clause.start + len(clause.text)) for clause in reading.state]
    extract = _extracted(segment, segment.text, room, counter, pinned)
    if extract.text.strip():
        yield extract


def _with_state(
    segment: ContextSegment, reading: Reading, state: str, budget: int, counter: BatchTokenCounter
) -> Draft:
    room = budget - _front(segment, state, counter) - count(counter, f"{state}\n")
    extract = _extracted(segment, _left(reading, state), room, counter, [])
    if not extract.text:
        return Draft(state, ((0, len(state)),))
    lead = len(state) + 1
    moved = [(start + lead, end + lead) for start, end in extract.generated]
    return Draft(f"{state}\n{extract.text}", ((0, len(state)), *moved))


def _extracted(
    segment: ContextSegment, text: str, room: int, counter: BatchTokenCounter, pinned: list[tuple[int, int]]
) -> Draft:
    """What fits of a text, verbatim, as what it is; nothing where not even one piece fits whole."""
    if room < 1 or not text.strip():
        return Draft("", ())
    strategy: Any = tersely.Extractive(preserve=_FIRST) if is_notes(segment) else "auto"
    try:
        kept = tersely.compress(text, budget=room, counter=counter, strategy=strategy, pinned=pinned)
    except CompressionError:
        return Draft("", ())
    whole = all(span.reason != "cut" for span in kept.kept)
    return Draft(kept.text, tuple(kept.generated)) if whole else Draft("", ())


def _front(segment: ContextSegment, text: str, counter: BatchTokenCounter) -> int:
    """Tokens of what will be put in front of a text."""
    front = inject_preserved_metadata("", only_in_metadata(segment, text))
    return count(counter, front) + 1 if front else 0


def only_in_metadata(segment: ContextSegment, text: str) -> dict[str, Any]:
    """File and line that the metadata knows, and neither the original text nor its short form states."""
    known = {"file_path": segment.metadata.file_path, "line_number": segment.metadata.line_number}
    return {
        name: value
        for name, value in known.items()
        if value is not None and not states(segment.text, name, value) and not states(text, name, value)
    }


def _left(reading: Reading, state: str) -> str:
    """The clauses that a state does not say, without those about what was not chosen, and mere openings."""
    clauses = [c for c in reading.clauses if c.role in (Role.OTHER, Role.ERROR, Role.DONE)]
    left = [c.text for c in clauses if len(c.text.split()) >= _OPENING]
    return "\n".join(text for text in left if not says(state, stripped(text)))
