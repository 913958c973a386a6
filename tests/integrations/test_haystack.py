"""Haystack's component, with the real library."""

from __future__ import annotations

import asyncio
from typing import Any

import odd_counters
import pytest
import tersely
from tersely import BudgetExceededError
from tersely.models.counters import resolve_counter

pytest.importorskip("haystack", reason="pip install 'tersely[haystack]'")

from adapter_samples import DOCUMENTS, QUERY
from haystack import Document, Pipeline
from haystack.components.joiners import DocumentJoiner
from tersely.integrations.haystack import TerselyCompressor

COUNT = resolve_counter(None).count


@pytest.fixture
def trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Haystack 3 reads only what belongs to modules that the user trusts."""
    monkeypatch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", "tersely.*,odd_counters.*")


def documents() -> list[Document]:
    return [
        Document(content=text, id=name, meta={"title": title}, score=0.5, embedding=[1.0, 0.0])
        for name, title, text in DOCUMENTS
    ]


def check(found: list[Document], given: list[Document]) -> None:
    by_id = {document.id: document for document in given}
    order = [document.id for document in given if document.id in {other.id for other in found}]
    assert [document.id for document in found] == order
    for document in found:
        source = by_id[document.id]
        (told,) = document.meta["tersely"]["sources"]
        assert told["id"] == document.id and "original" not in told
        pieces = [source.content[start:end] for start, end in told["spans"]]
        assert "\n\n".join(pieces) == document.content
        assert (document.score, document.embedding) == (source.score, None)
        assert document.meta["title"] == source.meta["title"]


@pytest.mark.parametrize("counter", [None, odd_counters.characters])
def test_X09_budget_order_and_verbatim_through_haystack(counter: Any) -> None:
    budget = 60 if counter is None else 240
    found = TerselyCompressor(budget=budget, counter=counter).run(documents(), QUERY)["documents"]
    check(found, documents())
    text = "\n\n".join(document.content or "" for document in found)
    assert (counter or COUNT)(text) == found[0].meta["tersely"]["tokens"] <= budget
    later = asyncio.run(TerselyCompressor(budget=budget, counter=counter).run_async(documents(), QUERY))
    assert later == {"documents": found}


def test_documents_without_text_pass_through_in_their_place() -> None:
    first, *rest = documents()
    given = [first, Document(id="picture"), *rest]
    found = TerselyCompressor(budget=100_000).run(given)["documents"]
    assert [document.id for document in found] == [document.id for document in given]
    assert found[1] is given[1]
    assert TerselyCompressor().run([]) == {"documents": []}


def test_a_budget_of_the_call_goes_first_and_errors_are_those_of_compress() -> None:
    found = TerselyCompressor(budget=100_000).run(documents(), QUERY, budget=40)["documents"]
    assert found[0].meta["tersely"]["tokens"] <= 40
    with pytest.raises(BudgetExceededError):
        TerselyCompressor(budget=0).run(documents(), QUERY)


@pytest.mark.parametrize("counter", [None, "qwen3.5", odd_counters.characters])
@pytest.mark.parametrize(
    "strategy", [None, "auto", tersely.Extractive(level="paragraph", preserve=("numbers",))]
)
def test_it_is_written_and_read(counter: Any, strategy: Any, trusted: None) -> None:
    made = TerselyCompressor(budget=90, counter=counter, strategy=strategy, separator="\n")
    again = TerselyCompressor.from_dict(made.to_dict())
    for name in ("budget", "ratio", "counter", "strategy", "separator", "keep_original"):
        assert getattr(again, name) == getattr(made, name)


@pytest.mark.parametrize(
    "options",
    [
        {"counter": resolve_counter(None)},
        {"strategy": tersely.Extractive(embedder=tersely.StaticEmbedder())},
        {"strategy": object()},
    ],
)
def test_what_cannot_be_written_says_so(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="in a file"):
        TerselyCompressor(**options).to_dict()


def test_in_a_pipeline_that_was_written_to_yaml(trusted: None) -> None:
    pipeline = Pipeline()
    pipeline.add_component("joiner", DocumentJoiner(sort_by_score=False))
    pipeline.add_component("compressor", TerselyCompressor(budget=60, strategy=tersely.Extractive(context=1)))
    pipeline.connect("joiner", "compressor.documents")
    again = Pipeline.loads(pipeline.dumps())
    inputs = {"joiner": {"documents": documents()}, "compressor": {"query": QUERY}}
    found = again.run(inputs)["compressor"]["documents"]
    check(found, documents())
    assert found == pipeline.run(inputs)["compressor"]["documents"]
