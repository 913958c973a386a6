"""The history of a read-evaluate-print loop: steps of reasoning, code and output."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

__all__ = ["REPLEntry", "REPLHistory", "utc_now"]


def utc_now() -> str:
    """The time in ISO 8601, UTC: it ends with "+00:00"."""
    return datetime.now(UTC).isoformat()


@dataclass(frozen=True, slots=True)
class REPLEntry:
    """A step.

    Attributes:
        reasoning, code, output: what was thought, run, and came out.
        execution_time: seconds.
        llm_calls: calls to models that the code made, in any form.
        timestamp: ISO 8601, UTC.
        originals: of an entry that stands for others, those others; so they can always be had again.
        stands_for: steps that a summary stands for; 0: it is a step, whatever its words say.
    """

    reasoning: str = ""
    code: str = ""
    output: str = ""
    execution_time: float = 0.0
    llm_calls: Sequence[Any] = ()
    timestamp: str = field(default_factory=utc_now)
    originals: tuple[REPLEntry, ...] = field(default=(), repr=False)
    stands_for: int = 0

    @property
    def characters(self) -> int:
        """Characters of reasoning, code and output."""
        return len(self.reasoning) + len(self.code) + len(self.output)


class REPLHistory:
    """Steps in order. It never changes: `append` gives a new history."""

    __slots__ = ("_entries",)

    def __init__(self, entries: Iterable[REPLEntry] = ()) -> None:
        """A history of these steps."""
        self._entries = tuple(entries)

    @property
    def entries(self) -> list[REPLEntry]:
        """The steps, as a list of the caller's own."""
        return list(self._entries)

    @property
    def characters(self) -> int:
        """Characters of all steps."""
        return sum(entry.characters for entry in self._entries)

    def append(
        self,
        reasoning: str = "",
        code: str = "",
        output: str = "",
        execution_time: float = 0.0,
        llm_calls: Sequence[Any] | None = None,
    ) -> REPLHistory:
        """A history with one step more. O(steps)."""
        entry = REPLEntry(reasoning, code, output, execution_time, tuple(llm_calls or ()))
        return REPLHistory((*self._entries, entry))

    def expanded(self) -> list[REPLEntry]:
        """All steps, with the originals of those that stand for others."""
        return [step for entry in self._entries for step in entry.originals or (entry,)]

    def __len__(self) -> int:
        """Number of steps."""
        return len(self._entries)

    def __iter__(self) -> Iterator[REPLEntry]:
        """The steps in order."""
        return iter(self._entries)

    def __getitem__(self, index: int) -> REPLEntry:
        """A step."""
        return self._entries[index]

    def __eq__(self, other: object) -> bool:
        """Equal where the steps are."""
        return isinstance(other, REPLHistory) and self._entries == other._entries

    __hash__ = None  # type: ignore[assignment]  # steps may hold lists

    def __repr__(self) -> str:
        """The number of steps."""
        return f"<REPLHistory of {len(self)} entries>"
