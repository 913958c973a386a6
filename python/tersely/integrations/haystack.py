"""Compress documents in Haystack pipelines. Needs `tersely[haystack]`."""

# Annotations are not postponed here: Haystack 2 reads the types of sockets from them.
import asyncio
import inspect
import json
from dataclasses import fields, replace
from typing import Any, Self

import tersely
from tersely.errors import needs
from tersely.retrieval.chunks import add_note, compress_sources

with needs("haystack-ai", "haystack"):
    from haystack import Document, component, default_from_dict, default_to_dict
    from haystack.utils import deserialize_callable, serialize_callable

__all__ = ["TerselyCompressor"]


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
                written to a file, a counter is a name or a function of a module, and a strategy is a name or
                an Extractive without models.
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
        rows = [row for row, document in enumerate(documents) if (document.content or "").strip()]
        given = [documents[row] for row in rows]
        sources = [(one.content, one.id, one.score, one.meta) for one in given]
        found = {row: documents[row] for row in range(len(documents)) if row not in set(rows)}
        for part, note in compress_sources(self, sources, query, budget):
            row = rows[part.documents[0]]
            source = documents[row] if len(part.documents) == 1 else Document(content=part.text)
            meta = add_note(source.meta, note)
            found[row] = replace(source, content=part.text, meta=meta, embedding=None, sparse_embedding=None)
        return {"documents": [found[row] for row in sorted(found)]}

    @component.output_types(documents=list[Document])
    async def run_async(
        self, documents: list[Document], query: str | None = None, budget: int | None = None
    ) -> dict[str, list[Document]]:
        """Run in a thread of its own, for async pipelines."""
        return await asyncio.to_thread(self.run, documents, query, budget)

    def to_dict(self) -> dict[str, Any]:
        """Return plain types. Raises ValueError for a strategy or counter that cannot be written down."""
        written: dict[str, Any] = default_to_dict(
            self,
            budget=self.budget,
            ratio=self.ratio,
            counter=_written_counter(self.counter),
            strategy=_written_strategy(self.strategy),
            separator=self.separator,
            keep_original=self.keep_original,
        )
        return written

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Make a component from the dict of `to_dict`."""
        options = dict(data["init_parameters"])
        if isinstance(counter := options.get("counter"), dict):
            options["counter"] = deserialize_callable(counter["function"])
        if isinstance(strategy := options.get("strategy"), dict):
            options["strategy"] = tersely.Extractive(**strategy["extractive"])
        made: Self = default_from_dict(cls, {**data, "init_parameters": options})
        return made


def _written_counter(counter: Any) -> Any:
    if counter is None or isinstance(counter, str):
        return counter
    if not inspect.isfunction(counter):
        raise ValueError(f"a counter in a file must be a name or a function, not {type(counter).__name__}")
    return {"function": serialize_callable(counter)}


def _written_strategy(strategy: Any) -> Any:
    if strategy is None or isinstance(strategy, str):
        return strategy
    if type(strategy) is not tersely.Extractive:
        raise ValueError(f"a strategy in a file must be a name or an Extractive, not {strategy!r}")
    options = {field.name: getattr(strategy, field.name) for field in fields(strategy)}
    try:
        return {"extractive": json.loads(json.dumps(options))}
    except TypeError as error:
        raise ValueError(f"options of a strategy in a file must be plain values: {error}") from None
