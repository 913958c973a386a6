"""Embedders and cross-encoders of callers, frameworks and caches; every answer is checked."""

from __future__ import annotations

import asyncio
import contextlib
import random
import sqlite3
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tersely
from hypothesis import given, strategies as st
from tersely.cache import BoundedCache
from tersely.errors import ModelReplyError, StoreError
from tersely.models.embedders import resolve_cross_encoder, resolve_embedder
from tersely.models.language_models import resolve_language_model
from tersely.models.recorded import CachedEmbedder
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


class Letters:
    """Counts letters, notes what it was asked for, and says that texts over 20 characters were cut."""

    name = "letters"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> Any:
        return self.embed_report(texts)[0]

    def embed_report(self, texts: Sequence[str]) -> tuple[Any, Any]:
        self.asked += texts
        rows = np.array([[1 + text.count("a"), text.count("b"), len(text)] for text in texts], dtype=float)
        return rows.reshape(len(texts), 3), [i for i, text in enumerate(texts) if len(text) > 20]


def expected(texts: Sequence[str]) -> Any:
    rows = Letters().embed(texts)
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@given(st.lists(st.lists(st.text("ab \ud800é", max_size=4), max_size=6), max_size=5))
def test_answers_are_those_of_the_embedder(calls: list[list[str]]) -> None:
    inner = Letters()
    cache = CachedEmbedder(inner)
    for texts in calls:
        assert np.array_equal(cache.embed(texts), expected(texts).reshape(len(texts), 3))
    everything = [text for texts in calls for text in texts]
    assert sorted(inner.asked) == sorted(set(everything))
    assert (cache.misses, cache.hits) == (len(set(everything)), len(everything) - len(set(everything)))


def test_a_file_keeps_vectors_and_what_was_cut(tmp_path: Path) -> None:
    texts = ["a" * 30, "b", "b" * 21]
    for _ in range(2):  # the second time from the file
        cache = CachedEmbedder(Letters(), path=tmp_path / "vectors")
        for _ in range(2):
            assert cache.embed_report(texts)[1].tolist() == [0, 2]
        cache.close()
    texts = [f"a{number}" for number in range(1200)]
    first = CachedEmbedder(Letters(), path=tmp_path / "vectors")
    vectors = first.embed(texts)
    first.close()
    inner = Letters()
    second = CachedEmbedder(inner, path=tmp_path / "vectors", size=0)
    assert np.array_equal(second.embed(texts), vectors)
    assert (inner.asked, second.hits, second.misses) == ([], 1200, 0)


def test_memory_is_bounded_and_counted() -> None:
    inner = Letters()
    cache = CachedEmbedder(inner, size=10 * (12 + 200))
    texts = [str(number) for number in range(50)]
    cache.embed(texts)
    cache.embed(texts[-10:])
    assert len(inner.asked) == 50
    cache.embed(texts[:1])
    assert len(inner.asked) == 51
    cache: BoundedCache[str] = BoundedCache(1000)
    cache.put(b"a", "A", 1)
    assert (cache.get(b"a"), cache.get(b"b")) == ("A", None)
    assert (cache.hits, cache.misses) == (1, 1)
    cache.clear()
    assert (len(cache), cache.nbytes, cache.get(b"a")) == (0, 0, None)
    assert (cache.hits, cache.misses) == (1, 2)


def test_a_file_is_of_named_models(tmp_path: Path) -> None:
    class Nameless:
        def embed(self, texts: Sequence[str]) -> Any:
            return np.ones((len(texts), 2))

    with pytest.raises(ValueError, match="Nameless has no name: pass name="):
        CachedEmbedder(Nameless(), path=tmp_path / "vectors")
    CachedEmbedder(Nameless(), path=tmp_path / "vectors", name="ones").embed(["a"])
    CachedEmbedder(Nameless()).embed(["a"])

    class Others(Letters):
        name = "others"

    CachedEmbedder(Letters(), path=tmp_path / "vectors").embed(["ab"])
    inner = Others()
    CachedEmbedder(inner, path=tmp_path / "vectors").embed(["ab"])
    assert inner.asked == ["ab"]


def test_a_failing_embedder_leaves_nothing_behind(tmp_path: Path) -> None:
    class Failing(Letters):
        def embed_report(self, texts: Sequence[str]) -> tuple[Any, Any]:
            return [[np.nan]] * len(texts), []

    with pytest.raises(ModelReplyError):
        CachedEmbedder(Failing(), path=tmp_path / "vectors").embed(["a"])
    assert np.array_equal(CachedEmbedder(Letters(), path=tmp_path / "vectors").embed(["a"]), expected(["a"]))


DAMAGES = {
    "no database": "",
    "other program": "PRAGMA application_id = 7",
    "other version": "PRAGMA user_version = 99",
    "other vector": "UPDATE answers SET answer = zeroblob(12)",
    "other kind": "UPDATE answers SET kind = 'cut'",
    "swapped": "UPDATE answers SET answer ="
    " (SELECT answer FROM answers b WHERE b.rowid = 12 - answers.rowid)",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_or_foreign_file_is_an_error_and_is_left_alone(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "vectors"
    texts = ["a" * count for count in range(1, 12)]
    cache = CachedEmbedder(Letters(), path=path)
    cache.embed(texts)
    cache.close()
    if not DAMAGES[damage]:
        path.write_text("This is a letter to the harbour master, not a database. " * 50)
    else:
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute(DAMAGES[damage])
    before = path.read_bytes()
    with pytest.raises(StoreError, match="vectors"):
        CachedEmbedder(Letters(), path=path).embed(texts)
    assert path.read_bytes() == before


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, list[str]]:
    """A file with vectors of two models, and the texts of one of them."""
    path = tmp_path_factory.mktemp("full") / "vectors"
    texts = ["a" * number + "b" for number in range(1, 80)]
    for name in ("letters", "others"):
        cache = CachedEmbedder(Letters(), path=path, name=name)
        cache.embed(texts)
        cache.close()
    return path.read_bytes(), texts


@pytest.mark.parametrize("part", range(5))
def test_a_damaged_file_gives_an_error_or_the_right_vectors(
    full: tuple[bytes, list[str]], tmp_path: Path, part: int
) -> None:
    for seed in range(part, 500, 5):
        random_ = random.Random(seed)
        data, texts = bytearray(full[0]), full[1]
        for _ in range(random_.choice((1, 20, 400))):
            data[random_.randrange(len(data))] ^= random_.randrange(1, 256)
        if part == 0:  # a page of another place, after the header or with it
            page = 4096 * random_.randrange(len(data) // 4096)
            data[page : page + 4096] = random_.choice((data[-4096:], random_.randbytes(4096)))
        path = tmp_path / f"vectors-{seed}"
        path.write_bytes(data)
        path.chmod(0o600)
        with contextlib.suppress(StoreError):
            cache = CachedEmbedder(Letters(), path=path)
            assert np.array_equal(cache.embed(texts), expected(texts)), seed
            cache.close()


def test_a_file_is_its_owners_and_of_one_model_a_name(tmp_path: Path) -> None:
    cache = CachedEmbedder(Letters(), path=tmp_path / "vectors")
    cache.embed(["a"])
    assert {file.stat().st_mode & 0o777 for file in tmp_path.iterdir()} == {0o600}
    cache.close()

    class Narrow(Letters):
        def embed_report(self, texts: Sequence[str]) -> tuple[Any, Any]:
            return np.ones((len(texts), 2)), []

    CachedEmbedder(Letters(), path=tmp_path / "vectors").embed(["a"])
    with pytest.raises(StoreError, match=r"letters have \[2, 3\] dimensions"):
        CachedEmbedder(Narrow(), path=tmp_path / "vectors").embed(["a", "b"])


def test_threads_share_a_cache(tmp_path: Path) -> None:
    cache = CachedEmbedder(Letters(), path=tmp_path / "vectors", size=20_000)

    def work(seed: int) -> None:
        random = np.random.default_rng(seed)
        for _ in range(30):
            texts = ["ab"[number % 2] * int(number) for number in random.integers(0, 60, 20)]
            assert np.array_equal(cache.embed(texts), expected(texts)), texts

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(6)))
    assert cache.hits + cache.misses == 6 * 30 * 20


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
