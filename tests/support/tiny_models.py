"""Tiny ONNX models with random weights and real graphs, and what they compute, in numpy.

One layer: token, position and type vectors; attention over the tokens that are not padding; a product with a
matrix. A cross-encoder adds one on the first token's vector, a pruner one on all of them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

WIDTH = 24
LONGEST = 40
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
WORDS = (
    *("the", "a", "of", "relay", "token", "expiry", "rotation", "copper", "harbour", "fee", "pilot", "rain"),
    *("keys", "renewed", "every", "day", "failed", "model", "blue", "red", "green", "never", "hurry", "two"),
)


class TinyModel:
    """The weights, the files, and the oracle."""

    def __init__(self, seed: int = 7, logits: int = 0, pruner: bool = False) -> None:
        random = np.random.default_rng(seed)
        self.vocabulary = {word: index for index, word in enumerate((*SPECIAL, *WORDS))}
        self.logits, self.pruner = logits, pruner

        def weights(*shape: int) -> Any:
            return random.normal(0, 0.5, shape).astype(np.float32)

        self.tokens, self.positions = weights(len(self.vocabulary), WIDTH), weights(LONGEST, WIDTH)
        self.types, self.mix = weights(2, WIDTH), weights(WIDTH, WIDTH)
        self.head = weights(WIDTH, logits or 1)

    def write(self, folder: Path, name: str = "model.onnx") -> Path:
        """The model and its tokenizer into a folder."""
        import onnx

        folder.mkdir(parents=True, exist_ok=True)
        onnx.save(self._graph(), str(folder / name))
        self._tokenizer().save(str(folder / "tokenizer.json"))
        return folder / name

    def ids(self, text: str) -> list[int]:
        """Token ids without the special ones."""
        return [self.vocabulary.get(word, 1) for word in text.lower().split()]

    def hidden(self, ids: list[int], types: list[int]) -> Any:
        """float64[tokens, WIDTH]: the vectors of the tokens of one text."""
        x = self.tokens[ids].astype(np.float64) + self.positions[: len(ids)] + self.types[types]
        scores = x @ x.T / np.sqrt(WIDTH)
        attention = np.exp(scores - scores.max(axis=1, keepdims=True))
        attention /= attention.sum(axis=1, keepdims=True)
        return attention @ x @ self.mix.astype(np.float64)

    def embedding(self, text: str, pooling: str = "mean", longest: int = LONGEST) -> Any:
        """float64[WIDTH] of length one."""
        ids = [2, *self.ids(text)[: longest - 2], 3]
        vectors = self.hidden(ids, [0] * len(ids))
        pooled = vectors.mean(axis=0) if pooling == "mean" else vectors[0]
        return pooled / np.linalg.norm(pooled)

    def probability(self, query: str, text: str) -> float:
        """The cross-encoder's score of a pair that is not cut."""
        return self._probability(self._pair(query, text)[0])

    def kept(self, query: str, segments: list[str]) -> list[float]:
        """The pruner's probabilities of segments that it reads in one pass: the mean over their words."""
        vectors = iter(self._pair(query, " ".join(segments))[len(self.ids(query)) + 2 :])
        words = [[self._probability(next(vectors)) for _ in self.ids(segment)] for segment in segments]
        return [float(np.mean(one)) if one else 0.0 for one in words]

    def _pair(self, query: str, text: str) -> Any:
        first, second = [2, *self.ids(query), 3], [*self.ids(text), 3]
        return self.hidden([*first, *second], [0] * len(first) + [1] * len(second))

    def _probability(self, vector: Any) -> float:
        logits = vector @ self.head
        return float(1 / (1 + np.exp(-logits[0])) if self.logits == 1 else _softmax(logits)[1])

    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

        tokenizer = Tokenizer(models.WordLevel(self.vocabulary, unk_token="[UNK]"))
        tokenizer.normalizer = normalizers.Lowercase()
        tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        tokenizer.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]",
            pair="[CLS] $A [SEP] $B:1 [SEP]:1",
            special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
        )
        tokenizer.enable_truncation(LONGEST)
        return tokenizer

    def _graph(self) -> Any:
        from onnx import TensorProto, helper, numpy_helper

        constants = {
            "tokens": self.tokens, "positions": self.positions, "types": self.types, "mix": self.mix,
            "head": self.head, "scale": np.array(1 / np.sqrt(WIDTH), dtype=np.float32),
            "one": np.array(1, dtype=np.float32), "far": np.array(1e9, dtype=np.float32),
            "first": np.array(0, dtype=np.int64), "axis": np.array([1], dtype=np.int64),
            "zero": np.array([0], dtype=np.int64), "two": np.array([2], dtype=np.int64),
        }  # fmt: skip
        node = helper.make_node
        nodes = [
            node("Gather", ["tokens", "input_ids"], ["t"]),
            node("Gather", ["types", "token_type_ids"], ["y"]),
            node("Shape", ["input_ids"], ["shape"]),
            node("Slice", ["shape", "axis", "two", "zero"], ["length"]),
            node("Slice", ["positions", "zero", "length", "zero"], ["p"]),
            node("Add", ["t", "y"], ["ty"]),
            node("Add", ["ty", "p"], ["x"]),
            node("Transpose", ["x"], ["xt"], perm=[0, 2, 1]),
            node("MatMul", ["x", "xt"], ["raw"]),
            node("Mul", ["raw", "scale"], ["scaled"]),
            node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
            node("Unsqueeze", ["mask", "axis"], ["wide"]),
            node("Sub", ["wide", "one"], ["off"]),
            node("Mul", ["off", "far"], ["penalty"]),
            node("Add", ["scaled", "penalty"], ["masked"]),
            node("Softmax", ["masked"], ["attention"], axis=-1),
            node("MatMul", ["attention", "x"], ["mixed"]),
            node("MatMul", ["mixed", "mix"], ["last_hidden_state"]),
        ]
        outputs = [helper.make_tensor_value_info("last_hidden_state", 1, ["rows", "length", WIDTH])]
        if self.pruner:  # with what a reranker of the same file would say before it, as Provence has
            nodes.append(node("MatMul", ["last_hidden_state", "head"], ["kept"]))
            nodes.append(node("ReduceMean", ["kept"], ["ranked"], axes=[1], keepdims=0))
            outputs = [
                helper.make_tensor_value_info("ranked", 1, ["rows", self.logits]),
                helper.make_tensor_value_info("kept", 1, ["rows", "length", self.logits]),
            ]
        elif self.logits:
            nodes.append(node("Gather", ["last_hidden_state", "first"], ["cls"], axis=1))
            nodes.append(node("MatMul", ["cls", "head"], ["logits"]))
            outputs = [helper.make_tensor_value_info("logits", 1, ["rows", self.logits])]
        names = ("input_ids", "attention_mask", "token_type_ids")
        inputs = [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["rows", "length"]) for name in names
        ]
        used = {name for entry in nodes for name in entry.input}
        initializers = [
            numpy_helper.from_array(value, name) for name, value in constants.items() if name in used
        ]
        graph = helper.make_graph(nodes, "tiny", inputs, outputs, initializers)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def _softmax(values: Any) -> Any:
    powers = np.exp(values - values.max())
    return powers / powers.sum()
