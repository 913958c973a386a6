"""The vocabulary of facts: what of a text should not get lost or be made up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from tersely.tables import Int32s, Int64s, UInt8s

__all__ = ["Fact", "FactKind", "FactReport", "FactTable"]


class FactKind(IntEnum):
    """What a fact is (csrc/kernels/text/facts.hpp says how each is found)."""

    NUMBER = 0  # with its unit, sign and currency
    DATE = 1  # dates and times
    VERSION = 2
    NAME = 3
    QUOTE = 4
    FENCED_CODE = 5
    INLINE_CODE = 6
    PATH = 7
    PATH_LINE = 8  # path:line
    URL = 9
    IDENTIFIER = 10
    ERROR = 11  # type of an error, with its message
    NEGATION = 12
    OBLIGATION = 13
    DECISION = 14


@dataclass(frozen=True, eq=False, slots=True)
class FactTable:
    """Facts as a structure of arrays, one row an occurrence, in source order.

    Attributes:
        kind: uint8[m], a `FactKind`.
        document: int32[m].
        start, end: int64[m], characters of that document, half-open.
        segment: int32[m], the row of the segment it starts in.
        key: int32[m]; occurrences of one fact have one key, in [0, keys).
        keys: number of distinct facts.
    """

    kind: UInt8s
    document: Int32s
    start: Int64s
    end: Int64s
    segment: Int32s
    key: Int32s
    keys: int

    def __len__(self) -> int:
        """Number of occurrences."""
        return len(self.kind)


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact and what became of it.

    Attributes:
        kind: what it is.
        text: as it stands in the source, or, for "unsupported", in the compressed text.
        document, start, end: its first occurrence in the source, in characters; -1 for "unsupported".
        outcome: "found" (nothing was compressed), "kept", "reinserted" (put back verbatim after a model lost
            it), "lost", or "unsupported" (a model wrote it and no source has it).
        reason: for "lost": why its segments were dropped ("budget", "redundant", "rewritten"); else "".
    """

    kind: FactKind
    text: str
    document: int
    start: int
    end: int
    outcome: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class FactReport:
    """What became of the facts of a text: each distinct one once, in source order."""

    facts: Sequence[Fact]

    def of(self, outcome: str) -> list[Fact]:
        """The facts with this outcome."""
        return [fact for fact in self.facts if fact.outcome == outcome]

    @property
    def retention(self) -> float:
        """Share of the source's facts that stand in the compressed text; 1.0 where there are none."""
        sourced = [fact for fact in self.facts if fact.outcome != "unsupported"]
        return float(np.mean([fact.outcome != "lost" for fact in sourced])) if sourced else 1.0

    def counts(self) -> Mapping[str, int]:
        """How many facts of each kind met which outcome: {"number:kept": 12, ...}."""
        found: dict[str, int] = {}
        for fact in self.facts:
            name = f"{fact.kind.name.lower()}:{fact.outcome}"
            found[name] = found.get(name, 0) + 1
        return found
