"""The openai client against a real HTTP server on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from model_server import Server, letters, running
from tersely.errors import MissingExtraError, ModelReplyError
from tersely.models.embedders import resolve_embedder
from tersely.models.language_models import complete_all, resolve_language_model
from tersely.models.openai import OpenAIEmbedder, OpenAILanguageModel, TokenUsage
from tersely.retrieval import RelevanceScorer, ScoringMethod

openai = pytest.importorskip("openai", reason="openai is not installed")


@pytest.fixture
def server() -> Iterator[Server]:
    with running() as made:
        yield made


@pytest.fixture
def embedder(server: Server) -> Iterator[OpenAIEmbedder]:
    made = OpenAIEmbedder("small", base_url=server.url, api_key="none", batch_size=2)
    yield made
    made.client.close()


@pytest.fixture
def model(server: Server) -> Iterator[OpenAILanguageModel]:
    made = OpenAILanguageModel("chat", base_url=server.url, api_key="none", timeout=5)
    yield made
    made.client.close()


def test_vectors_come_in_the_order_of_the_texts(server: Server, embedder: OpenAIEmbedder) -> None:
    assert resolve_embedder(embedder).embed([]).shape == (0, 0)
    assert server.requests == []
    texts = ["aab", "b", "abbb", "", "bb"]
    assert embedder.embed(texts).tolist() == [letters(text) for text in texts]
    assert [len(request["input"]) for _, request in server.requests] == [2, 2, 1]
    assert {(path, request["model"]) for path, request in server.requests} == {("/v1/embeddings", "small")}


def test_a_busy_server_is_asked_again(server: Server, embedder: OpenAIEmbedder) -> None:
    server.mishaps = [429, 500]
    assert len(embedder.embed(["a"])) == 1
    assert len(server.requests) == 3


def test_a_server_that_stays_down_is_the_clients_error(server: Server, embedder: OpenAIEmbedder) -> None:
    server.mishaps = [500] * 9
    with pytest.raises(openai.InternalServerError):
        embedder.embed(["a"])
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    "data",
    [
        [],
        None,
        "vectors",
        [{"index": 0, "embedding": [1.0]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [2.0]}],
        [{"index": 0, "embedding": [1.0]}, {"index": [], "embedding": [2.0]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [2.0, 3.0]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": None}],
        [{"index": 0, "embedding": []}, {"index": 1, "embedding": []}],
        [1, 2],
    ],
)
def test_replies_that_are_no_vectors(server: Server, embedder: OpenAIEmbedder, data: Any) -> None:
    server.embeddings = lambda texts: data
    with pytest.raises(ModelReplyError):
        resolve_embedder(embedder).embed(["a", "b"])


def test_a_prompt_is_one_user_message_and_half_a_reply_is_none(
    server: Server, model: OpenAILanguageModel
) -> None:
    assert model.complete("How many?") == "1: 10"
    assert server.requests == [
        (
            "/v1/chat/completions",
            {"model": "chat", "temperature": 0, "messages": [{"role": "user", "content": "How many?"}]},
        )
    ]
    message = {"role": "assistant", "content": "The invoice is to be paid by"}
    server.choices = [{"index": 0, "message": message, "finish_reason": "length"}]
    with pytest.raises(ModelReplyError, match="stopped in the middle of its reply"):
        model.complete("When?")
    server.choices[0]["finish_reason"] = "stop"
    assert model.complete("When?") == message["content"]


@pytest.mark.parametrize(
    "choices",
    [
        [],
        None,
        "choices",
        [{}],
        [{"message": None}],
        [{"message": {"content": None}}],
        [{"message": {"content": " \n"}}],
        [{"message": {"content": ["a"]}}],
    ],
)
def test_replies_without_text(server: Server, model: OpenAILanguageModel, choices: Any) -> None:
    server.choices = choices
    with pytest.raises(ModelReplyError, match="chat gave a reply without text"):
        model.complete("How many?")


def test_a_slow_server_times_out(server: Server) -> None:
    server.delay = 0.5
    with openai.OpenAI(base_url=server.url, api_key="none", timeout=0.05, max_retries=0) as client:
        model = OpenAILanguageModel("chat", client=client)
        (reply,) = complete_all(resolve_language_model(model), ["How many?"], 1)
        assert isinstance(reply, openai.APITimeoutError)


async def all_replies(model: OpenAILanguageModel, prompts: list[str]) -> list[str]:
    return list(await asyncio.gather(*map(model.acomplete, prompts)))


def test_async_replies_are_the_same(server: Server, model: OpenAILanguageModel) -> None:
    server.reply = str.upper
    prompts = [f"number {i}" for i in range(5)]
    said = [model.complete(prompt) for prompt in prompts]
    for _ in range(2):  # each run has an event loop of its own
        assert asyncio.run(all_replies(model, prompts)) == said == [prompt.upper() for prompt in prompts]
    server.mishaps = [429]
    assert asyncio.run(model.acomplete("again")) == "AGAIN"


def test_clients_of_the_callers(server: Server) -> None:
    async def ask() -> str:
        async with openai.AsyncOpenAI(base_url=server.url, api_key="none") as client:
            with openai.OpenAI(base_url=server.url, api_key="none") as other:
                return await OpenAILanguageModel("chat", client=other, async_client=client).acomplete("?")

    assert asyncio.run(ask()) == "1: 10"
    with openai.OpenAI(base_url=server.url, api_key="none") as client:
        assert asyncio.run(OpenAILanguageModel("chat", client=client).acomplete("?")) == "1: 10"
    with (
        openai.OpenAI(base_url=server.url, api_key="none") as client,
        pytest.raises(TypeError, match=r"use tersely\.models\.openai\.OpenAILanguageModel\(model"),
    ):
        resolve_language_model(client)


@pytest.mark.parametrize("limit", [1, 3])
def test_requests_at_a_time(server: Server, limit: int) -> None:
    server.delay = 0.05
    several = min(limit, 2)  # a busy machine may not get all of them going within the delay
    model = OpenAILanguageModel("chat", base_url=server.url, api_key="none", concurrency=limit)
    replies = complete_all(resolve_language_model(model), ["?"] * 6, 6)
    assert replies == ["1: 10"] * 6
    assert several <= server.most <= limit
    server.most = 0
    assert asyncio.run(all_replies(model, ["?"] * 6)) == replies
    assert several <= server.most <= limit
    model.client.close()


def test_a_limit_must_let_something_through() -> None:
    for wrong in (0, -1):
        with pytest.raises(ValueError, match="concurrency must be a whole number from 1"):
            OpenAILanguageModel("chat", api_key="none", concurrency=wrong)
    for wrong in (True, 1.5):
        with pytest.raises(TypeError, match="concurrency must be a whole number, not "):
            OpenAILanguageModel("chat", api_key="none", concurrency=wrong)  # type: ignore[arg-type]


def test_token_usage_is_added_up(server: Server, model: OpenAILanguageModel) -> None:
    assert model.usage == TokenUsage()
    complete_all(resolve_language_model(model), ["?"] * 40, 8)
    assert model.usage == TokenUsage(replies=40, prompt_tokens=280, completion_tokens=120)
    asyncio.run(model.acomplete("?"))
    assert model.usage == TokenUsage(41, 287, 123)


@pytest.mark.parametrize("usage", [None, {}, "many", {"prompt_tokens": "7", "completion_tokens": -1}])
def test_usage_that_says_nothing_counts_nothing(
    server: Server, model: OpenAILanguageModel, usage: Any
) -> None:
    server.usage = usage
    assert model.complete("?") == "1: 10"
    assert model.usage == TokenUsage(replies=1)


def test_relevance_over_http(server: Server, model: OpenAILanguageModel) -> None:
    server.choices = [{"message": {"content": "[10, 1]"}}]
    scores = RelevanceScorer("llm", llm=model).score_sync(["the fee", "the rain"], "what does it cost?")
    assert [score.overall_score for score in scores] == [1.0, 0.0]
    assert {score.method for score in scores} == {ScoringMethod.LLM}
    server.mishaps = [500] * 9
    scores = RelevanceScorer("llm", llm=model).score_sync(["the fee", "the rain"], "what does it cost?")
    assert scores.warnings == ("llm_failed",)
    assert "InternalServerError" in str(scores.fallback_reason)


def test_a_missing_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "openai", None)
    with pytest.raises(MissingExtraError, match=r"openai is not installed.*'tersely\[openai\]'"):
        OpenAIEmbedder("small")
