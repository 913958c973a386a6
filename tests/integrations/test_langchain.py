"""LangChain's document compressors, with the real library."""

from __future__ import annotations

import asyncio
from typing import Any

import odd_counters
import pytest
import tersely
from tersely import BudgetExceededError
from tersely.models.counters import resolve_counter

pytest.importorskip("langchain_core", reason="pip install 'tersely[langchain]'")

from adapter_samples import DOCUMENTS, QUERY, TWICE
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from tersely.integrations.langchain import TerselyCompressor, TerselyRedundantFilter

COUNT = resolve_counter(None).count


def documents() -> list[Document]:
    return [
        Document(page_content=text, id=name, metadata={"source": f"{name}.md", "title": title})
        for name, title, text in DOCUMENTS
    ]


class Fixed(BaseRetriever):
    """Finds the same documents whatever one asks."""

    found: list[Document]

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        return self.found


def check(found: list[Document], given: list[Document]) -> None:
    """Verbatim, in order, ids and metadata kept, and the originals at hand."""
    by_id = {document.id: document for document in given}
    order = [document.id for document in given]
    assert [order.index(document.id) for document in found] == sorted(
        order.index(document.id) for document in found
    )
    for document in found:
        source = by_id[document.id]
        (told,) = document.metadata["tersely"]["sources"]
        assert told["id"] == document.id
        assert told.get("original", source.page_content) == source.page_content
        pieces = [source.page_content[start:end] for start, end in told["spans"]]
        assert "\n\n".join(pieces) == document.page_content
        assert {k: v for k, v in document.metadata.items() if k != "tersely"} == source.metadata


@pytest.mark.parametrize("budget", [25, 60, 120])
@pytest.mark.parametrize("counter", [None, odd_counters.characters])
def test_X09_budget_order_and_verbatim_through_langchain(budget: int, counter: Any) -> None:
    given = documents()
    budget = budget if counter is None else budget * 4
    found = TerselyCompressor(budget=budget, counter=counter).compress_documents(given, QUERY)
    assert found
    check(found, given)
    text = "\n\n".join(document.page_content for document in found)
    assert (counter or COUNT)(text) == found[0].metadata["tersely"]["tokens"] <= budget
    assert (
        text
        == tersely.compress(
            [{"text": d.page_content, "title": d.metadata["title"]} for d in given],
            QUERY,
            budget=budget,
            counter=counter,
        ).text
    )
    gone = set(found[0].metadata["tersely"]["dropped"])
    assert gone == {document.id for document in given} - {document.id for document in found}
    assert given == documents(), "the input is left alone"


def test_what_fits_is_the_same() -> None:
    given = documents()
    found = TerselyCompressor(budget=100_000).compress_documents(given, QUERY)
    assert [document.page_content for document in found] == [document.page_content for document in given]
    check(found, given)
    assert TerselyCompressor().compress_documents([], QUERY) == []


def test_errors_are_those_of_compress() -> None:
    with pytest.raises(BudgetExceededError) as caught:
        TerselyCompressor(budget=0).compress_documents(documents(), QUERY)
    assert caught.value.required > 0
    with pytest.raises(ValueError, match="ratio"):
        TerselyCompressor(ratio=2.0).compress_documents(documents(), QUERY)
    with pytest.raises(ValueError, match="buget"):
        TerselyCompressor(buget=3)


@pytest.mark.parametrize(
    ("keep", "known", "held"),
    [(None, True, False), (None, False, True), (True, True, True), (False, False, False)],
)
def test_texts_are_held_twice_only_without_an_id(keep: bool | None, known: bool, held: bool) -> None:
    given = documents() if known else [Document(page_content=one.page_content) for one in documents()]
    found = TerselyCompressor(budget=60, keep_original=keep).compress_documents(given, QUERY)
    assert ("original" in found[0].metadata["tersely"]["sources"][0]) is held


def test_sync_and_async_are_the_same() -> None:
    compressor = TerselyCompressor(budget=60)
    later = asyncio.run(compressor.acompress_documents(documents(), QUERY))
    assert later == compressor.compress_documents(documents(), QUERY)


def test_redundant_filter_merges_only_what_says_the_same() -> None:
    given = [Document(page_content=text, id=str(row)) for row, text in enumerate(TWICE)]
    found = TerselyRedundantFilter().transform_documents(given)
    kept = [int(document.id or "") for document in found]
    assert kept == sorted(set(tersely.dedup(TWICE).representatives.tolist()))
    assert kept == sorted(kept)
    assert [document.page_content for document in found] == [TWICE[row] for row in kept]
    named = {entry["id"] for d in found for entry in d.metadata.get("tersely", {}).get("duplicates", [])}
    assert named == {str(row) for row in range(len(TWICE))} - {document.id for document in found}
    assert found == asyncio.run(TerselyRedundantFilter().atransform_documents(given))
    assert TerselyRedundantFilter().transform_documents([]) == []


def test_both_in_a_pipeline_behind_a_retriever() -> None:
    classic = pytest.importorskip("langchain_classic.retrievers", reason="pip install langchain-classic")
    from langchain_classic.retrievers.document_compressors import DocumentCompressorPipeline

    given = [*documents(), *(d.model_copy(update={"id": f"{d.id} again"}) for d in documents())]
    pipeline = DocumentCompressorPipeline(
        transformers=[TerselyRedundantFilter(), TerselyCompressor(budget=60)]
    )
    retriever = classic.ContextualCompressionRetriever(
        base_compressor=pipeline, base_retriever=Fixed(found=given)
    )
    found = retriever.invoke(QUERY)
    assert COUNT("\n\n".join(document.page_content for document in found)) <= 60
    for document in found:
        assert [entry["id"] for entry in document.metadata["tersely"]["duplicates"]] == [
            f"{document.id} again"
        ]
    for document in found:
        document.metadata["tersely"].pop("duplicates")
    check(found, documents())
    again = asyncio.run(retriever.ainvoke(QUERY))
    assert [document.page_content for document in again] == [document.page_content for document in found]


def test_what_a_model_wrote_from_several_is_one_document() -> None:
    from tersely.strategies import Abstractive

    strategy = Abstractive(lambda prompt: "The sluice fee is 4 euros.", min_confidence=0.0)
    (one,) = TerselyCompressor(budget=60, strategy=strategy).compress_documents(documents(), QUERY)
    assert one.page_content.startswith("The sluice fee is 4 euros.")
    assert [source["id"] for source in one.metadata["tersely"]["sources"]] == [d.id for d in documents()]


def test_X09_what_is_compressed_again_leads_back_to_the_first_text() -> None:
    given = documents()
    once = TerselyCompressor(budget=120, keep_original=True).compress_documents(given, QUERY)
    twice = TerselyCompressor(budget=60, keep_original=True).compress_documents(once, QUERY)
    for document in twice:
        note = document.metadata["tersely"]
        (first,) = note["earlier"]["sources"]
        assert first["original"] == next(d.page_content for d in given if d.id == document.id)
        between = next(d.page_content for d in once if d.id == document.id)
        assert note["sources"][0]["original"] == between
