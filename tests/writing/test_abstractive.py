"""A model writes the text; nothing that it wrote is believed."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
import tersely
from sample_texts import GUIDE, prose
from tersely import BudgetExceededError, Extractive, SummarizationError
from tersely.models.counters import resolve_counter
from tersely.strategies import Abstractive, AbstractiveCompressor, CompressionMethod, CompressionOptions
from tersely.types import Level
from written_checks import Model, check_written, content_of, first_sentences, target_of

count = resolve_counter(None).count
STORY = (
    "The bridge over the Tavel was closed in March. Divers found cracks in two of its piers. "
    "The council met and heard the engineers. Repairs cost 48,200 crowns and take 14 weeks. "
    "Ferries carry people across until then. Shops on the north bank complain about empty streets. "
    "A second bridge was proposed, and the mayor said it must wait. Cyclists use the railway bridge."
)
SUMMARY = "The Tavel bridge is closed: divers found cracks in its piers. Ferries carry people across."


def compress(model: Any, text: Any = STORY, budget: int = 60, **options: Any) -> tersely.Compressed:
    """With documents from tersely.compress's arguments and options of Abstractive."""
    arguments = {
        name: options.pop(name) for name in ("query", "pinned", "groups", "counter") if name in options
    }
    result = tersely.compress(text, budget=budget, strategy=Abstractive(model, **options), **arguments)
    check_written(result, resolve_counter(arguments.get("counter")).count)
    return result


def test_the_model_writes_with_the_results_confidence() -> None:
    result = AbstractiveCompressor(Model(SUMMARY)).compress(STORY, CompressionOptions(target_tokens=60))
    assert result.method is CompressionMethod.ABSTRACTIVE and result.used_llm
    assert result.compressed.startswith(SUMMARY)
    assert result.metadata.key_concepts
    assert all(concept in result.compressed for concept in result.metadata.key_concepts)
    assert result.original is not None and result.original.content == STORY
    context = AbstractiveCompressor(Model(SUMMARY)).compress(STORY, CompressionOptions(target_tokens=60))
    assert context.result is not None
    assert context.metadata.confidence_score == context.result.receipt.confidence
    assert 0.7 <= context.metadata.confidence_score < 1


def test_errors_propagate_without_a_fallback() -> None:
    model = Model(TimeoutError("the key is sk-secret"))
    with pytest.raises(SummarizationError, match=r"^scripted failed: TimeoutError$") as raised:
        AbstractiveCompressor(model).compress(STORY, CompressionOptions(target_tokens=60))
    assert isinstance(raised.value.__cause__, TimeoutError)
    assert len(model.prompts) == 1  # clients repeat requests themselves
    batch = AbstractiveCompressor(model).compress_batch(
        [STORY, "short"], CompressionOptions(target_tokens=60)
    )
    assert isinstance(batch[0], SummarizationError)
    assert not isinstance(batch[1], Exception) and batch[1].compressed == "short"
    result = compress(Model(OSError()), fallback=True)
    assert result.receipt.fallback_reason == "model_failed" and not result.receipt.used_llm
    context = AbstractiveCompressor(Model(OSError()), fallback=True).compress(
        STORY, CompressionOptions(target_tokens=60)
    )
    assert context.method is CompressionMethod.EXTRACTIVE
    assert (context.fallback_reason, context.used_llm) == ("model_failed", False)


def test_prompts_names_and_pickles_of_the_model() -> None:
    model = Model(SUMMARY)
    compress(model, query="Why is it closed?")
    (prompt,) = model.prompts
    assert "approximately 60 tokens" in prompt
    assert "Optimize the summary for answering: Why is it closed?" in prompt
    assert content_of(prompt) == STORY
    model = Model(SUMMARY)
    assert AbstractiveCompressor(llm=model).llm is AbstractiveCompressor(model=model).model is model
    with pytest.raises(ValueError, match="give one language model, not model and llm"):
        AbstractiveCompressor(model, llm=Model(SUMMARY))
    strategy = Abstractive(first_sentences, ["code"], 0.0, extractive=Extractive(context=1))  # type: ignore[arg-type]
    again = pickle.loads(pickle.dumps(strategy))
    assert again == strategy and again.preserve == ("code",)
    one, two = (tersely.compress(GUIDE, budget=200, strategy=each) for each in (strategy, again))
    assert (one.text, one.to_dict()) == (two.text, two.to_dict())
    assert one.receipt.used_llm


@pytest.mark.parametrize("nothing", ["", " \n ", "<think>hm</think>", "\ud800"])
def test_an_empty_reply_is_a_failure(nothing: str) -> None:
    model = Model(nothing)
    result = compress(model)
    assert result.receipt.fallback_reason == "empty_reply" and not result.receipt.used_llm
    assert result.text and len(model.prompts) == 2
    assert "it was empty" in model.prompts[1] and "it was empty" not in model.prompts[0]
    assert result.text == tersely.compress(STORY, budget=60, strategy=Abstractive()).text


def test_replies_that_are_no_text_or_too_long() -> None:
    model = Model(lambda prompt: 42)  # type: ignore[arg-type, return-value]
    assert compress(model).receipt.fallback_reason == "empty_reply"
    model = Model(STORY, SUMMARY)
    result = compress(model)
    assert result.receipt.used_llm and result.text.startswith(SUMMARY)
    assert f"it had {count(STORY)} tokens" in model.prompts[1]
    assert target_of(model.prompts[0]) == 60 > target_of(model.prompts[1]) >= 30
    model = Model(STORY * 10)
    result = compress(model)
    assert result.receipt.fallback_reason == "reply_too_long" and len(model.prompts) == 2
    assert result.tokens <= 60


@pytest.mark.parametrize(
    "junk",
    [
        "As an AI language model I am unable to help you with this request today, sorry.",
        "bridge " * 40,
        "Bananas ripen faster next to apples. Nobody knows which fruit invented the calendar.",
        "!!! ... ???",
    ],
)
def test_junk_is_never_returned(junk: str) -> None:
    result = compress(Model(junk))
    assert result.receipt.fallback_reason == "low_confidence" and not result.receipt.used_llm
    kept_anyway = compress(Model(junk), min_confidence=0.0)
    assert kept_anyway.receipt.confidence is not None and kept_anyway.receipt.confidence < 0.7


def test_lost_numbers_come_back_or_are_said() -> None:
    result = compress(Model(SUMMARY))
    assert result.text.startswith(SUMMARY)
    assert "Repairs cost 48,200 crowns and take 14 weeks." in result.text[len(SUMMARY) :]
    assert result.generated == ((0, len(SUMMARY)),)
    assert [span.reason for span in result.kept] == ["reinserted"]
    assert result.receipt.facts is not None
    assert {fact.outcome for fact in result.receipt.facts.facts} == {"reinserted"}
    result = compress(Model(SUMMARY), budget=count(SUMMARY) + 5, min_confidence=0.0)
    assert result.text == SUMMARY
    assert result.receipt.warnings == ("facts_lost",)
    strict = Abstractive(Model(SUMMARY), min_confidence=0.0, strict_preserve=True)
    try:
        replaced = tersely.compress(STORY, budget=count(SUMMARY) + 5, strategy=strict)
    except BudgetExceededError:
        return  # nor can the extractive result keep them
    assert replaced.receipt.fallback_reason == "facts_lost"
    result = compress(Model(SUMMARY), preserve=())
    assert result.text == SUMMARY and not result.kept


def test_made_up_facts_are_flagged_and_count() -> None:
    honest = compress(Model(SUMMARY))
    made_up = SUMMARY.replace("two of its", "its") + " It fell on 17 people near Odessa."
    result = compress(Model(made_up), budget=70, min_confidence=0.0)
    assert result.receipt.facts is not None
    unsupported = {fact.text for fact in result.receipt.facts.of("unsupported")}
    assert any("17" in text for text in unsupported)
    assert "unsupported_facts" in result.receipt.warnings
    assert honest.receipt.confidence is not None and result.receipt.confidence is not None
    assert result.receipt.confidence < honest.receipt.confidence
    assert not honest.receipt.facts or not honest.receipt.facts.of("unsupported")


CODE = "```python\ndef signal(flag: str) -> int:\n    # red means stop\n    return 0\n```"
WITH_CODE = f"{prose(10)}\n\nRead flags like this:\n\n{CODE}\n\n{prose(30)}"


def test_code_is_the_sources_or_none() -> None:
    altered = CODE.replace("return 0", "return 1")
    said = f"Shipments met crews near docks; read flags like this:\n\n{altered}\n\nThat is all."
    result = compress(Model(said), WITH_CODE, 300, preserve=("code",), min_confidence=0.0)
    assert altered not in result.text and CODE in result.text
    assert "code_restored" in result.receipt.warnings
    assert [span.reason for span in result.kept] == ["reinserted"]
    left = compress(Model(said), WITH_CODE, 300, preserve=(), min_confidence=0.0)
    assert left.text == said
    said = f"Shipments met crews near docks; read flags like this:\n\n{CODE}\n\nThat is all."
    result = compress(Model(said), WITH_CODE, 300, preserve=("code",), min_confidence=0.0)
    assert result.text == said and "code_restored" not in result.receipt.warnings
    assert [span.reason for span in result.kept] == ["copied"]
    at = said.index(CODE)
    assert result.generated == ((0, at), (at + len(CODE), len(said)))
    said = "Shipments met crews near docks.\n\n```sh\nrm -rf /\n```\n\nThat is all."
    result = compress(Model(said), WITH_CODE, 300, preserve=("code",), min_confidence=0.0)
    assert "rm -rf" not in result.text and CODE in result.text
    said = f"Shipments met crews near docks; read flags like this:\n\n{CODE}\n\nThat is all."
    group = [CODE, "Read flags like this:"]
    for budget in (60, 300):
        result = compress(
            Model(said), WITH_CODE, budget, preserve=("code",), min_confidence=0.0, groups=[group]
        )
        kept = [WITH_CODE[span.start : span.end] for span in result.kept]
        assert all(part in kept for part in group) or not any(part in kept for part in group)
        assert CODE in result.text and "code_restored" not in result.receipt.warnings


def test_no_model_is_asked_or_there() -> None:
    model = Model(SUMMARY)
    result = compress(model, budget=1000)
    assert result.text == STORY and model.prompts == []
    assert result.receipt.fallback_reason is None and not result.receipt.used_llm
    result = tersely.compress(STORY, budget=60, strategy="abstractive")
    assert result.receipt.fallback_reason == "no_model" and not result.receipt.used_llm
    context = AbstractiveCompressor().compress(STORY, CompressionOptions(target_tokens=60))
    assert context.method is CompressionMethod.EXTRACTIVE and context.fallback_reason == "no_model"


class Responds:
    def generate_response(self, prompt: str) -> str:
        return SUMMARY


class Completes:
    def Complete(self, prompt: str) -> str:
        return SUMMARY


@pytest.mark.parametrize("model", [Responds(), Completes(), lambda prompt: SUMMARY])
def test_other_shapes_of_models(model: Any) -> None:
    assert compress(model).text.startswith(SUMMARY)


def test_pins_groups_and_several_documents_hold() -> None:
    pin = "Cyclists use the railway bridge."
    result = compress(Model(SUMMARY), pinned=[pin], budget=70)
    assert result.text.startswith(SUMMARY) and pin in result.text
    assert "pinned" in {span.reason for span in result.kept}
    with pytest.raises(BudgetExceededError):
        compress(Model(SUMMARY), pinned=[STORY])
    group = ["Repairs cost 48,200 crowns and take 14 weeks.", "Cyclists use the railway bridge."]
    result = compress(Model(SUMMARY), groups=[group], budget=70)
    assert all(part in result.text for part in group)
    short = compress(Model(SUMMARY), groups=[group], budget=count(SUMMARY) + 18, min_confidence=0.0)
    assert short.text == SUMMARY
    result = compress(Model("The bridge is closed."), [GUIDE, STORY], 200, min_confidence=0.0)
    assert {span.document for span in result.kept} == {0, 1}


@pytest.mark.parametrize("level", list(Level))
def test_every_level_of_segments(level: Level) -> None:
    strategy = Abstractive(
        Model(f"Shipments met crews.\n\n{CODE}\n\nThat is all."),
        min_confidence=0.0,
        extractive=Extractive(level=level, window=50),
    )
    result = tersely.compress([WITH_CODE, GUIDE], budget=500, strategy=strategy)
    check_written(result, count)
    assert result.receipt.used_llm and CODE in result.text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"preserve": "code"}, "preserve must be names of code, quotes, numbers"),
        ({"preserve": ("colours",)}, "preserve must be names"),
        ({"min_confidence": 1.5}, "min_confidence must lie in"),
        ({"max_prompt_tokens": 0}, "max_prompt_tokens must be a whole number from 1"),
        ({"concurrency": None}, "concurrency must be a whole number, not None"),
        ({"fallback": 1}, "fallback must be True or False"),
        ({"model": 7}, "a language model must be"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        Abstractive(**options)
