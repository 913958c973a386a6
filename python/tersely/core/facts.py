"""The vocabulary of facts: numbers, names and the like that must not get lost or be made up."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from tersely.core.late import LateSequence
from tersely.core.tables import Float32s, Int32s, Int64s, UInt8s

__all__ = ["Fact", "FactKind", "FactReport", "FactTable", "SourceFacts"]


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
        segment, last: int32[m], the rows of the segments it starts and ends in.
        key: int32[m]; occurrences of one fact have one key, in [0, keys).
        keys: number of distinct facts; of texts read little by little, at least that.
        weight: float32[m], how hard each is to recover once it is gone (csrc/kernels/text/fact_weight.hpp).
    """

    kind: UInt8s
    document: Int32s
    start: Int64s
    end: Int64s
    segment: Int32s
    last: Int32s
    key: Int32s
    keys: int
    weight: Float32s

    def __len__(self) -> int:
        """Number of occurrences."""
        return len(self.kind)

    def rows(self, which: npt.NDArray[np.bool_]) -> FactTable:
        """The facts that are marked in `which`, bool[m], with their keys."""
        return FactTable(
            self.kind[which],
            self.document[which],
            self.start[which],
            self.end[which],
            self.segment[which],
            self.last[which],
            self.key[which],
            self.keys,
            self.weight[which],
        )

    def fact(self, texts: Sequence[str], row: int, outcome: str, reason: str = "") -> Fact:
        """One row, with what became of it. `texts`: the documents'."""
        document, start, end = int(self.document[row]), int(self.start[row]), int(self.end[row])
        text = texts[document][start:end]
        return Fact(FactKind(int(self.kind[row])), text, document, start, end, outcome, reason)


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact, and whether it was kept, lost or made up.

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


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class SourceFacts(LateSequence[Fact]):
    """Facts of texts, kept or lost, that makes each `Fact` when it is asked for.

    Attributes:
        texts: the documents' texts.
        table: the facts.
        rows: int64[k], rows of the table, ascending.
        lost: bool[k].
        codes: an index into `reasons` for each row; only read where it is lost.
        reasons: why facts were lost.
    """

    texts: Sequence[str]
    table: FactTable
    rows: Int64s
    lost: npt.NDArray[np.bool_]
    codes: UInt8s
    reasons: tuple[str, ...]
    _called: ClassVar[str] = "facts"

    def __len__(self) -> int:
        """Number of facts."""
        return len(self.rows)

    def _make(self, index: int) -> Fact:
        row = int(self.rows[index])
        reason = self.reasons[self.codes[index]] if self.lost[index] else ""
        return self.table.fact(self.texts, row, "lost" if self.lost[index] else "kept", reason)


@dataclass(frozen=True, eq=False, slots=True)
class FactReport:
    """Accounts for the facts of a text: each distinct one once, in source order.

    `source`: the facts, or what finds them when they are first asked for.
    """

    source: Sequence[Fact] | Callable[[], Sequence[Fact]]

    @property
    def facts(self) -> Sequence[Fact]:
        """Each fact and what became of it."""
        if callable(self.source):
            object.__setattr__(self, "source", self.source())
        return self.source  # type: ignore[return-value]

    def __eq__(self, other: object) -> bool:
        """Equal to a report of equal facts."""
        return isinstance(other, FactReport) and self.facts == other.facts

    __hash__ = None  # type: ignore[assignment]  # its facts are a list

    def of(self, outcome: str) -> list[Fact]:
        """The facts with this outcome."""
        if isinstance(self.facts, SourceFacts):  # without making the others
            if outcome not in ("lost", "kept"):
                return []
            rows = np.flatnonzero(self.facts.lost == (outcome == "lost"))
            return [self.facts[row] for row in rows.tolist()]
        return [fact for fact in self.facts if fact.outcome == outcome]

    def number(self, outcome: str) -> int:
        """How many facts have this outcome."""
        if isinstance(self.facts, SourceFacts):
            lost = int(self.facts.lost.sum())
            return {"lost": lost, "kept": len(self.facts) - lost}.get(outcome, 0)
        return sum(fact.outcome == outcome for fact in self.facts)

    @property
    def retention(self) -> float:
        """Share of the source's facts that stand in the compressed text; 1.0 where there are none."""
        sourced = len(self.facts) - self.number("unsupported")
        return 1 - self.number("lost") / sourced if sourced else 1.0

    def counts(self) -> Mapping[str, int]:
        """How many facts of each kind met which outcome: {"number:kept": 12, ...}."""
        found: dict[str, int] = {}
        for fact in self.facts:
            name = f"{fact.kind.name.lower()}:{fact.outcome}"
            found[name] = found.get(name, 0) + 1
        return found

    def to_list(self) -> list[dict[str, Any]]:
        """The facts, as plain JSON types."""
        return [
            {
                "kind": fact.kind.name.lower(),
                "text": fact.text,
                "document": fact.document,
                "start": fact.start,
                "end": fact.end,
                "outcome": fact.outcome,
                "reason": fact.reason,
            }
            for fact in self.facts
        ]
