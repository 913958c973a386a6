"""Sentence models, cross-encoders and pruners in the ONNX format, run by onnxruntime on the CPU."""

from __future__ import annotations

import hashlib
import json
import mmap
import os
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from tersely import checks
from tersely.errors import ModelReplyError, needs
from tersely.models.embedders import windows
from tersely.models.static import unit_rows
from tersely.threads import default_threads, map_in_threads
from tersely.types import Float32s, Int64s

__all__ = ["OnnxCrossEncoder", "OnnxEmbedder", "OnnxPruner"]

Ids = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]  # token ids, token types

_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_INTEGERS = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}
_LONGEST = 512  # tokens, where no file beside the model says more or less
_WINDOW = 4096  # texts tokenized at a time
_BATCH_TOKENS = 512  # of a run, padding included: more are slower, as they leave the CPU's cache
_BATCH_SIZE = 64
_SCALES_INPUTS = b"DynamicQuantizeLinear"  # the operator's name in the file of a dynamically quantized model


class _OnnxModel:
    """A model file with its tokenizer. Safe to call from several threads, and after a fork.

    It is pickled as its arguments: another process loads the files itself.

    A run is one thread, so that its bits do not depend on the number of threads; several runs go side by
    side. onnxruntime starts no threads of its own, which a forked child would lack.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        threads: int | None = None,
        batch_size: int | None = None,
        max_tokens: int | None = None,
    ) -> None:
        """Load the model and the tokenizer; see OnnxEmbedder for the arguments and errors."""
        given: dict[str, Any] = {"threads": threads, "batch_size": batch_size, "max_tokens": max_tokens}
        self._path, self._options = path, {name: one for name, one in given.items() if one is not None}
        self.model = _model_file(Path(path))
        tokenizer = _beside(self.model, "tokenizer.json")
        if tokenizer is None:
            raise FileNotFoundError(f"no tokenizer.json beside {self.model} or in the folder above")
        self.tokenizer_file = tokenizer
        self.threads = checks.threads(threads) or default_threads()
        if batch_size is None:
            batch_size = 1 if _holds(self.model, _SCALES_INPUTS) else _BATCH_SIZE
        self.batch_size = checks.whole_number(batch_size, "batch_size", least=1)
        self._session = _open(self.model)
        self._tokenizer = _import("tokenizers").Tokenizer.from_file(str(tokenizer))
        limit = _token_limit(self.model, self._tokenizer) if max_tokens is None else max_tokens
        fewest = self._tokenizer.num_special_tokens_to_add(True) + 2  # those of a pair, a token of each text
        self.max_tokens = checks.whole_number(limit, "max_tokens", least=fewest)
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(self.max_tokens)
        padding = self._tokenizer.token_to_id("[PAD]")
        self._padding = 0 if padding is None else int(padding)
        self._types = {entry.name: _INTEGERS.get(entry.type) for entry in self._session.get_inputs()}
        if not {"input_ids"} <= set(self._types) <= set(_INPUTS) or None in self._types.values():
            raise ValueError(
                f"{self.model} must take integers under the names {', '.join(_INPUTS)}, "
                f"not {', '.join(self._types) or 'nothing'}"
            )

    @property
    def name(self) -> str:
        """The identity of the model: a hash of its files, and its limit."""
        return f"onnx:{self._fingerprint}:{self.max_tokens}"

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), **self._options), (self._path,)

    @cached_property
    def _fingerprint(self) -> str:
        """SHA-256 over the model, its weights and its tokenizer, 16 hexadecimal digits.

        Weights outside the model's file are those in files beside it whose names begin with its name.
        """
        digest = hashlib.sha256()
        for path in (*sorted(self.model.parent.glob(f"{self.model.name}*")), self.tokenizer_file):
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        return digest.hexdigest()[:16]

    @property
    def _outputs(self) -> list[tuple[str, int, Any]]:
        """(name, rank, last dimension) of each output; a dimension of any size is a str or None."""
        entries = self._session.get_outputs()
        return [(entry.name, len(entry.shape), entry.shape[-1] if entry.shape else None) for entry in entries]

    def _tokenize(self, texts: Sequence[Any]) -> tuple[list[Ids], list[int]]:
        """Token ids and types of texts, or of (query, text) pairs, and which of them were cut."""
        encodings = self._tokenizer.encode_batch_fast(list(texts))
        cut = [index for index, encoding in enumerate(encodings) if encoding.overflowing]
        return list(map(_ids_of, encodings)), cut

    def _cut_to(self, text: str, tokens: int) -> str:
        """Return the beginning of `text` that has `tokens` tokens."""
        offsets = self._tokenizer.encode(text, add_special_tokens=False).offsets
        return text if len(offsets) <= tokens else text[: offsets[tokens - 1][1]]

    def _sizes(self, texts: Sequence[str]) -> list[int]:
        """Return how many tokens each text has by itself, at most `max_tokens`."""
        encodings = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return [len(encoding.ids) for encoding in encodings]

    def _run_tokens(self, query: str, text: str, output: str) -> tuple[Any, Int64s]:
        """Run the model over a pair: a row of logits for each token of the text, and its last character."""
        encoding = self._tokenizer.encode(query, text)
        feed, _ = self._feed([_ids_of(encoding)])
        values = np.asarray(self._session.run([output], feed)[0], dtype=np.float64)
        offsets = np.array(encoding.offsets, dtype=np.int64).reshape(-1, 2)
        own = np.array([one == 1 for one in encoding.sequence_ids]) & (offsets[:, 1] > offsets[:, 0])
        return values.reshape(len(own), -1)[own], offsets[own, 1] - 1

    def _run(
        self, texts: Sequence[Any], width: int | None, output: str, reduce: Callable[[Any, Any], Any]
    ) -> tuple[Float32s, Int64s]:
        """Run the model over texts: float32[n, width] and the ascending indices of the texts that were cut.

        The rows of a batch are `reduce(values of output, attention mask)`.

        Texts of like length share a batch; it has at most `batch_size` texts and, unless it is a single one,
        512 tokens, padding included. Which texts share one depends on the numbers of tokens alone.
        Raises ModelReplyError if a row is not finite. With no texts and no width there are no columns.
        """
        rows = np.zeros((len(texts), width or 0), dtype=np.float32)
        cut: list[int] = []

        for start in range(0, len(texts), _WINDOW):
            ids, cut_here = self._tokenize(texts[start : start + _WINDOW])
            cut += [start + row for row in cut_here]
            batches = _batches(np.array([len(tokens) for tokens, _ in ids]), self.batch_size)

            def answer(batch: Int64s, ids: list[Ids] = ids) -> Any:
                feed, mask = self._feed([ids[row] for row in batch])
                return reduce(self._session.run([output], feed)[0], mask)

            answers = map_in_threads(answer, batches, self.threads)
            if not rows.shape[1]:
                rows = np.zeros((len(texts), answers[0].shape[1]), dtype=np.float32)
            for batch, values in zip(batches, answers, strict=True):
                unusable = batch[~np.isfinite(values).all(axis=1)]
                if len(unusable):
                    raise ModelReplyError(
                        f"{self.model.name} gave no finite numbers for text {start + unusable[0]}"
                    )
                rows[start + batch] = values
        return rows, np.array(cut, dtype=np.int64)

    def _feed(self, ids: list[Ids]) -> tuple[dict[str, Any], Any]:
        longest = max(1, *(len(tokens) for tokens, _ in ids))
        tokens = np.full((len(ids), longest), self._padding, dtype=np.int64)
        types = np.zeros((len(ids), longest), dtype=np.int64)
        mask = np.zeros((len(ids), longest), dtype=np.int64)
        for row, (row_ids, row_types) in enumerate(ids):
            tokens[row, : len(row_ids)] = row_ids
            types[row, : len(row_ids)] = row_types
            mask[row, : len(row_ids)] = 1
        arrays = dict(zip(_INPUTS, (tokens, mask, types), strict=True))
        return {name: arrays[name].astype(kind) for name, kind in self._types.items()}, mask


def _ids_of(encoding: Any) -> Ids:
    return np.array(encoding.ids, dtype=np.int32), np.array(encoding.type_ids, dtype=np.int32)


def _batches(lengths: Int64s, batch_size: int) -> list[Int64s]:
    """Cut rows into batches, longest first, ties in their order."""
    order = np.argsort(-lengths, kind="stable")
    batches = []
    at = 0
    while at < len(order):
        rows = max(1, min(batch_size, _BATCH_TOKENS // max(1, int(lengths[order[at]]))))
        batches.append(order[at : at + rows])
        at += rows
    return batches


def _open(model: Path) -> Any:
    runtime = _import("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3  # errors only: a library prints nothing
    options.use_deterministic_compute = True
    return runtime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])


def _holds(path: Path, content: bytes) -> bool:
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return data.find(content) >= 0


def _model_file(path: Path) -> Path:
    if not path.is_dir():
        if path.suffix != ".onnx":
            raise ValueError(f"path must name an .onnx file or a folder with one, not {str(path)!r}")
        if not path.is_file():
            raise FileNotFoundError(f"no file {path}")
        return path
    for name in ("model.onnx", "onnx/model.onnx"):
        if (path / name).is_file():
            return path / name
    found = sorted(path.glob("*.onnx"))
    if len(found) != 1:
        names = ", ".join(file.name for file in found) or "no .onnx file"
        raise FileNotFoundError(f"the folder {path} holds {names}: name one")
    return found[0]


def _beside(model: Path, name: str) -> Path | None:
    places = (model.parent / name, model.parent.parent / name)
    return next((place for place in places if place.is_file()), None)


def _token_limit(model: Path, tokenizer: Any) -> int:
    """Return how many tokens the model was made for, as sentence_bert_config.json or tokenizer.json say."""
    settings = _beside(model, "sentence_bert_config.json")
    if settings is not None:
        limit = json.loads(settings.read_text(encoding="utf-8")).get("max_seq_length")
        if isinstance(limit, int):
            return limit
    return int((tokenizer.truncation or {}).get("max_length", _LONGEST))


def _import(name: str) -> Any:
    with needs(name, "onnx"):
        return __import__(name)


class OnnxEmbedder(_OnnxModel):
    """An embedder that runs an ONNX sentence model and pools its token vectors to one per text.

    The same texts give the same bits on any number of threads. Which texts share a batch moves a float
    model's vectors by rounding only. A dynamically quantized model scales its inputs batch by batch: a vector
    depends on the other texts of its batch, by about as much as quantization changes it. So it reads texts
    one by one unless `batch_size` is given, which makes short texts up to twice as fast.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, pooling: Literal["mean", "cls"] = "mean", **options: Any
    ) -> None:
        """Load a model.

        Args:
            path: an .onnx file, or a folder with one, with tokenizer.json beside it or in the folder above.
            pooling: "mean" of the vectors of all tokens, or "cls", the first token's. A model whose only
                output is one vector a text has pooled already.
            options: `threads` that run batches side by side (None: OMP_NUM_THREADS, else the CPUs this
                process may use; tokenizing has its own, RAYON_NUM_THREADS); `batch_size`, the most texts in a
                batch (None: 1 for a dynamically quantized model, else 64); `max_tokens`, where longer texts
                are cut, special tokens included (None: what sentence_bert_config.json or tokenizer.json say,
                else 512).

        Raises FileNotFoundError, ValueError for a model of another kind, and MissingExtraError.
        """
        self.pooling = checks.one_of(pooling, "pooling", ("mean", "cls"))
        super().__init__(path, **options)
        self._options["pooling"] = pooling
        self._output, width = _embedding_output(self)
        self._width: int | None = width if isinstance(width, int) else None
        self.dimensions = self._width or self.embed(["a"]).shape[1]

    @property
    def name(self) -> str:
        """Says which vectors these are: hash of the files, pooling and limit."""
        return f"onnx:{self._fingerprint}:{self.pooling}:{self.max_tokens}"

    def embed(self, texts: Sequence[str]) -> Float32s:
        """Return float32[n, dimensions]: rows of length one, in the order of `texts`. Releases the GIL."""
        return self.embed_report(texts)[0]

    def embed_report(self, texts: Sequence[str]) -> tuple[Float32s, Int64s]:
        """Return `embed(texts)`, and the ascending indices of the texts that were cut at `max_tokens`.

        Raises ModelReplyError if the model gives infinities or no numbers.
        """
        return self._run(checks.texts(texts, "texts"), self._width, self._output, self._pool)

    def _pool(self, values: Any, mask: Any) -> Float32s:
        """Pool to rows of length one from float32[rows, tokens, d], or from float32[rows, d]."""
        if values.ndim == 3 and self.pooling == "cls":
            values = values[:, 0]
        elif values.ndim == 3:
            weights = (mask / np.maximum(mask.sum(axis=1, keepdims=True), 1)).astype(np.float32)
            values = np.matmul(weights[:, None, :], values)[:, 0]
        return unit_rows(values)


class OnnxCrossEncoder(_OnnxModel):
    """An ONNX model that scores how relevant a text is to a query by reading both together."""

    def __init__(self, path: str | os.PathLike[str], **options: Any) -> None:
        """Load a model; options and errors as for OnnxEmbedder. It must give one or two logits a pair."""
        super().__init__(path, **options)
        self._output, rank, width = self._outputs[0]
        if rank > 2 or (rank == 2 and isinstance(width, int) and width > 2):
            raise ValueError(f"{self.model} is no cross-encoder: it must give one or two logits a pair")

    def score(self, query: str, texts: Sequence[str]) -> Float32s:
        """Return float32[n] in [0, 1]: the sigmoid of one logit, or the second of two by softmax."""
        return self.score_report(query, texts)[0]

    def score_report(self, query: str, texts: Sequence[str]) -> tuple[Float32s, Int64s]:
        """Return `score(query, texts)` and the ascending indices of the pairs that were cut.

        A query longer than half of `max_tokens` is cut to that; then the text gets the rest.
        """
        texts = checks.texts(texts, "texts")
        kept = self._cut_to(query, self.max_tokens // 2)
        pairs = [(kept, text) for text in texts]
        scores, truncated = self._run(pairs, 1, self._output, _probabilities)
        return scores[:, 0], truncated if kept == query else np.arange(len(texts))


class OnnxPruner(_OnnxModel):
    """An ONNX model that labels each token of a text as useful or not for a query, for `pruner`.

    Takes token classifiers, and models like Provence, whose first output with one row per token has the
    labels.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, threads: int | None = None, max_tokens: int | None = None
    ) -> None:
        """Load a model; arguments and errors as for OnnxEmbedder; `threads` read windows side by side.

        It must give one logit a token, or two, the second for what is to be kept.
        """
        super().__init__(path, threads=threads, max_tokens=max_tokens)
        found = [(name, width) for name, rank, width in self._outputs if rank == 3]
        if not found or (isinstance(found[0][1], int) and found[0][1] > 2):
            raise ValueError(f"{self.model} is no pruner: it must give one or two logits a token")
        self._output = found[0][0]

    def prune(self, query: str, segments: Sequence[str]) -> Float32s:
        """Return float32[n] in [0, 1]: the mean probability of a segment's tokens; 0 without tokens.

        Segments that the model can read at once are one pass; what is longer is cut between segments, and a
        single one that is longer is cut. A query longer than half of `max_tokens` is cut to that.
        """
        segments = checks.texts(segments, "segments")
        kept = self._cut_to(query, self.max_tokens // 2)
        sizes = [size + 1 for size in self._sizes(segments)]  # and what joins it to the next
        special = self._tokenizer.num_special_tokens_to_add(True)
        cuts = windows(sizes, self.max_tokens - special - self._sizes([kept])[0])
        means = [self._means(kept, segments[cut]) for cut in cuts]
        return np.concatenate(means or [np.empty(0)]).astype(np.float32)

    def _means(self, query: str, segments: Sequence[str]) -> Any:
        """float64[n]: the mean of the probabilities of each segment's tokens, in one pass."""
        logits, last = self._run_tokens(query, " ".join(segments), self._output)
        starts = np.cumsum([0, *(len(text) + 1 for text in segments[:-1])])
        segment = np.searchsorted(starts, last, side="right") - 1
        total = np.bincount(segment, _probabilities(logits, None)[:, 0], len(segments))
        return total / np.maximum(np.bincount(segment, minlength=len(segments)), 1)


def _embedding_output(model: _OnnxModel) -> tuple[str, Any]:
    """Return name and last dimension of the first output with a vector a token, else a vector a text."""
    for wanted in (3, 2):
        for name, rank, width in model._outputs:
            if rank == wanted:
                return name, width
    names = ", ".join(f"{name} of rank {rank}" for name, rank, _ in model._outputs)
    raise ValueError(f"{model.model} must have an output of rank 3 or 2, not {names}")


def _probabilities(values: Any, _: Any) -> Any:
    """float64[rows, 1]: sigmoid of one logit, or of the second over the first of two."""
    logits = np.asarray(values, dtype=np.float64).reshape(len(values), -1)
    logit = logits[:, -1:] - (logits[:, :1] if logits.shape[1] == 2 else 0.0)
    return np.exp(-np.logaddexp(0.0, -logit))
