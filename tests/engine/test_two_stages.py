"""Long texts are cut first, then written; short ones are written."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass
from typing import Any

import odd_counters
import pytest
import tersely
from sample_texts import GUIDE, prose
from tersely import Compressed, Extractive, SummarizationError
from tersely.models.counters import resolve_counter
from tersely.strategies import (
    AbstractiveCompressor,
    CompressedContext,
    CompressionMethod,
    CompressionOptions,
    ExtractiveCompressor,
    Hybrid,
    HybridCompressor,
)
from tersely.types import Request
from written_checks import Model, check_written, content_of, first_sentences, target_of

count = resolve_counter(None).count
SUMMARY = "Reports say that copper, zinc and granite shipments met their crews near the docks."
LONG = prose(180)


@dataclass(frozen=True)
class Spy(Extractive):
    """Remembers the budgets that it was given."""

    budgets: Any = None

    def compress(self, request: Request) -> Compressed:
        self.budgets.append(request.budget)
        return super().compress(request)


def checked(context: CompressedContext) -> CompressedContext:
    assert context.result is not None
    check_written(context.result, count)
    assert context.compressed == context.result.text
    return context


def test_two_stages_from_the_threshold_on() -> None:
    content = "This is test content. " * 1000
    result = checked(
        HybridCompressor(Model("This is test content.")).compress(
            content, CompressionOptions(target_ratio=0.25)
        )
    )
    assert result.method is CompressionMethod.HYBRID
    assert result.compression_ratio < 0.3
    without = checked(HybridCompressor().compress(content, CompressionOptions(target_ratio=0.25)))
    assert without.compression_ratio < 0.3
    assert (without.method, without.fallback_reason) == (CompressionMethod.EXTRACTIVE, "no_model")
    options = CompressionOptions(min_confidence=0.0, min_tokens=1)
    counter = odd_counters.Answers(lambda texts: list(map(odd_counters.words, texts)))
    for tokens, method in ((1999, CompressionMethod.ABSTRACTIVE), (2000, CompressionMethod.HYBRID)):
        model = Model("word1 word2 word3")
        result = HybridCompressor(model, counter=counter).compress(words(tokens), options)
        assert result.original is not None and result.original.token_count == tokens
        assert result.method is method and len(model.prompts) == 1
        read = odd_counters.words(content_of(model.prompts[0]))
        assert (read == 1999) if tokens == 1999 else (900 <= read <= 1000)


def words(number: int) -> str:
    return "".join(f"word{i} " if i % 10 else f"word{i}. " for i in range(number)).strip()


def test_targets_of_the_stages() -> None:
    for ratio, stages in ((0.3, [0.5]), (0.25, [0.5]), (0.49, [0.5]), (0.5, []), (0.8, [])):
        budgets: list[int] = []
        model = Model(SUMMARY)
        strategy = Hybrid(model, min_confidence=0.0, extractive=Spy(budgets=budgets))
        result = tersely.compress(LONG, ratio=ratio, strategy=strategy)
        assert budgets == [int(share * result.original_tokens) for share in stages]
        assert target_of(model.prompts[0]) == int(result.original_tokens * ratio)
        if stages:  # 0.6 of the first stage for 0.3 of the whole
            first = count(content_of(model.prompts[0]))
            assert target_of(model.prompts[0]) / first == pytest.approx(ratio / 0.5, abs=0.01)
    content = words(4000)
    model = Model("word1 word2 word3")
    options = CompressionOptions(target_tokens=300, target_ratio=0.3, min_confidence=0.0)
    HybridCompressor(model, counter=odd_counters.words).compress(content, options)
    assert target_of(model.prompts[0]) == 300
    assert 1900 <= odd_counters.words(content_of(model.prompts[0])) <= 2000


def test_the_whole_is_the_original_and_its_facts_come_back() -> None:
    result = checked(HybridCompressor(Model(SUMMARY)).compress(LONG, CompressionOptions(min_confidence=0)))
    assert result.original is not None and result.original.content == LONG
    assert result.compression_ratio == pytest.approx(count(result.compressed) / count(LONG), abs=1e-12)
    assert result.method is CompressionMethod.HYBRID
    assert HybridCompressor().decompress(result) == LONG
    result = checked(HybridCompressor(Model(SUMMARY)).compress(LONG, CompressionOptions(min_confidence=0)))
    assert result.result is not None
    reasons = {span.reason for span in result.result.dropped}
    assert "rewritten" in reasons and reasons & {"budget", "redundant"}
    back = [span.start for span in result.result.kept]
    assert back == sorted(back) and len(back) > 10
    assert result.result.receipt.facts is not None
    assert result.result.receipt.facts.retention > 0.2


def test_options_say_which_method() -> None:
    model = Model(SUMMARY)
    options = CompressionOptions(allow_hybrid=False, min_confidence=0.0)
    result = HybridCompressor(model).compress(LONG, options)
    assert result.method is CompressionMethod.ABSTRACTIVE
    assert content_of(model.prompts[0]) == LONG.strip()
    model = Model(SUMMARY)
    options = CompressionOptions(preferred_method=CompressionMethod.EXTRACTIVE)
    result = HybridCompressor(model).compress(LONG, options)
    assert result.method is CompressionMethod.EXTRACTIVE and model.prompts == []
    assert result.fallback_reason is None and not result.used_llm
    options = CompressionOptions(preferred_method=CompressionMethod.ABSTRACTIVE, min_confidence=0.0)
    assert HybridCompressor(model).compress(LONG, options).method is CompressionMethod.ABSTRACTIVE


def test_what_is_verbatim_asks_no_model() -> None:
    for compressor in (AbstractiveCompressor, HybridCompressor):
        for method in (CompressionMethod.EXTRACTIVE, CompressionMethod.HIERARCHICAL):
            model = Model(SUMMARY)
            options = CompressionOptions(preferred_method=method, preserve_quotes=False)
            result = compressor(model).compress(LONG, options)
            assert result.method is method and model.prompts == []
            assert result.fallback_reason is None and not result.used_llm
            assert result.token_count <= 0.3 * count(LONG)
            later = asyncio.run(compressor(llm=model).acompress(LONG, options))
            assert later.compressed == result.compressed
    levels = [
        HybridCompressor().compress(LONG, CompressionOptions(preferred_method=method, target_ratio=ratio))
        for ratio in (0.26, 0.25)
    ]
    assert 0.25 < levels[0].compression_ratio <= 0.26  # a level of its own, which has all of the next
    assert 0.2 < levels[1].compression_ratio <= 0.25
    kept = [{(span.start, span.end) for span in level.result.kept} for level in levels]
    assert kept[1] < kept[0]
    same = ExtractiveCompressor().compress(LONG, CompressionOptions(preserve_quotes=False))
    options = CompressionOptions(preferred_method=CompressionMethod.EXTRACTIVE, preserve_quotes=False)
    assert HybridCompressor().compress(LONG, options).compressed == same.compressed


def test_it_falls_back_unless_told_not_to() -> None:
    result = checked(HybridCompressor(Model("Nobody knows which fruit invented calendars.")).compress(LONG))
    assert (result.method, result.fallback_reason) == (CompressionMethod.EXTRACTIVE, "low_confidence")
    assert not result.used_llm and result.token_count <= 0.3 * count(LONG)
    result = checked(HybridCompressor(Model(OSError("down"))).compress(LONG))
    assert (result.method, result.fallback_reason) == (CompressionMethod.EXTRACTIVE, "model_failed")
    with pytest.raises(SummarizationError):
        HybridCompressor(Model(OSError("down")), fallback=False).compress(LONG)


def test_names_ids_and_thresholds() -> None:
    result = tersely.compress(LONG, strategy="hybrid")
    assert result.receipt.fallback_reason == "no_model"
    assert result.text == tersely.compress(LONG, strategy=Hybrid()).text
    written = tersely.compress(LONG, strategy=HybridCompressor(first_sentences))
    check_written(written, count)
    options = CompressionOptions(min_confidence=0.0)
    one = HybridCompressor(Model(SUMMARY)).compress(LONG, options)
    assert one.id == HybridCompressor(Model(SUMMARY)).compress(LONG, options).id
    other = Model(SUMMARY)
    other.name = "other"
    assert (
        one.id != HybridCompressor(other).compress(LONG, options).id != HybridCompressor().compress(LONG).id
    )
    for wrong in (-1, 1.5, True, None):
        with pytest.raises((TypeError, ValueError), match="threshold must be a whole number"):
            HybridCompressor(threshold=wrong)  # type: ignore[arg-type]


class Async:
    """A model that answers in the event loop, and says how many prompts it had at a time."""

    name = "async"

    def __init__(self) -> None:
        self.threads: set[int] = set()
        self.busy = self.most = 0

    def complete(self, prompt: str) -> str:
        return first_sentences(prompt)

    async def acomplete(self, prompt: str) -> str:
        self.threads.add(threading.get_ident())
        self.busy += 1
        self.most = max(self.most, self.busy)
        await asyncio.sleep(0.01)
        self.busy -= 1
        return first_sentences(prompt)


@pytest.mark.parametrize("window", [None, 700])
def test_async_gives_the_same_in_the_callers_loop(window: int | None) -> None:
    model = Async()
    compressor = HybridCompressor(model, max_prompt_tokens=window, concurrency=3)
    contents = [LONG, GUIDE, "short"]
    options = CompressionOptions(min_confidence=0.5)

    async def run() -> list[CompressedContext | Exception]:
        return await compressor.acompress_batch(contents, options)

    later = asyncio.run(run())
    assert later == compressor.compress_batch(contents, options)
    assert model.threads == {threading.get_ident()}
    first = later[0]
    assert isinstance(first, CompressedContext) and checked(first).used_llm


def test_parts_fit_the_window_and_run_side_by_side() -> None:
    prompts: list[str] = []

    def ask(prompt: str) -> str:
        prompts.append(prompt)
        return first_sentences(prompt)

    strategy = Hybrid(ask, max_prompt_tokens=500, min_confidence=0.0)
    result = tersely.compress(LONG, strategy=strategy)
    check_written(result, count)
    assert result.receipt.used_llm and len(prompts) > 3
    assert all(count(prompt) <= 500 for prompt in prompts)
    whole: list[str] = []
    tersely.compress(LONG, strategy=Hybrid(lambda prompt: whole.append(prompt) or SUMMARY, min_confidence=0))
    rest = content_of(whole[0])
    for content in sorted(map(content_of, prompts), key=rest.index):  # together what one would have read
        assert rest.strip().startswith(content)
        rest = rest.strip()[len(content) :]
    assert not rest.strip()
    assert len(result.generated) >= 1 and sum(map(target_of, prompts)) <= result.receipt.budget


def test_parts_are_with_the_model_a_few_at_a_time() -> None:
    model = Async()
    strategy = Hybrid(model, max_prompt_tokens=400, concurrency=3)
    asyncio.run(
        strategy.acompress(
            Request(tuple(tersely.compress(LONG).documents), None, None, 0.3, resolve_counter(None))
        )
    )
    assert model.most == 3


@pytest.mark.parametrize("window", [1, 60, 140])
def test_a_window_that_is_too_small_is_said(window: int) -> None:
    model = Model(SUMMARY)
    result = tersely.compress(LONG, strategy=Hybrid(model, max_prompt_tokens=window))
    check_written(result, count)
    assert result.receipt.fallback_reason in (
        "prompt_too_long",
        "no_room",
        "reply_too_long",
        "low_confidence",
    )
    assert all(count(prompt) <= window for prompt in model.prompts)
