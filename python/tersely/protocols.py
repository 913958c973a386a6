"""What tersely accepts from outside: anything with these methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from tersely.types import Compressed, Request

__all__ = ["BatchTokenCounter", "Strategy", "TokenCounter"]


@runtime_checkable
class TokenCounter(Protocol):
    """Counts tokens. Need not be additive: the count of a whole may differ from its parts' sum."""

    def count(self, text: str) -> int:
        """Number of tokens of `text`, >= 0."""
        ...


@runtime_checkable
class BatchTokenCounter(TokenCounter, Protocol):
    """A counter that counts many texts in one call, faster than one by one."""

    def count_batch(self, texts: Sequence[str]) -> Sequence[int]:
        """`[count(text) for text in texts]`."""
        ...


@runtime_checkable
class Strategy(Protocol):
    """A way to compress: a frozen, picklable dataclass whose fields are its options."""

    def compress(self, request: Request) -> Compressed:
        """Fit the request's documents into its budget."""
        ...
