"""What became of each message."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["CompactedMessages", "MessageAccount"]


@dataclass(frozen=True, slots=True)
class MessageAccount:
    """What became of a message.

    Attributes:
        index: of the message in the history.
        outcome: "verbatim"; "compressed": its results are shorter; "folded": excerpts of it stand in a
            message that stands for several; "dropped": nothing of it is left.
        reason: "fits" (so does everything), "system", "pinned", "picture", "cache_marker", "unknown_shape",
            "with_held" (it belongs to such a one), "task" (the first of the user), "newest", "budget",
            "repeated" (a newer message has it), "stated_elsewhere" (it had no fact that is not stated still).
        tokens: of the message in the history.
        kept: where it was folded, the places that are still there: (piece, start, end); pieces are the texts
            of the message in order.
    """

    index: int
    outcome: Literal["verbatim", "compressed", "folded", "dropped"]
    reason: str
    tokens: int
    kept: tuple[tuple[int, int, int], ...] = ()


@dataclass(frozen=True, eq=False, slots=True)
class CompactedMessages:
    """A history within its budget.

    Attributes:
        messages: what to send, in the shape that came; what did not change is the object that came.
        tokens: what they and the tools count, with the frames of messages and reply; at most `budget`.
        original_tokens: the same of the history as it was.
        budget: tokens allowed.
        accounts: one a message of the history, in order.
        originals: the messages as they came.
        warnings: reason codes: "empty_query", "query_without_matches" (it was as without one),
            "strategy_failed" (what was to shorten a result raised, so the message was folded).
    """

    messages: list[Any]
    tokens: int
    original_tokens: int
    budget: int
    accounts: tuple[MessageAccount, ...]
    originals: Sequence[Any]
    warnings: tuple[str, ...] = ()

    @property
    def ratio(self) -> float:
        """tokens / original_tokens."""
        return self.tokens / self.original_tokens if self.original_tokens else 1.0

    def expand(self, index: int) -> Any:
        """The message with this number, as it came: "tool grep 12: ..." in excerpts is number 12."""
        return self.originals[index]

    def to_dict(self) -> dict[str, Any]:
        """Everything but the messages, as plain JSON types."""
        return {
            "tokens": self.tokens,
            "original_tokens": self.original_tokens,
            "budget": self.budget,
            "warnings": list(self.warnings),
            "accounts": [
                {
                    "index": account.index,
                    "outcome": account.outcome,
                    "reason": account.reason,
                    "tokens": account.tokens,
                    "kept": [list(place) for place in account.kept],
                }
                for account in self.accounts
            ],
        }
