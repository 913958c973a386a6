"""The history of a read-evaluate-print loop, whose old steps become a summary while the newest stay."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from tersely import checks
from tersely.checks import Ratios, brief
from tersely.engine.facts import find_facts
from tersely.engine.reading import count_batch, segment
from tersely.errors import SummarizationError
from tersely.models.counters import resolve_counter
from tersely.models.language_models import (
    CheckedLanguageModel,
    Flow,
    one_model,
    resolve_language_model,
    run_flow,
    run_flow_async,
)
from tersely.text import well_formed
from tersely.types import FactKind, Level
from tersely.writing.checks import unsupported_facts
from tersely.writing.flow import Task, ask
from tersely.writing.prompt import Prompt


def utc_now() -> str:
    """Return the time in ISO 8601, UTC: it ends with "+00:00"."""
    return datetime.now(UTC).isoformat()


@brief
@dataclass(frozen=True, slots=True)
class REPLEntry:
    """A step of a program: reasoning, code and output.

    Attributes:
        reasoning, code, output: what was thought, run, and came out.
        execution_time: seconds.
        llm_calls: calls to models that the code made, in any form.
        timestamp: ISO 8601, UTC.
        originals: the entries that this summary replaces.
        stands_for: the number of steps that a summary replaces; 0: it is a step itself.
    """

    reasoning: str = ""
    code: str = ""
    output: str = ""
    execution_time: float = 0.0
    llm_calls: Sequence[Any] = ()
    timestamp: str = field(default_factory=utc_now)
    originals: tuple[REPLEntry, ...] = field(default=(), repr=False)
    stands_for: int = 0

    @property
    def characters(self) -> int:
        """Number of characters of reasoning, code and output."""
        return len(self.reasoning) + len(self.code) + len(self.output)


class REPLHistory(tuple[REPLEntry, ...]):
    """The steps of a program, in order. Immutable: `append` returns a new history."""

    __slots__ = ()

    @property
    def entries(self) -> list[REPLEntry]:
        """The steps, as a new list."""
        return list(self)

    @property
    def characters(self) -> int:
        """Number of characters of all steps."""
        return sum(entry.characters for entry in self)

    def append(
        self,
        reasoning: str = "",
        code: str = "",
        output: str = "",
        execution_time: float = 0.0,
        llm_calls: Sequence[Any] | None = None,
    ) -> REPLHistory:
        """Return a history with one more step. O(steps)."""
        entry = REPLEntry(reasoning, code, output, execution_time, tuple(llm_calls or ()))
        return REPLHistory((*self, entry))

    def expanded(self) -> list[REPLEntry]:
        """Return all steps, each summary replaced by its originals."""
        return [step for entry in self for step in entry.originals or (entry,)]

    def __repr__(self) -> str:
        return f"<REPLHistory of {len(self)} entries>"


_SMALL_WINDOW, _LARGE_WINDOW = 8192, 131_072  # tokens


@dataclass(frozen=True, slots=True)
class CompactionConfig:
    """Options of a `MemoryCompactor`.

    Attributes:
        min_entries_for_compaction: a shorter history is never compacted.
        max_entries_before_compaction, max_chars_before_compaction: from this size on it is compacted.
        summary_max_sentences: the most sentences of a summary, without the lists after "Key findings:" and
            "Resolved issues:".
        preserve_last_n_entries: how many of the newest entries stay unchanged.
        include_key_findings: whether a summary without a model lists findings.
        use_llm_for_summary: whether the model is asked, if there is one.
        fallback_to_deterministic: whether rules write the summary if the model fails.
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
        for option in fields(self):
            value = getattr(self, option.name)
            if option.type == "bool":
                checks.flag(value, option.name)
            else:
                least = 1 if option.name == "summary_max_sentences" else 0
                object.__setattr__(self, option.name, checks.whole_number(value, option.name, least=least))

    @classmethod
    def for_context_window(cls, tokens: int) -> CompactionConfig:
        """Return settings for a window of so many tokens: early up to 8,192, late from 131,072 on."""
        tokens = checks.whole_number(tokens, "tokens", least=1)
        if tokens <= _SMALL_WINDOW:
            return cls(max_entries_before_compaction=5, max_chars_before_compaction=3000)
        if tokens >= _LARGE_WINDOW:
            return cls(max_entries_before_compaction=50, max_chars_before_compaction=100_000)
        return cls()

    @classmethod
    def high_throughput(cls) -> CompactionConfig:
        """Return settings for many runs: compact early, without a model."""
        return cls(3, 5, 3000, 2, 1, use_llm_for_summary=False)

    @classmethod
    def long_research(cls) -> CompactionConfig:
        """Return settings for long sessions: keep more, let the model write."""
        return cls(8, 15, 15000, 4, 3)

    @classmethod
    def minimal(cls) -> CompactionConfig:
        """Return settings for small windows: compact as early and as much as possible."""
        return cls(2, 4, 2000, 1, 1, use_llm_for_summary=False)

    @classmethod
    def none(cls) -> CompactionConfig:
        """Return settings that practically never compact: short tasks in large windows."""
        return cls(999, 999, 999_999)


@brief
@dataclass(frozen=True, slots=True)
class CompactionResult(Ratios):
    """The result of compacting a history of steps.

    Attributes:
        original_entries, compacted_entries: entries before and after (a summary and those preserved).
        original_chars, compacted_chars: characters before and after, with the entry of the summary.
        summary: "" if nothing was compacted.
        preserved_entries: the newest, as they were.
        timestamp: ISO 8601, UTC.
        used_llm: whether a model wrote the summary.
        summarized_entries: entries that the summary replaces.
        summarized: those entries.
        reason: why nothing was compacted: "thresholds_not_met", "nothing_to_summarize" (all are preserved),
            "no_gain" (the threshold was one of characters or tokens, and the summary saves none); otherwise
            "".
        fallback_reason: why a model did not write, as of a `Reply` (writing/flow.py): "model_failed",
            "empty_reply", "reply_truncated", "reply_too_long" (the history would have grown); otherwise None.
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
        """Compacted / original characters; 1.0 if the original is empty."""
        return self.compacted_chars / self.original_chars if self.original_chars else 1.0

    @property
    def compression_ratio(self) -> float:
        """The share of the characters that was removed; 0.0 if the original is empty."""
        return self.reduction


COMPACTED = "[COMPACTED] "
_TASK_CHARACTERS = 100
_FINDINGS = 3
_FINDING_CHARACTERS = 80
_PREVIEWS = {"Reasoning": 200, "Code": 150, "Output": 100}  # characters of a step that a model is shown
_FAILURES = ("error", "exception", "traceback", "failed")
_HARMLESS = re.compile(
    r"\b(?:no|0|zero|without(?: any)?)\s+(?:errors?|exceptions?|failed|failures)\b|\bfailed\s*[:=]\s*0\b",
    re.I,
)
_DIGIT = "\0"  # stands for each character of a number
_PAIR = re.compile(r"\b([A-Za-z_]\w*)(?::\s*|\s*=(?!=)\s*)([^\n,]*)")
_LINE = re.compile(r"^[^\n\0]*\0.*", re.M)
_ERROR = re.compile(r"\b[A-Za-z_]\w*(?:Error|Exception)\b")
_TOLD = re.compile(r"Completed \d+ steps \((\d+) successful\)")


def is_success(output: str, smart: bool = False) -> bool:
    """Return whether an output has no failure; `smart`: "no errors" and "0 failed" are none."""
    text = _HARMLESS.sub("", output) if smart else output
    return not any(word in text.lower() for word in _FAILURES)


def rule_summary(
    entries: Sequence[REPLEntry],
    later: Sequence[REPLEntry] = (),
    task: str = "",
    *,
    sentences: int = 3,
    findings: bool = True,
    smart_success: bool = False,
    seed_labels: bool = False,
    newest_first: bool = False,
) -> str:
    """Summarize steps by rules: the task, numbers of steps and model calls, findings, errors.

    `later`: the steps after those; an error is resolved where a step after it succeeds. `seed_labels`: every
    error counts as resolved. `sentences`: of the task, the steps and the calls; the steps go last.
    O(characters).
    """
    steps, good = _steps(entries, smart_success)
    calls = sum(len(entry.llm_calls) for entry in entries)
    parts = [f"Completed {steps} steps ({good} successful)"]
    if task and sentences > 1:
        parts.insert(0, f"Working on: {task[:_TASK_CHARACTERS]}")
    if calls and len(parts) < sentences:
        parts.append(f"Made {calls} LLM sub-calls")
    told = len(parts)
    if findings and (found := _findings(entries, newest_first)):
        parts.append("Key findings: " + "; ".join(found))
    parts += _issues(entries, later, smart_success, seed_labels)
    return ". ".join(part.rstrip(". ") for part in parts) + ("" if len(parts) > told else ".")


def _steps(entries: Sequence[REPLEntry], smart: bool) -> tuple[int, int]:
    """Count steps and successful ones; a summary counts as the steps that it replaces."""
    steps = good = 0
    for entry in entries:
        match = _TOLD.search(entry.reasoning) if entry.stands_for else None
        many = entry.stands_for or 1
        steps += many
        good += min(int(match[1]), many) if match else many * is_success(entry.output, smart)
    return steps, good


def _findings(entries: Sequence[REPLEntry], newest_first: bool) -> list[str]:
    """Values with their keys; of an output without any, the lines that hold a number."""
    found: dict[str, None] = {}
    for entry in reversed(entries) if newest_first else entries:
        found |= dict.fromkeys(_read(entry.output))
        if len(found) >= _FINDINGS:
            break
    return list(found)[:_FINDINGS]


def _read(output: str) -> list[str]:
    """The pairs of a key and its value; without any, the lines that hold a number."""
    text, hidden = _hide_numbers(output)
    pairs = [
        f"{key[1]}={value}"
        for key in _PAIR.finditer(hidden)
        if not _ERROR.fullmatch(key[1]) and not text.startswith("//", key.start(2))
        if (value := _shorten(text, hidden, *key.span(2)))
    ]
    lines = [match.span() for match in _LINE.finditer(hidden)] if not pairs else ()
    return pairs or [_shorten(text, hidden, *line) for line in lines]


def _hide_numbers(output: str) -> tuple[str, str]:
    """The output, and the same with each number (sign, currency, unit) and date as characters of one kind."""
    text = well_formed(output).replace(_DIGIT, " ")
    facts = find_facts([text], segment([text], Level.SENTENCE))
    rows = np.isin(facts.kind, (FactKind.NUMBER, FactKind.DATE))
    hidden: list[str] = []
    at = 0
    for start, end in sorted(zip(facts.start[rows].tolist(), facts.end[rows].tolist(), strict=True)):
        hidden += (text[at:start], _DIGIT * (end - start))
        at = end
    return text, "".join((*hidden, text[at:]))


def _shorten(text: str, hidden: str, begin: int, end: int) -> str:
    """The text between two places; where it is long its first words, and no part of a number."""
    begin += len(text[begin:end]) - len(text[begin:end].lstrip())
    if end - begin > _FINDING_CHARACTERS:
        end = hidden.rfind(" ", begin, begin + _FINDING_CHARACTERS + 1)
        if end < 0:
            number = len(hidden) - begin - len(hidden[begin:].lstrip(_DIGIT))
            end = begin + max(_FINDING_CHARACTERS, number)
    return text[begin:end].strip()


def _issues(
    entries: Sequence[REPLEntry], later: Sequence[REPLEntry], smart: bool, seed_labels: bool
) -> list[str]:
    steps = [*entries, *later]
    last_good = max((i for i, entry in enumerate(steps) if is_success(entry.output, smart)), default=-1)
    last_met = {name: index for index, entry in enumerate(entries) for name in _ERROR.findall(entry.output)}
    resolved = sorted(name for name, index in last_met.items() if seed_labels or index < last_good)
    still_open = sorted(set(last_met) - set(resolved))
    labelled = (("Resolved issues", resolved), ("Open issues", still_open))
    return [f"{label}: {', '.join(names)}" for label, names in labelled if names]


_ASKS = (
    "Summarize the steps below in at most {target} sentences: what was attempted, the key findings (keep "
    "numbers, names and paths as they are), and which errors were resolved. {rules} Reply with the summary "
    "alone.\n\n"
)


def _steps_text(entries: Sequence[REPLEntry]) -> str:
    """Write steps for a model's prompt: the beginning of each text, all of a summary."""
    steps = []
    for number, entry in enumerate(entries, 1):
        texts = (entry.reasoning, entry.code, entry.output)
        shown = [
            f"{name}: {text if entry.stands_for else text[:most]}"
            for (name, most), text in zip(_PREVIEWS.items(), texts, strict=True)
            if text
        ]
        steps.append("\n".join([f"Step {number}", *shown]))
    return well_formed("\n\n".join(steps))


_CODE = "# Previous steps summarized above"
_CHARACTERS = resolve_counter(len)


class MemoryCompactor:
    """Summarizes the older steps of a history that has grown too long.

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
            model: a language model (`tersely.models.language_models.resolve_language_model`);
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
        """Set the language model; None: use none. Raises TypeError if it is not a language model."""
        self._model = None if connector is None else resolve_language_model(connector)
        self.model = connector

    @property
    def llm_connector(self) -> Any:
        """The language model that writes summaries; None: rules write them."""
        return self.model

    def should_compact(self, history: REPLHistory) -> bool:
        """Return whether the history is too long; False if compacting it again would change nothing."""
        trigger = self._trigger(history)
        self.reason = "" if trigger else "thresholds_not_met"
        if trigger and self._is_floor(history.entries):
            kept = f"the newest {self.config.preserve_last_n_entries} entries stay as they are"
            self.reason = f"irreducible: {kept}, and nothing new came since"
            return False
        return bool(trigger)

    def compact(self, history: REPLHistory, task: str = "", force: bool = False) -> CompactionResult:
        """Summarize all but the newest steps. `force=True`: also below the thresholds.

        If the model fails, rules write the summary (`fallback_reason` says so). Without
        `fallback_to_deterministic`, the model's error is raised, or SummarizationError for a reply that
        cannot be used. A model's summary is used only if it is not longer than that of the rules.

        If a summary is not shorter than the steps ("no_gain") and the threshold is one of characters or
        tokens, the steps stay unchanged. If it is one of entries, or with `force`, they become one entry, and
        `warnings` has "no_gain".
        """
        return run_flow(self._compaction(history, task, force), self._model, 1)

    async def acompact(self, history: REPLHistory, task: str = "", force: bool = False) -> CompactionResult:
        """Compact as `compact` does, in an event loop; uses the model's `acomplete`, if it has one."""
        return await run_flow_async(self._compaction(history, task, force), self._model, 1)

    def _compaction(self, history: REPLHistory, task: str, force: bool) -> Flow[CompactionResult]:
        trigger = self._trigger(history)
        if not trigger and not force:
            return _nothing(history, "thresholds_not_met")
        cut = max(len(history) - self.config.preserve_last_n_entries, 0)
        old, preserved = REPLHistory(history[:cut]), list(history[cut:])
        if not old or all(entry.stands_for for entry in old):
            self._floor = history.entries
            return _nothing(history, "nothing_to_summarize")
        steps = old.expanded()
        summary = rule_summary(
            steps,
            preserved,
            task,
            sentences=self.config.summary_max_sentences,
            findings=self.config.include_key_findings,
            smart_success=self.smart_success,
            seed_labels=self.seed_labels,
            newest_first=self.newest_first,
        )
        sizes = (len(history), 1 + len(preserved), history.characters, 0)  # the last is counted below
        by_rules = CompactionResult(
            *sizes, summary, preserved, summarized_entries=len(old), summarized=tuple(steps)
        )
        result = by_rules
        if self.config.use_llm_for_summary and self._model is not None:
            result = yield from self._by_model(self._model, by_rules, old, task)
        shorter = self.apply_compaction(history, result)
        result = replace(result, compacted_chars=shorter.characters)
        if result.compacted_chars >= history.characters or self._tokens(shorter) >= self._tokens(history):
            if trigger == "characters" and not force:
                self._floor = history.entries
                return replace(_nothing(history, "no_gain"), fallback_reason=result.fallback_reason)
            result = replace(result, warnings=("no_gain",))
        self._floor = preserved
        return result

    def _by_model(
        self, model: CheckedLanguageModel, by_rules: CompactionResult, old: REPLHistory, task: str
    ) -> Flow[CompactionResult]:
        """The result with a model's summary, or with the reason why there is none."""
        most = self.config.summary_max_sentences
        fixed = _summary_entry(replace(by_rules, summary="")).characters
        limit = max(old.characters - fixed - 1, len(by_rules.summary))
        prompt = Prompt(_ASKS + "Task: {query}\n\n" * bool(task.strip()) + "{content}", well_formed(task))
        (reply,) = yield from ask(
            [Task(_steps_text(old), prompt, limit, _CHARACTERS, "characters", target=most, sentences=most)]
        )
        if reply.reason is not None:
            if self.config.fallback_to_deterministic:
                return replace(by_rules, fallback_reason=reply.reason)
            if reply.error is not None and reply.reason == "model_failed":
                raise reply.error
            raise SummarizationError(f"{model.name} gave no summary: {reply.reason}") from reply.error
        texts = [f"{one.reasoning}\n{one.code}\n{one.output}" for one in (*by_rules.summarized, *old)]
        made_up = unsupported_facts([well_formed(text) for text in (*texts, task)], reply.text)
        return replace(by_rules, summary=reply.text, used_llm=True, unsupported_facts=made_up)

    def apply_compaction(self, history: REPLHistory, compaction_result: CompactionResult) -> REPLHistory:
        """Return the history with the summary in place of old steps; unchanged if there is no summary.

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
        """Whether these entries, or all behind their summary, could not be shortened before."""
        again = entries[1:] if entries and entries[0].stands_for else None
        return self._floor is not None and self._floor in (entries, again)


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
    sizes = (len(history), len(history), history.characters, history.characters)
    return CompactionResult(*sizes, preserved_entries=history.entries, reason=reason)
