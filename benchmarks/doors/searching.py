"""Search with a budget over the documents of a task: the command `tersely search` and the MCP tool."""

from __future__ import annotations

import io
import time
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from tersely import cli
from tersely.mcp.query_tools import QueryTools
from tersely.mcp.tools import ToolError
from tersely.retrieval.index import Index

from benchmarks.quality.once import Ledger
from benchmarks.quality.tasks import Task

__all__ = ["TaskIndex", "search_command", "search_tool", "without_compression"]

_TOOL = "query_documents_compressed"
_MOST = 100  # results that the tool's schema allows
_ENDLESS = 10**9  # tokens
_NOTHING_FITS = 1  # exit code of the command


class TaskIndex:
    """The index of a folder that holds the documents of a task, a text file each.

    It is made once for all ratios of a question, and no answer is charged for making it.
    """

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self._documents: list[str] = []
        self._folder: TemporaryDirectory[str] | None = None
        self._index: Index | None = None

    def of(self, task: Task) -> Index:
        """The index over the documents of this task."""
        if self._index is None or self._documents != task.documents:
            with self.ledger.free():
                self._index = self._build(task.documents)
                self._documents = task.documents
        return self._index

    def _build(self, documents: list[str]) -> Index:
        if self._index is not None and self._folder is not None:
            self._index.close()
            self._folder.cleanup()
        self._folder = TemporaryDirectory()
        for number, text in enumerate(documents):
            (Path(self._folder.name) / f"{number:03}.txt").write_text(text, encoding="utf-8")
        return Index.build(self._folder.name)


def search_command(task: Task, index: TaskIndex) -> str:
    """What `tersely search --budget` prints where every chunk may be found; empty where nothing fits."""
    return _search(task, index, task.budget)


def search_tool(task: Task, index: TaskIndex) -> str:
    """The reply of the MCP tool for the budget of the task where every chunk may be found."""
    return _ask(task, index, task.budget)


def without_compression(tasks: Sequence[Task], ledger: Ledger) -> dict[str, float]:
    """Median CPU ms of both where everything fits: of opening, ranking, merging and writing."""
    index = TaskIndex(ledger)
    found: dict[str, list[float]] = {"search": [], "tool": []}
    for task in tasks:
        index.of(task)
        for key, run in (("search", _search), ("tool", _ask)):
            started = time.process_time()
            run(task, index, _ENDLESS)
            found[key].append((time.process_time() - started) * 1e3)
    return {key: median(times) for key, times in found.items()}


def _search(task: Task, index: TaskIndex, budget: int) -> str:
    found = index.of(task)
    options = ["--top-n", str(max(len(found), 1)), "--budget", str(budget)]
    printed, notes = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    with redirect_stdout(printed), redirect_stderr(notes):
        code = cli.main(["search", *options, "--", str(found.folder), task.query or ""])
    if code == _NOTHING_FITS:
        return ""
    if code:
        raise RuntimeError(notes.getvalue())
    assert isinstance(printed.buffer, io.BytesIO)
    return printed.buffer.getvalue().decode("utf-8").removesuffix("\n")


def _ask(task: Task, index: TaskIndex, budget: int) -> str:
    found = index.of(task)
    tool = next(one for one in QueryTools(found).tools() if one.name == _TOOL)
    given = {"query": task.query or "", "top_n": min(max(len(found), 1), _MOST), "max_tokens": budget}
    try:
        return tool.run(tool.checked({**given, "min_score": 0.0})).text
    except ToolError:
        return ""
