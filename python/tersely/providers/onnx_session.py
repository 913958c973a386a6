"""Run an ONNX sentence model: find its files, tokenize texts, batch them, collect the output."""

from __future__ import annotations

import hashlib
import json
import mmap
import os
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tersely.core import checks
from tersely.core.errors import MissingExtraError, ModelReplyError
from tersely.core.tables import Float32s, Int64s
from tersely.core.threads import default_threads, map_in_threads

__all__ = ["Session"]

Ids = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]  # token ids, token types

_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_INTEGERS = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}
_LONGEST = 512  # tokens, where no file beside the model says more or less
_WINDOW = 4096  # texts tokenized at a time
_BATCH_TOKENS = 512  # of a run, padding included: more are slower, as they leave the CPU's cache
_BATCH_SIZE = 64
_SCALES_INPUTS = b"DynamicQuantizeLinear"  # the operator's name in the file of a dynamically quantized model


class Session:
    """A model file with its tokenizer. Safe to call from several threads, and after a fork.

    A run is one thread, so that its bits do not depend on the number of threads; several runs go side by
    side. onnxruntime starts no threads of its own, which a forked child would lack.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        threads: int | None,
        batch_size: int | None,
        max_tokens: int | None,
    ) -> None:
        """Load the model and the tokenizer; see OnnxEmbedder for the arguments and errors."""
        self.model = _model_file(Path(path))
        tokenizer = _beside(self.model, "tokenizer.json")
        if tokenizer is None:
            raise FileNotFoundError(f"no tokenizer.json beside {self.model} or in the folder above")
        self.tokenizer = tokenizer
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

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over the model, its weights and its tokenizer, 16 hexadecimal digits.

        Weights outside the model's file are those in files beside it whose names begin with its name.
        """
        digest = hashlib.sha256()
        for path in (*sorted(self.model.parent.glob(f"{self.model.name}*")), self.tokenizer):
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        return digest.hexdigest()[:16]

    @property
    def outputs(self) -> list[tuple[str, int, Any]]:
        """(name, rank, last dimension) of each output; a dimension of any size is a str or None."""
        entries = self._session.get_outputs()
        return [(entry.name, len(entry.shape), entry.shape[-1] if entry.shape else None) for entry in entries]

    def tokenize(self, texts: Sequence[Any]) -> tuple[list[Ids], list[int]]:
        """Token ids and types of texts, or of (query, text) pairs, and which of them were cut."""
        encodings = self._tokenizer.encode_batch_fast(list(texts))
        cut = [index for index, encoding in enumerate(encodings) if encoding.overflowing]
        return [
            (np.array(encoding.ids, dtype=np.int32), np.array(encoding.type_ids, dtype=np.int32))
            for encoding in encodings
        ], cut

    def cut_to(self, text: str, tokens: int) -> str:
        """`text` as far as its first `tokens` tokens reach."""
        offsets = self._tokenizer.encode(text, add_special_tokens=False).offsets
        return text if len(offsets) <= tokens else text[: offsets[tokens - 1][1]]

    def run(
        self, texts: Sequence[Any], width: int | None, output: str, reduce: Callable[[Any, Any], Any]
    ) -> tuple[Float32s, Int64s]:
        """Run the model over texts: float32[n, width] and the ascending indices of the texts that were cut.

        The rows of a batch are `reduce(values of output, attention mask)`.

        Texts of like length share a batch; it has at most `batch_size` texts and, unless it is a single one,
        512 tokens, padding included. Which texts share one depends on the numbers of tokens alone.
        Raises ModelReplyError where a row is not finite. With no texts and no width there are no columns.
        """
        rows = np.zeros((len(texts), width or 0), dtype=np.float32)
        cut: list[int] = []

        for start in range(0, len(texts), _WINDOW):
            ids, cut_here = self.tokenize(texts[start : start + _WINDOW])
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
    try:
        return __import__(name)
    except ImportError as error:
        raise MissingExtraError(name, "onnx") from error
