"""Load the fitted weights and trees that ship inside the wheel, each with its card."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt


class Forest(NamedTuple):
    """Trees that correct the weighted sum of the features (csrc/kernels/relevance/columns.hpp)."""

    borders: npt.NDArray[np.float32]
    first: npt.NDArray[np.int32]
    column: npt.NDArray[np.uint8]
    bin: npt.NDArray[np.uint8]
    leaf: npt.NDArray[np.int8]
    scale: float


def relevance_weights(kind: str) -> Mapping[str, float]:
    """Weights of the features of relevance (engine/worth.py) for a kind of vectors: "none", ...

    benchmarks/quality/fit.py fits them; models/relevance.md says on what, and how well they do elsewhere.
    """
    return dict(_read("relevance.json")[kind])


def relevance_probability(kind: str) -> Mapping[str, Mapping[str, float]]:
    """Weights of the log odds of "document" and "segment" (engine/worth.py).

    benchmarks/quality/calibration.py fits them; models/probability.md says on what, and how well they hold.
    """
    return dict(_read("probability.json")[kind])


@cache
def relevance_forest(kind: str) -> Forest:
    """The trees for a kind of vectors (benchmarks/quality/forest.py fits them); none for other kinds."""
    found = _read("forest.json")
    if kind not in found:
        none = np.empty(0, dtype=np.uint8)
        return Forest(np.empty(0, np.float32), np.empty(0, np.int32), none, none, np.empty(0, np.int8), 0.0)
    return forest_of(found[kind])


def forest_of(entry: Mapping[str, Any]) -> Forest:
    """Build the trees that an entry of forest.json describes."""
    borders = [np.array(each, dtype=np.float32) for each in entry["borders"]]
    return Forest(
        np.concatenate(borders),
        np.cumsum([0, *map(len, borders)], dtype=np.int32),
        np.frombuffer(b64decode(entry["column"]), dtype=np.uint8),
        np.frombuffer(b64decode(entry["bin"]), dtype=np.uint8),
        np.frombuffer(b64decode(entry["leaf"]), dtype=np.int8),
        float(entry["scale"]),
    )


def fitted_file(name: str) -> Path:
    """The path of a file of weights in this folder, such as "relevance.json"."""
    return Path(__file__).with_name(name)


@lru_cache
def _read(name: str) -> dict[str, Any]:
    import json  # `import tersely` need not

    return dict(json.loads(fitted_file(name).read_text(encoding="utf-8")))
