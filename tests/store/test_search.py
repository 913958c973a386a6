"""Finding originals by words and by vectors."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from growth import MOST, seconds
from hypothesis import given, strategies as st
from tersely import StaticEmbedder
from tersely.errors import ModelReplyError, StoreError
from tersely.store import Store

CATS = "The cat sat on the mat and purred all afternoon."
TOKENS = "Refresh tokens are rotated every 24 hours by src/auth.py, line 45."
COOKING = "Boil the pasta for nine minutes, then add the sauce."


class Topics:
    """An embedder that knows three topics by some of their words."""

    name = "topics"
    words = (("cat", "kitten", "purred"), ("token", "credential", "auth"), ("pasta", "spaghetti", "sauce"))

    def __init__(self) -> None:
        self.asked = 0

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.asked += len(texts)
        return [[1e-3 + sum(w in text.lower() for w in topic) for topic in self.words] for text in texts]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "texts.sqlite"
    with Store.open(path) as store:
        for id, text in (("cats", CATS), ("tokens", TOKENS), ("cooking", COOKING)):
            store.put(text, id=id, metadata={"topic": id})
        store.replace("tokens", "Tokens: rotation.")
    return path


def ids(store: Store, query: str, top_n: int = 5) -> list[str]:
    return [found.id for found in store.search(query, top_n)]


def test_a_phrase_of_a_stashed_original_finds_it(path: Path) -> None:
    with Store.open(path) as store:
        found = store.search("rotated every 24 hours")[0]
        assert (found.id, found.version, found.text) == ("tokens", 1, TOKENS)
        assert found.metadata == {"topic": "tokens"} and found.score > 0
        assert ids(store, "rotating token") == ["tokens"]  # stems
        assert ids(store, "src/auth.py") == ["tokens"]
        assert ids(store, "pasta AND cat") == ids(store, "pasta cat") and len(ids(store, "pasta cat")) == 2
        assert len(ids(store, "pasta cat tokens", 1)) == 1


def test_words_that_are_everywhere_do_not_bring_everything(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tersely.store.search._COMMON", 3)
    with Store.open(path) as store:
        store.put_many([f"The ferry number {number}." for number in range(9)])
        assert ids(store, "the ferry of the cat") == ["cats"]
        assert len(ids(store, "the ferry", 20)) == 11  # nothing rarer: all words count
        assert store.search("number 7")[0].text == "The ferry number 7."


def test_compressed_texts_are_not_searched(path: Path) -> None:
    with Store.open(path) as store:
        store.replace("cats", "zebra")
        assert ids(store, "zebra") == [] and ids(store, "purred") == ["cats"]


def test_an_id_is_found_once(path: Path) -> None:
    with Store.open(path) as store:
        for number in range(10):
            store.put(f"{CATS} Version {number}.", id="cats")
        store.put("The cat of the neighbours.", id="other")
        assert sorted(ids(store, "cat", 2)) == ["cats", "other"]


def test_scripts_without_spaces_are_found(path: Path) -> None:
    with Store.open(path) as store:
        store.put("我们每二十四小时轮换一次令牌。", id="zh")
        store.put("トークンは毎日更新されます。", id="ja")
        store.put("ลูกแมวนอนอยู่บนพรม", id="th")
        assert (ids(store, "轮换")[0], ids(store, "毎日更新")[0], ids(store, "แมว")[0]) == ("zh", "ja", "th")


@given(query=st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_no_query_is_an_expression(tmp_path_factory: pytest.TempPathFactory, query: str) -> None:
    path = tmp_path_factory.getbasetemp() / "any_query.sqlite"
    with Store.open(path) as store:
        store.put("NEAR (a b) * ^ text: -1 \" OR 'x'", id="a")
        assert ids(store, query) in ([], ["a"])


@pytest.mark.parametrize(
    "query",
    ['"', "text:cat", "cat*", "NEAR(cat mat)", "^cat", "-cat", "OR", "{text}: cat", "\x00", "cat\x00"],
)
def test_operators_are_words(path: Path, query: str) -> None:
    with Store.open(path) as store:
        assert ids(store, query) in ([], ["cats"])
        assert (ids(store, query) == ["cats"]) == ("cat" in query)


@pytest.mark.parametrize(
    "query", ["x" * 100_000, "_x" * 50_000, "x." * 50_000, "令牌" * 50_000, " " * 100_000]
)
def test_a_long_query_finds_nothing_or_what_it_says(path: Path, query: str) -> None:
    with Store.open(path) as store:
        assert ids(store, query) == []
        assert ids(store, f"cat purred {query}") == ["cats"]
        store.put(query[:8000] or "nothing", id="long")
        assert ids(store, query[:8000]) == (["long"] if query.strip() else [])


def test_words_count_up_to_a_limit(path: Path) -> None:
    with Store.open(path) as store:
        assert ids(store, f"{'-- ' * 3_332}cat") == ["cats"]  # its last letter is the 9,999th
        assert ids(store, f"{'-- ' * 3_333}cat") == [] == ids(store, f"{'-- ' * 3_333} cat")
        others = " ".join(f"n{number}" for number in range(63))
        assert ids(store, f"{others} n1 cat") == ["cats"] and ids(store, f"{others} n63 cat") == []
        store.put("see src/" + "deep/" * 20 + "auth.py", id="deep")
        assert ids(store, "src/" + "deep/" * 20 + "auth.py")[0] == "deep"


@pytest.mark.seconds
def test_phrases_take_little_time_where_their_words_are_everywhere(path: Path) -> None:
    """Of "a,a", "a,a,a", ... each was looked for at every place of its words."""
    with Store.open(path) as store:
        store.put_many([{"text": "a," * 4_000, "id": f"a{number}"} for number in range(50)])
        begun = time.process_time()
        assert store.search(" ".join("a," * length + "a" for length in range(1, 130)))
        assert time.process_time() - begun < 0.5  # 0.01; it was 2
        assert ids(store, "cat,purred") == ["cats"]


@pytest.mark.growth
@pytest.mark.parametrize("part", ["x", "x_", "x.", "x--", "the ", "令", "'\"*"])
def test_a_search_is_linear_and_bounded(path: Path, part: str) -> None:
    with Store.open(path) as store:
        store.search(part)  # modules are loaded, the connection is open

        def work(size: int) -> float:
            return min(seconds(store.search, (part * size)[:size]) for _ in range(5))

        done = [work(size) for size in (1_250, 2_500, 5_000, 10_000)]
        steps = [max(after - before, 0) for before, after in itertools.pairwise(done)]
        # Quadratic work makes every step steep; chance on a busy machine makes one.
        assert any(after < MOST * before + 0.002 for before, after in itertools.pairwise(steps))
        assert work(1_000_000) < 1.5 * done[-1] + 0.002, "a query is read up to its limit"


@pytest.mark.parametrize(
    ("query", "top_n", "error"), [("a", 0, ValueError), ("a", "5", TypeError), (b"a", 5, TypeError)]
)
def test_wrong_arguments(path: Path, query: str, top_n: int, error: type[Exception]) -> None:
    with Store.open(path) as store, pytest.raises(error):
        store.search(query, top_n)


def test_vectors_find_what_shares_no_word(path: Path) -> None:
    embedder = Topics()
    with Store.open(path, embedder=embedder) as store:
        assert ids(store, "a kitten")[0] == "cats"
        assert ids(store, "credentials")[0] == "tokens"
        assert ids(store, "spaghetti")[0] == "cooking"
        assert embedder.asked == 3 + 3  # each original once, each query
        store.put("Two kittens.", id="kittens")
        assert set(ids(store, "a kitten", 2)) == {"cats", "kittens"}
        assert embedder.asked == 3 + 3 + 1 + 1
    again = Topics()
    with Store.open(path, embedder=again) as store:
        assert set(ids(store, "a kitten", 2)) == {"cats", "kittens"} and again.asked == 1  # kept in the file


def test_the_embedder_that_comes_with_tersely_is_none_and_false_is_no_embedder(path: Path) -> None:
    with Store.open(path, embedder=None) as store:
        assert ids(store, "kitten")[0] == "cats" and len(ids(store, "kitten")) == 3
    with Store.open(path, embedder=StaticEmbedder(), read_only=True) as store:
        assert ids(store, "kitten")[0] == "cats"  # the same vectors, which are in the file
    for words_alone in ({}, {"embedder": False}):
        with Store.open(path, **words_alone) as store:
            assert ids(store, "kitten") == []
    for wrong in (True, "static", 0):
        with pytest.raises(TypeError, match="embedder must be"):
            Store.open(path, embedder=wrong)


def test_vectors_of_two_models_are_apart(path: Path) -> None:
    class Wide(Topics):
        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            return [[*row, 0.0] for row in super().embed(texts)]

    with Store.open(path, embedder=Topics()) as store:
        store.search("cat")
    wide = Wide()
    with Store.open(path, embedder=wide) as store, pytest.raises(StoreError, match="two models"):
        store.search("cat")
    wide.name = "wide"
    with Store.open(path, embedder=wide) as store:
        assert ids(store, "kitten")[0] == "cats"


def test_a_failing_embedder_costs_the_search_and_nothing_else(path: Path) -> None:
    class Broken:
        name = "broken"

        def embed(self, texts: Sequence[str]) -> np.ndarray:
            return np.full((len(texts), 3), np.nan)

    with Store.open(path, embedder=Broken()) as store:
        assert store.put("still stored", id="new").version == 1
        with pytest.raises(ModelReplyError):
            store.search("cat")
        assert store.expand("new") == "still stored"


def test_a_forgotten_text_is_found_no_more(path: Path) -> None:
    with Store.open(path, embedder=Topics()) as store:
        assert ids(store, "kitten")[0] == "cats"
        assert store.delete("cats") and not store.delete("cats")
        assert "cats" not in ids(store, "purred") and "cats" not in ids(store, "kitten")
        assert store.check() == []
    assert b"purred" not in path.read_bytes()


def test_a_read_only_store_searches_the_vectors_that_are_there(path: Path) -> None:
    with Store.open(path, embedder=Topics()) as store:
        store.search("cat")
    with Store.open(path) as store:
        store.put("A new text without a vector: zebra.", id="new")
    with Store.open(path, embedder=Topics(), read_only=True) as store:
        assert ids(store, "kitten")[0] == "cats" and "new" in ids(store, "zebra")
