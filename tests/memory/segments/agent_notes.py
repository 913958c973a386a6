"""Notes as agents write them, with what a short form of each must still say (tests/data/memory)."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class AgentNote:
    """A note of an agent about its work.

    Attributes:
        name: of the note.
        held_aside: whether the readers were developed without it.
        text: what the agent wrote.
        values: field -> what `extract_preserved_metadata` finds in it.
        facts: what a short form must still state, beside those: words, numbers and names.
    """

    name: str
    held_aside: bool
    text: str
    values: dict[str, Any]
    facts: list[str]

    @property
    def stated(self) -> tuple[str, ...]:
        """All that a short form must state."""
        return tuple(dict.fromkeys([*(str(value) for value in self.values.values()), *self.facts]))


def read(name: str) -> list[Any]:
    """Read the rows of a file of samples."""
    path = Path(__file__).parents[2] / "data" / "memory" / name
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


NOTES = [AgentNote(**row) for row in read("agent_notes.jsonl")]
DEVELOPED_ON, HELD_ASIDE = ([one for one in NOTES if one.held_aside is aside] for aside in (False, True))
#: Short notes in ordinary English: (note, field -> words that `extract_preserved_metadata` must give for it,
#: among others), halved by a digest: the readers were developed with the first half in sight, and the second
#: one was counted, not read.
FIRST_HALF, SECOND_HALF = (
    [
        (text, wanted)
        for text, wanted in read("ordinary_notes.jsonl")
        if hashlib.sha256(text.encode()).digest()[0] % 2 == half
    ]
    for half in (0, 1)
)
