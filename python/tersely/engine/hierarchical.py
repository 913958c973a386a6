"""Make several sizes of one text, each a part of the next larger one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from tersely.core.checks import whole_number
from tersely.core.errors import BudgetExceededError
from tersely.core.options import CompressionMethod
from tersely.core.types import Compressed, Request
from tersely.engine.extractive import Extractive
from tersely.engine.prepare import Prepared
from tersely.engine.required import with_required

__all__ = ["Hierarchical", "level_targets"]


def level_targets(original_tokens: int, levels: int) -> list[int]:
    """Tokens allowed for each level: a half, a quarter, ... of the original, at least 1."""
    return [max(1, original_tokens >> (level + 1)) for level in range(levels)]


@dataclass(frozen=True, slots=True)
class Hierarchical:
    """Levels of a half, a quarter, an eighth ... of the tokens, each a verbatim part of the one before.

    Under a budget, a level of its own is made for it, between the others.

    Attributes:
        levels: how many.
        extractive: how segments are read, scored and selected.
    """

    method: ClassVar[CompressionMethod] = CompressionMethod.HIERARCHICAL

    levels: int = 3
    extractive: Extractive = field(default_factory=Extractive)

    def __post_init__(self) -> None:
        """Check the options."""
        whole_number(self.levels, "levels", least=1, most=30)
        if not isinstance(self.extractive, Extractive):
            raise TypeError(f"extractive must be Extractive, not {self.extractive!r}")

    def compress(self, request: Request) -> Compressed:
        """The level for the budget: a part of the levels that are larger, with all of those that are smaller.

        Raises BudgetExceededError as `Extractive` does.
        """
        prepared = Prepared(request, self.extractive)
        targets = level_targets(prepared.original_tokens, self.levels)

        def attempt(budget: int) -> Compressed:
            smaller = [target for target in targets if target < budget]
            while True:
                try:
                    return prepared.levels([budget, *smaller])[0]
                except BudgetExceededError:  # what is pinned is larger than the smallest level
                    if not smaller:
                        raise
                    smaller.pop()

        return with_required(attempt, prepared.allowed(None, None), prepared.original_tokens)
