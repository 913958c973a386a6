"""Compress prompts as LLMLingua's `PromptCompressor` does, without a model; only the import changes.

    from tersely.integrations.llmlingua import PromptCompressor  # was: from llmlingua import PromptCompressor

Signatures, defaults and keys of the result are those of llmlingua 0.2.2 (MIT licence,
github.com/microsoft/LLMLingua). Needs no other package.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import tersely
from tersely import checks
from tersely.engine.api import compress_in
from tersely.engine.reading import count
from tersely.models.counters import resolve_counter
from tersely.retrieval import RelevanceScorer
from tersely.retrieval.chunks import parts_of
from tersely.types import Frame

__all__ = ["PromptCompressor"]

# fmt: off
#: The parameters of `compress_prompt` behind `target_token`, in their positions, with their defaults.
_DEFAULTS: dict[str, Any] = {
    "iterative_size": 200, "force_context_ids": None, "force_context_number": None,
    "use_sentence_level_filter": False, "use_context_level_filter": True, "use_token_level_filter": True,
    "keep_split": False, "keep_first_sentence": 0, "keep_last_sentence": 0, "keep_sentence_number": 0,
    "high_priority_bonus": 100, "context_budget": "+100", "token_budget_ratio": 1.4,
    "condition_in_question": "none", "reorder_context": "original",
    "dynamic_context_compression_ratio": 0.0, "condition_compare": False, "add_instruction": False,
    "rank_method": "llmlingua", "concate_question": True, "context_segs": None, "context_segs_rate": None,
    "context_segs_compress": None, "target_context": -1, "context_level_rate": 1.0,
    "context_level_target_token": -1, "return_word_label": False, "word_sep": "\t\t|\t\t", "label_sep": " ",
    "token_to_word": "mean", "force_tokens": [], "force_reserve_digit": False, "drop_consecutive": False,
    "chunk_end_tokens": [".", "\n"], "strict_preserve_uncompressed": True,
}
#: What does here what it does there.
_HEEDED = {
    "force_context_ids", "keep_first_sentence", "keep_last_sentence", "reorder_context", "concate_question",
    "force_reserve_digit",
}
# fmt: on
#: What would change the form of the answer: any other value than the default raises.
_ONLY_DEFAULT = {"context_segs", "context_segs_rate", "context_segs_compress", "return_word_label"}
_ORDERS = ("original", "sort", "two_stage")


class PromptCompressor:
    """Compresses prompts: sentences are kept whole, and the budget holds for all of the prompt."""

    def __init__(
        self,
        model_name: str | None = None,
        device_map: str | None = None,
        model_config: dict[str, Any] | None = None,
        open_api_config: dict[str, Any] | None = None,
        use_llmlingua2: bool = False,
        llmlingua2_config: dict[str, Any] | None = None,
        *,
        counter: Any = "cl100k_base",
        strategy: Any = None,
    ) -> None:
        """Say which form of result is expected, and how tokens are counted.

        Args:
            model_name, device_map, model_config, open_api_config, llmlingua2_config: no model is loaded; a
                UserWarning says so where one is given.
            use_llmlingua2: the prompt is the context alone, and the result has "compressed_prompt_list".
            counter, strategy: as in `tersely.compress`; llmlingua counts its results in cl100k_base.
        """
        given = {
            "model_name": model_name,
            "device_map": device_map,
            "model_config": model_config,
            "open_api_config": open_api_config,
            "llmlingua2_config": llmlingua2_config,
        }
        _warn([name for name, value in given.items() if value is not None], 3)
        self.use_llmlingua2 = use_llmlingua2
        self.counter = resolve_counter(counter)
        self.strategy = strategy

    def __call__(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Call `compress_prompt`."""
        return self.compress_prompt(*args, **kwargs)

    def compress_prompt(
        self,
        context: str | Sequence[str],
        instruction: str = "",
        question: str = "",
        rate: float = 0.5,
        target_token: float = -1,
        *more: Any,
        with_result: bool = False,
        **others: Any,
    ) -> dict[str, Any]:
        """Write a prompt of instruction, compressed context and question.

        Args:
            context: one text or several.
            instruction, question: come before and after the context, unchanged; the question says what
                matters.
            rate: the most of the prompt that may be left, in (0, 1].
            target_token: the most tokens of the whole prompt; overrides `rate`; -1: `rate` decides.
            with_result: the `tersely.Compressed` (spans, receipt, expand) is in the answer, as "result"; its
                documents are the contexts in the order of the prompt.
            more, others: llmlingua's other parameters, in their positions or by name. These mean what they
                mean there: `force_context_ids` (contexts that are kept whole), `keep_first_sentence`,
                `keep_last_sentence` (of each context), `reorder_context` ("original"; "sort": the most
                relevant contexts first; "two_stage": at both ends), `concate_question` (whether the question
                is part of the prompt), `force_reserve_digit` (sentences with numbers come first, as far as
                they fit). Those that have no meaning here give a UserWarning if they are not at their
                default; those that would change the form of the answer raise.

        Returns:
            "compressed_prompt", "origin_tokens", "compressed_tokens", "ratio" ("2.0x": original over
            compressed), "rate" ("50.0%"), "saving", and with `use_llmlingua2` "compressed_prompt_list".

        Raises:
            BudgetExceededError: instruction, question and what must be kept do not fit.
            ValueError, TypeError: a wrong argument.
        """
        if "ratio" in others:  # llmlingua's README still has it: the share that goes, as before 0.2
            rate = 1 - checks.number(others.pop("ratio"), "ratio", least=0)
        options = _options(more, others)
        texts = [context] if isinstance(context, str) else list(context)
        whole_ones = _indices(options["force_context_ids"] or (), len(texts))
        order = _order(texts, question, options["reorder_context"])
        if self.use_llmlingua2 and instruction:
            _warn(["instruction"], 3)
        whole = ("", "") if self.use_llmlingua2 else (instruction, question)
        around = filter(None, (whole[0], "\n\n".join(texts), whole[1]))
        origin = count(self.counter, "\n\n".join(around))
        target = checks.number(target_token, "target_token", least=-1)
        budget = checks.budget_of(int(target) if target >= 0 else None, checks.share(rate, "rate"), origin)
        strategy = self.strategy
        if options["force_reserve_digit"]:
            if strategy is not None:
                raise ValueError("force_reserve_digit needs the strategy None: it is Extractive(preserve=)")
            strategy = tersely.Extractive(preserve=("numbers",))
        first = checks.whole_number(options["keep_first_sentence"], "keep_first_sentence")
        last = checks.whole_number(options["keep_last_sentence"], "keep_last_sentence")
        frame = Frame()
        if not self.use_llmlingua2:
            frame = _frame(texts, instruction, question if options["concate_question"] else "")
        result = compress_in(
            frame,
            [texts[index] for index in order],
            question or None,
            budget=budget,
            counter=self.counter,
            strategy=strategy,
            pinned=_pinned([texts[index] for index in order], map(order.index, whole_ones), first, last),
        )
        parts = [part.text for part in parts_of(result)]
        (prompt,) = frame.texts(parts, "\n\n")  # as it was counted: an empty context brings no blank line
        tokens = count(self.counter, prompt)
        ratio = origin / tokens if tokens else 1
        answer = {
            "compressed_prompt": prompt,
            "origin_tokens": origin,
            "compressed_tokens": tokens,
            "ratio": f"{ratio:.1f}x",
            "rate": f"{1 / ratio * 100 if ratio else 100:.1f}%",
            "saving": f", Saving ${(origin - tokens) * 0.06 / 1000:.1f} in GPT-4.",
        }
        if self.use_llmlingua2:
            answer["compressed_prompt_list"] = parts
        return {**answer, "result": result} if with_result else answer


def _frame(texts: Sequence[str], before: str, behind: str) -> Frame:
    """Put instruction and question around the contexts, with blank lines between."""
    some = any(map(str.strip, texts))
    prefix = f"{before}\n\n" if before and (some or behind) else before
    return Frame(prefix=prefix, suffix=f"\n\n{behind}" if behind and some else behind)


def _pinned(texts: list[str], whole: Iterable[int], first: int, last: int) -> list[tuple[int, int, int]]:
    """Return spans of the contexts that are kept whole, and of sentences at the ends of each."""
    spans = [(index, 0, len(texts[index])) for index in whole if texts[index]]
    if first or last:
        for index, text in enumerate(texts):
            sentences = [(index, start, end) for _, start, end, _ in tersely.segment(text)]
            spans += sentences[:first] + sentences[max(len(sentences) - last, 0) :]
    return spans


def _indices(given: Sequence[int], count: int) -> list[int]:
    """Return the contexts that `force_context_ids` names, each once."""
    for index in given:
        if checks.whole_number(index, "force_context_ids") >= count:
            raise ValueError(f"force_context_ids must lie in [0, {count}), not {index}")
    return list(dict.fromkeys(given))


def _order(texts: Sequence[str], question: str, how: Any) -> list[int]:
    """Return the contexts in the order of the prompt; ties, and all without a question, as they came."""
    checks.one_of(how, "reorder_context", _ORDERS)
    order = list(range(len(texts)))
    if how == "original" or not question.strip() or len(texts) < 2:
        return order
    scores = [score.overall_score for score in RelevanceScorer().score_sync(list(texts), question)]
    order.sort(key=lambda index: -scores[index])
    return order if how == "sort" else order[::2] + order[1::2][::-1]


def _options(more: Sequence[Any], others: dict[str, Any]) -> dict[str, Any]:
    """Return llmlingua's other parameters by name; raise for unknown ones, warn of those without meaning."""
    if len(more) > len(_DEFAULTS):
        raise TypeError(
            f"compress_prompt has {5 + len(_DEFAULTS)} parameters in positions, not {5 + len(more)}"
        )
    given = dict(zip(_DEFAULTS, more, strict=False))
    for name, value in others.items():
        if name not in _DEFAULTS:
            raise TypeError(f"compress_prompt has no parameter {name!r}")
        if name in given:
            raise TypeError(f"compress_prompt got two values for {name!r}")
        given[name] = value
    changed = [name for name, value in given.items() if value != _DEFAULTS[name]]
    for name in changed:
        if name in _ONLY_DEFAULT:
            raise ValueError(f"{name} must be {_DEFAULTS[name]!r} here, not {given[name]!r}")
    _warn([name for name in changed if name not in _HEEDED], 4)
    return {**_DEFAULTS, **given}


def _warn(names: Sequence[str], level: int) -> None:
    if names:
        text = f"{', '.join(names)}: of no use without a model (docs/migration/llmlingua.md)"
        warnings.warn(text, UserWarning, stacklevel=level)
