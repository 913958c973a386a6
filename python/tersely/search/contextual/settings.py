"""Settings of contextual compression: strategies, limits of the budget, and who chooses the strategy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeVar

from tersely.content.detect import detect_each
from tersely.core import checks
from tersely.core.documents import to_level
from tersely.core.tables import Level

__all__ = [
    "AllocationStrategy",
    "CompressionConfig",
    "CompressionStrategy",
    "SegmentSize",
    "StrategySelector",
    "TokenBudgetConfig",
    "to_choice",
]

SegmentSize = Level  # CHARACTER, WORD, SENTENCE, PARAGRAPH, SECTION

Choice = TypeVar("Choice", bound=Enum)

_WORDS = ("prose", "markdown", "conversation", "html", "mixed")  # what a model may put in words of its own
_LONG = 2000  # tokens of a document that is first cut to what matters


class CompressionStrategy(Enum):
    """How documents are made smaller; PASSTHROUGH is what is used where they fit as they are."""

    EXTRACTIVE = "extractive"
    ABSTRACTIVE = "abstractive"
    HYBRID = "hybrid"
    PASSTHROUGH = "passthrough"


class AllocationStrategy(Enum):
    """How a budget is shared out over documents (contextual/budget.py)."""

    UNIFORM = "uniform"  # the same for each
    PROPORTIONAL = "proportional"  # in proportion to relevance
    THRESHOLD = "threshold"  # the least first for each above the threshold, the rest in proportion, others 0
    GREEDY = "greedy"  # the most relevant first, as much as each can use
    MARGINAL = "marginal"  # no shares: to the segments, of all documents, that bring most per token


@dataclass(frozen=True, slots=True)
class TokenBudgetConfig:
    """Limits in tokens.

    Attributes:
        total_budget: of the model's window, what is for documents and the response; >= 1.
        reserve_for_response: the part of it that is the response's; less than all of it.
        min_per_document: a document gets at least so much (or all it has), or nothing; >= 1.
        max_per_document: and at most so much.
        allocation_strategy: or its name.
    """

    total_budget: int = 4000
    reserve_for_response: int = 1000
    min_per_document: int = 100
    max_per_document: int = 2000
    allocation_strategy: AllocationStrategy = AllocationStrategy.PROPORTIONAL

    def __post_init__(self) -> None:
        """Check the options."""
        chosen = to_choice(self.allocation_strategy, AllocationStrategy, "allocation_strategy")
        object.__setattr__(self, "allocation_strategy", chosen)
        for name, least in (
            ("total_budget", 1),
            ("reserve_for_response", 0),
            ("min_per_document", 1),
            ("max_per_document", self.min_per_document),
        ):
            checks.whole_number(getattr(self, name), name, least=least)
        if self.reserve_for_response >= self.total_budget:
            raise ValueError(
                f"reserve_for_response ({self.reserve_for_response}) must be less than the total budget "
                f"({self.total_budget})"
            )

    def available(self) -> int:
        """Tokens for documents: total_budget - reserve_for_response."""
        return self.total_budget - self.reserve_for_response


@dataclass(frozen=True, slots=True)
class CompressionConfig:
    """Settings of `ContextualCompressor`.

    Attributes:
        default_strategy: used where nobody named one and `auto_select` is off.
        auto_select: choose the strategy by the documents and the budget (`StrategySelector`).
        token_budget: `TokenBudgetConfig.total_budget`. Without such limits, documents have the first 3,000
            tokens of it, and the response the next 1,000.
        allocation_strategy: how the budget is shared out.
        segment_size: what is kept or dropped as one.
        context_window: neighbours kept on each side of each hit, as far as the budget allows.
        summary_ratio: tokens of a summary, as a share of its document, in (0, 1]...
        min_summary_length, max_summary_length: ...but at least and at most so many tokens.
        batch_size: prompts that are with the model at a time.
        cache_results: the same call again asks no scorer and no model.
        min_relevance_threshold: in [0, 1]; documents and segments under it are left out. Of a document it is
            the probability that it is on the topic of the query; doubtful ones stay beside one that reaches
            it, and the best of all where it may yet be about the query (`Selection` in extractive.py). Of a
            segment it is its place among those of the call.
        preserve_structure: what is kept brings the headings above it, and tables, lists and code stay whole.
    """

    default_strategy: CompressionStrategy = CompressionStrategy.EXTRACTIVE
    auto_select: bool = True
    token_budget: int = 4000
    allocation_strategy: AllocationStrategy = AllocationStrategy.PROPORTIONAL
    segment_size: Level = SegmentSize.SENTENCE
    context_window: int = 2
    summary_ratio: float = 0.3
    min_summary_length: int = 50
    max_summary_length: int = 500
    batch_size: int = 5
    cache_results: bool = True
    min_relevance_threshold: float = 0.5
    preserve_structure: bool = True

    def __post_init__(self) -> None:
        """Check the options."""
        strategy = to_choice(self.default_strategy, CompressionStrategy, "default_strategy")
        if strategy is CompressionStrategy.PASSTHROUGH:
            raise ValueError("default_strategy must be one that compresses, not PASSTHROUGH")
        allocation = to_choice(self.allocation_strategy, AllocationStrategy, "allocation_strategy")
        object.__setattr__(self, "default_strategy", strategy)
        object.__setattr__(self, "allocation_strategy", allocation)
        object.__setattr__(self, "segment_size", to_level(self.segment_size))
        for name, least in (
            ("token_budget", 1),
            ("context_window", 0),
            ("min_summary_length", 0),
            ("max_summary_length", max(self.min_summary_length, 1)),
            ("batch_size", 1),
        ):
            checks.whole_number(getattr(self, name), name, least=least)
        for name in ("auto_select", "cache_results", "preserve_structure"):
            checks.flag(getattr(self, name), name)
        checks.share(self.summary_ratio, "summary_ratio")
        checks.number(self.min_relevance_threshold, "min_relevance_threshold", least=0, most=1)


class StrategySelector:
    """Chooses a strategy: the one asked for, else by documents and budget, else the default."""

    def select(
        self,
        texts: Sequence[str],
        sizes: Sequence[int],
        available: int,
        config: CompressionConfig,
        *,
        strategy: CompressionStrategy | None = None,
        has_model: bool = False,
    ) -> CompressionStrategy:
        """The strategy for documents of so many tokens each.

        `strategy` where it is not None; `config.default_strategy` where `auto_select` is off. Else
        PASSTHROUGH where all of it fits; EXTRACTIVE without a model, for code, logs, data and the like, and
        where the budget is at least `summary_ratio` of the documents: whole sentences will do. Else HYBRID
        where a document has over 2,000 tokens, and ABSTRACTIVE.
        """
        if strategy is not None:
            return strategy
        if not config.auto_select:
            return config.default_strategy
        total = sum(sizes)
        if total <= available:
            return CompressionStrategy.PASSTHROUGH
        if not has_model or available >= config.summary_ratio * total:
            return CompressionStrategy.EXTRACTIVE
        kinds = {found.kind for found in detect_each(texts)}
        if not kinds <= set(_WORDS):
            return CompressionStrategy.EXTRACTIVE
        return CompressionStrategy.HYBRID if max(sizes) > _LONG else CompressionStrategy.ABSTRACTIVE


def to_choice(value: Any, kind: type[Choice], name: str) -> Choice:
    """The member of an enum for itself or its name in any case. Raises ValueError for anything else."""
    if isinstance(value, kind):
        return value
    if isinstance(value, str) and value.upper() in kind.__members__:
        return kind[value.upper()]
    raise ValueError(f"{name} must be one of {', '.join(kind.__members__)}, not {value!r}")
