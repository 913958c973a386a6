"""Every door that takes texts, as a call of one text, with what must hold for its answer."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tersely
from tersely import Extractive
from tersely.cli import main as command
from tersely.content.registry import CONTENT_TYPES
from tersely.engine.finish import broken_promises
from tersely.mcp.memory_tools import MemoryTools
from tersely.mcp.query_tools import QueryTools
from tersely.mcp.text_tools import text_tools
from tersely.mcp.tools import LONGEST_TEXT, Tool
from tersely.memory import (
    CompactionConfig,
    Compactor,
    MemoryCompactor,
    REPLEntry,
    REPLHistory,
    compact_messages,
)
from tersely.memory.segments.memory import SegmentMemory
from tersely.models.counters import resolve_counter
from tersely.retrieval import ChunkResult, ContextualCompressor, TokenBudgetConfig, compress_results
from tersely.retrieval.index import Index
from tersely.retrieval.results import extract_sentences
from tersely.store import Store
from tersely.strategies import (
    AbstractiveCompressor,
    CompressionOptions,
    ContextChunk,
    ExtractiveCompressor,
    HierarchicalCompressor,
    HybridCompressor,
    Incremental,
    Manager,
)
from tersely.types import Compressed, Request

from benchmarks import tokens
from benchmarks.checks import require

__all__ = ["DOORS", "Door"]

_RATIO = 0.2
_QUERY = "Which gate was opened before the storm, and who paid for it?"
_SHARE = 20  # characters of the text for each token of a budget, where a door takes no ratio
_CHUNK = 8_000  # characters of a chunk, where a door takes several
_RESULT = 2_000  # of a result of a search, the first of which has to fit
_LINES = 200  # characters of a text of dedup


@dataclass(frozen=True, slots=True)
class Door:
    """A door."""

    #: the content type of the ordinary text that it is compared with; None: what it takes a text for
    kind: str | None
    run: Callable[[str], Any]  #: text -> answer; this is timed
    #: text, answer -> nothing; raises AssertionError
    check: Callable[[str, Any], None] = lambda _text, _answer: None
    #: answer -> its rows, where it has as many as the text is made to have: facts, segments, spans that were
    #: kept or dropped; None: its size is bounded by a budget or by the text
    items: Callable[[Any], int] | None = None


def _check(text: str, result: Compressed) -> None:
    """The budget holds by toktok's own count, and every promise about kept and dropped text."""
    used = tokens.count(result.text)
    require(used == result.tokens, f"the receipt says {result.tokens} tokens, the text has {used}")
    counter = resolve_counter(None)
    request = Request(result.documents, None, result.receipt.budget, _RATIO, counter, (), (), "\n\n")
    require(used <= result.receipt.budget, f"{used} tokens, over the budget of {result.receipt.budget}")
    require("".join(one.text for one in result.documents) == text, "the documents are not the text")
    wrong = broken_promises(result, request)
    require(not wrong, "; ".join(wrong))


def _budget(text: str) -> int:
    return max(len(text) // _SHARE, 1_000)


def _compress(kind: str | None, query: str | None = None, **options: Any) -> Door:
    return Door(kind, lambda text: tersely.compress(text, query, ratio=_RATIO, **options), _check, _spans)


def _spans(result: Compressed) -> int:
    """Spans of the answer, kept and dropped."""
    return result.receipt.segments


def _compressor(compressor: Callable[[], Any]) -> Door:
    def run(text: str) -> Any:
        return compressor().compress(text, CompressionOptions(target_ratio=_RATIO)).result

    return Door(None, run, _check, _spans)


def _levels(text: str) -> Any:
    return HierarchicalCompressor(3).compress(text, CompressionOptions()).levels


def _check_levels(text: str, levels: Any) -> None:
    for level in levels:
        _check(text, level.result)


def _grown(text: str) -> Compressed:
    """A document that grows by half, as an incremental strategy sees it."""
    strategy = Incremental()
    tersely.compress(text[: len(text) // 2], ratio=_RATIO, strategy=strategy)
    return tersely.compress(text, ratio=_RATIO, strategy=strategy)


def _pieces(text: str, size: int = _CHUNK) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def _managed(text: str) -> Any:
    chunks = [ContextChunk(str(number), piece, 1.0) for number, piece in enumerate(_pieces(text))]
    return Manager().prepare_context(chunks, _QUERY, _budget(text))


def _says_again(prompt: str) -> str:
    return prompt[-400:]


def _contextual(how: str | None, llm: Any = None) -> Callable[[str], Any]:
    def run(text: str) -> Any:
        compressor = ContextualCompressor(llm, budget=TokenBudgetConfig(_budget(text), 0))
        return compressor.compress_sync(_pieces(text, 100_000), _QUERY, how)

    return run


def _check_budget(text: str, found: Any) -> None:
    used = tokens.count(found.text)
    require(used <= _budget(text), f"{used} tokens, over the budget of {_budget(text)}")


def _results(text: str, size: int) -> list[ChunkResult]:
    named = {"header_path": "Guide", "file_path": "guide.md"}
    return [
        ChunkResult(chunk_id=f"c{n}", doc_id=f"d{n // 3}", score=1 / (n + 1), content=piece, **named)
        for n, piece in enumerate(_pieces(text, size))
    ]


def _cut_results(text: str) -> Any:
    return compress_results(_results(text, _RESULT), _QUERY, max_tokens=_budget(text))


def _check_messages(text: str, made: Any) -> None:
    require(made.tokens <= _budget(text), f"{made.tokens} tokens, over the budget of {_budget(text)}")


def _history(texts: list[str]) -> list[dict[str, Any]]:
    """A user asks, and every other message is a result of a tool."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": _QUERY}]
    for number, text in enumerate(texts):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "read", "arguments": "{}"}}
        messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": text})
    return [*messages, {"role": "user", "content": "Go on."}]


def _compacted(text: str, size: int) -> Any:
    return compact_messages(_history(_pieces(text, size)), budget=_budget(text))


def _turns(text: str) -> Any:
    """A history that grows."""
    compactor, messages, made = Compactor(_budget(text)), _history(_pieces(text, 50_000)), None
    for stop in range(3, len(messages), 2):
        made = compactor.compact(messages[:stop])
    return made or compactor.compact(messages)


def _steps(text: str) -> Any:
    entries = [REPLEntry(piece[:2_000], piece[2_000:4_000], piece[4_000:]) for piece in _pieces(text)]
    return MemoryCompactor(CompactionConfig()).compact(REPLHistory(entries), _QUERY, force=True)


@contextmanager
def _store() -> Iterator[Store]:
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "store") as store:
        yield store


def _stored(text: str) -> str:
    with _store() as store:
        store.put(text, id="a")
        store.replace("a", "short")
        return store.expand("a")


def _searched(text: str) -> int:
    """Stored, and then searched for by itself."""
    with _store() as store:
        store.put_many([{"text": piece, "id": str(number)} for number, piece in enumerate(_pieces(text))])
        return len(store.search(text)) + len(store.search(_QUERY))


def _segments(text: str) -> Any:
    with _store() as store:
        memory = SegmentMemory(store)
        names = [f"s{number}" for number, _ in enumerate(_pieces(text, 100_000))]
        for name, piece in zip(names, _pieces(text, 100_000), strict=True):
            memory.store_context_segment(piece, segment_id=name)
        memory.compress_context_segment(names, target_compression_ratio=0.6)
        back = [memory.expand_compressed_context(name).original_text for name in names]
        return [text or memory.get(name).text for name, text in zip(names, back, strict=True)]


def _indexed(suffix: str) -> Callable[[str], Any]:
    def run(text: str) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / f"a{suffix}").write_text(text, encoding="utf-8", newline="")
            index = Index.build(folder)
            return index.search(_QUERY), index.search(text[:50_000])

    return run


class _List:
    """A retriever over a list."""

    def __init__(self, chunks: list[ChunkResult]) -> None:
        self.chunks = chunks

    def search(self, query: str, top_n: int = 5) -> list[ChunkResult]:
        return self.chunks[:top_n]

    def chunk(self, chunk_id: str) -> ChunkResult:
        return next(one for one in self.chunks if one.chunk_id == chunk_id)


def _tool(tools: list[Tool], name: str, **arguments: Any) -> Any:
    (tool,) = (one for one in tools if one.name == name)
    return tool.run(tool.checked(arguments))


def _tool_compressed(text: str) -> Any:
    return _tool(text_tools(), "compress_text", text=text, query=_QUERY, budget=_budget(text))


def _asked(text: str) -> Any:
    tools = QueryTools(_List(_results(text, _CHUNK)[:100])).tools()
    return _tool(tools, "query_documents_compressed", query=_QUERY, top_n=50)


def _remembered(text: str) -> Any:
    with _store() as store:
        tools = MemoryTools(SegmentMemory(store)).tools()
        for number, piece in enumerate(_pieces(text, 100_000)):
            _tool(tools, "store_context_segment", text=piece, segment_id=str(number))
            _tool(tools, "compress_and_stash", segment_id=str(number))
        _tool(tools, "plan_context", task=_QUERY)
        return _tool(tools, "search_stash", query=text[:LONGEST_TEXT])


def _printed(*given: str) -> str:
    """What the command prints."""
    written = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")  # the command writes bytes
    with contextlib.redirect_stdout(written):
        require(command(list(given)) == 0, "the command failed")
    written.seek(0)
    return written.read()


def _command(*given: str) -> Callable[[str], str]:
    def run(text: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / "text"
            place.write_text(text, encoding="utf-8", newline="")
            return _printed(given[0], str(place), *given[1:])

    return run


def _command_compact(text: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "history.json"
        place.write_text(json.dumps(_history(_pieces(text, 50_000))), encoding="utf-8")
        return _printed("compact", str(place), "--budget", str(_budget(text)), "--quiet")


def _command_search(text: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "a.md").write_text(text, encoding="utf-8", newline="")
        return _printed("index", folder) + _printed("search", folder, _QUERY)


def _check_segments(text: str, table: Any) -> None:
    inside = np.zeros(len(text) + 1, dtype=np.int64)
    np.add.at(inside, table.start, 1)
    np.add.at(inside, table.end, -1)
    covered = np.cumsum(inside[:-1])
    require(bool((covered <= 1).all()), "segments overlap")
    lost = "".join(map(text.__getitem__, np.flatnonzero(covered == 0).tolist())).strip("\ufeff \n")
    require(not lost.strip(), f"in no segment: {lost.strip()[:60]!r}")


def _check_equal(text: str, found: Any) -> None:
    require("".join(found) == text, "the original did not come back")


_TYPED = {
    f"compress as {kind}": _compress(kind, strategy=kind)
    for kind in CONTENT_TYPES
    if kind not in ("prose", "jsonl")
}

DOORS: dict[str, Door] = {
    "compress": _compress(None),
    "compress, query": _compress(None, _QUERY),
    "compress, facts": _compress("prose", strategy=Extractive(preserve=("all",))),
    "compress, clauses": _compress("prose", _QUERY, strategy=Extractive(level="clause")),  # type: ignore[arg-type]
    "compress, words": _compress("prose", _QUERY, strategy=Extractive(level="word")),  # type: ignore[arg-type]
    "compress, sections": _compress("prose", _QUERY, strategy=Extractive(level="section")),  # type: ignore[arg-type]
    **_TYPED,
    "incremental": Door("prose", _grown, _check, _spans),
    "ExtractiveCompressor": _compressor(ExtractiveCompressor),
    "HybridCompressor": _compressor(HybridCompressor),
    "AbstractiveCompressor": _compressor(lambda: AbstractiveCompressor(_says_again, fallback=True)),
    "HierarchicalCompressor": Door("prose", _levels, _check_levels),
    "Manager": Door(None, _managed, _check_budget),
    "ContextualCompressor": Door(None, _contextual(None), _check_budget),
    "ContextualCompressor, model": Door(None, _contextual("abstractive", _says_again), _check_budget),
    "compress_results": Door(None, _cut_results),
    "extract_sentences": Door("prose", lambda text: extract_sentences(_pieces(text), _QUERY, 3)),
    "compact_messages": Door(None, lambda text: _compacted(text, len(text)), _check_messages),
    "compact_messages, many": Door("prose", lambda text: _compacted(text, _CHUNK), _check_messages),
    "Compactor": Door("prose", _turns, _check_messages),
    "MemoryCompactor": Door("prose", _steps),
    "segments": Door("prose", _segments, _check_equal),
    "store": Door("prose", _stored, _check_equal),
    "store search": Door("prose", _searched),
    "index, Markdown": Door("markdown", _indexed(".md")),
    "index, HTML": Door("html", _indexed(".html")),
    "index, code": Door("code", _indexed(".py")),
    "segment": Door("prose", tersely.segment, _check_segments, len),
    "dedup": Door("prose", lambda text: tersely.dedup(_pieces(text, _LINES))),
    "find_facts": Door("prose", tersely.find_facts, items=len),
    "check_facts": Door(None, lambda text: tersely.check_facts(tersely.compress(text, ratio=_RATIO))),
    "detect": Door("prose", tersely.detect),
    "tool compress_text": Door(None, _tool_compressed, _check_budget),
    "tool query_documents": Door("prose", _asked),
    "tools of memory": Door("prose", _remembered),
    "command compress": Door(
        None, _command("compress", "--query", _QUERY, "--ratio", str(_RATIO), "--quiet")
    ),
    "command compact": Door("prose", _command_compact),
    "command index and search": Door("markdown", _command_search),
    "command segment": Door("prose", _command("segment"), items=lambda lines: lines.count("\n")),
    "command count": Door("prose", _command("count")),
}
