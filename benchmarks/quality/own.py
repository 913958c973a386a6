"""Measure a system or a pruner of your own beside the others: a file with one function.

The file has `compress(documents, query, budget)`: it is given a list of texts, what is asked (None where the
task has no question) and how many tokens of cl100k_base its answer may have, and returns the compressed text.
What it raises scores an empty text, as with any peer; where it always raises, or the file itself does, one
line of the table says so. `NAME` in the file is its name in the tables, else the file's own is.

A pruner's file has `prune(query, segments)`: a number in [0, 1] for each segment of a window of text, how
probably it helps to answer the query.
"""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tersely.errors import MissingExtraError
from tersely.models.onnx import OnnxCrossEncoder, OnnxPruner

from benchmarks.quality.sentence_peers import fill, sentences
from benchmarks.quality.systems import OURS, System
from benchmarks.quality.tasks import Task
from benchmarks.report import one_line

__all__ = ["cross_encoder_system", "own_pruner", "own_system"]


def own_system(path: Path) -> System:
    """Run the file and return what it has as a system, its key the file's name.

    Raises ValueError where there is no such function or no such file.
    """
    if not path.is_file():
        raise ValueError(f"there is no file {path}")
    try:
        found = runpy.run_path(str(path))
    except Exception as error:
        return System(path.stem, path.stem, None, without=f"raised {one_line(error)}")
    compress: Callable[[list[str], str | None, int], Any] | None = found.get("compress")
    if not callable(compress):
        raise ValueError(f"{path} must have a function compress(documents, query, budget)")
    name = str(found.get("NAME", path.stem))
    if name.startswith(OURS):
        raise ValueError(f"NAME must not begin with {OURS!r}, which is held to promises of its own: {name!r}")

    def run(task: Task) -> str:
        text = compress(list(task.documents), task.query, task.budget)
        if not isinstance(text, str):
            raise TypeError(f"compress must return a str, not {type(text).__name__}")
        return text

    return System(path.stem, name, run)


def own_pruner(path: Path) -> Any:
    """The pruner of a file in Python, or of an ONNX model (file or folder), which runs on one thread.

    Raises ValueError where there is no such function or no such model.
    """
    try:
        if path.suffix != ".py":
            return OnnxPruner(path, threads=1)
        prune = runpy.run_path(str(path)).get("prune")
    except (OSError, MissingExtraError) as error:
        raise ValueError(str(error)) from None
    if not callable(prune):
        raise ValueError(f"{path} must have a function prune(query, segments)")
    return SimpleNamespace(prune=prune)


def cross_encoder_system(path: Path) -> System:
    """A filter by a cross-encoder in ONNX, on one thread: the sentences that score highest, if they fit.

    Raises ValueError where there is no such model.
    """
    try:
        model = OnnxCrossEncoder(path, threads=1)
    except (OSError, MissingExtraError) as error:
        raise ValueError(str(error)) from None

    def run(task: Task) -> str:
        pieces = [piece for text in task.documents for piece in sentences(text)]
        scores = model.score(task.query or "", pieces)
        return fill(pieces, (-scores).argsort(kind="stable").tolist(), task.budget)

    return System("cross-encoder", "cross-encoder filter", run, needs_query=True)
