"""Everything that is measured: tersely in each of its configurations, and the peers."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tersely import Extractive
from tersely.models.onnx import OnnxEmbedder

from benchmarks import peers
from benchmarks.checks import require
from benchmarks.quality import sentence_peers
from benchmarks.quality.once import Ledger, Once, OnceEmbedder
from benchmarks.quality.tasks import ENCODING, Task
from benchmarks.report import MISSING, version

__all__ = ["HAND", "OURS", "System", "systems"]

OURS = "tersely"
HAND = "evidence by hand"
_RECIPE = 1  # how the peers below are called: a change makes kept answers worthless
_RANKED = 2_000  # texts whose ranks are held
_RUNTIME = ("onnxruntime", "tokenizers")
_NO_MODEL = "no --model"


@dataclass(frozen=True, slots=True)
class System:
    """One row of the tables.

    Attributes:
        key: its name on the command line.
        name: its name in the tables.
        run: what is timed; None where it cannot run here.
        text: the compressed text of an answer.
        check: raises where the answer breaks what the system promises; called with (answer, budget).
        version: what its answers depend on besides the task; empty: they are never taken from the cache.
        without: why it cannot run here.
        needs_query: it has nothing to say about a text without one.
    """

    key: str
    name: str
    run: Callable[[Task], Any] | None
    text: Callable[[Any], str] = str
    check: Callable[[Any, int], None] = lambda answer, budget: None
    version: str = ""
    without: str = MISSING
    needs_query: bool = False

    @property
    def ours(self) -> bool:
        """Whether it is held to tersely's promises: an exception or a broken one ends the run."""
        return self.name.startswith(OURS)


_FAILED = {"embedder_failed", "reranker_failed"}


def systems(model: Path | None, ledger: Ledger) -> list[System]:
    """All of them, also those that cannot run here."""
    return [
        *_configurations(model, ledger),
        System("bm25", "BM25 sentences", sentence_peers.best_bm25, needs_query=True),
        System("lead", "lead", sentence_peers.first_sentences),
        _ratio_peer("llmslim", peers.llmslim(), "llmslim"),
        _ratio_peer("textcrusher", peers.textcrusher(), "headroom-ai"),
        *_model_peers(model, ledger),
        _sumy("lexrank", "LexRank", "lex_rank", ledger),
        _sumy("textrank", "TextRank", "text_rank", ledger),
        System("hand", HAND, sentence_peers.evidence_by_hand, needs_query=True),
    ]


def _configurations(model: Path | None, ledger: Ledger) -> list[System]:
    """tersely: the default, then what it is compared with. A further configuration is an entry here."""
    return [
        _tersely("tersely", OURS),
        _tersely("lexical", f"{OURS}, lexical", Extractive(scoring="lexical")),
        _with_onnx(model, ledger),
    ]


def _with_onnx(model: Path | None, ledger: Ledger) -> System:
    key, name = "onnx", f"{OURS}, ONNX"
    if model is None or not _installed(*_RUNTIME):
        without = MISSING if model else _NO_MODEL
        return System(key, name, None, without=without, needs_query=True)
    from benchmarks.quality.minilm import model_file

    embedder = OnceEmbedder(OnnxEmbedder(model_file(model), threads=1), ledger)
    return _tersely(key, name, Extractive(reranker=embedder))


def _tersely(key: str, name: str, strategy: Extractive | None = None) -> System:
    compressor = peers.tersely_compressor(name, encoding=ENCODING, strategy=strategy)

    def check(answer: Any, budget: int) -> None:
        compressor.check(answer, budget)
        require(not _FAILED & set(answer.receipt.warnings), f"{name}: a model failed")

    return System(key, name, _call(compressor), compressor.text, check, needs_query=strategy is not None)


def _ratio_peer(key: str, compressor: peers.Compressor, package: str) -> System:
    """A peer that takes a ratio is given the ratio of the task."""
    return System(key, compressor.name, _call(compressor), compressor.text, version=_versions(package))


def _call(compressor: peers.Compressor) -> Callable[[Task], Any] | None:
    if compressor.call is None:
        return None
    return lambda task: compressor(task.documents, task.query, task.budget, task.ratio)


def _model_peers(model: Path | None, ledger: Ledger) -> list[System]:
    listed = (
        ("langchain", "LangChain filter, MiniLM", "langchain_classic", "langchain-classic"),
        ("llamaindex", "LlamaIndex optimizer, MiniLM", "llama_index", "llama-index-core"),
    )
    found = {key: _installed(module, *_RUNTIME) for key, _, module, _ in listed}
    if model is None or not any(found.values()):
        return [
            System(key, name, None, without=_NO_MODEL if found[key] else MISSING, needs_query=True)
            for key, name, _, _ in listed
        ]
    from benchmarks.quality import minilm

    embedder = minilm.MiniLm(model, ledger)
    make = {
        "langchain": lambda: minilm.embeddings_filter(embedder),
        "llamaindex": lambda: minilm.sentence_optimizer(embedder, ledger),
    }
    used = minilm.model_version(model)
    return [
        System(
            key,
            name,
            make[key]() if found[key] else None,
            version=f"{_versions(package, 'onnxruntime')}, {used}",
            needs_query=True,
        )
        for key, name, _, package in listed
    ]


def _sumy(key: str, name: str, module: str, ledger: Ledger) -> System:
    name = f"sumy {name}"
    if not _installed("sumy"):
        return System(key, name, None)
    rank = sentence_peers.sumy_ranker(module, f"{name.removeprefix('sumy ')}Summarizer")
    ranks: Once[list[int]] = Once(ledger, _RANKED)

    def run(task: Task) -> str:
        text = "\n\n".join(task.documents)
        return sentence_peers.fill(
            sentence_peers.sentences(text), ranks(text, lambda: rank(text)), task.budget
        )

    return System(key, name, run, version=_versions("sumy"))


def _installed(*modules: str) -> bool:
    return all(importlib.util.find_spec(module) is not None for module in modules)


def _versions(*packages: str) -> str:
    found = ", ".join(f"{package} {version(package)}" for package in packages)
    return f"{found}, recipe {_RECIPE}"
