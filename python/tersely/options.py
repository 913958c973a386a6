"""Options of the compressors, and the defaults that suit each kind of content."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from enum import IntEnum
from typing import Any, Literal, NamedTuple

from tersely import checks


class CompressionMethod(IntEnum):
    """How a compressor shortens a text."""

    EXTRACTIVE = 0  # whole segments, verbatim
    ABSTRACTIVE = 1  # written by a model
    HYBRID = 2  # the first, then the second
    HIERARCHICAL = 3  # several levels


#: Of the budget, for facts that defaults name, where not all fit: more loses other facts than it keeps
#: (`python -m benchmarks.strategies.facts`).
UNASKED_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class CompressionOptions:
    """Options of a compressor. Invalid values raise ValueError or TypeError when they are set.

    Attributes:
        target_ratio: tokens kept / original tokens, in (0, 1].
        target_tokens: a limit that overrides `target_ratio` and `min_tokens`; 0: none.
        min_tokens: the target computed from `target_ratio` is never lower.
        preferred_method: the method to use, if it is allowed and has the model that it needs.
        allow_hybrid: whether HYBRID may be used.
        preserve_code: keep fenced and inline code, paths and addresses (URLs).
        preserve_quotes: keep direct quotes.
        preserve_numbers: keep numbers, with dates and versions. If not all code, quotes and numbers fit, at
            least a quarter of the budget is for them. With a `query_context`, only those of relevant segments
            count, within a tenth of the budget. `result.receipt.facts` lists what was lost, and why.
        query_context: the question; "" for a general summary.
        min_confidence: in [0, 1]; a model's text below it is not used.
        strict_preserve: raise BudgetExceededError if what is to be preserved does not fit, instead of listing
            in the result what was lost.
    """

    target_ratio: float = 0.3
    target_tokens: int = 0
    min_tokens: int = 100
    preferred_method: CompressionMethod = CompressionMethod.HYBRID
    allow_hybrid: bool = True
    preserve_code: bool = True
    preserve_quotes: bool = True
    preserve_numbers: bool = True
    query_context: str = ""
    min_confidence: float = 0.7
    strict_preserve: bool = False

    def __post_init__(self) -> None:
        for entry in fields(self):
            if entry.type == "bool":
                checks.flag(getattr(self, entry.name), entry.name)
        for name in ("target_tokens", "min_tokens"):
            object.__setattr__(self, name, checks.whole_number(getattr(self, name), name))
        confidence = checks.number(self.min_confidence, "min_confidence", least=0, most=1)
        object.__setattr__(self, "min_confidence", confidence)
        object.__setattr__(self, "target_ratio", checks.share(self.target_ratio, "target_ratio"))
        object.__setattr__(self, "preferred_method", CompressionMethod(self.preferred_method))
        object.__setattr__(self, "query_context", checks.text(self.query_context, "query_context"))

    def target(self, original_tokens: int) -> int:
        """Return how many tokens are allowed for a text of `original_tokens`.

        That is `target_tokens`, if it is set, otherwise max(`min_tokens`, floor(original_tokens *
        `target_ratio`)). A text that is not longer stays unchanged.
        """
        if self.target_tokens:
            return self.target_tokens
        # Not `checks.budget_of`: here the caller says what is the least, and may say 0.
        return max(self.min_tokens, math.floor(original_tokens * self.target_ratio + 1e-9))

    @property
    def preserving(self) -> dict[str, Any]:
        """Return the options of `Extractive` for the facts to preserve and their share."""
        return {
            "preserve": self.preserve,
            "preserve_share": UNASKED_SHARE,
            "strict_preserve": self.strict_preserve,
        }

    @property
    def preserve(self) -> tuple[str, ...]:
        """The kinds of facts to preserve, as `Extractive.preserve` takes them."""
        asked = {
            "code": self.preserve_code,
            "paths": self.preserve_code,
            "urls": self.preserve_code,
            "quotes": self.preserve_quotes,
            "numbers": self.preserve_numbers,
        }
        return tuple(name for name, wanted in asked.items() if wanted)


def default_options() -> CompressionOptions:
    """Return the options with all their defaults."""
    return CompressionOptions()


class Profile(NamedTuple):
    """Which method, ratio and facts to preserve suit a kind of content."""

    method: CompressionMethod
    ratio: float
    preserve: tuple[str, ...]


_PROFILES = {
    "source_code": Profile(CompressionMethod.EXTRACTIVE, 0.5, ("functions", "classes")),
    "documentation": Profile(CompressionMethod.ABSTRACTIVE, 0.3, ("key_concepts",)),
    "conversation": Profile(CompressionMethod.HYBRID, 0.4, ("recent_turns", "decisions")),
    "tool_output": Profile(CompressionMethod.EXTRACTIVE, 0.3, ("results", "errors")),
    "error_logs": Profile(CompressionMethod.EXTRACTIVE, 0.2, ("stack_traces", "messages")),
}
_EXPECTED_RATIOS = {"source_code": 1 / 3, "documentation": 1 / 5, "conversation": 1 / 4, "tool_output": 1 / 2}


def profile(content_type: str, goal: Literal["default", "expected"] = "default") -> Profile:
    """Return the method, ratio and facts to preserve for a kind of content.

    Args:
        content_type: "source_code", "documentation", "conversation", "tool_output" or "error_logs".
        goal: "default": what the compressors aim at; "expected": the ratios that typical content of the kind
            allows (source code 3:1, documentation 5:1, conversation 4:1, tool output 2:1), for benchmarks.

    Raises ValueError for another name.
    """
    if content_type not in _PROFILES:
        known = ", ".join(_PROFILES) + checks.meant(content_type, _PROFILES)
        raise ValueError(f"unknown content type {content_type!r}; known: {known}")
    if goal not in ("default", "expected"):
        raise ValueError(f"goal must be 'default' or 'expected', not {goal!r}")
    found = _PROFILES[content_type]
    if goal == "expected":
        return found._replace(ratio=_EXPECTED_RATIOS.get(content_type, found.ratio))
    return found
