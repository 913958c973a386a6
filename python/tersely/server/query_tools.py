"""Search tools over any `Retriever`: whole results, compressed ones, previews, and one chunk in full."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from tersely.retrieval.chunks import ChunkResult, Retriever
from tersely.retrieval.preview import previews
from tersely.retrieval.results import ResultStats, compress_results
from tersely.server.answers import Answer, Answerer
from tersely.server.markdown import one_line, to_markdown
from tersely.server.tools import Tool, ToolError, ToolReply

__all__ = ["QueryTools"]

_QUERY = {"type": "string", "description": "Natural language query"}
_TOP_N = {
    "type": "integer",
    "description": "Maximum results to return (default: 5)",
    "default": 5,
    "minimum": 1,
    "maximum": 100,
}


@dataclass(frozen=True, slots=True)
class QueryTools:
    """The tools over one retriever.

    Attributes:
        retriever: finds the chunks. One with `vectors(chunk_ids)` (float rows) saves embedding them again.
        answerer: writes the answer above the results.
        pool: compression looks at max(pool, 4 * top_n) candidates: duplicates are found beyond the cut.
    """

    retriever: Retriever
    answerer: Answerer = field(default_factory=Answerer)
    pool: int = 20

    def tools(self) -> list[Tool]:
        """All of them."""
        return [
            Tool(
                "query_documents",
                "Search documents. Returns an answer and the whole chunks that match best.",
                _schema(query=_QUERY, top_n=_TOP_N),
                self.query_documents,
            ),
            Tool(
                "query_documents_compressed",
                "Search documents with context compression. Filters low-relevance results and removes "
                "semantic duplicates.",
                _schema(
                    query=_QUERY,
                    top_n=_TOP_N,
                    min_score={
                        "type": "number",
                        "description": "Minimum relevance score threshold (default: 0.3)",
                        "default": 0.3,
                        "minimum": 0.0,
                        "maximum": 1.0,
                    },
                    similarity_threshold={
                        "type": "number",
                        "description": "Cosine similarity threshold for deduplication (default: 0.85)",
                        "default": 0.85,
                        "minimum": 0.5,
                        "maximum": 1.0,
                    },
                ),
                self.query_documents_compressed,
            ),
            Tool(
                "preview_documents",
                "Search documents. Returns one line for each match; expand_chunk gives the whole.",
                _schema(query=_QUERY, top_n=_TOP_N),
                self.preview_documents,
            ),
            Tool(
                "expand_chunk",
                "The whole text of one chunk, by the chunk_id of a search result.",
                _schema(chunk_id={"type": "string", "description": "chunk_id of a search result"}),
                self.expand_chunk,
            ),
        ]

    def query_documents(self, arguments: dict[str, Any]) -> ToolReply:
        """The `top_n` best chunks, whole."""
        query = _asked(arguments)
        results = self._search(query, arguments["top_n"])
        answer = self.answerer.answer(query, results)
        return ToolReply(to_markdown(answer, results), _data(answer, results))

    def query_documents_compressed(self, arguments: dict[str, Any]) -> ToolReply:
        """The best chunks of a larger pool: those that are relevant enough, each thing once."""
        query, top_n = _asked(arguments), arguments["top_n"]
        results, stats = self._compressed(
            query, top_n, arguments["min_score"], arguments["similarity_threshold"]
        )
        answer = self.answerer.answer(query, results)
        data = _data(answer, results) | {"compression_stats": asdict(stats)}
        return ToolReply(to_markdown(answer, results, stats), data)

    def preview_documents(self, arguments: dict[str, Any]) -> ToolReply:
        """A line for each of the best chunks."""
        query = _asked(arguments)
        results = self._search(query, arguments["top_n"])
        lines = previews(results)
        answer = self.answerer.answer(query, results[:1])
        text = "\n".join(f"{one_line(one.chunk_id)} ({one.score:.4f}): {one.preview}" for one in lines)
        data = _data(answer, []) | {"summaries": [asdict(one) for one in lines]}
        del data["results"]
        return ToolReply(f"# Answer\n{answer.text}\n\n# Previews\n{text or 'No results.'}\n", data)

    def expand_chunk(self, arguments: dict[str, Any]) -> ToolReply:
        """One chunk. An id is looked up, never opened: paths lead nowhere."""
        wanted = arguments["chunk_id"]
        try:
            chunk = self.retriever.chunk(wanted)
        except KeyError:
            raise ToolError(
                f"there is no chunk {wanted[:100]!r}; use a chunk_id of a search result"
            ) from None
        return ToolReply(chunk.content, asdict(chunk))

    def _search(self, query: str, count: int) -> list[ChunkResult]:
        found = list(self.retriever.search(query, count))
        return sorted(found, key=lambda one: -one.score)[:count]

    def _compressed(
        self, query: str, top_n: int, min_score: float, threshold: float
    ) -> tuple[Sequence[ChunkResult], ResultStats]:
        found = list(self.retriever.search(query, max(self.pool, 4 * top_n)))
        left = compress_results(
            found,
            min_score=min_score,
            similarity_threshold=threshold,
            top_n=top_n,
            vectors=self._vectors(found),
        )
        return left.results, left.compression_stats

    def _vectors(self, found: Sequence[ChunkResult]) -> npt.NDArray[Any] | None:
        """What the index has; None where it has none, or not these: it may have changed since the search."""
        if not found or not hasattr(self.retriever, "vectors"):
            return None
        try:
            return np.asarray(self.retriever.vectors([one.chunk_id for one in found]))
        except KeyError:
            return None


def _schema(**properties: Any) -> dict[str, Any]:
    """All properties; those without a default are required."""
    required = [name for name, part in properties.items() if "default" not in part]
    return {"type": "object", "properties": properties, "required": required}


def _asked(arguments: dict[str, Any]) -> str:
    query: str = arguments["query"]
    if not query.strip():
        raise ToolError("query must not be blank")
    return query


def _data(answer: Answer, results: Sequence[ChunkResult]) -> dict[str, Any]:
    """`answer` and `results`; and, where a model was to write it, who did."""
    data: dict[str, Any] = {"answer": answer.text, "results": [asdict(one) for one in results]}
    if answer.model is not None or answer.fallback:
        data["answer_model"] = answer.model  # None: it failed, the answer is verbatim
    return data
