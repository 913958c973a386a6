"""LlamaIndex's node postprocessor, with the real library."""

from __future__ import annotations

import asyncio
from typing import Any

import odd_counters
import pytest
from tersely import BudgetExceededError
from tersely.models.counters import resolve_counter

pytest.importorskip("llama_index.core", reason="pip install 'tersely[llama-index]'")

from adapter_samples import DOCUMENTS, QUERY
from llama_index.core.schema import (
    Document,
    ImageNode,
    MetadataMode,
    NodeRelationship,
    NodeWithScore,
    RelatedNodeInfo,
    TextNode,
)
from tersely.integrations.llama_index import TerselyPostprocessor

COUNT = resolve_counter(None).count


def nodes() -> list[NodeWithScore]:
    return [
        NodeWithScore(
            node=TextNode(
                id_=name,
                text=text,
                metadata={"title": title},
                relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=f"{name}.md")},
            ),
            score=0.5,
        )
        for name, title, text in DOCUMENTS
    ]


def check(found: list[NodeWithScore], given: list[NodeWithScore]) -> None:
    by_id = {node.node_id: node for node in given}
    order = [node.node_id for node in given if node.node_id in {other.node_id for other in found}]
    assert [node.node_id for node in found] == order
    for node in found:
        source = by_id[node.node_id]
        (told,) = node.metadata["tersely"]["sources"]
        assert told["id"] == node.node_id and "original" not in told
        pieces = [source.text[start:end] for start, end in told["spans"]]
        assert "\n\n".join(pieces) == node.node.get_content(metadata_mode=MetadataMode.NONE)
        assert node.score == source.score
        assert node.node.relationships == source.node.relationships


@pytest.mark.parametrize("counter", [None, odd_counters.characters])
def test_X09_budget_order_and_verbatim_through_llama_index(counter: Any) -> None:
    budget = 60 if counter is None else 240
    given = nodes()
    compressor = TerselyPostprocessor(budget=budget, counter=counter)
    found = compressor.postprocess_nodes(given, query_str=QUERY)
    check(found, given)
    text = "\n\n".join(node.text for node in found)
    assert (counter or COUNT)(text) == found[0].metadata["tersely"]["tokens"] <= budget
    assert given == nodes(), "the input is left alone"
    assert asyncio.run(compressor.apostprocess_nodes(given, query_str=QUERY)) == found


def test_neither_a_model_nor_an_embedder_sees_the_note() -> None:
    (first, *_) = TerselyPostprocessor(budget=60).postprocess_nodes(nodes(), query_str=QUERY)
    for mode in (MetadataMode.LLM, MetadataMode.EMBED):
        shown = first.node.get_content(metadata_mode=mode)
        assert "title: Harbour rules" in shown
        assert "tersely" not in shown


def test_nodes_without_text_pass_through_in_their_place() -> None:
    first, *rest = nodes()
    picture = NodeWithScore(node=ImageNode(id_="picture", image="aGVsbG8="))
    found = TerselyPostprocessor(budget=70).postprocess_nodes([first, picture, *rest], query_str=QUERY)
    assert [node.node_id for node in found][:2] == ["harbour", "picture"]
    check([node for node in found if node.node_id != "picture"], nodes())
    assert TerselyPostprocessor().postprocess_nodes([]) == []


def test_documents_are_nodes_too_and_no_query_is_needed() -> None:
    given = [NodeWithScore(node=Document(id_=name, text=text)) for name, _, text in DOCUMENTS]
    found = TerselyPostprocessor(budget=60).postprocess_nodes(given)
    assert COUNT("\n\n".join(node.node.get_content() for node in found)) <= 60
    check_ids = [node.node_id for node in found]
    assert check_ids == [node.node_id for node in given if node.node_id in check_ids]


def test_errors_are_those_of_compress() -> None:
    with pytest.raises(BudgetExceededError):
        TerselyPostprocessor(budget=0).postprocess_nodes(nodes(), query_str=QUERY)
    with pytest.raises(ValueError, match="buget"):
        TerselyPostprocessor(buget=3)
