"""A sentence model in ONNX under the embedding interfaces of LangChain and LlamaIndex."""

from __future__ import annotations

import hashlib
import importlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.quality.once import Ledger, Once
from benchmarks.quality.sentence_peers import fill, sentences
from benchmarks.quality.tasks import ENCODING, Task
from benchmarks.tokens import count

__all__ = ["MiniLm", "embeddings_filter", "model_version", "sentence_optimizer"]

Vector = npt.NDArray[np.float32]
_LONGEST = 256  # tokens of a sentence: sentence-transformers' limit for all-MiniLM-L6-v2
_BATCH = 32
_HELD = 100_000  # vectors of 384 float32: 150 MB
_CLOSE = 0.98  # share of the budget that is close enough to stop looking for a better cutoff


class MiniLm:
    """Mean of the token vectors, length one; one thread; sentences of like length in one batch.

    A sentence that was embedded before is not embedded again, but charged again.
    """

    def __init__(self, folder: Path, ledger: Ledger) -> None:
        runtime = importlib.import_module("onnxruntime")
        settings = runtime.SessionOptions()
        settings.intra_op_num_threads = settings.inter_op_num_threads = 1
        self._session = runtime.InferenceSession(
            str(model_file(folder)), settings, providers=["CPUExecutionProvider"]
        )
        self._inputs = {entry.name for entry in self._session.get_inputs()}
        self._tokenizer = importlib.import_module("tokenizers").Tokenizer.from_file(
            str(folder / "tokenizer.json")
        )
        self._tokenizer.enable_truncation(_LONGEST)
        self._tokenizer.no_padding()
        self._vectors: Once[Vector] = Once(ledger, _HELD)

    def embed(self, texts: list[str]) -> list[list[float]]:
        """Vectors of the texts, as the frameworks want them."""
        new = list(dict.fromkeys(text for text in texts if text not in self._vectors))
        made = self._embed_new(new) if new else {}
        return [
            (made[text] if text in made else self._vectors(text, lambda text=text: self._one(text))).tolist()  # type: ignore[misc]
            for text in texts
        ]

    def _embed_new(self, texts: list[str]) -> dict[str, Vector]:
        begin = time.process_time()
        encoded = self._tokenizer.encode_batch(texts)
        apiece = (time.process_time() - begin) * 1e3 / len(texts)
        order = sorted(range(len(texts)), key=lambda index: len(encoded[index].ids))
        made: dict[str, Vector] = {}
        for start in range(0, len(order), _BATCH):
            part = order[start : start + _BATCH]
            begin = time.process_time()
            vectors = self._run([encoded[index].ids for index in part])
            share = (time.process_time() - begin) * 1e3 / len(part)
            for index, vector in zip(part, vectors, strict=True):
                made[texts[index]] = vector
                self._vectors.keep(texts[index], vector, apiece + share)
        return made

    def _one(self, text: str) -> Vector:
        return self._embed_new([text])[text]

    def _run(self, ids: list[list[int]]) -> Vector:
        width = max(map(len, ids))
        given = np.zeros((len(ids), width), dtype=np.int64)
        mask = np.zeros_like(given)
        for row, mine in enumerate(ids):
            given[row, : len(mine)] = mine
            mask[row, : len(mine)] = 1
        feed = {"input_ids": given, "attention_mask": mask, "token_type_ids": np.zeros_like(given)}
        found = self._session.run(None, {name: feed[name] for name in self._inputs})[0]
        weights = mask[:, :, None].astype(np.float32)
        means = (found * weights).sum(axis=1) / weights.sum(axis=1)
        lengths = np.linalg.norm(means, axis=1, keepdims=True)
        return np.asarray(means / np.maximum(lengths, 1e-12), dtype=np.float32)


def model_file(folder: Path) -> Path:
    """The int8 model where the folder has one, as the faster; else the float32 one."""
    small = folder / "model_int8.onnx"
    return small if small.exists() else folder / "model.onnx"


def model_version(folder: Path) -> str:
    """The model file and the start of its hash."""
    path = model_file(folder)
    with path.open("rb") as content:
        return f"{path.name} {hashlib.file_digest(content, 'sha256').hexdigest()[:12]}"


def embeddings_filter(model: MiniLm) -> Any:
    """LangChain's EmbeddingsFilter over sentences: all of them ranked (k), the best that fit are kept."""
    embeddings = importlib.import_module("langchain_core.embeddings").Embeddings
    document = importlib.import_module("langchain_core.documents").Document
    compressors = importlib.import_module("langchain_classic.retrievers.document_compressors")

    class Embeddings(embeddings):  # type: ignore[misc, valid-type]
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return model.embed(texts)

        def embed_query(self, text: str) -> list[float]:
            return model.embed([text])[0]

    made = Embeddings()

    def answer(task: Task) -> str:
        pieces = [piece for text in task.documents for piece in sentences(text)]
        given = [document(page_content=piece, metadata={"row": row}) for row, piece in enumerate(pieces)]
        ranked = compressors.EmbeddingsFilter(embeddings=made, k=len(given)).compress_documents(
            given, task.query or ""
        )
        return fill(pieces, [found.metadata["row"] for found in ranked], task.budget)

    return answer


def sentence_optimizer(model: MiniLm, ledger: Ledger) -> Any:
    """LlamaIndex's SentenceEmbeddingOptimizer with the percentile that fits the budget best.

    The documents are one node: it keeps a share of the sentences of each node, and raises where that is none.
    Looking for the percentile is not charged.
    """
    embedding = importlib.import_module("llama_index.core.embeddings").BaseEmbedding
    schema = importlib.import_module("llama_index.core.schema")
    optimizer = importlib.import_module("llama_index.core.postprocessor").SentenceEmbeddingOptimizer

    class Embedding(embedding):  # type: ignore[misc, valid-type]
        def _get_query_embedding(self, query: str) -> list[float]:
            return model.embed([query])[0]

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return self._get_query_embedding(query)

        def _get_text_embedding(self, text: str) -> list[float]:
            return model.embed([text])[0]

        def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
            return model.embed(texts)

    made = Embedding(model_name="MiniLM")

    def once(text: str, query: str, cutoff: float) -> str:
        node = schema.NodeWithScore(node=schema.TextNode(text=text), score=1.0)
        chosen = optimizer(
            embed_model=made,
            percentile_cutoff=cutoff,
            tokenizer_fn=sentences,
            context_before=0,
            context_after=0,
        )
        return str(chosen.postprocess_nodes([node], query_str=query)[0].node.get_content())

    def answer(task: Task) -> str:
        text = "\n\n".join(task.documents)
        total = len(sentences(text))
        take = max(int(total * task.ratio), 1)
        found = once(text, task.query or "", (take + 0.5) / total)
        with ledger.free():
            return _fitting(
                found, take, total, task.budget, lambda n: once(text, task.query or "", (n + 0.5) / total)
            )

    return answer


def _fitting(found: str, take: int, total: int, budget: int, again: Callable[[int], str]) -> str:
    """The answer with the most sentences that fit, or nearly so; the shortest one where none fits."""
    fits, over, best = 0, total + 1, ""
    while True:
        used = count(found, ENCODING)
        if used <= budget:
            fits, best = take, found
        else:
            over = take
        if over - fits <= 1 or (fits and count(best, ENCODING) >= _CLOSE * budget):
            return best or found
        take = min(max(int(take * budget / max(used, 1)), fits + 1), over - 1)
        found = again(take)
