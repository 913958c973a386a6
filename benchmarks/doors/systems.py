"""The public entries of tersely, each with its default options, behind one shape."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from functools import partial
from typing import Any

import tersely
from tersely.mcp.text_tools import text_tools
from tersely.retrieval import ContextualCompressor, TokenBudgetConfig
from tersely.strategies import (
    CompressionOptions,
    Compressor,
    ContextChunk,
    ExtractiveCompressor,
    HybridCompressor,
    Manager,
)
from tersely.types import AnyStrategyName

from benchmarks.checks import require
from benchmarks.doors.searching import TaskIndex, search_command, search_tool
from benchmarks.quality.once import Ledger
from benchmarks.quality.systems import System
from benchmarks.quality.tasks import Task

__all__ = ["COMPRESS", "JOINED", "ONE_TEXT", "SEPARATOR", "doors", "tersely_system"]

COMPRESS = "tersely.compress"
JOINED = f"{COMPRESS}, as one text"
ONE_TEXT = ("extractive", "hybrid", "text_tool")  # keys of those that are to keep what JOINED does
SEPARATOR = "\n\n"  # of documents, where an entry takes one text


def doors(ledger: Ledger) -> list[System]:
    """All of them, also those whose framework is missing. The ledger hears of work that is not charged."""
    index = TaskIndex(ledger)
    extractive, hybrid, manager = ExtractiveCompressor(), HybridCompressor(), Manager()
    return [
        tersely_system("compress", COMPRESS, compressed),
        tersely_system("joined", JOINED, _joined),
        tersely_system(
            "hierarchical", f'{COMPRESS}, "hierarchical"', partial(compressed, strategy="hierarchical")
        ),
        tersely_system(
            "extractive", "tersely ExtractiveCompressor", partial(_one_text, compressor=extractive)
        ),
        tersely_system("hybrid", "tersely HybridCompressor, no model", partial(_one_text, compressor=hybrid)),
        tersely_system("manager", "tersely Manager.prepare_context", partial(_prepared, manager=manager)),
        tersely_system("contextual", "tersely ContextualCompressor", _contextual),
        tersely_system("text_tool", "tersely MCP compress_text", _text_tool),
        tersely_system("search", "tersely search --budget", partial(search_command, index=index)),
        tersely_system("tool", "tersely MCP query_documents_compressed", partial(search_tool, index=index)),
        _adapter("langchain", "LangChain", "langchain_core", _langchain),
        _adapter("llamaindex", "LlamaIndex", "llama_index", _llama_index),
        _adapter("haystack", "Haystack", "haystack", _haystack),
    ]


def tersely_system(key: str, name: str, run: Callable[[Task], str] | None) -> System:
    """A system held to tersely's promises; where not even the smallest piece fits, its answer is empty."""

    def answer(task: Task) -> str:
        assert run is not None
        try:
            return run(task)
        except tersely.BudgetExceededError as error:
            require(error.required > task.budget, f"{name}: {error}")
            return ""

    return System(key, name, answer if run else None)


def _joined(task: Task) -> str:
    """What an entry that takes one text can know of the documents."""
    text = SEPARATOR.join(task.documents)
    return tersely.compress(text, task.query, budget=task.budget).text


def compressed(task: Task, strategy: AnyStrategyName | None = None) -> str:
    """What `tersely.compress` keeps of the documents."""
    return tersely.compress(task.documents, task.query, budget=task.budget, strategy=strategy).text


def _one_text(task: Task, compressor: Compressor) -> str:
    options = CompressionOptions(target_tokens=task.budget, query_context=task.query or "")
    return compressor.compress(SEPARATOR.join(task.documents), options).compressed


def _prepared(task: Task, manager: Manager) -> str:
    chunks = [ContextChunk(str(number), text) for number, text in enumerate(task.documents)]
    return manager.prepare_context(chunks, task.query or "", task.budget).text


def _contextual(task: Task) -> str:
    # its total has a reserve for the response by default; here all of it is for the documents, as elsewhere
    limits = TokenBudgetConfig(total_budget=task.budget, reserve_for_response=0)
    compressor = ContextualCompressor(budget=limits)
    return compressor.compress_sync(task.documents, task.query or "").text


def _text_tool(task: Task) -> str:
    (tool,) = text_tools()
    given = {"text": SEPARATOR.join(task.documents), "query": task.query, "budget": task.budget}
    return tool.run(given).text


def _adapter(key: str, name: str, module: str, make: Callable[[], Callable[[Task], str]]) -> System:
    found = importlib.util.find_spec(module) is not None
    return tersely_system(key, f"tersely for {name}", make() if found else None)


def _langchain() -> Callable[[Task], str]:
    from langchain_core.documents import Document
    from tersely.integrations.langchain import TerselyCompressor

    def run(task: Task) -> str:
        documents = [Document(page_content=text) for text in task.documents]
        found = TerselyCompressor(budget=task.budget).compress_documents(documents, task.query or "")
        return SEPARATOR.join(one.page_content for one in found)

    return run


def _llama_index() -> Callable[[Task], str]:
    from llama_index.core.schema import MetadataMode, NodeWithScore, TextNode
    from tersely.integrations.llama_index import TerselyPostprocessor

    def run(task: Task) -> str:
        nodes: list[Any] = [NodeWithScore(node=TextNode(text=text)) for text in task.documents]
        found = TerselyPostprocessor(budget=task.budget).postprocess_nodes(nodes, query_str=task.query)
        return SEPARATOR.join(one.node.get_content(metadata_mode=MetadataMode.NONE) for one in found)

    return run


def _haystack() -> Callable[[Task], str]:
    from haystack import Document
    from tersely.integrations.haystack import TerselyCompressor

    def run(task: Task) -> str:
        documents = [Document(content=text) for text in task.documents]
        found = TerselyCompressor(budget=task.budget).run(documents, task.query)["documents"]
        return SEPARATOR.join(one.content for one in found)

    return run
