"""Types of the names that callers may write as texts: a type checker finds misspelt ones.

tests/codebase/test_names.py holds them against the tables that they are keys of.
"""

from __future__ import annotations

from typing import Literal

__all__ = ["AnyStrategyName", "ContentTypeName", "DetectedName", "LevelName", "StrategyName"]

#: What `tersely.detect` says.
DetectedName = Literal[
    "prose", "markdown", "conversation", "code", "log", "tool_output", "stack_trace", "json", "jsonl",
    "table", "diff", "html", "mixed",
]  # fmt: skip

#: What documents can be taken for: keys of `tersely.content.registry.CONTENT_TYPES`.
ContentTypeName = Literal[DetectedName, "xml", "yaml", "logfmt"]

#: Keys of `tersely.strategies.STRATEGIES`.
StrategyName = Literal["extractive", "lead", "abstractive", "hybrid", "hierarchical", "manager"]

#: What `strategy=` takes by name: a strategy, or what all documents are taken for.
AnyStrategyName = StrategyName | ContentTypeName | Literal["auto"]

#: How finely text is cut.
LevelName = Literal["character", "word", "clause", "sentence", "paragraph", "section"]
