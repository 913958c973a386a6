"""Compress prompts as LLMLingua's `PromptCompressor` does, without a model; only the import changes.

    from tersely.adapters.llmlingua import PromptCompressor  # was: from llmlingua import PromptCompressor

Signatures, defaults and keys of the result are those of llmlingua 0.2.2 (MIT licence,
github.com/microsoft/LLMLingua). Needs no other package.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import tersely
from tersely.core import checks
from tersely.core.errors import BudgetExceededError
from tersely.engine.required import with_required
from tersely.providers.counters import resolve_counter
from tersely.search.parts import parts_of

__all__ = ["PromptCompressor"]

# fmt: off
#: What has no meaning without its model, and the values that ask for nothing: any other is warned of.
_NO_MEANING: dict[str, Any] = {
    "iterative_size": 200, "force_context_number": None, "use_sentence_level_filter": False,
    "use_context_level_filter": True, "use_token_level_filter": True, "keep_split": False,
    "keep_sentence_number": 0, "high_priority_bonus": 100, "context_budget": "+100",
    "token_budget_ratio": 1.4, "condition_in_question": "none", "dynamic_context_compression_ratio": 0.0,
    "condition_compare": False, "add_instruction": False, "rank_method": "llmlingua",
    "target_context": -1, "context_level_rate": 1.0,
    "context_level_target_token": -1, "word_sep": "\t\t|\t\t", "label_sep": " ", "token_to_word": "mean",
    "force_tokens": [], "drop_consecutive": False, "chunk_end_tokens": [".", "\n"],
    "strict_preserve_uncompressed": True,
}
# fmt: on
#: What would change the form of the answer: any other value raises.
_ONLY: dict[str, Any] = {
    "reorder_context": "original",
    "context_segs": None,
    "context_segs_rate": None,
    "context_segs_compress": None,
    "return_word_label": False,
}


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
        _warn([name for name, value in given.items() if value is not None])
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
        *,
        force_context_ids: Sequence[int] | None = None,
        keep_first_sentence: int = 0,
        keep_last_sentence: int = 0,
        concate_question: bool = True,
        force_reserve_digit: bool = False,
        with_result: bool = False,
        **others: Any,
    ) -> dict[str, Any]:
        """Write a prompt of instruction, compressed context and question.

        Args:
            context: one text or several.
            instruction, question: stand before and behind it, as they are; the question says what matters.
            rate: the most of the prompt that may be left, in (0, 1].
            target_token: the most tokens of the whole prompt; goes before `rate`; -1: `rate` decides.
            force_context_ids: contexts that are kept whole.
            keep_first_sentence, keep_last_sentence: sentences of each context that are kept.
            concate_question: whether the question is part of the prompt.
            force_reserve_digit: sentences with numbers come first, as far as they fit.
            with_result: the `tersely.Compressed` (spans, receipt, expand) is in the answer, as "result".
            others: llmlingua's other parameters. Those that have no meaning here are warned of
                (UserWarning) where they are not at their default; those that would change the form of the
                answer raise.

        Returns:
            "compressed_prompt", "origin_tokens", "compressed_tokens", "ratio" ("2.0x": original over
            compressed), "rate" ("50.0%"), "saving", and with `use_llmlingua2` "compressed_prompt_list".

        Raises:
            BudgetExceededError: instruction, question and what must be kept do not fit.
            ValueError, TypeError: a wrong argument.
        """
        _check(others)
        texts = [context] if isinstance(context, str) else list(context)
        ends = ("", "") if self.use_llmlingua2 else (instruction, question if concate_question else "")
        if self.use_llmlingua2 and instruction:
            _warn(["instruction"])
        whole = [*texts] if self.use_llmlingua2 else [instruction, *texts, question]
        origin = self.counter.count("\n\n".join(whole).strip())
        target = checks.number(target_token, "target_token", least=-1)
        budget = checks.budget_of(int(target) if target >= 0 else None, checks.share(rate, "rate"), origin)
        strategy = self.strategy
        if force_reserve_digit:
            if strategy is not None:
                raise ValueError("force_reserve_digit needs the strategy None: it is Extractive(preserve=)")
            strategy = tersely.Extractive(preserve=("numbers",))
        first = checks.whole_number(keep_first_sentence, "keep_first_sentence")
        last = checks.whole_number(keep_last_sentence, "keep_last_sentence")
        pinned = _pinned(texts, force_context_ids or (), first, last)
        result = self._fit(texts, question or None, budget, ends, strategy, pinned)
        prompt = _framed(result.text, ends)
        tokens = self.counter.count(prompt)
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
            answer["compressed_prompt_list"] = [part.text for part in parts_of(result)]
        return {**answer, "result": result} if with_result else answer

    def _fit(
        self,
        texts: list[str],
        question: str | None,
        budget: int,
        ends: tuple[str, str],
        strategy: Any,
        pinned: list[tuple[int, int, int]],
    ) -> tersely.Compressed:
        """Fit the context into what instruction and question leave of the budget, counted as one text."""
        around = self.counter.count(_framed("", ends))

        def attempt(allowed: int) -> tersely.Compressed:
            room = allowed - around
            while room >= 0:
                result = tersely.compress(
                    texts, question, budget=room, counter=self.counter, strategy=strategy, pinned=pinned
                )
                over = self.counter.count(_framed(result.text, ends)) - allowed
                if over <= 0:
                    return result
                room = max(room - over, room // 2) if room else -1
            raise BudgetExceededError(
                f"instruction and question need {around} tokens, the budget is {allowed}",
                required=max(around, allowed + 1),
                budget=allowed,
            )

        return with_required(attempt, budget)


def _framed(context: str, ends: tuple[str, str]) -> str:
    before, behind = ends
    return "\n\n".join(text for text in (before, context if context.strip() else "", behind) if text)


def _pinned(texts: list[str], whole: Sequence[int], first: int, last: int) -> list[tuple[int, int, int]]:
    """Return spans of the contexts that are kept whole, and of sentences at the ends of each."""
    for index in whole:
        if checks.whole_number(index, "force_context_ids") >= len(texts):
            raise ValueError(f"force_context_ids must lie in [0, {len(texts)}), not {index}")
    spans = [(index, 0, len(texts[index])) for index in whole if texts[index]]
    if first or last:
        for index, text in enumerate(texts):
            sentences = [(index, start, end) for _, start, end, _ in tersely.segment(text)]
            spans += sentences[:first] + sentences[max(len(sentences) - last, 0) :]
    return spans


def _check(others: dict[str, Any]) -> None:
    for name, value in others.items():
        if name in _ONLY and value != _ONLY[name]:
            raise ValueError(f"{name} must be {_ONLY[name]!r} here, not {value!r}")
        if name not in _ONLY and name not in _NO_MEANING:
            raise TypeError(f"compress_prompt has no parameter {name!r}")
    _warn([name for name in others if name in _NO_MEANING and others[name] != _NO_MEANING[name]])


def _warn(names: Sequence[str]) -> None:
    if names:
        text = f"{', '.join(names)}: without meaning here, where no model is asked (docs/drop_in.md)"
        warnings.warn(text, UserWarning, stacklevel=4)
