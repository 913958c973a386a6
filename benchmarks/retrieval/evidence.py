"""Evidence kept, and repetition left, of documents of which some were retrieved twice."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

import tersely
from tersely.retrieval import (
    AllocationStrategy,
    CompressionConfig,
    ContextualCompressor,
    DocumentChunk,
    TokenBudgetConfig,
)

from benchmarks import tokens
from benchmarks.checks import require
from benchmarks.progress import Progress
from benchmarks.quality.evidence_metric import evidence_shares
from benchmarks.quality.once import Ledger
from benchmarks.quality.sentence_peers import fill, sentences
from benchmarks.quality.tasks import ENCODING, Task, at_ratios, questions, sampled
from benchmarks.report import MISSING, Column, Report

_RATIOS = (0.1, 0.2, 0.3)
_SEED = 11
_TWICE = 0.3  # share of the documents that come again
_ALIKE = 0.95  # LangChain's default threshold of a redundant text
_SET = "qa_"


@dataclass(frozen=True, slots=True)
class System:
    """One row: its name, what answers a task, or why it cannot."""

    name: str
    run: Callable[[Task], str] | None
    without: str = MISSING


def report(result: Report, options: argparse.Namespace) -> None:
    """Shares by system and ratio: evidence kept, sentences that stand twice, tokens used, CPU."""
    ledger = Ledger()
    compared = _systems(options.model, ledger)
    by_set = {name: found for name, found in questions(options.data).items() if name.startswith(_SET)}
    tasks = [_retrieved_twice(task) for task in at_ratios(sampled(by_set, options.rows, "both"), _RATIOS)]
    present = [system for system in compared if system.run]
    scores: dict[tuple[str, float], list[tuple[float, float, float, float, float]]] = {}
    with Progress("evidence", len(tasks) * len(present)) as progress:
        for task in tasks:
            for system in present:
                progress.step(system.name)
                scores.setdefault((system.name, task.ratio), []).append(_scored(system, task, ledger))
    columns = [Column("system")]
    for ratio in _RATIOS:
        columns += [Column(f"evidence {ratio}", form=".3f"), Column(f"repeated {ratio}", form=".3f")]
    columns += [
        Column("used", "used 0.2", ".3f"),
        Column("over", "over budget", ".3f"),
        Column("ms", "CPU ms", ".1f"),
    ]
    rows: list[dict[str, Any]] = []
    for system in compared:
        row: dict[str, Any] = {"system": system.name}
        for ratio in _RATIOS:
            found = scores.get((system.name, ratio))
            row[f"evidence {ratio}"] = fmean(one[0] for one in found) if found else system.without
            row[f"repeated {ratio}"] = fmean(one[1] for one in found) if found else ""
        every = [one for (name, _), found in scores.items() if name == system.name for one in found]
        if every:
            row["used"] = fmean(one[2] for one in scores[system.name, 0.2])
            row |= {"over": fmean(one[3] for one in every), "ms": fmean(one[4] for one in every)}
        rows.append(row)
    result.table(f"Retrieved documents, three in ten of them twice: {len(tasks)} answers each", columns, rows)
    result.note(
        f"{options.rows} questions of each of {', '.join(sorted(by_set))}. Of the documents that come again, "
        "half are word for word the same, half overlap: the second half of one with the first half of the "
        "next. 'repeated' is the share of an answer's sentences that stand in it earlier. The peers rank "
        "sentences and are filled up to the same budget; time they share is charged to each."
    )


def _retrieved_twice(task: Task) -> Task:
    """The task with some documents again: copies, and windows over two neighbours."""
    generator = random.Random(f"{_SEED} {task.id.rsplit('|', 1)[0]}")
    documents = list(task.documents)
    again = generator.sample(range(len(documents)), max(1, round(_TWICE * len(documents))))
    for turn, index in enumerate(again):
        text = task.documents[index]
        if turn % 2:
            other = task.documents[(index + 1) % len(task.documents)]
            text = _half(text, last=True) + "\n" + _half(other, last=False)
        documents.append(text)
    generator.shuffle(documents)
    total = tokens.count("\n\n".join(documents), ENCODING)
    return replace(task, documents=documents, total=total, budget=int(total * task.ratio))


def _half(text: str, last: bool) -> str:
    pieces = sentences(text)
    middle = len(pieces) // 2
    return " ".join(pieces[middle:] if last else pieces[:middle])


def _scored(system: System, task: Task, ledger: Ledger) -> tuple[float, float, float, float, float]:
    """Evidence, repetition, tokens of those allowed, whether that is too many, CPU milliseconds."""
    assert system.run is not None
    ledger.settle()
    begin = time.process_time()
    text = system.run(task)
    ms = (time.process_time() - begin) * 1e3 + ledger.settle()
    used = tokens.count(text, ENCODING)
    if system.name.startswith("tersely"):
        require(used <= task.budget, f"{system.name}: {used} tokens of {task.budget}")
    return evidence_shares(text, task)[0], _repeated(text), used / task.budget, used > task.budget, ms


def _repeated(text: str) -> float:
    seen: set[str] = set()
    pieces = [" ".join(piece.lower().split()) for piece in sentences(text)]
    twice = 0
    for piece in pieces:
        twice += piece in seen
        seen.add(piece)
    return twice / len(pieces) if pieces else 0.0


def _systems(model: Path | None, ledger: Ledger) -> list[System]:
    allocations = (AllocationStrategy.PROPORTIONAL, AllocationStrategy.GREEDY)
    return [
        *(System(f"tersely, {one.value}", _contextual(one)) for one in allocations),
        System("tersely.compress", _plain),
        *_peers(model, ledger),
    ]


def _contextual(allocation: AllocationStrategy) -> Callable[[Task], str]:
    def run(task: Task) -> str:
        limits = TokenBudgetConfig(
            total_budget=task.budget + 1, reserve_for_response=1, allocation_strategy=allocation
        )
        compressor = ContextualCompressor(
            config=CompressionConfig(cache_results=False), budget=limits, counter=ENCODING
        )
        chunks = [DocumentChunk(id=str(i), content=text) for i, text in enumerate(task.documents)]
        result = compressor.compress_sync(chunks, task.query or "")
        for document in result.compressed_documents:
            source = task.documents[document.index]
            require(
                all(
                    source[span.start : span.end] in document.content for span in document.preserved_segments
                ),
                "a kept span does not stand in the answer",
            )
        return result.text

    return run


def _plain(task: Task) -> str:
    return tersely.compress(task.documents, task.query, budget=task.budget, counter=ENCODING).text


def _peers(model: Path | None, ledger: Ledger) -> list[System]:
    names = {
        "langchain_community": f"LangChain redundant filter ({_ALIKE}) + filter, MiniLM",
        "llama_index": "LlamaIndex optimizer, MiniLM",
    }
    found = {module: importlib.util.find_spec(module) is not None for module in names}
    runtime = all(importlib.util.find_spec(module) for module in ("onnxruntime", "tokenizers"))
    if model is None or not runtime or not any(found.values()):
        return [
            System(name, None, "no --model" if found[module] else MISSING) for module, name in names.items()
        ]
    from benchmarks.quality import minilm

    embedder = minilm.MiniLm(model, ledger)
    made: list[System] = []
    for module, name in names.items():
        if not found[module]:
            made.append(System(name, None))
        elif module == "llama_index":
            made.append(System(name, minilm.sentence_optimizer(embedder, ledger)))
        else:
            made.append(System(name, _langchain(embedder)))
    return made


def _langchain(model: Any) -> Callable[[Task], str]:
    """Sentences without those redundant to an earlier one, ranked by cosine; the best that fit are kept."""
    embeddings = importlib.import_module("langchain_core.embeddings").Embeddings
    document = importlib.import_module("langchain_core.documents").Document
    redundant = importlib.import_module("langchain_community.document_transformers").EmbeddingsRedundantFilter
    compressors = importlib.import_module("langchain_classic.retrievers.document_compressors")

    class Embeddings(embeddings):  # type: ignore[misc, valid-type]
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return list(model.embed(texts))

        def embed_query(self, text: str) -> list[float]:
            return list(model.embed([text])[0])

    made = Embeddings()
    first = redundant(embeddings=made, similarity_threshold=_ALIKE)

    def answer(task: Task) -> str:
        pieces = list(_pieces(task))
        given = [document(page_content=piece, metadata={"row": row}) for row, piece in enumerate(pieces)]
        kept = list(first.transform_documents(given))
        ranked = compressors.EmbeddingsFilter(embeddings=made, k=len(kept)).compress_documents(
            kept, task.query or ""
        )
        return fill(pieces, [found.metadata["row"] for found in ranked], task.budget)

    return answer


def _pieces(task: Task) -> Iterator[str]:
    for text in task.documents:
        yield from sentences(text)
