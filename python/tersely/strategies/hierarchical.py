"""Several sizes of one text, each a part of the next larger one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from tersely.errors import BudgetExceededError
from tersely.stages.count import count
from tersely.strategies.extractive import Extractive
from tersely.strategies.fitting import Fit
from tersely.strategies.options import CompressionMethod
from tersely.strategies.scored import Scored
from tersely.types import Compressed, Request

__all__ = ["Hierarchical", "level_targets"]


def level_targets(original_tokens: int, levels: int) -> list[int]:
    """Tokens allowed for each level: a half, a quarter, ... of the original, at least 1."""
    return [max(1, original_tokens >> (level + 1)) for level in range(levels)]


@dataclass(frozen=True, slots=True)
class Hierarchical:
    """Levels of a half, a quarter, an eighth ... of the tokens, each a verbatim part of the one before.

    Attributes:
        levels: how many.
        extractive: how segments are read, scored and selected.
    """

    method: ClassVar[CompressionMethod] = CompressionMethod.HIERARCHICAL

    levels: int = 3
    extractive: Extractive = field(default_factory=Extractive)

    def __post_init__(self) -> None:
        """Check the options."""
        if isinstance(self.levels, bool) or not isinstance(self.levels, int):
            raise TypeError(f"levels must be a whole number, not {self.levels!r}")
        if not 1 <= self.levels <= 30:
            raise ValueError(f"levels must lie in [1, 30], not {self.levels}")
        if not isinstance(self.extractive, Extractive):
            raise TypeError(f"extractive must be Extractive, not {self.extractive!r}")

    def compress(self, request: Request) -> Compressed:
        """The least compressed level that fits the budget; the deepest, cut to the budget, where none fits.

        Raises BudgetExceededError as `Extractive` does.
        """
        whole, original = _whole(request)
        budget = request.budget if request.budget is not None else max(1, int(original * request.ratio))
        if original <= budget:
            return self.extractive.unchanged(request, whole, original, budget)
        targets = [target for target in level_targets(original, self.levels) if target <= budget]
        scored = self.extractive.score(request, original)
        fits = nested_fits(scored, targets or [budget])
        return scored.result(fits[0], budget)

    def compress_levels(self, request: Request) -> list[Compressed]:
        """All levels, the least compressed first; the request's budget and ratio say nothing here.

        Texts are read, counted and scored once. A level of which not even one letter would fit is left out;
        raises BudgetExceededError where that is the first, or pinned content does not fit into the last.
        """
        whole, original = _whole(request)
        targets = level_targets(original, self.levels)
        if original <= targets[-1]:
            return [self.extractive.unchanged(request, whole, original, target) for target in targets]
        scored = self.extractive.score(request, original)
        fits = nested_fits(scored, targets)
        return [scored.result(fitted, target) for fitted, target in zip(fits, targets, strict=False)]


def nested_fits(scored: Scored, targets: Sequence[int]) -> list[Fit]:
    """A choice for each of the descending targets, each within the one before.

    The smallest is made first and stays in the larger ones, so that it is as good as if it were alone. A
    level that is a cut segment is cut from one that the level before has. Levels are left out from the end
    where nothing fits.
    """
    alone: dict[int, Fit] = {}
    stays: Fit | None = None
    for level in reversed(range(len(targets))):
        try:
            stays = alone[level] = scored.fit(targets[level], kept=stays)
        except BudgetExceededError:
            if scored.pinned.any() or level == 0:
                raise
        stays = stays if stays is not None and stays.cut is None else None
    fits: list[Fit] = []
    for level, target in enumerate(targets):
        fitted = alone.get(level)
        if fitted is not None and fitted.cut is not None and fits:
            fitted = _cut_within(scored, target, fits[-1])
        if fitted is None:
            break
        fits.append(fitted)
    return fits


def _cut_within(scored: Scored, target: int, finer: Fit) -> Fit | None:
    try:
        return scored.fit(target, within=finer)
    except BudgetExceededError:
        return None


def _whole(request: Request) -> tuple[str, int]:
    whole = request.separator.join(document.text for document in request.documents)
    return whole, count(request.counter, whole)
