"""Compress nodes in LlamaIndex, as a postprocessor. Needs `tersely[llama-index]`."""

from __future__ import annotations

from typing import Any

from tersely.errors import needs
from tersely.retrieval.chunks import add_note, compress_items

with needs("llama-index-core", "llama-index"):
    from llama_index.core.bridge.pydantic import ConfigDict
    from llama_index.core.postprocessor.types import BaseNodePostprocessor
    from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle, TextNode

__all__ = ["TerselyPostprocessor"]


class TerselyPostprocessor(BaseNodePostprocessor):
    """Fits the texts of nodes into one token budget.

    The returned texts, joined by `separator`, never have more tokens than the budget; what LlamaIndex puts
    around them (other metadata of the nodes, its prompt) is not counted. Nodes keep their order, id, score,
    relationships and metadata; those of which nothing is kept are left out, those without text stay as they
    are. `metadata["tersely"]` is `tersely.retrieval.chunks.provenance`: spans of the source, its whole text,
    what was dropped, warnings; neither models nor embedders are shown it. A node's `metadata["title"]` counts
    for each of its sentences.

    Raises:
        BudgetExceededError, ValueError, TypeError: as `tersely.compress`.
    """

    #: with `ratio`, `counter`, `strategy` and `separator`: as in `tersely.compress`
    budget: int | None = None
    ratio: float | None = None
    counter: Any = None
    strategy: Any = None
    separator: str = "\n\n"
    #: whether the metadata hold the whole text of the source. None: of sources without an id alone, so that
    #: traces and stores do not hold each text twice.
    keep_original: bool | None = None

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    @classmethod
    def class_name(cls) -> str:
        """Return the name that LlamaIndex writes down."""
        return "TerselyPostprocessor"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        query = query_bundle.query_str if query_bundle is not None else None
        return compress_items(self, nodes, _read, _written, query)


def _read(one: NodeWithScore) -> tuple[str, str, float | None, dict[str, Any]]:
    text = one.node.get_content(metadata_mode=MetadataMode.NONE)
    return text, one.node.node_id, one.score, one.node.metadata


def _written(source: NodeWithScore | None, text: str, note: dict[str, Any]) -> NodeWithScore:
    """Copy a node with another text and a note that only programs read."""
    node = source.node.model_copy() if source else TextNode()
    node.set_content(text)
    node.metadata = add_note(node.metadata, note)
    node.excluded_llm_metadata_keys = [*node.excluded_llm_metadata_keys, "tersely"]
    node.excluded_embed_metadata_keys = [*node.excluded_embed_metadata_keys, "tersely"]
    return NodeWithScore(node=node, score=source.score if source else None)
