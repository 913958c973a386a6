"""Adapters of documents, with the real libraries: what all of them promise, and what each has of its own."""

from __future__ import annotations

import asyncio
from typing import Any

import odd_counters
import pytest
import tersely
from adapter_samples import DOCUMENTS, QUERY, TWICE
from tersely import BudgetExceededError
from tersely.models.counters import resolve_counter

COUNT = resolve_counter(None).count


class LangChain:
    """How a library's documents are made, compressed and read."""

    needs = "langchain_core"

    def __init__(self) -> None:
        from langchain_core.documents import Document
        from tersely.integrations.langchain import TerselyCompressor

        self.document, self.adapter = Document, TerselyCompressor

    def given(self) -> list[Any]:
        return [
            self.document(page_content=text, id=name, metadata={"source": f"{name}.md", "title": title})
            for name, title, text in DOCUMENTS
        ]

    def run(self, given: list[Any], query: str | None = QUERY, **options: Any) -> list[Any]:
        return list(self.adapter(**options).compress_documents(given, query))

    async def later(self, given: list[Any], **options: Any) -> list[Any]:
        return list(await self.adapter(**options).acompress_documents(given, QUERY))

    def read(self, one: Any) -> tuple[str, str, dict[str, Any], Any]:
        """Id, text and metadata of a document, and what else must stay."""
        return one.id, one.page_content, one.metadata, one.type


class Haystack:
    needs = "haystack"

    def __init__(self) -> None:
        from haystack import Document
        from tersely.integrations.haystack import TerselyCompressor

        self.document, self.adapter = Document, TerselyCompressor

    def given(self) -> list[Any]:
        return [
            self.document(content=text, id=name, meta={"title": title}, score=0.5, embedding=[1.0, 0.0])
            for name, title, text in DOCUMENTS
        ]

    def run(self, given: list[Any], query: str | None = QUERY, **options: Any) -> list[Any]:
        return list(self.adapter(**options).run(given, query)["documents"])

    async def later(self, given: list[Any], **options: Any) -> list[Any]:
        return list((await self.adapter(**options).run_async(given, QUERY))["documents"])

    def read(self, one: Any) -> tuple[str, str, dict[str, Any], Any]:
        assert one.embedding is None or "tersely" not in one.meta, "it is that of another text"
        return one.id, one.content, one.meta, one.score

    def blank(self) -> Any:
        return self.document(id="picture")


class LlamaIndex:
    needs = "llama_index.core"

    def __init__(self) -> None:
        from llama_index.core import schema
        from tersely.integrations.llama_index import TerselyPostprocessor

        self.schema, self.adapter = schema, TerselyPostprocessor

    def given(self) -> list[Any]:
        source, related = self.schema.NodeRelationship.SOURCE, self.schema.RelatedNodeInfo
        nodes = [
            self.schema.TextNode(
                id_=name,
                text=text,
                metadata={"title": title},
                relationships={source: related(node_id=f"{name}.md")},
            )
            for name, title, text in DOCUMENTS
        ]
        return [self.schema.NodeWithScore(node=node, score=0.5) for node in nodes]

    def run(self, given: list[Any], query: str | None = QUERY, **options: Any) -> list[Any]:
        return list(self.adapter(**options).postprocess_nodes(given, query_str=query))

    async def later(self, given: list[Any], **options: Any) -> list[Any]:
        return list(await self.adapter(**options).apostprocess_nodes(given, query_str=QUERY))

    def read(self, one: Any) -> tuple[str, str, dict[str, Any], Any]:
        text = one.node.get_content(metadata_mode=self.schema.MetadataMode.NONE)
        return one.node_id, text, one.metadata, (one.score, one.node.relationships)

    def blank(self) -> Any:
        return self.schema.NodeWithScore(node=self.schema.ImageNode(id_="picture", image="aGVsbG8="))


Door = Any  # one of the three


def opened(kind: Any) -> Door:
    pytest.importorskip(kind.needs, reason=f"{kind.needs} is not installed")
    return kind()


@pytest.fixture(params=[LangChain, Haystack, LlamaIndex], ids=lambda kind: kind.needs)
def door(request: pytest.FixtureRequest) -> Door:
    return opened(request.param)


@pytest.fixture
def langchain() -> LangChain:
    return opened(LangChain)


@pytest.fixture
def haystack(monkeypatch: pytest.MonkeyPatch) -> Haystack:
    """Haystack 3 reads only what belongs to modules that the user trusts."""
    monkeypatch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", "tersely.*")
    return opened(Haystack)


@pytest.fixture
def llama_index() -> LlamaIndex:
    return opened(LlamaIndex)


def check(door: Door, found: list[Any], given: list[Any]) -> None:
    """Verbatim, in order, ids and metadata kept, and the originals at hand."""
    sources = {one_id: (text, *rest) for one_id, text, *rest in map(door.read, given)}
    kept = [door.read(one)[0] for one in found]
    assert kept == [one_id for one_id in sources if one_id in kept]
    for one_id, text, metadata, rest in map(door.read, found):
        source, known, stays = sources[one_id]
        (told,) = metadata["tersely"]["sources"]
        assert told["id"] == one_id and told.get("original", source) == source
        assert "\n\n".join(source[start:end] for start, end in told["spans"]) == text
        assert {name: value for name, value in metadata.items() if name != "tersely"} == known
        assert rest == stays


@pytest.mark.parametrize("budget", [25, 60, 120])
@pytest.mark.parametrize("counter", [None, odd_counters.characters])
def test_budget_order_and_verbatim(door: Door, budget: int, counter: Any) -> None:
    given, budget = door.given(), budget if counter is None else budget * 4
    found = door.run(given, budget=budget, counter=counter)
    check(door, found, given)
    text = "\n\n".join(door.read(one)[1] for one in found)
    note = door.read(found[0])[2]["tersely"]
    assert (counter or COUNT)(text) == note["tokens"] <= budget
    plain = [{"text": text, "title": title} for _, title, text in DOCUMENTS]
    assert text == tersely.compress(plain, QUERY, budget=budget, counter=counter).text
    kept = {door.read(one)[0] for one in found}
    assert set(note["dropped"]) == {name for name, _, _ in DOCUMENTS} - kept
    assert given == door.given(), "the input is left alone"
    assert asyncio.run(door.later(given, budget=budget, counter=counter)) == found


def test_what_fits_is_the_same_and_errors_are_those_of_compress(door: Door) -> None:
    given = door.given()
    found = door.run(given, budget=100_000)
    check(door, found, given)
    assert [door.read(one)[1] for one in found] == [text for _, _, text in DOCUMENTS]
    assert door.run([]) == []
    assert COUNT("\n\n".join(door.read(one)[1] for one in door.run(given, "", budget=60))) <= 60
    with pytest.raises(BudgetExceededError) as caught:
        door.run(given, budget=0)
    assert caught.value.required > 0
    with pytest.raises(ValueError, match="ratio"):
        door.run(given, ratio=2.0)
    with pytest.raises((TypeError, ValueError), match="buget"):
        door.run(given, buget=3)


@pytest.mark.parametrize("kind", [Haystack, LlamaIndex])
@pytest.mark.parametrize("budget", [70, 100_000])
def test_what_has_no_text_passes_through_in_its_place(kind: Any, budget: int) -> None:
    door = opened(kind)
    (first, *rest), blank = door.given(), door.blank()
    found = door.run([first, blank, *rest], budget=budget)
    assert [door.read(one)[0] for one in found][:2] == ["harbour", "picture"] and found[1] is blank
    check(door, [one for one in found if one is not blank], door.given())


@pytest.mark.parametrize(
    ("keep", "known", "held"),
    [(None, True, False), (None, False, True), (True, True, True), (False, False, False)],
)
def test_texts_are_held_twice_only_without_an_id(
    langchain: LangChain, keep: bool | None, known: bool, held: bool
) -> None:
    given = [one if known else one.model_copy(update={"id": None}) for one in langchain.given()]
    found = langchain.run(given, budget=60, keep_original=keep)
    assert ("original" in found[0].metadata["tersely"]["sources"][0]) is held


def test_redundant_filter_merges_only_what_says_the_same(langchain: LangChain) -> None:
    from tersely.integrations.langchain import TerselyRedundantFilter

    given = [langchain.document(page_content=text, id=str(row)) for row, text in enumerate(TWICE)]
    found = TerselyRedundantFilter().transform_documents(given)
    kept = [int(document.id or "") for document in found]
    assert kept == sorted(set(tersely.dedup(TWICE).representatives.tolist()))
    assert [document.page_content for document in found] == [TWICE[row] for row in kept]
    named = {entry["id"] for d in found for entry in d.metadata.get("tersely", {}).get("duplicates", [])}
    assert named == {str(row) for row in range(len(TWICE))} - {document.id for document in found}
    assert found == asyncio.run(TerselyRedundantFilter().atransform_documents(given))
    assert TerselyRedundantFilter().transform_documents([]) == []


def test_both_in_a_pipeline_behind_a_retriever(langchain: LangChain) -> None:
    classic = pytest.importorskip("langchain_classic.retrievers", reason="pip install langchain-classic")
    from langchain_classic.retrievers.document_compressors import DocumentCompressorPipeline
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from tersely.integrations.langchain import TerselyRedundantFilter

    class Fixed(BaseRetriever):
        """Finds the same documents whatever one asks."""

        found: list[Document]

        def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
            return self.found

    Fixed.model_rebuild(_types_namespace={"Document": Document})
    documents = langchain.given()
    given = [*documents, *(d.model_copy(update={"id": f"{d.id} again"}) for d in documents)]
    pipeline = DocumentCompressorPipeline(
        transformers=[TerselyRedundantFilter(), langchain.adapter(budget=60)]
    )
    retriever = classic.ContextualCompressionRetriever(
        base_compressor=pipeline, base_retriever=Fixed(found=given)
    )
    found = retriever.invoke(QUERY)
    assert COUNT("\n\n".join(document.page_content for document in found)) <= 60
    for document in found:
        merged = document.metadata["tersely"].pop("duplicates")
        assert [entry["id"] for entry in merged] == [f"{document.id} again"]
    check(langchain, found, documents)
    again = asyncio.run(retriever.ainvoke(QUERY))
    assert [document.page_content for document in again] == [document.page_content for document in found]


def test_what_a_model_wrote_or_was_compressed_leads_back(door: Door) -> None:
    from tersely.strategies import Abstractive

    strategy = Abstractive(lambda prompt: "The sluice fee is 4 euros.", min_confidence=0.0)
    (one,) = door.run(door.given(), budget=60, strategy=strategy)
    _, text, metadata, _ = door.read(one)
    assert text.startswith("The sluice fee is 4 euros.")
    assert [source["id"] for source in metadata["tersely"]["sources"]] == [name for name, _, _ in DOCUMENTS]
    once = door.run(door.given(), budget=120, keep_original=True)
    twice = door.run(once, budget=60, keep_original=True)
    first_texts, between = (
        {door.read(one)[0]: door.read(one)[1] for one in some} for some in (door.given(), once)
    )
    for name, _, metadata, _ in map(door.read, twice):
        (first,) = metadata["tersely"]["earlier"]["sources"]
        assert first["original"] == first_texts[name]
        assert metadata["tersely"]["sources"][0]["original"] == between[name]


def test_a_budget_of_the_call_goes_first(haystack: Haystack) -> None:
    found = haystack.adapter(budget=100_000).run(haystack.given(), QUERY, budget=40)["documents"]
    assert found[0].meta["tersely"]["tokens"] <= 40


def test_a_component_is_written_and_read(haystack: Haystack) -> None:
    made = haystack.adapter(budget=90, counter="qwen3.5", strategy="auto", separator="\n")
    again = haystack.adapter.from_dict(made.to_dict())
    for name in ("budget", "ratio", "counter", "strategy", "separator", "keep_original"):
        assert getattr(again, name) == getattr(made, name)
    for options in ({"counter": odd_counters.characters}, {"strategy": tersely.Extractive()}):
        with pytest.raises(ValueError, match="in a file must be a name"):
            haystack.adapter(**options).to_dict()


def test_in_a_pipeline_that_was_written_to_yaml(haystack: Haystack) -> None:
    from haystack import Pipeline
    from haystack.components.joiners import DocumentJoiner

    pipeline = Pipeline()
    pipeline.add_component("joiner", DocumentJoiner(sort_by_score=False))
    adapter = haystack.adapter(budget=60, strategy="extractive")
    pipeline.add_component("compressor", adapter)
    pipeline.connect("joiner", "compressor.documents")
    again = Pipeline.loads(pipeline.dumps())
    inputs = {"joiner": {"documents": haystack.given()}, "compressor": {"query": QUERY}}
    found = again.run(inputs)["compressor"]["documents"]
    check(haystack, found, haystack.given())
    assert found == pipeline.run(inputs)["compressor"]["documents"]


def test_documents_are_nodes_and_nobody_sees_the_note(llama_index: LlamaIndex) -> None:
    (first, *_) = llama_index.run(llama_index.given(), budget=60)
    for mode in (llama_index.schema.MetadataMode.LLM, llama_index.schema.MetadataMode.EMBED):
        shown = first.node.get_content(metadata_mode=mode)
        assert "title: Harbour rules" in shown and "tersely" not in shown
    schema = llama_index.schema
    given = [schema.NodeWithScore(node=schema.Document(id_=name, text=text)) for name, _, text in DOCUMENTS]
    found = llama_index.run(given, None, budget=60)
    assert COUNT("\n\n".join(node.node.get_content() for node in found)) <= 60
    check(llama_index, found, given)
