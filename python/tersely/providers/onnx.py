"""Sentence models and cross-encoders in the ONNX format, run by onnxruntime on the CPU."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from tersely.core import checks
from tersely.core.errors import MissingExtraError
from tersely.core.tables import Float32s, Int64s
from tersely.core.vectors import unit_rows
from tersely.providers.onnx_session import Session

__all__ = ["OnnxCrossEncoder", "OnnxEmbedder", "quantize_onnx"]


class OnnxEmbedder:
    """An embedder that runs an ONNX sentence model and pools its token vectors to one vector a text.

    The same texts give the same bits on any number of threads. Which texts share a batch moves a float
    model's vectors by rounding only. A dynamically quantized model scales its inputs batch by batch: its
    vectors change with their company by about as much as quantization costs. So it reads texts one by one
    unless `batch_size` is given, which makes short texts up to twice as fast.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        pooling: Literal["mean", "cls"] = "mean",
        threads: int | None = None,
        batch_size: int | None = None,
        max_tokens: int | None = None,
    ) -> None:
        """Load a model.

        Args:
            path: an .onnx file, or a folder with one, with tokenizer.json beside it or in the folder above.
            pooling: "mean" of the vectors of all tokens, or "cls", the first token's. A model whose only
                output is one vector a text has pooled already.
            threads: that run batches side by side; None: OMP_NUM_THREADS, else the CPUs this process may
                use. Tokenizing has its own (RAYON_NUM_THREADS).
            batch_size: most texts in a batch; None: 1 for a dynamically quantized model, else 64.
            max_tokens: where longer texts are cut, special tokens included; None: what
                sentence_bert_config.json or tokenizer.json say, else 512.

        Raises FileNotFoundError, ValueError for a model of another kind, and MissingExtraError.
        """
        self.pooling = checks.one_of(pooling, "pooling", ("mean", "cls"))
        self._arguments = (path, pooling, threads, batch_size, max_tokens)
        self._model = Session(path, threads, batch_size, max_tokens)
        self._output, width = _embedding_output(self._model)
        self._width: int | None = width if isinstance(width, int) else None
        self.max_tokens = self._model.max_tokens
        self.dimensions = self._width or self.embed(["a"]).shape[1]

    @property
    def name(self) -> str:
        """Says which vectors these are: hash of the files, pooling and limit."""
        return f"onnx:{self._model.fingerprint}:{self.pooling}:{self.max_tokens}"

    @property
    def tokenizer_file(self) -> Path:
        """The tokenizer.json that it reads texts with."""
        return self._model.tokenizer

    def embed(self, texts: Sequence[str]) -> Float32s:
        """float32[n, dimensions]: rows of length one, in the order of `texts`. Releases the GIL."""
        return self.embed_report(texts)[0]

    def embed_report(self, texts: Sequence[str]) -> tuple[Float32s, Int64s]:
        """`embed(texts)`, and the ascending indices of the texts that were cut at `max_tokens`.

        Raises ModelReplyError where the model gives infinities or no numbers.
        """
        return self._model.run(checks.texts(texts, "texts"), self._width, self._output, self._pool)

    def _pool(self, values: Any, mask: Any) -> Float32s:
        """Pool to rows of length one from float32[rows, tokens, d], or from float32[rows, d]."""
        if values.ndim == 3 and self.pooling == "cls":
            values = values[:, 0]
        elif values.ndim == 3:
            weights = (mask / np.maximum(mask.sum(axis=1, keepdims=True), 1)).astype(np.float32)
            values = np.matmul(weights[:, None, :], values)[:, 0]
        return unit_rows(values)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as the arguments: the other process loads the files itself."""
        return _embedder, self._arguments


def _embedder(path: Any, pooling: Any, threads: Any, batch_size: Any, max_tokens: Any) -> OnnxEmbedder:
    return OnnxEmbedder(path, pooling=pooling, threads=threads, batch_size=batch_size, max_tokens=max_tokens)


class OnnxCrossEncoder:
    """An ONNX model that reads a query and a text together and says how relevant the text is."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        threads: int | None = None,
        batch_size: int | None = None,
        max_tokens: int | None = None,
    ) -> None:
        """Load a model; arguments and errors as for OnnxEmbedder. It must give one or two logits a pair."""
        self._arguments = (path, threads, batch_size, max_tokens)
        self._model = Session(path, threads, batch_size, max_tokens)
        self.max_tokens = self._model.max_tokens
        self._output, rank, width = self._model.outputs[0]
        if rank > 2 or (rank == 2 and isinstance(width, int) and width > 2):
            raise ValueError(
                f"{self._model.model} is no cross-encoder: it must give one or two logits a pair"
            )

    @property
    def name(self) -> str:
        """Says which scores these are: hash of the files, and limit."""
        return f"onnx:{self._model.fingerprint}:{self.max_tokens}"

    def score(self, query: str, texts: Sequence[str]) -> Float32s:
        """float32[n] in [0, 1]: the sigmoid of one logit, or the second of two by softmax."""
        return self.score_report(query, texts)[0]

    def score_report(self, query: str, texts: Sequence[str]) -> tuple[Float32s, Int64s]:
        """`score(query, texts)`, and the ascending indices of the pairs of which something was cut.

        A query longer than half of `max_tokens` is cut to that; then the text gets the rest.
        """
        texts = checks.texts(texts, "texts")
        kept = self._model.cut_to(query, self.max_tokens // 2)
        pairs = [(kept, text) for text in texts]
        scores, truncated = self._model.run(pairs, 1, self._output, _probabilities)
        return scores[:, 0], truncated if kept == query else np.arange(len(texts))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as the arguments: the other process loads the files itself."""
        return _cross_encoder, self._arguments


def _cross_encoder(path: Any, threads: Any, batch_size: Any, max_tokens: Any) -> OnnxCrossEncoder:
    return OnnxCrossEncoder(path, threads=threads, batch_size=batch_size, max_tokens=max_tokens)


def quantize_onnx(path: str | os.PathLike[str], out: str | os.PathLike[str]) -> None:
    """Write a copy of a model whose matrix products run on 8-bit integers.

    Weights get one scale a column and are rounded once; inputs are scaled as they come (dynamic
    quantization). About a quarter of the size. The tokenizer is not copied. Needs the packages onnxruntime
    and onnx; raises MissingExtraError without them.
    """
    try:
        import onnx  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("onnx") from error
    try:
        from onnxruntime.quantization import QuantType, quantize_dynamic
        from onnxruntime.quantization.shape_inference import quant_pre_process
    except ImportError as error:
        raise MissingExtraError("onnxruntime", "onnx") from error
    with tempfile.TemporaryDirectory() as folder:
        inferred = str(Path(folder) / "shapes.onnx")  # with the shapes of everything in between
        quant_pre_process(str(path), inferred, skip_optimization=True, skip_symbolic_shape=True)
        quantize_dynamic(inferred, str(out), per_channel=True, weight_type=QuantType.QInt8)


def _embedding_output(model: Session) -> tuple[str, Any]:
    """Return name and last dimension of the first output with a vector a token, else a vector a text."""
    for wanted in (3, 2):
        for name, rank, width in model.outputs:
            if rank == wanted:
                return name, width
    names = ", ".join(f"{name} of rank {rank}" for name, rank, _ in model.outputs)
    raise ValueError(f"{model.model} must have an output of rank 3 or 2, not {names}")


def _probabilities(values: Any, _: Any) -> Any:
    """float64[rows, 1]: sigmoid of one logit, or of the second over the first of two."""
    logits = np.asarray(values, dtype=np.float64).reshape(len(values), -1)
    logit = logits[:, -1:] - (logits[:, :1] if logits.shape[1] == 2 else 0.0)
    return np.exp(-np.logaddexp(0.0, -logit))
