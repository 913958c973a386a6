"""Results of a search, made smaller: their types, where they come from, and what is left of them.

What is not a type loads when it is first asked for.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from tersely.retrieval.chunks import ChunkResult, DocumentChunk, Retriever, SearchResult

if TYPE_CHECKING:
    from tersely.retrieval.preview import Preview, previews
    from tersely.retrieval.results import CompressedResults, ResultStats, compress_results
    from tersely.retrieval.sentences import Excerpt, extract_sentences
    from tersely.retrieval.summaries import ChunkSummarizer, ChunkSummary
    from tersely.retrieval.token_limit import within_budget

__all__ = [
    "ChunkResult",
    "ChunkSummarizer",
    "ChunkSummary",
    "CompressedResults",
    "DocumentChunk",
    "Excerpt",
    "Preview",
    "ResultStats",
    "Retriever",
    "SearchResult",
    "compress_results",
    "extract_sentences",
    "previews",
    "within_budget",
]

_MODULES = {
    "preview": ("Preview", "previews"),
    "results": ("CompressedResults", "ResultStats", "compress_results"),
    "sentences": ("Excerpt", "extract_sentences"),
    "summaries": ("ChunkSummarizer", "ChunkSummary"),
    "token_limit": ("within_budget",),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """A name of `__all__`, from its module."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
