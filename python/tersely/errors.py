"""The errors tersely raises (docs/guide/errors.md says when, and what to do).

Wrong arguments are ValueError or TypeError: the message names what came and what is allowed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial


class CompressionError(Exception):
    """Base class of the errors of compression."""


class BudgetExceededError(CompressionError):
    """Text that must be kept does not fit into the budget.

    **The same call with `budget=error.required` succeeds**, with every function, strategy and token counter:
    that call has been tried. A smaller budget may succeed, too. (If a function's argument has another name,
    use `error.required` for that; for `Prepared.levels`, `[max(budget, error.required) for budget in
    budgets]`.)

    Attributes:
        reason: what does not fit, without the numbers: "pinned content does not fit".
        required: tokens (of `tersely.kernels`: costs) that are enough; more than `budget`.
        budget: tokens that were allowed.
    """

    def __init__(self, reason: str, *, required: float, budget: float) -> None:
        """Say what does not fit and both numbers, which the message has once each."""
        super().__init__(f"{reason} into a budget of {_plain(budget)}; {_plain(required)} would do")
        self.reason = reason
        self.required = required
        self.budget = budget

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle with the keyword arguments, so that it crosses process borders."""
        return partial(type(self), required=self.required, budget=self.budget), (self.reason,)


def _plain(number: float) -> float:
    """Return a whole number as an int, so that it is written without a point or an exponent."""
    return int(number) if number == number // 1 else number


class ModelReplyError(CompressionError):
    """A model (embedder, cross-encoder, language model) answered with something that cannot be used."""


class TruncatedReplyError(ModelReplyError):
    """A model's reply ended early, at its limit of tokens."""


class OversizedReplyError(ModelReplyError):
    """A model's reply is longer than any that could be used; it was not read."""


class ModelTimeoutError(CompressionError, TimeoutError):
    """A model gave no answer within the seconds that it was given."""


class OverloadedError(CompressionError):
    """A call was refused since more calls wait than can be answered in time."""


class NotReversibleError(CompressionError):
    """The original of a compressed text is not available."""


class RelevanceScoringError(CompressionError):
    """Relevance could not be scored, and the caller allowed no fallback."""


class StoreError(CompressionError):
    """A file that tersely keeps is damaged, or was written by something else."""


class UnknownIdError(StoreError, LookupError):
    """Nothing is stored under this id."""


class VersionConflictError(StoreError):
    """Another version of an id was stored meanwhile; nothing was changed."""


class SummarizationError(CompressionError):
    """A model that was to write a text raised an error, and the caller allowed no fallback."""


class MissingExtraError(ImportError):
    """An optional dependency is not installed."""

    def __init__(self, package: str, extra: str | None = None) -> None:
        """Name the package, and the extra of tersely that brings it."""
        target = f"'tersely[{extra}]'" if extra else package
        super().__init__(f"{package} is not installed; run: pip install {target}")


@contextmanager
def needs(package: str, extra: str | None = None) -> Iterator[None]:
    """Raise MissingExtraError if an import in a block fails."""
    try:
        yield
    except ImportError as error:
        raise MissingExtraError(package, extra) from error
