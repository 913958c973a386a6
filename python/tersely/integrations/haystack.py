"""Compress documents in Haystack pipelines. Needs `tersely[haystack]`."""

# Annotations are not postponed here: Haystack 2 reads the types of sockets from them.
import asyncio
from dataclasses import replace
from typing import Any, Self

from tersely.errors import needs
from tersely.retrieval.chunks import add_note, compress_items

with needs("haystack-ai", "haystack"):
    from haystack import Document, component, default_from_dict, default_to_dict

__all__ = ["TerselyCompressor"]

_FIELDS = ("budget", "ratio", "counter", "strategy", "separator", "keep_original")


@component
class TerselyCompressor:
    """Fits documents into one token budget, between a retriever or ranker and a prompt builder.

    The contents that come back, joined by `separator`, never have more tokens than the budget; what a
    prompt's template puts around them is not counted. Documents keep their order, id, score and meta;
    embeddings are removed, because they belong to another text. Documents of which nothing is kept are left
    out, those without text stay as they are. `meta["tersely"]` is `tersely.retrieval.chunks.provenance`:
    spans of the source, its whole text, what was dropped, warnings. A document's `meta["title"]` counts for
    each of its sentences.
    """

    def __init__(
        self,
        budget: int | None = None,
        ratio: float | None = None,
        counter: Any = None,
        strategy: Any = None,
        separator: str = "\n\n",
        keep_original: bool | None = None,
    ) -> None:
        """Say how far to compress.

        Args:
            budget, ratio, counter, strategy, separator: as in `tersely.compress`. In a pipeline that is
                written to a file, counter and strategy are names.
            keep_original: whether the meta hold the whole text of the source. None: of sources without an id
                alone, so that traces and stores do not hold each text twice.
        """
        self.budget = budget
        self.ratio = ratio
        self.counter = counter
        self.strategy = strategy
        self.separator = separator
        self.keep_original = keep_original

    @component.output_types(documents=list[Document])
    def run(
        self, documents: list[Document], query: str | None = None, budget: int | None = None
    ) -> dict[str, list[Document]]:
        """Compress the documents together for the query; a budget given here replaces the component's.

        Raises BudgetExceededError, ValueError and TypeError as `tersely.compress`.
        """

        def read(one: Document) -> tuple[str | None, str, float | None, dict[str, Any]]:
            return one.content, one.id, one.score, one.meta

        def write(source: Document | None, text: str, note: dict[str, Any]) -> Document:
            made = source or Document(content=text)
            meta = add_note(made.meta, note)
            return replace(made, content=text, meta=meta, embedding=None, sparse_embedding=None)

        return {"documents": compress_items(self, documents, read, write, query, budget)}

    @component.output_types(documents=list[Document])
    async def run_async(
        self, documents: list[Document], query: str | None = None, budget: int | None = None
    ) -> dict[str, list[Document]]:
        """Run in a thread of its own, for async pipelines."""
        return await asyncio.to_thread(self.run, documents, query, budget)

    def to_dict(self) -> dict[str, Any]:
        """Return plain types. Raises ValueError for a counter or strategy that is no name."""
        for name, value in (("counter", self.counter), ("strategy", self.strategy)):
            if not isinstance(value, str | None):
                raise ValueError(f"a {name} in a file must be a name, not {type(value).__name__}")
        written: dict[str, Any] = default_to_dict(self, **{name: getattr(self, name) for name in _FIELDS})
        return written

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Make a component from the dict of `to_dict`."""
        made: Self = default_from_dict(cls, data)
        return made
