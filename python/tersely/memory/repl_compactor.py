"""Histories of steps: old ones become a summary, the newest stay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tersely.errors import SummarizationError
from tersely.memory.compaction_config import CompactionConfig, CompactionResult
from tersely.memory.repl import REPLEntry, REPLHistory
from tersely.memory.repl_summary import COMPACTED, first_sentences, is_summary, rule_summary, summary_prompt
from tersely.providers.counters import resolve_counter
from tersely.stages.count import count_batch

__all__ = ["MemoryCompactor"]

_CODE = "# Previous steps summarized above"


@dataclass(eq=False, slots=True)
class MemoryCompactor:
    """Finds out when a history has grown too long, and compacts it.

    Attributes:
        config: when, and how far.
        llm_connector: an object with `generate_response(prompt=...)` that returns a text; None: no model.
        smart_success: "no errors" and "0 failed" in an output are no failures.
        seed_labels: all errors are listed as resolved, whether or not a later step succeeded.
        newest_first: findings of the newest steps come first.
        max_tokens_before_compaction: one more threshold, in tokens of `counter`; None: none.
        counter: as in `tersely.compress`.
        reason: why the last `should_compact` said no, or "".
    """

    config: CompactionConfig = field(default_factory=CompactionConfig)
    llm_connector: Any = None
    smart_success: bool = field(default=False, kw_only=True)
    seed_labels: bool = field(default=False, kw_only=True)
    newest_first: bool = field(default=False, kw_only=True)
    max_tokens_before_compaction: int | None = field(default=None, kw_only=True)
    counter: Any = field(default=None, kw_only=True)
    reason: str = field(default="", init=False)
    _floor: list[REPLEntry] | None = field(default=None, init=False, repr=False)  # cannot get shorter

    def __post_init__(self) -> None:
        """None stands for the default configuration."""
        if self.config is None:
            self.config = CompactionConfig()
        if not isinstance(self.config, CompactionConfig):
            raise TypeError(f"config must be a CompactionConfig, not {type(self.config).__name__}")

    def set_llm_connector(self, connector: Any) -> None:
        """Use this model from now on."""
        self.llm_connector = connector

    def should_compact(self, history: REPLHistory) -> bool:
        """Whether the history is too long; False where compacting it again would change nothing."""
        trigger = self._trigger(history)
        self.reason = "" if trigger else "thresholds_not_met"
        if trigger and self._is_floor(history.entries):
            self.reason = (
                f"irreducible: the newest {self.config.preserve_last_n_entries} entries stay as they are, "
                "and nothing new came since"
            )
            return False
        return bool(trigger)

    def compact(self, history: REPLHistory, task: str = "", force: bool = False) -> CompactionResult:
        """Summarize all but the newest entries. `force`: also below the thresholds.

        A model's failure gives a summary without it (`fallback_reason` says so), or is raised where
        `fallback_to_deterministic` is off: the model's own error, SummarizationError for an empty reply.
        """
        trigger = self._trigger(history)
        if not trigger and not force:
            return _nothing(history, "thresholds_not_met")
        cut = max(len(history) - self.config.preserve_last_n_entries, 0)
        old, preserved = history.entries[:cut], history.entries[cut:]
        if not old or all(map(is_summary, old)):
            self._floor = history.entries
            return _nothing(history, "nothing_to_summarize")
        steps = [step for entry in old for step in entry.originals or (entry,)]
        summary, used_llm, fallback_reason = self._summarize(old, steps, preserved, task)
        result = CompactionResult(
            original_entries=len(history),
            compacted_entries=1 + len(preserved),
            original_chars=history.characters,
            compacted_chars=0,
            summary=summary,
            preserved_entries=preserved,
            used_llm=used_llm,
            summarized_entries=len(old),
            summarized=tuple(steps),
            fallback_reason=fallback_reason,
        )
        characters = _summary_entry(result).characters + sum(entry.characters for entry in preserved)
        if trigger == "characters" and not force and characters >= history.characters:
            self._floor = history.entries
            return _nothing(history, "no_gain")
        self._floor = preserved
        return replace(result, compacted_chars=characters)

    def apply_compaction(self, history: REPLHistory, compaction_result: CompactionResult) -> REPLHistory:
        """The history with a summary in place of old entries; the same history where there is no summary.

        The summary's entry holds the old ones as `originals`.
        """
        if not compaction_result.summary:
            return history
        return REPLHistory([_summary_entry(compaction_result), *compaction_result.preserved_entries])

    def _trigger(self, history: REPLHistory) -> str:
        """Which threshold is met, "" for none."""
        if len(history) < self.config.min_entries_for_compaction:
            return ""
        if len(history) >= self.config.max_entries_before_compaction:
            return "entries"
        if history.characters >= self.config.max_chars_before_compaction:
            return "characters"
        if self.max_tokens_before_compaction is not None:
            texts = [text for entry in history for text in (entry.reasoning, entry.code, entry.output)]
            tokens = int(count_batch(resolve_counter(self.counter), texts).sum())
            if tokens >= self.max_tokens_before_compaction:
                return "characters"
        return ""

    def _is_floor(self, entries: list[REPLEntry]) -> bool:
        if self._floor is None:
            return False
        return entries == self._floor or (
            entries[1:] == self._floor and bool(entries) and is_summary(entries[0])
        )

    def _summarize(
        self, old: Sequence[REPLEntry], steps: Sequence[REPLEntry], later: Sequence[REPLEntry], task: str
    ) -> tuple[str, bool, str | None]:
        config = self.config
        fallback_reason = None
        if config.use_llm_for_summary and self.llm_connector is not None:
            prompt = summary_prompt(old, task, config.summary_max_sentences)
            try:
                reply = self.llm_connector.generate_response(prompt=prompt)
                if not isinstance(reply, str) or not reply.strip():
                    fallback_reason = "empty_reply"
                    if not config.fallback_to_deterministic:
                        raise SummarizationError("the model replied with nothing")
                else:
                    return first_sentences(reply, config.summary_max_sentences), True, None
            except Exception:  # foreign code
                if not config.fallback_to_deterministic:
                    raise
                fallback_reason = fallback_reason or "model_failed"
        summary = rule_summary(
            steps,
            later,
            task,
            sentences=config.summary_max_sentences,
            findings=config.include_key_findings,
            smart_success=self.smart_success,
            seed_labels=self.seed_labels,
            newest_first=self.newest_first,
        )
        return summary, False, fallback_reason


def _summary_entry(result: CompactionResult) -> REPLEntry:
    count = len(result.summarized) - result.summarized_entries + result.original_entries
    return REPLEntry(
        reasoning=COMPACTED + result.summary,
        code=_CODE,
        output=f"(Compacted {count} steps)",
        llm_calls=tuple(call for entry in result.summarized for call in entry.llm_calls),
        timestamp=result.timestamp,
        originals=result.summarized,
    )


def _nothing(history: REPLHistory, reason: str) -> CompactionResult:
    return CompactionResult(
        len(history), len(history), history.characters, history.characters,
        preserved_entries=history.entries, reason=reason,
    )  # fmt: skip
