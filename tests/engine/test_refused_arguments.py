"""What is refused, with which error, and how it is said."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import tersely
from bag_embedder import BagEmbedder
from sample_texts import prose
from tersely import Document, Extractive
from tersely.models.counters import resolve_counter
from tersely.strategies import ExtractiveCompressor, HierarchicalCompressor

TEXT = prose(30)
TALK = "Ask the keeper. He knows. Ask the cook. She sleeps. The tide turns at ten in the evening."
TEXTS = [prose(20), prose(30), [prose(12), prose(25)]]
BOTH = "budget and ratio both say how much stays: give one of them"
NAMED = "must be str or have 'text', 'page_content' or 'content', not"
LEVELS = "one of character, word, clause, sentence, paragraph, section"
RESULT = tersely.compress(["Rope. Fog. Salt.", "", TEXT], budget=40)


class Table:
    """Iterates over the names of its columns, as tables of pandas do."""

    columns = ("text", "title")
    shape = (2, 2)
    text = property(lambda self: ["Rope.", "Fog."])

    def __iter__(self) -> Any:
        return iter(self.columns)


class NoPruner:
    pass


def of(name: str, text: Any = TEXT, **more: Any) -> Callable[[Any], Any]:
    """`compress` with one argument."""
    return lambda value: tersely.compress(text, **more, **{name: value})


def option(name: str) -> Callable[[Any], Any]:
    return lambda value: Extractive(**{name: value})


def batch(name: str, items: Any = TEXTS) -> Callable[[Any], Any]:
    return lambda value: tersely.compress_batch(items, **{name: value})


def documents(value: Any) -> Any:
    return tersely.compress(value)


def dedup(value: dict[str, Any]) -> Any:
    plain = "embedder" in value or isinstance(value["texts"], np.ndarray)
    return tersely.dedup(**value if plain else value | {"embedder": BagEmbedder()})


# call, error, what is said, values
REFUSED: list[tuple[Callable[[Any], Any], Any, str, list[Any]]] = [
    (of("budget"), TypeError, "budget must be a whole number, not ",
     [1.0, "5", True, False, [5], math.nan, np.float64(3)]),
    (of("budget"), ValueError, "budget must be a whole number from 0, not -1$", [-1]),
    (of("budget"), ValueError, f"budget must be a whole number from 0, not {-(10**30)}", [-(10**30)]),
    (tersely.prepare(TEXT).fit, ValueError, "budget must be a whole number from 0, not -5", [-5]),
    (tersely.prepare(TEXT).fit, TypeError, "budget must be a whole number, not '9'", ["9"]),
    (of("ratio"), TypeError, "ratio must be a number", ["0.5", b"", True, [0.5], 1j]),
    (of("ratio"), ValueError, r"ratio must lie in \(0, 1\]",
     [0, 0.0, -0.1, 1.0001, 30, math.nan, math.inf, -math.inf]),
    (of("budget", ratio=0.9), ValueError, BOTH, [0, 50]),
    (lambda budget: tersely.prepare(TEXT).fit(budget, 0.9), ValueError, BOTH, [0, 50]),
    (lambda budget: tersely.compress_batch([TEXT, TEXT], budget=budget, ratio=0.9), ValueError, BOTH,
     [0, 50, [50, 60]]),
    (of("query"), TypeError, "query must be str, not ", [b"heron", 5, ["heron"], True]),
    (of("separator"), TypeError, "separator must be str", [None, 5, b"\n"]),
    (of("strategy"), TypeError, r"strategy must be a name or an object with compress\(request\)",
     [5, b"lead", Extractive, object(), ["lead"], lambda request: None]),
    *((of("strategy"), ValueError, f"unknown strategy '{name}'; known names: extractive, lead", [name])
      for name in ("", "Extractive", "unknown")),
    *((of("strategy"), ValueError, rf"did you mean '{meant}'\?$", [name])
      for name, meant in (("extractiv", "extractive"), ("LOG", "log"), ("logs", "log"))),
    (option("level"), ValueError, f"level must be {LEVELS}, not 'words'", ["words"]),
    (option("level"), ValueError, "level must be one of", [6]),
    (lambda level: tersely.segment("Rope.", level), ValueError, f"level must be {LEVELS}",
     ["words", "", 6, -1, 1.5, None, True]),
    (option("scoring"), ValueError, "one of auto, relevance, lexical, centrality, lead, not 'bm25'",
     ["bm25"]),
    (option("scoring"), (TypeError, ValueError), "scoring", [5, []]),
    (option("redundancy"), ValueError, r"redundancy must lie in \[0, 1\], not", [-0.1, 1.1, math.nan]),
    (option("redundancy"), (TypeError, ValueError), "redundancy", ["0.5"]),
    (option("context"), ValueError, "context must be a whole number from 0, not -1", [-1]),
    (option("context"), (TypeError, ValueError), "context", [1.5, "1"]),
    (option("window"), ValueError, "window must be a whole number from 1, not 0", [0]),
    (option("window"), (TypeError, ValueError), "window", [2.5, "9"]),
    (option("position_decay"), ValueError, "position_decay", [math.nan, math.inf]),
    (option("position_decay"), (TypeError, ValueError), "position_decay", ["0.1"]),
    (option("position_floor"), ValueError, "position_floor", [math.nan]),
    (option("pruner_share"), ValueError, "pruner_share", [0]),
    (option("preserve"), TypeError, "preserve must be a name or a list of names, not ", [5, None]),
    (option("preserve"), ValueError, "not 'jokes'", [("numbers", "jokes")]),
    (option("preserve"), TypeError, "must hold names, not 3", [(3,)]),
    (of("pruner"), TypeError, r"pruner must be an object with prune\(query, list\[str\]\)",
     [3, NoPruner, object(), "model"]),
    (option("pruner"), TypeError, r"pruner must be an object with prune\(query, list\[str\]\)",
     [3, NoPruner, object(), "model"]),
    *((of("counter"), ValueError, f"unknown counter '{name}'; .*known names: o200k_base, cl100k_base", [name])
      for name in ("", "gpt-9", "O200K_BASE", "p50k_base", "gpt-4.9", "o1x", "tersely/none")),
    *((resolve_counter, ValueError, f"did you mean '{meant}'", [name])
      for name, meant in (("gpt4", "gpt-4"), ("O200K_BASE", "o200k_base"), ("gpt-4.1_mini", "gpt-4.1"))),
    (of("counter"), TypeError, "counter must be None, a name, a callable",
     [5, 1.5, True, object(), {"count": len}, ["o200k_base"], ("o200k_base",), [], b"o200k"]),
    (lambda answer: tersely.compress(TEXT, budget=9, counter=lambda text: answer), ValueError,
     "the token counter <lambda>", [1.5, "7", None, -3, [1], 2**70]),
    (of("pinned"), TypeError, "pinned must be a list of spans or strings, not int", [5]),
    (of("pinned"), TypeError, "pinned must be a list", [None]),
    (of("pinned"), TypeError, "pinned: a span must be", [[5], [(1,)], [(0, 1, 2, 3)], [(0.0, 1.0)]]),
    (of("pinned"), (TypeError, ValueError), "pinned", [[b"Report"]]),
    (of("pinned"), ValueError, "pinned: a string must not be empty", [[""]]),
    (of("pinned"), ValueError, "'no such words' occurs in no document", [["no such words"]]),
    (of("pinned"), ValueError, "does not lie in document 0", [[(3, 3)], [(9, 3)], [(-3, 3)], [(0, 10**9)]]),
    (of("pinned"), ValueError, "there is no document 1; there are 1", [[(1, 0, 3)]]),
    (of("pinned"), ValueError, "there is no document -1", [[(-1, 0, 3)]]),
    (of("pinned", ["Rope.", "Fog."]), ValueError, r"\(start, end\) needs exactly one document; there are 2",
     [[(0, 3)]]),
    (of("pinned", ["a"]), ValueError, "occurs in no document", ["\ud800"]),
    (of("groups", TALK), TypeError, "groups must be a list of lists of spans, not str", ["Ask"]),
    (of("groups", TALK), TypeError, "groups must be a list of lists", [5]),
    (of("groups", TALK), TypeError, "groups must be", [[5]]),
    (of("groups", TALK), ValueError, "a group must have at least one span", [[[]]]),
    (of("groups", TALK), ValueError, "groups: 'no such words' occurs in no document", [[["no such words"]]]),
    (of("groups", TALK), ValueError, "groups: span", [[[(0, 0)]]]),
    (of("groups", TALK), TypeError, "groups: a span must be", [[(0, 5)]]),
    (documents, TypeError, "documents must be str, a document or a list of them, not NoneType", [None]),
    (documents, TypeError, "documents must be str, a document or a list of them, not bytes", [b"text"]),
    (documents, TypeError, "not bytearray", [bytearray(b"text")]),
    (documents, TypeError, "not int", [5]),
    (documents, TypeError, f"document 1 {NAMED} NoneType", [["a", None]]),
    *((documents, TypeError, f"document 0 {NAMED} {kind}", [[value]])
      for kind, value in (("bytes", b"a"), ("int", 5), ("list", ["a"]))),
    (documents, TypeError, r"document 0 is a mapping without 'text', .*; its keys are \['3', 'body'\]",
     [{"body": "a", 3: "b"}]),
    (documents, TypeError, r"tersely\.memory\.compact_messages reads those",
     [[{"role": "user", "content": "a"}]]),
    (documents, TypeError, "must be str or have 'text'", [[SimpleNamespace(content=None)]]),
    (documents, TypeError, "the text of document 0 must be str, not NoneType", [{"text": None}]),
    (documents, TypeError, "the text of document 1 must be str, not bytes",
     [["a", SimpleNamespace(text=b"a")]]),
    (documents, TypeError, "the text of document 0 must be str, not bytes", [Document(b"a")]),
    (documents, TypeError, "the title of document 0 must be str, not int", [{"text": "a", "title": 5}]),
    (documents, TypeError, "the metadata of document 0 must be a mapping, not",
     [{"text": "R.", "metadata": "x"}, Document("R.", metadata="x"), Document("R.", metadata=[1])]),
    (documents, TypeError, r"not Table: give one column, such as table\['text'\]", [Table(), [Table()]]),
    (documents, TypeError, r"\.read_text\(", [Path("a.md"), [Path("a.md")]]),
    (documents, TypeError, r"\.decode\('utf-8'\)", [b"abc", [b"abc"]]),
    *((batch("query", ["Rope.", "Fog."]), ValueError, f"one entry an item: {len(some)} for 2 items", [some])
      for some in ([], ["one"], ["a", "b", "c"])),
    *((batch(name), ValueError, f"{name} must be one for all .* {len(some)} for 3 items", [some])
      for name, some in (("budget", [5]), ("budget", [5] * 4), ("ratio", [0.1, 0.2]),
                         ("pinned", [["a"], ["b"]]))),
    (batch("threads"), ValueError, "threads must be a whole number.* from 1, not", [0, -1]),
    (batch("threads"), TypeError, "threads must be a whole number.* not", [1.5, True, "2"]),
    (batch("errors"), ValueError, "errors must be one of return, raise, not ", ["ignore", None, ""]),
    (batch("bugdet"), TypeError, "compress has no option bugdet", [5]),
    (lambda value: tersely.compress_batch(TEXTS, bugdet=5, errors=value), TypeError, "no option bugdet",
     ["return", "raise"]),
    (tersely.compress_batch, TypeError, "items must be a list of what compress takes, not ",
     ["Rope. Fog.", b"Rope.", None, 5]),
    (dedup, (TypeError, ValueError), "texts", [{"texts": "one text"}]),
    (dedup, (TypeError, ValueError), "document 0 must be str", [{"texts": [1]}]),
    (dedup, (TypeError, ValueError), "threshold",
     [{"texts": ["a"], "threshold": wrong} for wrong in (1.5, "x")]),
    (dedup, (TypeError, ValueError), "scores",
     [{"texts": ["a"], "scores": some} for some in ([1, 2], [np.nan])]),
    (dedup, (TypeError, ValueError), "threads", [{"texts": ["a"], "threads": 0}]),
    (dedup, (TypeError, ValueError), "progress", [{"texts": ["a"], "progress": 3}]),
    (dedup, (TypeError, ValueError), "embedder", [{"texts": np.ones((2, 2)), "embedder": BagEmbedder()}]),
    (dedup, (TypeError, ValueError), "2D", [{"texts": np.ones(3)}]),
    (lambda scores: tersely.dedup(["Rope.", "Fog."], scores=scores), TypeError,
     "must be real numbers, not complex128", [np.array([1 + 2j, 1]), [1j, 1]]),
    (lambda scores: tersely.kernels.mmr_select(np.eye(2), 1, relevance=scores), TypeError,
     "must be real numbers, not complex128", [np.array([1j, 1])]),
    (lambda scores: tersely.kernels.threshold_clusters(np.eye(2), 0.5, scores), TypeError,
     "must be real numbers, not complex128", [np.array([1j, 1])]),
    (tersely.dedup, TypeError, "vectors must be float16, float32 or float64, not complex64",
     [np.ones((2, 2), dtype=np.complex64)]),
    (lambda scores: tersely.dedup(["Rope.", "Fog."], scores=scores), TypeError,
     "scores must be numbers: could not convert string to float: 'a'", [["a", "b"]]),
    (tersely.guard_keys, TypeError, "texts must be a list of texts, not one str", ["one"]),
    (RESULT.expand, IndexError, r"there is no document -?\d+; there are 3", [3, -4, 10**9]),
    (RESULT.expand, TypeError, "which must be a document's index or a Span, not ",
     [None, "0", 0.5, True, (0, 1)]),
    (lambda context: RESULT.expand(RESULT.kept[0], context=context), TypeError,
     "context must be a whole number, not ", [None, "7", 1.5]),
    (lambda context: RESULT.expand(RESULT.kept[0], context=context), ValueError,
     "context must be a whole number from 0, not -1", [-1]),
    (tersely.check_facts, TypeError, "must be a Compressed, not str", ["text"]),
    (HierarchicalCompressor, ValueError, "levels must be a whole number", [0, -1, 31]),
    (HierarchicalCompressor, TypeError, "levels must be a whole number", [2.5]),
    (HierarchicalCompressor().compress, TypeError, "content must be str", [5]),
    (lambda counter: HierarchicalCompressor(compressor=ExtractiveCompressor(), counter=counter), ValueError,
     "give counter to the compressor", ["chars/4"]),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "said", "values"), REFUSED)
def test_refused(call: Callable[[Any], Any], error: Any, said: str, values: list[Any]) -> None:
    for value in values:
        with pytest.raises(error, match=said):
            call(value)
