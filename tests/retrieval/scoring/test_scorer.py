"""RelevanceScorer: identities, caching, fallbacks, batches."""

from __future__ import annotations

import asyncio
import re
import time
import uuid
from collections.abc import Sequence
from dataclasses import FrozenInstanceError, fields
from typing import Any

import numpy as np
import pytest
import tersely
from sample_texts import GUIDE
from tersely.errors import CompressionError, RelevanceScoringError
from tersely.retrieval import DocumentChunk, RelevanceScore, RelevanceScorer, ScoringMethod, SegmentScore
from tersely.retrieval.scoring import to_uuid
from tersely.types import Document, Level

DOCUMENTS = ["Tokens expire after a day. Copper is red.", "It rained.", "The token was renewed."]
QUERY = "token expiry"


class Spy:
    """An embedder that notes what it was asked for, and can be told to fail."""

    def __init__(self, error: Exception | None = None, answer: Any = None) -> None:
        self.calls = 0
        self.error = error
        self.answer = answer

    def embed(self, texts: Sequence[str]) -> Any:
        self.calls += 1
        if self.error:
            raise self.error
        return [[1.0, len(text)] for text in texts] if self.answer is None else self.answer

    def score(self, query: str, texts: Sequence[str]) -> Any:
        return [row[1] / 1000 for row in self.embed(texts)]


class Model:
    """A language model that rates passages by their number of letters, and notes its prompts."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.prompts: list[str] = []
        self.seconds = seconds

    def complete(self, prompt: str) -> str:
        self.prompts.append(prompt)
        time.sleep(self.seconds)
        count = len(re.findall(r"^Passage \d+:$", prompt, re.MULTILINE))
        return "\n".join(f"{number}: {1 + number % 10}" for number in range(1, count + 1))


def test_D007_documents_and_segments_are_scored() -> None:
    assert [field.name for field in fields(RelevanceScore)] == [
        "document_id",
        "overall_score",
        "segment_scores",
        "method",
    ]
    assert [field.name for field in fields(SegmentScore)] == ["index", "span", "score"]
    identity = uuid.uuid4()
    document = Document(GUIDE, id=str(identity))
    scores = asyncio.run(RelevanceScorer().score([document, "Another. Two."], "pilot fee"))
    assert scores[0].document_id == identity
    segments = [row for row in scores.segments if row[0] == 0]
    assert len(scores[0].segment_scores) == len(segments) > 20
    for number, (segment, (_, start, end, _)) in enumerate(
        zip(scores[0].segment_scores, segments, strict=True)
    ):
        assert (
            (segment.index, segment.span) == (number, (start, end)) == (number, (segment.start, segment.end))
        )
        assert segment.score == pytest.approx(float(scores.segment_scores[number]))
    assert [segment.index for segment in scores[1].segment_scores] == [0, 1]
    with pytest.raises(FrozenInstanceError):
        scores[0].overall_score = 2.0  # type: ignore[misc]


def test_X55_ids_are_uuids_or_become_them() -> None:
    identity = uuid.UUID("12345678-1234-5678-1234-567812345678")
    assert to_uuid(identity) == to_uuid(str(identity)) == identity
    assert to_uuid("chunk 7") == to_uuid("chunk 7") == uuid.uuid5(uuid.NAMESPACE_OID, "chunk 7")
    documents = [{"text": "a", "id": identity}, {"text": "a", "id": "chunk 7"}, "a", "b", "a"]
    ids = [score.document_id for score in RelevanceScorer().score_sync(documents, QUERY)]
    assert ids[:2] == [identity, to_uuid("chunk 7")]
    assert ids[2] == ids[4] != ids[3]


@pytest.mark.parametrize("method", ["embedding", "cross_encoder"])
def test_D035_a_second_identical_query_asks_no_model(method: str) -> None:
    spy = Spy()
    scorer = RelevanceScorer(method, embedder=spy, cross_encoder=spy)
    first = asyncio.run(scorer.score(DOCUMENTS, QUERY))
    assert spy.calls == 1
    second = asyncio.run(scorer.score(list(DOCUMENTS), QUERY))
    assert spy.calls == 1
    assert (first.cached, second.cached) == (False, True)
    assert second.scores == first.scores
    for documents, query in [(DOCUMENTS, "other"), (DOCUMENTS[:2], QUERY), ([*DOCUMENTS[:2], "x"], QUERY)]:
        before = spy.calls
        scorer.score_sync(documents, query)
        assert spy.calls == before + 1


def test_D029_the_same_for_a_language_model() -> None:
    model = Model()
    scorer = RelevanceScorer("llm", llm=model)
    first = scorer.score_sync(DOCUMENTS, QUERY)
    assert scorer.score_sync(DOCUMENTS, QUERY).scores == first.scores
    assert len(model.prompts) == 1
    scorer.score_sync(DOCUMENTS, "other")
    assert len(model.prompts) == 2


def test_no_cache_where_none_is_wanted() -> None:
    spy = Spy()
    scorer = RelevanceScorer("embedding", embedder=spy, cache=0)
    assert not any(scorer.score_sync(DOCUMENTS, QUERY).cached for _ in range(3))
    assert spy.calls == 3


BROKEN = [
    Spy(error=ConnectionError("no route")),
    Spy(answer=[[1.0]]),
    Spy(answer=[[np.nan, 1.0]] * 5),
    Spy(answer="vectors"),
]


@pytest.mark.parametrize("embedder", BROKEN)
def test_X06_a_failing_embedder_falls_back_and_says_so(embedder: Spy) -> None:
    scorer = RelevanceScorer("embedding", embedder=embedder)
    scores = asyncio.run(scorer.score(DOCUMENTS, QUERY))
    expected = RelevanceScorer("keyword").score_sync(DOCUMENTS, QUERY)
    assert scores.scores == expected.scores
    assert {score.method for score in scores} == {ScoringMethod.KEYWORD}
    assert scores.warnings == ("embedder_failed",)
    assert str(scores.fallback_reason).startswith("the embedder failed: ")
    calls = embedder.calls
    scorer.score_sync(DOCUMENTS, QUERY)
    assert embedder.calls == calls + 1, "a failure is not remembered"


@pytest.mark.parametrize("embedder", BROKEN)
def test_X06_strict_raises_instead(embedder: Spy) -> None:
    with pytest.raises(RelevanceScoringError, match="the embedder failed") as caught:
        asyncio.run(RelevanceScorer("embedding", embedder=embedder, strict=True).score(DOCUMENTS, QUERY))
    assert isinstance(caught.value, CompressionError)
    assert caught.value.__cause__ is not None


def test_X06_a_failing_cross_encoder_falls_back_and_says_so() -> None:
    spy = Spy(error=ConnectionError("no route"))
    scores = RelevanceScorer("cross_encoder", cross_encoder=spy).score_sync(DOCUMENTS, QUERY)
    assert scores.scores == RelevanceScorer().score_sync(DOCUMENTS, QUERY).scores
    assert scores.warnings == ("cross_encoder_failed",)
    assert scores.fallback_reason == "the cross-encoder failed: ConnectionError: no route"


def test_X06_a_failing_language_model_costs_only_its_own_documents() -> None:
    def model(prompt: str) -> str:
        if "It rained." in prompt:
            raise TimeoutError("too slow")
        return "1: 10\n2: 10"

    documents = [*DOCUMENTS, "Four.", "Five."]
    scorer = RelevanceScorer("llm", llm=model, batch_size=2)
    fast = RelevanceScorer().score_sync(documents, QUERY)
    for scores in (scorer.score_sync(documents, QUERY), asyncio.run(scorer.score(documents, QUERY))):
        assert [score.method.name for score in scores] == ["HYBRID", "HYBRID", "LLM", "LLM", "LLM"]
        assert [score.overall_score for score in scores][2:] == [1, 1, 1]
        assert scores[:2] == fast[:2]
        assert scores.warnings == ("llm_failed",)
        assert scores.fallback_reason == "2 of 5 documents have no rating: TimeoutError: too slow"
    with pytest.raises(RelevanceScoringError, match="TimeoutError: too slow"):
        RelevanceScorer("llm", llm=model, batch_size=2, strict=True).score_sync(documents, QUERY)


def test_an_unusable_reply_is_asked_for_once_more_document_by_document() -> None:
    prompts: list[str] = []

    def model(prompt: str) -> str:
        prompts.append(prompt)
        if "Passage 2" in prompt:
            return "1: 10\nThe others are hard to say."
        return "no idea" if "It rained." in prompt else "4"

    scores = RelevanceScorer("llm", llm=model).score_sync(DOCUMENTS, QUERY)
    assert len(prompts) == 3
    assert [score.method.name for score in scores] == ["LLM", "HYBRID", "LLM"]
    assert scores[2].overall_score == pytest.approx(1 / 3)
    assert scores.warnings == ("llm_reply_unusable",)
    assert "no rating from 1 to 10 in 'no idea'" in str(scores.fallback_reason)


@pytest.mark.seconds
def test_D036_ten_documents_at_50_ms_a_prompt() -> None:
    documents = [f"Document {number} says something." for number in range(10)]
    for batch_size, prompts in ((5, 2), (1, 10)):
        model = Model(seconds=0.05)
        scorer = RelevanceScorer("llm", llm=model, batch_size=batch_size)
        scorer_of_nothing = RelevanceScorer("llm", llm=lambda prompt: "1")
        scorer_of_nothing.score_sync(["warm"], QUERY)
        times = []
        for query in (
            QUERY,
            QUERY + " And when?",
            QUERY + " And where?",
        ):  # the machine may be busy with others
            started = time.monotonic()
            asyncio.run(scorer.score(documents, query))
            times.append(time.monotonic() - started)
        assert min(times) < 0.25
        assert len(model.prompts) == 3 * prompts


def test_segments_share_what_the_model_gives_their_document() -> None:
    scores = RelevanceScorer("llm", llm=lambda prompt: "5.5").score_sync([DOCUMENTS[0], "", "  "], QUERY)
    assert max(segment.score for segment in scores[0].segment_scores) == pytest.approx(0.5)
    assert min(segment.score for segment in scores[0].segment_scores) < 0.5


def test_a_long_document_is_shown_by_its_best_segments_in_order() -> None:
    sentences = [f"Sentence {number} is about rain and nothing else." for number in range(300)]
    sentences[40], sentences[200] = "Token expiry is a day.", "The token expiry was a week before."
    model = Model()
    scores = RelevanceScorer("llm", llm=model).score_sync([" ".join(sentences), "short"], QUERY)
    assert scores.warnings == ("llm_passage_shortened",)
    assert scores.fallback_reason is None
    (prompt,) = model.prompts
    assert len(prompt) < 5000
    assert 0 < prompt.index(sentences[40]) < prompt.index(sentences[200])


def test_braces_and_titles_reach_the_prompt_as_they_are() -> None:
    model = Model()
    documents = [Document("{0} {query} %s", title="On {braces}"), "}{"]
    scores = RelevanceScorer("llm", llm=model).score_sync(documents, "what is {}?")
    assert scores.fallback_reason is None
    for text in ("{0} {query} %s", "On {braces}", "}{", "what is {}?"):
        assert text in model.prompts[0]


@pytest.mark.parametrize("query", ["", "  \n"])
def test_an_empty_query_is_said_and_asks_nobody(query: str) -> None:
    spy = Spy()
    scores = RelevanceScorer("embedding", embedder=spy).score_sync(DOCUMENTS, query)
    assert scores.warnings == ("empty_query",)
    assert [score.overall_score for score in scores] == [0, 0, 0]
    assert spy.calls == 0


def test_segments_of_another_level() -> None:
    scores = RelevanceScorer("keyword", level="paragraph").score_sync(["One. Two.\n\nThree."], "two")
    assert [segment.score for segment in scores[0].segment_scores] == [1, 0]
    assert RelevanceScorer(level=Level.SECTION).level is Level.SECTION


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"method": "magic"}, "method must be one of embedding, llm, .*hybrid, not 'magic'"),
        ({"method": ScoringMethod.LLM | ScoringMethod.KEYWORD}, "method must be one of"),
        ({"method": "llm"}, "the method LLM needs llm="),
        ({"method": "cross_encoder"}, "the method CROSS_ENCODER needs cross_encoder="),
        ({"batch_size": 0}, "batch_size must be a whole number from 1, not 0"),
        ({"cache": -1}, "cache must be a whole number from 0, not -1"),
        ({"level": "verse"}, "verse"),
    ],
)
def test_arguments_are_checked(options: dict[str, Any], error: str) -> None:
    with pytest.raises(ValueError, match=error):
        RelevanceScorer(**options)
    with pytest.raises(TypeError, match="query must be str, not NoneType"):
        RelevanceScorer().score_sync(DOCUMENTS, None)  # type: ignore[arg-type]


def test_a_cancelled_call_stops_asking() -> None:
    started: list[str] = []

    async def model(prompt: str) -> str:
        started.append(prompt)
        await asyncio.sleep(30)
        return "1"

    async def work() -> None:
        scorer = RelevanceScorer("llm", llm=model, batch_size=1)
        task = asyncio.create_task(scorer.score([str(number) for number in range(12)], QUERY))
        while len(started) < 5:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(work())
    assert len(started) == 5


def test_chunks_of_a_retriever_are_documents_everywhere() -> None:
    chunks = [
        DocumentChunk(id="a", content="Tokens rotate daily."),
        DocumentChunk(id="b", content="The sea is blue."),
    ]
    scores = RelevanceScorer("keyword").score_sync(chunks, "When do tokens rotate?").scores
    assert scores[0].overall_score > scores[1].overall_score
    assert tersely.compress(chunks, budget=6).text == "Tokens rotate daily."
