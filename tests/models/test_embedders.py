"""Embedders and cross-encoders of callers, frameworks and caches; every answer is checked."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import tersely
from hypothesis import given, strategies as st
from tersely.cache import BoundedCache
from tersely.errors import ModelReplyError
from tersely.models.embedders import resolve_cross_encoder, resolve_embedder
from tersely.models.language_models import resolve_language_model
from tersely.models.static import SHIPPED
from tersely.protocols import CrossEncoder, Embedder, TruncationReporter
from tersely.retrieval import RelevanceScorer


class Fixed:
    """An embedder and cross-encoder that always gives the same answer."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def embed(self, texts: Sequence[str]) -> Any:
        return self.answer

    def score(self, query: str, texts: Sequence[str]) -> Any:
        return self.answer


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, list])
def test_rows_come_out_as_float32_of_length_one(kind: Any) -> None:
    rows = [[3.0, 4.0], [0.0, 0.0], [-2.0, 0.0]]
    answer = rows if kind is list else np.array(rows, dtype=kind)
    vectors = resolve_embedder(Fixed(answer)).embed(["a", "b", "c"])
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, [[0.6, 0.8], [0, 0], [-1, 0]], atol=1e-7)


def test_answers_and_shapes_of_models() -> None:
    vectors = resolve_embedder(Fixed([[1e30, 1e30], [1e-30, 0.0]])).embed(["a", "b"])
    np.testing.assert_allclose(vectors, [[2**-0.5, 2**-0.5], [1, 0]], rtol=1e-6)
    assert resolve_cross_encoder(Fixed([0.0, 1.0])).score("q", ["a", "b"]).tolist() == [0, 1]
    scores = resolve_cross_encoder(Fixed([0.0, 800.0, -900.0])).score("q", ["a", "b", "c"])
    np.testing.assert_allclose(scores, [0.5, 1, 0])
    once = resolve_embedder(Fixed([[1.0]]))
    assert resolve_embedder(once) is once
    assert isinstance(once, Embedder) and isinstance(once, TruncationReporter)
    assert resolve_cross_encoder(encoder := resolve_cross_encoder(Fixed([1.0]))) is encoder
    assert isinstance(encoder, CrossEncoder)
    if not SHIPPED.is_file():
        pytest.skip("this checkout has no static table")
    vectors = resolve_embedder().embed(["The keys expire after a day.", "token expiry", "rain"])
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2]
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


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ([[1.0, 2.0]], r"Fixed must give an array of shape \(2, dimensions\), not \(1, 2\)"),
        ([1.0, 2.0], r"not \(2,\)"),
        (np.zeros((2, 0)), r"not \(2, 0\)"),
        ([[1.0], [np.nan]], "Fixed gave no finite number for text 1"),
        ([[np.inf], [1.0]], "no finite number for text 0"),
        ([[1.0], [1.0, 2.0]], "must give an array of numbers, not list"),
        ("vectors", "must give an array of numbers, not str"),
        (np.array([[1 + 2j], [1]]), "must give an array of numbers, not complex128"),
        (None, "no finite number|array of numbers"),
    ],
)
def test_bad_answers_of_an_embedder(answer: Any, error: str) -> None:
    with pytest.raises(ModelReplyError, match=error):
        resolve_embedder(Fixed(answer)).embed(["a", "b"])


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ([0.5], r"Fixed must give 2 scores, not shape \(1,\)"),
        ([[0.5], [0.5]], r"not shape \(2, 1\)"),
        ([0.5, np.nan], "no finite number for text 1"),
        (["high", "low"], "must give an array of numbers"),
    ],
)
def test_bad_answers_of_a_cross_encoder(answer: Any, error: str) -> None:
    with pytest.raises(ModelReplyError, match=error):
        resolve_cross_encoder(Fixed(answer)).score("q", ["a", "b"])


@pytest.mark.parametrize("cut", [[2], [-1], [0.5], [[0]], "first", None])
def test_bad_reports_of_what_was_cut(cut: Any) -> None:
    class Reporting(Fixed):
        def embed_report(self, texts: Sequence[str]) -> Any:
            return self.answer, cut

        def score_report(self, query: str, texts: Sequence[str]) -> Any:
            return [0.5, 0.5], cut

    model = Reporting([[1.0], [2.0]])
    with pytest.raises(ModelReplyError, match="Reporting"):
        resolve_embedder(model).embed_report(["a", "b"])
    with pytest.raises(ModelReplyError, match="Reporting"):
        resolve_cross_encoder(model).score_report("q", ["a", "b"])


@pytest.mark.parametrize("thing", [5, "model", Fixed, object(), lambda texts: texts])
def test_other_things_are_refused(thing: Any) -> None:
    with pytest.raises(TypeError, match=r"embedder must be None, an object with embed\(list\[str\]\)"):
        resolve_embedder(thing)
    with pytest.raises(TypeError, match="cross_encoder must be an object with score"):
        resolve_cross_encoder(thing)


def test_a_model2vec_model_is_taken_as_it_is() -> None:
    model2vec = pytest.importorskip("model2vec", reason="model2vec is not installed")
    tokenizers = pytest.importorskip("tokenizers")
    words = {"[UNK]": 0, "[PAD]": 1, "copper": 2, "rain": 3}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    table = np.array([[0, 0, 1], [0, 0, 0], [2, 0, 0], [0, 4, 0]], dtype=np.float32)
    model = model2vec.StaticModel(table, tokenizer)
    vectors = resolve_embedder(model).embed(["copper", "rain rain", "copper rain"])
    np.testing.assert_allclose(vectors, [[1, 0, 0], [0, 1, 0], [5**-0.5, 2 * 5**-0.5, 0]], atol=1e-6)


def test_a_sentence_transformers_model_is_taken_as_it_is() -> None:
    library = pytest.importorskip("sentence_transformers", reason="sentence-transformers is not installed")
    models = pytest.importorskip("sentence_transformers.models")
    model = library.SentenceTransformer(modules=[models.BoW(vocab=["copper", "rain", "relay"])], device="cpu")
    vectors = resolve_embedder(model).embed(["copper copper", "rain relay"])
    np.testing.assert_allclose(vectors, [[1, 0, 0], [0, 2**-0.5, 2**-0.5]], atol=1e-6)


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


@pytest.mark.slow
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


def test_hits_are_counted_and_a_cleared_cache_is_empty() -> None:
    cache: BoundedCache[str] = BoundedCache(1000)
    cache.put(b"a", "A", 1)
    assert (cache.get(b"a"), cache.get(b"b")) == ("A", None)
    assert (cache.hits, cache.misses) == (1, 1)
    cache.clear()
    assert (len(cache), cache.nbytes, cache.get(b"a")) == (0, 0, None)
    assert (cache.hits, cache.misses) == (1, 2)


ENTRY = 200  # bytes of an entry besides its value


@given(
    st.integers(0, 2000),
    st.lists(st.tuples(st.booleans(), st.integers(0, 6), st.integers(0, 900)), max_size=40),
)
def test_least_recently_used_values_go_first(size: int, calls: list[tuple[bool, int, int]]) -> None:
    cache: BoundedCache[int] = BoundedCache(size)
    model: dict[bytes, int] = {}
    for is_put, key, nbytes in calls:
        name = bytes([key])
        if is_put:
            model.pop(name, None)
            if nbytes + ENTRY <= size:
                model[name] = nbytes
            while sum(model.values()) + ENTRY * len(model) > size:
                del model[next(iter(model))]
            cache.put(name, nbytes, nbytes)
        else:
            assert cache.get(name) == model.get(name)
            if name in model:
                model[name] = model.pop(name)
        assert len(cache) == len(model)
        assert cache.nbytes == sum(model.values()) + ENTRY * len(model) <= size


@pytest.mark.parametrize(("size", "error"), [(-1, ValueError), (1.5, TypeError), (True, TypeError)])
def test_the_size_is_checked(size: int, error: type[Exception]) -> None:
    with pytest.raises(error, match="size must be"):
        BoundedCache(size)
