"""Find the embedder, cross-encoder or pruner that a caller passes, and check every answer of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, TypeVar

import numpy as np

from tersely import checks
from tersely._native import StaticTable
from tersely.errors import ModelReplyError
from tersely.models.static import StaticEmbedder, unit_rows
from tersely.protocols import CrossEncoder, Embedder, Pruner, TruncationReporter
from tersely.threads import checked_timeout, map_in_threads, run_in_time
from tersely.types import Float32s, Int32s, Int64s, SegmentTable, pieces

__all__ = [
    "CheckedCrossEncoder",
    "CheckedEmbedder",
    "CheckedPruner",
    "resolve_cross_encoder",
    "resolve_embedder",
    "resolve_pruner",
    "resolve_reranker",
]

_AT_ONCE = 1024  # texts
_DIMENSIONS = 2**16
_WINDOW_TOKENS = 384  # that a pruner reads at once: most models take 512, with the query
_TOKEN_BYTES = 4  # of UTF-8: about what models of one language or many have


@dataclass(frozen=True, slots=True)
class CheckedEmbedder:
    """An embedder whose vectors are checked and scaled."""

    embedder: Embedder  #: anything with `embed`
    name: str  #: says which vectors these are: the embedder's own `name`, else its type's
    #: seconds for a call of it; None: no limit. A late call is not waited for; its thread runs on.
    timeout: float | None = None

    def embed(self, texts: Sequence[str]) -> Float32s:
        """Return float32[n, d]: rows of length one; a zero row stays zero.

        Raises ModelReplyError if the answer is not one row of finite numbers per text.
        """
        texts = checks.texts(texts, "texts")
        return self._checked(self._embed(texts), len(texts))

    def embed_report(self, texts: Sequence[str]) -> tuple[Float32s, Int64s]:
        """Return `embed(texts)`, and the indices of cut texts: none if the embedder cannot say."""
        texts = checks.texts(texts, "texts")
        if not isinstance(self.embedder, TruncationReporter):
            return self._checked(self._embed(texts), len(texts)), np.empty(0, dtype=np.int64)
        report = self.embedder.embed_report
        answer = run_in_time(lambda: report(texts), self.timeout, self.name)
        vectors, truncated = _pair(answer, self.name)
        return self._checked(vectors, len(texts)), _indices(truncated, len(texts), self.name)

    def similarity(self, query: str, texts: Sequence[str]) -> Float32s:
        """Return float32[n] in [-1, 1]: cosine of each text with the query, 0 with a zero row.

        At most 1,024 vectors are held at a time. Raises ModelReplyError as `embed` does.
        """
        return self.similarity_report(query, texts)[0]

    @property
    def table(self) -> StaticTable | None:
        """The static table, if native calls may ask it; None: `similarity_spans` is asked."""
        return self.embedder.table if isinstance(self.embedder, StaticEmbedder) else None

    def similarity_spans(self, query: str, texts: Sequence[str], table: SegmentTable) -> Float32s:
        """Return the `similarity` of segments of texts, which become strings only for models."""
        if isinstance(self.embedder, StaticEmbedder):
            return self.embedder.similarity_spans(query, texts, table.document, table.start, table.end)
        return self.similarity(query, pieces(texts, table.document, table.start, table.end))

    def similarity_report(self, query: str, texts: Sequence[str]) -> tuple[Float32s, bool]:
        """Return `similarity(query, texts)`, and whether the embedder says that it cut any text."""
        if isinstance(self.embedder, StaticEmbedder):  # exact, keeps no vectors, cuts nothing
            return self.embedder.similarity(query, texts), False
        texts = checks.texts([query, *texts], "texts")
        wanted, parts, cut = None, [], False
        for first in range(0, len(texts), _AT_ONCE):
            vectors, truncated = self.embed_report(texts[first : first + _AT_ONCE])
            wanted = vectors[0].astype(np.float64) if wanted is None else wanted
            parts.append(np.einsum("nd,d->n", vectors, wanted))
            cut |= len(truncated) > 0
        cosines = np.concatenate(parts)[1:]
        return np.asarray(np.clip(cosines, -1.0, 1.0), dtype=np.float32), cut

    def _embed(self, texts: list[str]) -> Any:
        return run_in_time(lambda: self.embedder.embed(texts), self.timeout, self.name)

    def _checked(self, answer: Any, count: int) -> Float32s:
        rows = _finite(answer, self.name)
        if count == 0 and rows.size == 0:
            return np.zeros((0, rows.shape[1] if rows.ndim == 2 else 0), dtype=np.float32)
        if rows.ndim != 2 or len(rows) != count or rows.shape[1] == 0:
            raise ModelReplyError(
                f"{self.name} must give an array of shape ({count}, dimensions), not {rows.shape}"
            )
        if rows.shape[1] > _DIMENSIONS:
            raise ModelReplyError(f"{self.name} gave vectors of {rows.shape[1]} numbers, over {_DIMENSIONS}")
        return unit_rows(rows)


@dataclass(frozen=True, slots=True)
class CheckedCrossEncoder:
    """A cross-encoder whose scores are checked."""

    cross_encoder: CrossEncoder  #: anything with `score`
    name: str  #: with `timeout`: as of a `CheckedEmbedder`
    timeout: float | None = None

    def score(self, query: str, texts: Sequence[str]) -> Float32s:
        """Return float32[n] in [0, 1]; if a score is outside, all are logits and their sigmoid is returned.

        Raises ModelReplyError if the answer is not one finite number per text.
        """
        return self.score_report(query, texts)[0]

    def score_report(self, query: str, texts: Sequence[str]) -> tuple[Float32s, Int64s]:
        """Return `score(query, texts)`, and the indices of cut texts: none if the model cannot say."""
        texts = checks.texts(texts, "texts")
        report = getattr(self.cross_encoder, "score_report", None)

        def ask() -> Any:
            return report(query, texts) if report else (self.cross_encoder.score(query, texts), ())

        answer, cut = _pair(run_in_time(ask, self.timeout, self.name), self.name)
        scores = _finite(answer, self.name)
        if scores.shape != (len(texts),):
            raise ModelReplyError(f"{self.name} must give {len(texts)} scores, not shape {scores.shape}")
        if np.any((scores < 0) | (scores > 1)):
            scores = np.exp(-np.logaddexp(0.0, -scores))
        return np.asarray(scores, dtype=np.float32), _indices(cut, len(texts), self.name)


@dataclass(frozen=True, slots=True)
class CheckedPruner:
    """A pruner that receives one window at a time, and whose probabilities are checked."""

    pruner: Pruner  #: anything with `prune`
    name: str  #: with `timeout`: as of a `CheckedEmbedder`; the seconds are for all windows of a call
    timeout: float | None = None

    def prune(self, query: str, segments: Sequence[str], document: Int32s) -> Float32s:
        """Return float32[n] in [0, 1], of segments in their order; `document[i]` is that of segment i.

        A window ends with its document, or before a segment that would take it over 384 tokens, of four bytes
        each; a longer segment has its own. Raises ModelReplyError if the answer for a window is not one
        number in [0, 1] a segment.
        """
        sizes = [-(-len(text.encode("utf-8", "replace")) // _TOKEN_BYTES) for text in segments]
        cuts = windows(sizes, _WINDOW_TOKENS, document.tolist())

        def ask() -> list[Any]:
            threads = getattr(self.pruner, "threads", None) or 1
            return map_in_threads(lambda cut: self.pruner.prune(query, list(segments[cut])), cuts, threads)

        answers = run_in_time(ask, self.timeout, self.name)
        checked = [self._checked(answer, cut) for answer, cut in zip(answers, cuts, strict=True)]
        return np.concatenate(checked or [np.empty(0)]).astype(np.float32)

    def _checked(self, answer: Any, window: slice) -> Any:
        kept, count = _finite(answer, self.name), window.stop - window.start
        if kept.shape != (count,):
            raise ModelReplyError(f"{self.name} must give {count} probabilities, not shape {kept.shape}")
        if outside := kept[(kept < 0) | (kept > 1)].tolist():
            raise ModelReplyError(f"{self.name} must give probabilities in [0, 1], not {outside[0]}")
        return kept


Checked = TypeVar("Checked", CheckedEmbedder, CheckedCrossEncoder, CheckedPruner)


def windows(sizes: Sequence[int], most: int, groups: Sequence[int] | None = None) -> list[slice]:
    """Cut items into runs of one group whose sizes sum to at most `most`; a larger item is its own run."""
    cuts: list[slice] = []
    first = total = 0
    for at, size in enumerate(sizes):
        if at > first and (total + size > most or (groups is not None and groups[at] != groups[first])):
            cuts.append(slice(first, at))
            first, total = at, 0
        total += size
    return [*cuts, slice(first, len(sizes))] if sizes else []


def resolve_embedder(embedder: Any = None, *, timeout: float | None = None) -> CheckedEmbedder:
    """Return the embedder that a caller passes, with its answers checked.

    What comes back can be passed wherever an embedder is taken. `timeout`: seconds for a call of it; None: as
    many as it has, any at first, as one call may have a whole corpus.

    Takes None (the one that comes with tersely), an object with `embed(list[str])`, a SentenceTransformer, a
    model2vec StaticModel, or embeddings of LangChain or LlamaIndex. Raises TypeError for anything else.
    """
    if embedder is None:
        embedder = _shipped()
    elif not isinstance(embedder, Embedder) and FrameworkEmbedder.fits(embedder):
        embedder = FrameworkEmbedder(embedder)
    allowed = "None, an object with embed(list[str]), a SentenceTransformer, a model2vec StaticModel, or "
    wanted = f"embedder must be {allowed}embeddings of LangChain or LlamaIndex"
    return _resolved(embedder, CheckedEmbedder, Embedder, wanted, timeout)


@cache
def _shipped() -> CheckedEmbedder:
    """The embedder that comes with tersely."""
    embedder = StaticEmbedder()
    return CheckedEmbedder(embedder, embedder.name)


def resolve_cross_encoder(cross_encoder: Any, *, timeout: float | None = None) -> CheckedCrossEncoder:
    """Return the cross-encoder that a caller passes, with its answers checked; `timeout` as of an embedder.

    Takes an object with `score(query, list[str])` or a CrossEncoder of sentence-transformers. Raises
    TypeError for anything else.
    """
    if library_of(cross_encoder) == "sentence_transformers":
        cross_encoder = FrameworkCrossEncoder(cross_encoder)
    wanted = (
        "cross_encoder must be an object with score(query, list[str]) or a sentence-transformers CrossEncoder"
    )
    return _resolved(cross_encoder, CheckedCrossEncoder, CrossEncoder, wanted, timeout)


def resolve_pruner(pruner: Any, *, timeout: float | None = None) -> CheckedPruner:
    """Return the pruner that a caller passes, with its answers checked; `timeout`: seconds for a call.

    Takes an object with `prune(query, list[str])`. Raises TypeError for anything else.
    """
    wanted = "pruner must be an object with prune(query, list[str])"
    return _resolved(pruner, CheckedPruner, Pruner, wanted, timeout)


def resolve_reranker(reranker: Any) -> CheckedEmbedder | CheckedCrossEncoder:
    """Return the cross-encoder or embedder that a caller passes to rank texts again.

    Takes what `resolve_cross_encoder` or `resolve_embedder` takes. Raises TypeError for anything else.
    """
    if not isinstance(reranker, type):
        if isinstance(reranker, CrossEncoder) or type(reranker).__name__ == "CrossEncoder":
            return resolve_cross_encoder(reranker)
        if isinstance(reranker, Embedder) or FrameworkEmbedder.fits(reranker):
            return resolve_embedder(reranker)
    wanted = "reranker must be an object with score(query, list[str]) or embed(list[str])"
    raise TypeError(f"{wanted}, not {_described(reranker)}")


def _resolved(model: Any, kind: type[Checked], protocol: Any, wanted: str, timeout: float | None) -> Checked:
    """Return a model as one of a kind that checks its answers; TypeError if it lacks a protocol's methods."""
    if not isinstance(model, kind):
        if isinstance(model, type) or not isinstance(model, protocol):
            raise TypeError(f"{wanted}, not {_described(model)}")
        model = kind(model, _name_of(model))
    found: Checked = model
    return found if timeout is None else replace(found, timeout=checked_timeout(timeout))


def _finite(answer: Any, name: str) -> Any:
    """Return the answer as float64[...]. Raises ModelReplyError if it is none, or not finite."""
    try:
        numbers = checks.numbers(answer, name)
    except TypeError as error:
        kind = getattr(answer, "dtype", type(answer).__name__)
        raise ModelReplyError(f"{name} must give an array of numbers, not {kind}") from error
    if not np.isfinite(numbers).all():
        where = np.argwhere(~np.isfinite(numbers))[0]
        raise ModelReplyError(f"{name} gave no finite number for text {where[0] if len(where) else 0}")
    return numbers


def _pair(answer: Any, name: str) -> tuple[Any, Any]:
    """Return the two parts of a report. Raises ModelReplyError if it has not two."""
    if not isinstance(answer, tuple) or len(answer) != 2:
        raise ModelReplyError(
            f"{name} must report an array and the indices of what it cut, not {answer!r:.80}"
        )
    return answer


def _indices(answer: Any, count: int, name: str) -> Int64s:
    """Return the indices of cut texts, int64[k]. Raises ModelReplyError if they are none."""
    indices = _finite(answer, name)
    if indices.ndim != 1 or np.any((indices < 0) | (indices >= count) | (indices % 1 != 0)):
        raise ModelReplyError(f"{name} must name the texts that it cut by their indices under {count}")
    return np.asarray(indices, dtype=np.int64)


def _name_of(model: Any) -> str:
    name = getattr(model, "name", None)
    return name if isinstance(name, str) and name else type(model).__name__


def _described(value: Any) -> str:
    return f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__


# Models of other libraries are taken as they are; none of them is imported.
_EMBED = ("embed_documents", "get_text_embedding_batch")  # of LangChain, of LlamaIndex
_ENCODE = {  # library -> options of its `encode`
    "sentence_transformers": {"convert_to_numpy": True, "show_progress_bar": False},
    "model2vec": {"use_multiprocessing": False},
}
_NAMES = ("model_name", "model", "model_id")


def library_of(model: Any) -> str:
    """Return the name of the package that an object's class is from."""
    return type(model).__module__.partition(".")[0]


class FrameworkEmbedder:
    """Embeds texts with a SentenceTransformer, a StaticModel of model2vec, or embeddings of a framework.

    Those are LangChain's `Embeddings` and LlamaIndex's `BaseEmbedding`: queries are embedded as documents
    are, so that all vectors are of one kind.
    """

    def __init__(self, model: Any) -> None:
        """Take a model that `fits`."""
        found = [getattr(model, name) for name in _EMBED if hasattr(model, name)]
        self._embed: Any = found[0] if found else None
        if not found:  # a loaded model that does not say reliably which one it is: it has no name
            self._embed = partial(model.encode, **_ENCODE[library_of(model)])
        else:
            self.name = framework_name(model)

    @staticmethod
    def fits(model: Any) -> bool:
        """Say whether an object is such a model."""
        known = library_of(model) in _ENCODE and hasattr(model, "encode")
        return not isinstance(model, type) and (
            known or any(callable(getattr(model, name, None)) for name in _EMBED)
        )

    def embed(self, texts: Sequence[str]) -> Any:
        """n rows of numbers, the model's own vectors."""
        return self._embed(list(texts))


class FrameworkCrossEncoder:
    """Scores texts with a CrossEncoder of sentence-transformers."""

    def __init__(self, model: Any) -> None:
        """Take a loaded model."""
        self._model = model

    def score(self, query: str, texts: Sequence[str]) -> Any:
        """n numbers, the model's own scores."""
        return (
            self._model.predict([(query, text) for text in texts], show_progress_bar=False) if texts else []
        )


def framework_name(model: Any) -> str:
    """Return the identity of a model object: its class and, if it has one, its model name."""
    names = [name for key in _NAMES if isinstance(name := getattr(model, key, None), str) and name]
    return ":".join([type(model).__name__, *names[:1]])
