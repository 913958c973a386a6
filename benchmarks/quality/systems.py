"""Everything that is measured: tersely in each of its configurations, and the peers."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tersely import Extractive
from tersely.models.onnx import OnnxEmbedder

from benchmarks import peers
from benchmarks.checks import require
from benchmarks.peers import why_missing
from benchmarks.quality import sentence_peers
from benchmarks.quality.once import Ledger, Once, OnceEmbedder, OncePruner
from benchmarks.quality.tasks import ENCODING, Task
from benchmarks.report import MISSING, version

__all__ = ["HAND", "OURS", "PRUNED", "System", "pruned", "systems"]

OURS = "tersely"
PRUNED = f"{OURS}, pruner"
HAND = "evidence by hand"
_RECIPE = 2  # how the peers below are called: a change makes kept answers worthless
_RANKED = 2_000  # texts whose ranks are held
_RUNTIME = ("onnxruntime", "tokenizers")
_FILTER, _OPTIMIZER = "langchain_classic.retrievers.document_compressors", "llama_index.core.postprocessor"
_NO_MODEL = "no --model"


@dataclass(frozen=True, slots=True)
class System:
    """One row of the tables."""

    key: str  #: its name on the command line
    name: str  #: its name in the tables
    run: Callable[[Task], Any] | None  #: what is timed; None where it cannot run here
    text: Callable[[Any], str] = str  #: the compressed text of an answer
    #: raises where the answer breaks what the system promises; called with (answer, budget)
    check: Callable[[Any, int], None] = lambda answer, budget: None
    #: what its answers depend on besides the task; empty: they are never taken from the cache
    version: str = ""
    without: str = MISSING  #: why it cannot run here
    needs_query: bool = False  #: it has nothing to say about a text without one

    @property
    def ours(self) -> bool:
        """Whether it is held to tersely's promises: an exception or a broken one ends the run."""
        return self.name.startswith(OURS)


_FAILED = {"embedder_failed", "reranker_failed", "pruner_failed"}


def systems(model: Path | None, ledger: Ledger) -> list[System]:
    """All of them, also those that cannot run here."""
    return [
        *_configurations(model, ledger),
        System("bm25", "BM25 sentences", sentence_peers.best_bm25, needs_query=True),
        System("lead", "lead", sentence_peers.first_sentences),
        *map(_text_peer, peers.text_peers()),
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
    if without := _no_model(model):
        return System(key, name, None, without=without, needs_query=True)
    from benchmarks.quality.minilm import model_file

    assert model is not None
    embedder = OnceEmbedder(OnnxEmbedder(model_file(model), threads=1), ledger)
    return _tersely(key, name, Extractive(reranker=embedder))


def pruned(pruner: Any, ledger: Ledger) -> System:
    """The default with a pruner as its second stage (`compress(pruner=)`)."""
    return _tersely("pruner", PRUNED, pruner=OncePruner(pruner, ledger))


def _no_model(model: Path | None, *modules: str) -> str:
    """Why a system that needs the model and these modules cannot run; "" where it can."""
    if model is None:
        return _NO_MODEL
    try:
        for module in (*_RUNTIME, *modules):
            importlib.import_module(module)
    except ImportError as error:
        return why_missing(error)
    return ""


def _tersely(key: str, name: str, strategy: Extractive | None = None, pruner: Any = None) -> System:
    compressor = peers.tersely_compressor(name, encoding=ENCODING, strategy=strategy, pruner=pruner)

    def check(answer: Any, budget: int) -> None:
        compressor.check(answer, budget)
        require(not _FAILED & set(answer.receipt.warnings), f"{name}: a model failed")

    return System(key, name, _call(compressor), compressor.text, check, needs_query=bool(strategy or pruner))


def _text_peer(compressor: peers.Compressor) -> System:
    """A peer that takes a ratio is given the one of the task."""
    if compressor.call is None:
        return System(compressor.key, compressor.name, None, without=compressor.without)
    return System(
        compressor.key,
        compressor.name,
        _call(compressor),
        compressor.text,
        version=_versions(compressor.package),
    )


def _call(compressor: peers.Compressor) -> Callable[[Task], Any]:
    return lambda task: compressor(task.documents, task.query, task.budget, task.ratio)


def _model_peers(model: Path | None, ledger: Ledger) -> list[System]:
    listed = (
        ("langchain", "LangChain filter, MiniLM", _FILTER, "langchain-classic"),
        ("llamaindex", "LlamaIndex optimizer, MiniLM", _OPTIMIZER, "llama-index-core"),
    )
    without = {key: _no_model(model, module) for key, _, module, _ in listed}
    found = [System(key, name, None, without=without[key], needs_query=True) for key, name, _, _ in listed]
    if model is None or all(without.values()):
        return found
    from benchmarks.quality import minilm

    embedder = minilm.MiniLm(model, ledger)
    make = {
        "langchain": lambda: minilm.embeddings_filter(embedder),
        "llamaindex": lambda: minilm.sentence_optimizer(embedder, ledger),
    }
    used = minilm.model_version(model)
    return [
        system
        if without[system.key]
        else replace(system, run=make[system.key](), version=f"{_versions(package, 'onnxruntime')}, {used}")
        for system, (_, _, _, package) in zip(found, listed, strict=True)
    ]


def _sumy(key: str, name: str, module: str, ledger: Ledger) -> System:
    try:
        rank = sentence_peers.sumy_ranker(module, f"{name}Summarizer")
    except ImportError as error:
        return System(key, f"sumy {name}", None, without=why_missing(error))
    ranks: Once[list[int]] = Once(ledger, _RANKED)

    def run(task: Task) -> str:
        text = "\n\n".join(task.documents)
        return sentence_peers.fill(
            sentence_peers.sentences(text), ranks(text, lambda: rank(text)), task.budget
        )

    return System(key, f"sumy {name}", run, version=_versions("sumy"))


def _versions(*packages: str) -> str:
    found = ", ".join(f"{package} {version(package)}" for package in packages)
    return f"{found}, recipe {_RECIPE}"
