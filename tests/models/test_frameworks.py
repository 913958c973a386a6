"""Models of LangChain and LlamaIndex, as they are: the real classes, and their shapes."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
import pytest
import tersely
from tersely.errors import ModelReplyError
from tersely.models.embedders import resolve_embedder
from tersely.models.language_models import resolve_language_model
from tersely.retrieval import RelevanceScorer

TEXTS = ["Keys rotate every 24 hours. The job runs at night.", "Milk is in the fridge."]


def answers(model: Any, reply: str) -> None:
    resolved = resolve_language_model(model)
    assert resolved.complete("How often?") == reply and type(resolved.complete("How often?")) is str
    assert asyncio.run(resolved.acomplete("How often?")) == reply


def embeds(embedder: Any, name: str) -> None:
    resolved = resolve_embedder(embedder)
    assert resolved.name == name and resolved.embed(TEXTS).shape == (2, 8)
    assert np.allclose(np.linalg.norm(resolved.embed(TEXTS), axis=1), 1.0)
    short = tersely.compress(
        TEXTS, "How often?", budget=14, strategy=tersely.Extractive(embedder=embedder, reranker=embedder)
    )
    assert 0 < short.tokens <= 14 and not [code for code in short.receipt.warnings if "failed" in code]
    scores = RelevanceScorer("embedding", embedder=embedder).score_sync(TEXTS, "How often?")
    assert scores.fallback_reason is None


def test_langchain() -> None:
    fake = pytest.importorskip("langchain_core.language_models.fake_chat_models")
    from langchain_core.embeddings import DeterministicFakeEmbedding
    from langchain_core.language_models import FakeListLLM
    from langchain_core.messages import AIMessage

    answers(fake.FakeListChatModel(responses=["Daily."] * 9), "Daily.")
    answers(FakeListLLM(responses=["Daily."] * 9), "Daily.")
    blocks = AIMessage([{"type": "text", "text": "Dai"}, {"type": "text", "text": "ly."}])
    answers(fake.GenericFakeChatModel(messages=iter([blocks] * 9)), "Daily.")
    embeds(DeterministicFakeEmbedding(size=8), "DeterministicFakeEmbedding")
    empty = resolve_language_model(fake.FakeListChatModel(responses=[""]))
    with pytest.raises(ModelReplyError, match="FakeListChatModel gave an empty reply"):
        empty.complete("How often?")


def test_llama_index() -> None:
    llms = pytest.importorskip("llama_index.core.llms")
    from llama_index.core import MockEmbedding

    model = llms.MockLLM()  # says what it was asked
    answers(model, "How often?")
    embeds(MockEmbedding(embed_dim=8), "MockEmbedding:unknown")


class Message:
    """A message of langchain-core before 1.0, whose text is a method."""

    def text(self) -> str:
        return "Daily."


class Chat:
    """A chat model's shape."""

    model_name = "small"

    def invoke(self, prompt: str) -> Any:
        return Message()


class Vectors:
    """The shape of LangChain's embeddings."""

    model = "letters"

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [[1.0 + text.count(letter) for letter in "abcdefgh"] for text in texts]


def test_shapes() -> None:
    answers(Chat(), "Daily.")
    assert resolve_language_model(Chat()).name == "Chat:small"
    embeds(Vectors(), "Vectors:letters")
    for wrong in (Chat, Vectors):
        with pytest.raises(TypeError):
            resolve_language_model(wrong)
        with pytest.raises(TypeError):
            resolve_embedder(wrong)
    scored = RelevanceScorer("llm", model=Chat()).score_sync(TEXTS, "How often?")
    assert scored.fallback_reason is not None and "in 'Daily.'" in scored.fallback_reason  # it was read
