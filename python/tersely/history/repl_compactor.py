"""Compact the history of a session: old steps become a summary, the newest stay."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from tersely.core.errors import SummarizationError
from tersely.core.text import well_formed
from tersely.engine.count import count_batch
from tersely.history.compaction_config import CompactionConfig, CompactionResult
from tersely.history.repl import REPLEntry, REPLHistory
from tersely.history.repl_summary import (
    COMPACTED,
    rule_summary,
    steps_prompt,
    steps_text,
)
from tersely.providers.counters import resolve_counter
from tersely.providers.flows import Flow, one_model, run_flow, run_flow_async
from tersely.providers.language_models import resolve_language_model
from tersely.write.checks import unsupported_facts
from tersely.write.flow import Reply, Task, ask

__all__ = ["MemoryCompactor"]

_CODE = "# Previous steps summarized above"
_CHARACTERS = resolve_counter(len)


class MemoryCompactor:
    """Compacts a history when it has grown too long.

    Attributes:
        reason: why the last `should_compact` said no, or "".
    """

    def __init__(
        self,
        config: CompactionConfig | None = None,
        model: Any = None,
        *,
        smart_success: bool = False,
        seed_labels: bool = False,
        newest_first: bool = False,
        max_tokens_before_compaction: int | None = None,
        counter: Any = None,
        llm_connector: Any = None,
    ) -> None:
        """Choose when, how far, and who writes the summaries.

        Args:
            config: when, and how far; None: `CompactionConfig()`.
            model: a language model (`tersely.providers.language_models.resolve_language_model`);
                `llm_connector` is another name of it. None: summaries are made by rules.
            smart_success: "no errors" and "0 failed" in an output are no failures.
            seed_labels: all errors are listed as resolved, whether or not a later step succeeded.
            newest_first: findings of the newest steps come first.
            max_tokens_before_compaction: one more threshold, in tokens of `counter`; None: none.
            counter: as in `tersely.compress`.
        """
        self.config = CompactionConfig() if config is None else config
        if not isinstance(self.config, CompactionConfig):
            raise TypeError(f"config must be a CompactionConfig, not {type(config).__name__}")
        self.set_llm_connector(one_model(model=model, llm_connector=llm_connector))
        self.smart_success, self.seed_labels, self.newest_first = smart_success, seed_labels, newest_first
        self.max_tokens_before_compaction, self.counter = max_tokens_before_compaction, counter
        self.reason = ""
        self._floor: list[REPLEntry] | None = None  # what cannot get shorter

    def set_llm_connector(self, connector: Any) -> None:
        """Use this model from now on; None: none. Raises TypeError for what is no language model."""
        self._model = None if connector is None else resolve_language_model(connector)
        self.model = connector

    @property
    def llm_connector(self) -> Any:
        """The model."""
        return self.model

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
        `fallback_to_deterministic` is off: the model's own error, SummarizationError for a reply that cannot
        be used. No reply makes the history longer than the summary without a model would.

        Where a summary is not shorter than the steps ("no_gain"), they stay as they are if the threshold was
        one of characters or tokens; if it was one of entries, or with `force`, they become one entry all the
        same, and `warnings` say so.
        """
        return run_flow(self._compaction(history, task, force), self._model, 1)

    async def acompact(self, history: REPLHistory, task: str = "", force: bool = False) -> CompactionResult:
        """As `compact`; the model is asked in the caller's event loop where it has `acomplete`."""
        return await run_flow_async(self._compaction(history, task, force), self._model, 1)

    def _compaction(self, history: REPLHistory, task: str, force: bool) -> Flow[CompactionResult]:
        trigger = self._trigger(history)
        if not trigger and not force:
            return _nothing(history, "thresholds_not_met")
        cut = max(len(history) - self.config.preserve_last_n_entries, 0)
        old, preserved = history.entries[:cut], history.entries[cut:]
        if not old or all(entry.stands_for for entry in old):
            self._floor = history.entries
            return _nothing(history, "nothing_to_summarize")
        steps = [step for entry in old for step in entry.originals or (entry,)]
        by_rules = CompactionResult(
            original_entries=len(history),
            compacted_entries=1 + len(preserved),
            original_chars=history.characters,
            compacted_chars=0,
            summary=self._rule_summary(steps, preserved, task),
            preserved_entries=preserved,
            summarized_entries=len(old),
            summarized=tuple(steps),
        )
        result = by_rules
        if self.config.use_llm_for_summary and self._model is not None:
            result = yield from self._by_model(by_rules, old, task)
        shorter = [_summary_entry(result), *preserved]
        result = replace(result, compacted_chars=sum(entry.characters for entry in shorter))
        if result.compacted_chars >= history.characters or self._tokens(shorter) >= self._tokens(history):
            if trigger == "characters" and not force:
                self._floor = history.entries
                return replace(_nothing(history, "no_gain"), fallback_reason=result.fallback_reason)
            result = replace(result, warnings=("no_gain",))
        self._floor = preserved
        return result

    def _by_model(
        self, by_rules: CompactionResult, old: Sequence[REPLEntry], task: str
    ) -> Flow[CompactionResult]:
        """The result with a model's summary, or with the reason why there is none."""
        most = self.config.summary_max_sentences
        fixed = _summary_entry(replace(by_rules, summary="")).characters
        limit = max(sum(entry.characters for entry in old) - fixed - 1, len(by_rules.summary))
        prompt = steps_prompt(well_formed(task))
        (reply,) = yield from ask(
            [Task(steps_text(old), prompt, limit, _CHARACTERS, "characters", target=most, sentences=most)]
        )
        if reply.reason is not None:
            self._raise_failure(reply)
            return replace(by_rules, fallback_reason=reply.reason)
        texts = [f"{one.reasoning}\n{one.code}\n{one.output}" for one in (*by_rules.summarized, *old)]
        made_up = unsupported_facts([well_formed(text) for text in (*texts, task)], reply.text)
        return replace(by_rules, summary=reply.text, used_llm=True, unsupported_facts=made_up)

    def _raise_failure(self, reply: Reply) -> None:
        if self.config.fallback_to_deterministic or self._model is None:
            return
        if reply.error is not None and reply.reason == "model_failed":
            raise reply.error
        raise SummarizationError(f"{self._model.name} gave no summary: {reply.reason}") from reply.error

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
        most = self.max_tokens_before_compaction
        return "characters" if most is not None and self._tokens(history) >= most else ""

    def _tokens(self, entries: Iterable[REPLEntry]) -> int:
        texts = [text for entry in entries for text in (entry.reasoning, entry.code, entry.output)]
        return int(count_batch(resolve_counter(self.counter), texts).sum())

    def _is_floor(self, entries: list[REPLEntry]) -> bool:
        if self._floor is None:
            return False
        return entries == self._floor or (
            entries[1:] == self._floor and bool(entries) and entries[0].stands_for > 0
        )

    def _rule_summary(self, steps: Sequence[REPLEntry], later: Sequence[REPLEntry], task: str) -> str:
        return rule_summary(
            steps,
            later,
            task,
            sentences=self.config.summary_max_sentences,
            findings=self.config.include_key_findings,
            smart_success=self.smart_success,
            seed_labels=self.seed_labels,
            newest_first=self.newest_first,
        )


def _summary_entry(result: CompactionResult) -> REPLEntry:
    count = len(result.summarized) - result.summarized_entries + result.original_entries
    return REPLEntry(
        reasoning=COMPACTED + result.summary,
        code=_CODE,
        output=f"(Compacted {count} steps)",
        llm_calls=tuple(call for entry in result.summarized for call in entry.llm_calls),
        timestamp=result.timestamp,
        originals=result.summarized,
        stands_for=sum(entry.stands_for or 1 for entry in result.summarized),
    )


def _nothing(history: REPLHistory, reason: str) -> CompactionResult:
    return CompactionResult(
        len(history), len(history), history.characters, history.characters,
        preserved_entries=history.entries, reason=reason,
    )  # fmt: skip
