"""Search tools over any `Retriever`: whole results, compressed ones, previews, and one chunk in full."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from tersely.errors import BudgetExceededError
from tersely.mcp.answers import answer_from, count_tokens, fenced_reply, to_extract, to_markdown, to_previews
from tersely.mcp.tools import TOP_N, Tool, ToolError, ToolReply, argument, tool, tools_of
from tersely.retrieval.chunks import ChunkResult, Retriever, readable
from tersely.retrieval.index import extract
from tersely.retrieval.index.files import FIRST
from tersely.retrieval.results import ON_TOPIC, ResultStats, compress_results, on_topic, previews
from tersely.text import well_formed

__all__ = ["QueryTools"]

_NO_RESULTS = "No results."
_NOTHING = "Nothing relevant found: at best {:.0%} likely to be on topic."

_ONE = 600  # tokens of a reply in which the best result may stand whole: it holds a chunk of 1,500 characters

_QUERY = argument("string", "Natural language query")


@dataclass(frozen=True, slots=True)
class QueryTools:
    """The tools of a server that search with one retriever."""

    #: finds the chunks. One with `vectors(chunk_ids)` (float rows) saves embedding them again.
    retriever: Retriever
    #: compression looks at max(pool, 4 * top_n) candidates: duplicates are found beyond the cut
    pool: int = 20

    def tools(self) -> list[Tool]:
        """Return the tools."""
        return tools_of(self)

    @tool(
        "Search documents. Returns an answer and the whole chunks that match best.",
        ["query"],
        query=_QUERY,
        top_n=TOP_N,
    )
    def query_documents(self, arguments: dict[str, Any]) -> ToolReply:
        """Find the `top_n` best chunks; the reply has them whole."""
        query = _query(arguments)
        results = self._search(query, arguments["top_n"])
        answer = answer_from(results, query)
        return ToolReply(to_markdown(answer, results), _data(answer, results))

    @tool(
        "Search documents with context compression. Filters low-relevance results and removes "
        "semantic duplicates.",
        ["query"],
        query=_QUERY,
        top_n=TOP_N,
        min_score=argument(
            "number",
            "Minimum relevance score threshold (default: 0.3)",
            default=0.3,
            minimum=0.0,
            maximum=1.0,
        ),
        similarity_threshold=argument(
            "number",
            "Cosine similarity threshold for deduplication (default: 0.85)",
            default=0.85,
            minimum=0.5,
            maximum=1.0,
        ),
        unlisted={
            "max_tokens": argument(
                "integer", "Maximum tokens of the reply (default: half of query_documents')", minimum=1
            )
        },
    )
    def query_documents_compressed(self, arguments: dict[str, Any]) -> ToolReply:
        """Find the best chunks of a larger pool, without irrelevant ones and duplicates.

        If they do not fit into `max_tokens`, the reply has the parts that answer the query, each under its
        file, section and chunk. By default it has half of the tokens of the reply of `query_documents`, or
        as many as the best result alone takes, if that is no longer than an index's chunks: half of the
        tokens often lack the answer. The reply always has fewer tokens than that of `query_documents`. If
        nothing was found, the stats say so.
        """
        query, top_n = _query(arguments), arguments["top_n"]
        found = [readable(one) for one in self.retriever.search(query, max(self.pool, 4 * top_n))]
        left = compress_results(
            found,
            min_score=arguments["min_score"],
            similarity_threshold=arguments["similarity_threshold"],
            top_n=top_n,
            vectors=self._vectors(found),
        )
        results, stats = list(left.results), left.compression_stats
        whole = sorted(found, key=lambda one: -one.score)[:top_n]
        if (budget := arguments.get("max_tokens")) is not None:
            return self._reply_within(query, results, stats, budget, whole)
        return self._smaller_reply(query, results, stats, whole)

    def _reply_within(
        self,
        query: str,
        results: list[ChunkResult],
        stats: ResultStats,
        budget: int,
        whole: list[ChunkResult],
    ) -> ToolReply:
        """The reply for a budget: an extract of the results.

        It has no more tokens than that of `query_documents` with its results `whole`.
        """
        if not results:
            if (required := count_tokens(_NO_RESULTS)) > budget:
                raise ToolError.of_budget(budget, required)
            return _add_note(ToolReply(_NO_RESULTS, _data("", [], stats)), _note(0.0))

        def frame(text: str, relevance: float) -> str:
            return to_extract(text, note=_note(relevance))

        sources = to_markdown("", whole)
        most = count_tokens(sources)
        try:
            found = extract(results, query, budget=min(budget, most), frame=frame, named=True)
        except BudgetExceededError as error:
            if most < budget:
                return ToolReply(sources, _data("", whole, stats))
            raise ToolError.of_budget(budget, error.required) from None
        reply = ToolReply(found.text, _data("", found.results, stats))
        return _add_note(reply, _note(1.0 if found.relevance is None else found.relevance))

    def _smaller_reply(
        self, query: str, results: list[ChunkResult], stats: ResultStats, whole: list[ChunkResult]
    ) -> ToolReply:
        """The reply with whole results, if they take half of the tokens of the reply of `query_documents`,
        with its results `whole`; else with an extract of them. Where half holds none, it may have as many as
        stay below that reply; where not even the stats leave room for one, it goes without them; and where
        nothing relevant was found and does not fit either, that is all that it says.
        """
        titles = [one.header_path or None for one in results]
        note = _note(max(on_topic([one.content for one in results], query, titles), default=0.0))
        answer = answer_from(results, query)  # what an extract says too
        text = to_markdown(answer, results, stats, note=note)
        sources = count_tokens(to_markdown("", whole))
        most = (count_tokens(to_markdown(answer, whole)) if results == whole else sources) - 1

        def frame(stats_shown: ResultStats | None, extracted: str, _: float = 0.0) -> str:
            return to_extract(extracted, stats_shown, note=note)

        best = count_tokens(to_markdown("", results[:1], stats, note=note))
        half = min(max((sources + count_tokens(answer)) // 2, min(best, _ONE)), most)
        if results and count_tokens(text) > half:
            for stats_shown, budget in ((stats, half), (stats, most), (None, most)):
                framed = partial(frame, stats_shown)
                try:
                    found = extract(results, query, budget=max(budget, 1), frame=framed, named=True)
                except BudgetExceededError as error:
                    if budget >= most or error.required > most:
                        continue
                    found = extract(results, query, budget=int(error.required), frame=framed, named=True)
                text = found.text
                if stats_shown is not None:  # it ends with the last of the stats, a token each up to 999
                    text = f"{text.removesuffix(str(stats.returned_count))}{len(found.results)}"
                return _add_note(ToolReply(text, _data(answer, found.results, stats)), note)
        if note and whole and count_tokens(text) > most:
            return _add_note(ToolReply(note, _data("", (), stats)), note)
        return _add_note(ToolReply(text, _data(answer, results, stats)), note)

    @tool(
        "Search documents. Returns one line for each match; expand_chunk gives the whole.",
        ["query"],
        query=_QUERY,
        top_n=TOP_N,
    )
    def preview_documents(self, arguments: dict[str, Any]) -> ToolReply:
        """Find the best chunks; the reply has a line for each."""
        query = _query(arguments)
        results = self._search(query, arguments["top_n"])
        lines = previews(results)
        answer = answer_from(results[:1], query)
        data = _data(answer, []) | {"summaries": [_as_dict(one) for one in lines]}
        del data["results"]
        return ToolReply(to_previews(answer, lines), data)

    @tool(
        "The whole text of one chunk, by the chunk_id of a search result. "
        "[#3] under guide.md: stands for the chunk_id guide.md#3, [#3-5] for three, "
        "guide.md alone for guide.md#0.",
        ["chunk_id"],
        chunk_id=argument("string", "chunk_id of a search result"),
    )
    def expand_chunk(self, arguments: dict[str, Any]) -> ToolReply:
        """Return one chunk by its id; a file's name is that of its first one. Never opened as a path."""
        wanted = arguments["chunk_id"]
        try:
            chunk = self.retriever.chunk(wanted)
        except KeyError:
            try:
                chunk = self.retriever.chunk(wanted + FIRST)
            except KeyError:
                raise ToolError(
                    f"there is no chunk {wanted[:100]!r}; use a chunk_id of a search result"
                ) from None
        return ToolReply(fenced_reply(chunk.content), _as_dict(chunk))

    def _search(self, query: str, count: int) -> list[ChunkResult]:
        found = [readable(one) for one in self.retriever.search(query, count)]
        return sorted(found, key=lambda one: -one.score)[:count]

    def _vectors(self, found: Sequence[ChunkResult]) -> npt.NDArray[Any] | None:
        """Return the index's vectors; None where it lacks any of them, as it may have changed meanwhile."""
        if not found or not hasattr(self.retriever, "vectors"):
            return None
        try:
            return np.asarray(self.retriever.vectors([one.chunk_id for one in found]))
        except KeyError:
            return None


def _note(relevance: float) -> str:
    """The note of a reply whose best result is more likely off the topic of the query than on it."""
    return "" if relevance >= ON_TOPIC else _NOTHING.format(relevance)


def _add_note(reply: ToolReply, note: str) -> ToolReply:
    return replace(reply, data={**reply.data, "nothing_relevant": True}) if note else reply


def _as_dict(item: Any) -> dict[str, Any]:
    """The attributes of a dataclass of plain values: `dataclasses.asdict` copies each of them."""
    kind = ChunkResult if isinstance(item, ChunkResult) else type(item)
    return {name: getattr(item, name) for name in kind.__slots__}


def _query(arguments: dict[str, Any]) -> str:
    query: str = arguments["query"]
    if not query.strip():
        raise ToolError("query must not be blank")
    return well_formed(query)


def _data(answer: str, results: Sequence[ChunkResult], stats: ResultStats | None = None) -> dict[str, Any]:
    """Return `answer`, `results` and the stats."""
    data: dict[str, Any] = {"answer": answer, "results": [_as_dict(one) for one in results]}
    if stats is not None:
        data["compression_stats"] = _as_dict(replace(stats, returned_count=len(results)))
    return data
