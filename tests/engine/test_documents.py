"""What compress takes as documents, and what it refuses."""

from __future__ import annotations

import asyncio
import re
from collections import UserDict
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import odd_counters
import pytest
import tersely
from hypothesis import given, strategies as st
from result_checks import check_result
from tersely import Document
from tersely.documents import to_documents
from tersely.text import well_formed

TEXT = "The rope is wet. The fog is thick. The salt is dry."


@dataclass
class Chunk:
    text: str
    id: int = 7
    title: str | None = None
    score: float = 0.25
    page: int = 3


SHAPES: dict[str, Any] = {
    "str": TEXT, "list of str": [TEXT], "tuple of str": (TEXT,), "document": Document(TEXT),
    "list of documents": [Document(TEXT)], "dict": {"text": TEXT}, "list of dicts": [{"text": TEXT, "id": 3}],
    "mapping": UserDict({"text": TEXT}), "object": Chunk(TEXT),
    "list of objects": [SimpleNamespace(text=TEXT)],
    "page_content": SimpleNamespace(page_content=TEXT, metadata={}),
    "mapping with content": [{"content": TEXT}],
    "node with a score": [SimpleNamespace(node=SimpleNamespace(text=TEXT), score=0.5)],
    "pair with a score": [(SimpleNamespace(page_content=TEXT), 0.5)],
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_gives_the_same_text(name: str) -> None:
    result = tersely.compress(SHAPES[name], budget=8, counter=odd_counters.words)
    assert result.text == tersely.compress(TEXT, budget=8, counter=odd_counters.words).text
    assert result.documents[0].text == TEXT
    check_result(result, odd_counters.words)


def test_generators_mixtures_strings_and_the_asynchronous_twin() -> None:
    assert tersely.compress((text for text in [TEXT, TEXT]), ratio=1).text == f"{TEXT}\n\n{TEXT}"
    result = tersely.compress([TEXT, {"text": "Fog."}, Chunk("Salt."), Document("Rope.")], ratio=1)
    assert [document.text for document in result.documents] == [TEXT, "Fog.", "Salt.", "Rope."]
    assert len(tersely.compress("abc", ratio=1).documents) == 1

    class Name(str):
        __slots__ = ()

    result = tersely.compress(Name(TEXT), budget=8, counter=odd_counters.words)
    assert result.text == tersely.compress(TEXT, budget=8, counter=odd_counters.words).text
    made = asyncio.run(tersely.acompress([TEXT], "fog", budget=8))
    assert made.to_dict() == tersely.compress([TEXT], "fog", budget=8).to_dict()
    with pytest.raises(TypeError, match="document 0 must be str"):
        asyncio.run(tersely.acompress([5]))


def test_fields_of_documents() -> None:
    given = {"text": TEXT, "id": 12, "title": "Ropes", "score": 0.5, "metadata": {"page": 4}, "other": 1}
    document = tersely.compress(given, ratio=1).documents[0]
    assert document == Document(TEXT, "12", "Ropes", 0.5, {"page": 4})
    assert tersely.compress(Chunk(TEXT), ratio=1).documents[0] == Document(TEXT, "7", None, 0.25)
    node = SimpleNamespace(node_id="n1", content=TEXT, meta={"page": 4})
    given = [SimpleNamespace(node=node, score=0.5), (SimpleNamespace(page_content=TEXT, id=3), 0.25)]
    assert to_documents(given) == (
        Document(TEXT, "n1", None, 0.5, {"page": 4}), Document(TEXT, "3", None, 0.25)
    )  # fmt: skip
    assert tersely.compress({"text": TEXT, "metadata": None}, ratio=1).documents[0] == Document(TEXT)
    (document,) = to_documents({"text": "Rope.", "command": "ls -l"})
    assert document.command == "ls -l"
    (document,) = to_documents(SimpleNamespace(text="Rope.", command=print))
    assert document.command is None


def of_langchain() -> Any:
    documents = pytest.importorskip("langchain_core.documents")
    return documents.Document(page_content=TEXT, metadata={"source": "ropes.md"}, id="d1")


def of_haystack() -> Any:
    return pytest.importorskip("haystack").Document(content=TEXT, meta={"source": "ropes.md"}, id="d1")


def of_llama_index() -> Any:
    schema = pytest.importorskip("llama_index.core.schema")
    node = schema.TextNode(text=TEXT, metadata={"source": "ropes.md"}, id_="d1")
    return schema.NodeWithScore(node=node, score=0.5)


def of_a_vector_store() -> Any:
    """Qdrant's ScoredPoint, as `properties` of Weaviate's and `entity` of Milvus's."""
    return SimpleNamespace(id="d1", payload={"text": TEXT, "metadata": {"source": "ropes.md"}}, score=0.5)


@pytest.mark.parametrize("make", [of_langchain, of_haystack, of_llama_index, of_a_vector_store])
def test_documents_of_frameworks_as_they_are(make: Callable[[], Any]) -> None:
    """By every door that takes documents; a score beside one is its score, and no vector."""
    given = make()
    for one in (given, [given], [(given, 0.5)]):
        (document,) = to_documents(one)
        assert (document.text, document.id, document.metadata["source"]) == (TEXT, "d1", "ropes.md")
        assert tersely.compress(one, budget=8).text == tersely.prepare(one).fit(8).text in TEXT
    assert to_documents([(given, 0.25)])[0].score == 0.25
    for several in ([given, given], [(given, 0.5), (given, 0.25)]):
        assert tersely.dedup(several).labels.tolist() == [0, 0]


@pytest.mark.parametrize("documents", [[], (), iter([]), [""], ["", ""], [" \n "], "\u3000"])
def test_nothing_in_nothing_out(documents: Any) -> None:
    result = tersely.compress(documents, "query", counter=odd_counters.words)
    assert result.text.strip() == ""
    assert result.tokens == 0
    assert result.ratio == 1.0
    assert list(result.kept) == list(result.dropped) == []


@given(st.lists(st.text("ab. \n\ud800\udc00é\U0001f680", min_size=1), min_size=1), st.integers(1, 40))
def test_lone_surrogates_are_replaced_where_they_stand(texts: list[str], budget: int) -> None:
    read = [well_formed(text) for text in texts]
    try:
        expected = tersely.compress(read, "a\ufffd", budget=budget)
    except tersely.BudgetExceededError as error:
        with pytest.raises(tersely.BudgetExceededError, match=re.escape(str(error))):
            tersely.compress(texts, "a\ud800", budget=budget)
        return
    made = tersely.compress(texts, "a\ud800", budget=budget)
    assert (made.text, list(made.kept), list(made.dropped)) == (
        expected.text, list(expected.kept), list(expected.dropped)
    )  # fmt: skip
    assert [made.expand(number) for number in range(len(texts))] == texts
    assert ("characters_replaced" in made.receipt.warnings) == (read != texts)
    for span in made.kept:
        assert made.expand(span) == texts[span.document][span.start : span.end]


def test_pins_and_titles_with_a_lone_surrogate() -> None:
    text = "Rope was sold. Gate \ud83d was opened. Salt was bought. Cod is fish."
    made = tersely.compress([{"text": text, "title": "x\ud834"}], budget=8, pinned=["Gate \ud83d was"])
    assert "Gate \ufffd was opened." in made.text
    assert made.documents[0].title == "x\ufffd"
