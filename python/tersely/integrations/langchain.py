"""Compress documents and filter near-duplicates in LangChain. Needs `tersely[langchain]`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tersely
from tersely.errors import needs
from tersely.retrieval.chunks import add_note, compress_items

with needs("langchain-core", "langchain"):
    from langchain_core.callbacks import Callbacks
    from langchain_core.documents import BaseDocumentCompressor, BaseDocumentTransformer, Document
    from pydantic import BaseModel, ConfigDict

__all__ = ["TerselyCompressor", "TerselyRedundantFilter"]


class TerselyCompressor(BaseDocumentCompressor):
    """Fits documents into one token budget, for ContextualCompressionRetriever and compressor pipelines.

    The returned contents, joined by `separator`, never have more tokens than the budget. Documents keep their
    order, id and metadata; those of which nothing is kept are left out. `metadata["tersely"]` is
    `tersely.retrieval.chunks.provenance`: spans of the source, its whole text, what was dropped, warnings. A
    document's `metadata["title"]` counts for each of its sentences.

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

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> list[Document]:
        """Compress the documents together for the query."""
        texts = [one for one in documents if one.page_content.strip()]

        def read(one: Document) -> tuple[str, str | None, None, dict[str, Any]]:
            return one.page_content, one.id, None, one.metadata

        return compress_items(self, texts, read, _written, query)


class TerselyRedundantFilter(BaseDocumentTransformer, BaseModel):
    """Leaves out near-duplicates (`tersely.dedup`), never texts that differ in a number, name or negation.

    The first document of each cluster stays in its place. Only `metadata["tersely"]["duplicates"]` is added:
    "id" and "similarity" of the documents that it represents.
    """

    threshold: float = 0.85  #: with `embedder`: as in `tersely.dedup`
    embedder: Any = None

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    def transform_documents(self, documents: Sequence[Document], **kwargs: Any) -> list[Document]:
        """Keep one document of each cluster, in the order of the input."""
        if kwargs:
            raise TypeError(f"TerselyRedundantFilter takes no further arguments, not {sorted(kwargs)}")
        contents = [document.page_content for document in documents]
        found = tersely.dedup(contents, self.threshold, embedder=self.embedder)
        stays = found.representatives[found.labels].tolist()
        duplicates: dict[int, list[dict[str, Any]]] = {row: [] for row in sorted(set(stays))}
        for row, (stand_in, similarity) in enumerate(zip(stays, found.similarity.tolist(), strict=True)):
            if row != stand_in:
                duplicates[stand_in].append({"id": documents[row].id, "similarity": round(similarity, 6)})
        return [
            _written(documents[row], documents[row].page_content, {"duplicates": merged})
            if merged
            else documents[row]
            for row, merged in duplicates.items()
        ]


def _written(source: Document | None, text: str, note: dict[str, Any]) -> Document:
    """Copy a document with another content and a note in its metadata."""
    made = source or Document(page_content=text)
    return made.model_copy(update={"page_content": text, "metadata": add_note(made.metadata, note)})
