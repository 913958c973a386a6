"""A caller's token counter is foreign code: it is asked in one place, and its answers are checked there."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import odd_counters
import pytest
import tersely
from tersely.agents import compress_tool_result
from tersely.integrations.llmlingua import PromptCompressor
from tersely.memory import Compactor, compact_messages
from tersely.memory.segments.segment import new_segment
from tersely.retrieval import ChunkResult, ContextualCompressor, compress_results
from tersely.retrieval.extractive import ExtractiveCompressor as OfOneDocument
from tersely.retrieval.index import extract
from tersely.strategies import (
    ContextChunk,
    ExtractiveCompressor,
    HierarchicalCompressor,
    IncrementalCompressor,
    Manager,
)

TEXT = "\n".join(f"Gate {n} of the dam was opened on day {n}, says file{n}.py." for n in range(60))
RESULTS = [
    ChunkResult(chunk_id=f"a.md#{n}", doc_id="a", score=1.0, header_path="", file_path="a.md", content=TEXT)
    for n in range(3)
]
MESSAGES = [{"role": "user", "content": f"{n} {TEXT}"} for n in range(9)]
DOORS: dict[str, Callable[[Any], Any]] = {
    "compress": lambda c: tersely.compress(TEXT, budget=50, counter=c),
    "compress, data": lambda c: tersely.compress(json.dumps([{"a": n} for n in range(99)]), counter=c),
    "prepare": lambda c: tersely.prepare(TEXT, counter=c).fit(budget=50),
    "compress_tool_result": lambda c: compress_tool_result({"a": [TEXT]}, budget=50, counter=c),
    "compact_messages": lambda c: compact_messages(MESSAGES, budget=50, counter=c),
    "Compactor": lambda c: Compactor(50, counter=c).compact(MESSAGES),
    "new_segment": lambda c: new_segment("a", TEXT, counter=c),
    "ExtractiveCompressor": lambda c: ExtractiveCompressor(counter=c).compress(TEXT),
    "HierarchicalCompressor": lambda c: HierarchicalCompressor(counter=c).compress(TEXT),
    "IncrementalCompressor": lambda c: IncrementalCompressor(counter=c).update("a", TEXT),
    "Manager": lambda c: Manager(counter=c).prepare_context([ContextChunk("a", TEXT, 1.0)], "gate", 50),
    "Manager, call": lambda c: Manager(counter=c).prepare_context_for_call(
        [ContextChunk("a", TEXT, 1.0)], "gate", 50
    ),
    "ContextualCompressor": lambda c: ContextualCompressor(counter=c).compress_sync([TEXT], "gate"),
    "segments of one document": lambda c: OfOneDocument(counter=c).compress_sync(TEXT, "gate", 50),
    "compress_results": lambda c: compress_results(RESULTS, max_tokens=50, counter=c),
    "extract": lambda c: extract(RESULTS, "gate", budget=50, counter=c),
    "PromptCompressor": lambda c: PromptCompressor(counter=c).compress_prompt([TEXT], target_token=50),
}


@pytest.mark.parametrize("wrong", odd_counters.WRONG)
def test_every_door_refuses_what_is_no_count(wrong: str) -> None:
    faults = {}
    for name, door in DOORS.items():
        try:
            door(odd_counters.WRONG[wrong]())
        except ValueError as error:
            if "the token counter" not in str(error):
                faults[name] = repr(error)
        except Exception as error:
            faults[name] = repr(error)
        else:
            faults[name] = "accepted"
    assert not faults


def test_counters_are_asked_in_one_place(root: Path) -> None:
    asks = re.compile(r"counter(\)|\([^()]*\))?\.count(_batch)?\b")
    package = root / "python" / "tersely"
    found = {
        str(path.relative_to(package))
        for path in package.rglob("*.py")
        if any(asks.search(line) for line in path.read_text(encoding="utf-8").splitlines())
    }
    assert {name for name in found if not name.startswith("models/")} == {"engine/reading.py"}
