"""When a history of steps is compacted, and how."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

from tersely.core import checks
from tersely.core.ratios import Ratios
from tersely.history.repl import REPLEntry, utc_now

__all__ = ["CompactionConfig", "CompactionResult"]

_SMALL_WINDOW, _LARGE_WINDOW = 8192, 131_072  # tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionConfig:
    """Options of a `MemoryCompactor`.

    Attributes:
        min_entries_for_compaction: a shorter history is never compacted.
        max_entries_before_compaction, max_chars_before_compaction: from here on it is.
        summary_max_sentences: of the summary; the lists behind "Key findings:" and "Resolved issues:" are
            none.
        preserve_last_n_entries: so many of the newest stay as they are.
        include_key_findings: whether a summary without a model lists findings.
        use_llm_for_summary: whether the model is asked, where there is one.
        fallback_to_deterministic: whether a summary without it stands in where the model fails.
    """

    min_entries_for_compaction: int = 5
    max_entries_before_compaction: int = 10
    max_chars_before_compaction: int = 8000
    summary_max_sentences: int = 3
    preserve_last_n_entries: int = 2
    include_key_findings: bool = True
    use_llm_for_summary: bool = True
    fallback_to_deterministic: bool = True

    def __post_init__(self) -> None:
        """Check the options."""
        for option in fields(self):
            value = getattr(self, option.name)
            if option.type == "bool":
                checks.flag(value, option.name)
            else:
                least = 1 if option.name == "summary_max_sentences" else 0
                object.__setattr__(self, option.name, checks.whole_number(value, option.name, least=least))

    @classmethod
    def for_context_window(cls, tokens: int) -> CompactionConfig:
        """For a model with a window of so many tokens: early up to 8,192, late from 131,072 on."""
        tokens = checks.whole_number(tokens, "tokens", least=1)
        if tokens <= _SMALL_WINDOW:
            return cls(max_entries_before_compaction=5, max_chars_before_compaction=3000)
        if tokens >= _LARGE_WINDOW:
            return cls(max_entries_before_compaction=50, max_chars_before_compaction=100_000)
        return cls()

    @classmethod
    def high_throughput(cls) -> CompactionConfig:
        """Many runs: compact early, without a model."""
        return cls(
            min_entries_for_compaction=3,
            max_entries_before_compaction=5,
            max_chars_before_compaction=3000,
            use_llm_for_summary=False,
            preserve_last_n_entries=1,
            summary_max_sentences=2,
        )

    @classmethod
    def long_research(cls) -> CompactionConfig:
        """Long sessions: keep more, let the model write."""
        return cls(
            min_entries_for_compaction=8,
            max_entries_before_compaction=15,
            max_chars_before_compaction=15000,
            preserve_last_n_entries=3,
            summary_max_sentences=4,
        )

    @classmethod
    def minimal(cls) -> CompactionConfig:
        """Small windows: as early and as much as possible."""
        return cls(
            min_entries_for_compaction=2,
            max_entries_before_compaction=4,
            max_chars_before_compaction=2000,
            use_llm_for_summary=False,
            preserve_last_n_entries=1,
            summary_max_sentences=1,
        )

    @classmethod
    def none(cls) -> CompactionConfig:
        """Practically never: short tasks in large windows."""
        return cls(
            min_entries_for_compaction=999,
            max_entries_before_compaction=999,
            max_chars_before_compaction=999_999,
        )


@dataclass(frozen=True, slots=True)
class CompactionResult(Ratios):
    """The result of a compaction.

    Attributes:
        original_entries, compacted_entries: entries before and after (a summary and those preserved).
        original_chars, compacted_chars: characters before and after, the summary's entry as it will stand.
        summary: "" where nothing was compacted.
        preserved_entries: the newest, as they were.
        timestamp: ISO 8601, UTC.
        used_llm: whether a model wrote the summary.
        summarized_entries: entries that the summary stands for.
        summarized: those entries.
        reason: why nothing was compacted: "thresholds_not_met", "nothing_to_summarize" (all are preserved),
            "no_gain" (it was about characters or tokens, and the summary saves none); else "".
        fallback_reason: why a model did not write, as of a `Reply` (write/flow.py): "model_failed",
            "empty_reply", "reply_truncated", "reply_too_long" (the history would have grown); else None.
        unsupported_facts: numbers, names and the like that a model wrote and the steps do not have.
        warnings: "no_gain" (there are fewer entries, but not fewer characters and tokens).
    """

    original_entries: int
    compacted_entries: int
    original_chars: int
    compacted_chars: int
    summary: str = ""
    preserved_entries: list[REPLEntry] = field(default_factory=list)
    timestamp: str = field(default_factory=utc_now)
    used_llm: bool = False
    summarized_entries: int = 0
    summarized: tuple[REPLEntry, ...] = field(default=(), repr=False)
    reason: str = ""
    fallback_reason: str | None = None
    unsupported_facts: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def ratio(self) -> float:
        """compacted / original characters, as everywhere else; 1.0 where there were none."""
        return self.compacted_chars / self.original_chars if self.original_chars else 1.0

    @property
    def compression_ratio(self) -> float:
        """Share of the characters that is gone, which is `reduction`; 0.0 where there were none."""
        return self.reduction
