"""What a model's compression of a segment costs, and whether it will be used often enough."""

from __future__ import annotations

from dataclasses import dataclass

from tersely.memory.planning import break_even

__all__ = ["CompressionCost"]


@dataclass(frozen=True, slots=True)
class CompressionCost:
    """The caller's prices. Savings are those of segments as they are sent again with each request.

    Attributes:
        per_compression: of one call of the model.
        price_per_million: of input tokens, in the same currency; the cached price where they are cached.
        requests_expected: how many requests will still carry the segment.
    """

    per_compression: float
    price_per_million: float
    requests_expected: int

    def __post_init__(self) -> None:
        """Check the numbers."""
        self.requests_to_pay(1)
        expected = self.requests_expected
        if isinstance(expected, bool) or not isinstance(expected, int) or expected < 0:
            raise ValueError(f"requests_expected must be a whole number from 0, not {expected!r}")

    @property
    def least_saving(self) -> int | None:
        """Tokens that a compression must save to pay within the requests that are expected; None: no number
        of tokens does."""
        return break_even(self.per_compression, self.requests_expected, self.price_per_million)

    def requests_to_pay(self, saved_tokens: int) -> int | None:
        """Requests after which the call has paid for itself; None: never."""
        return break_even(self.per_compression, saved_tokens, self.price_per_million)
