"""An embedder without a model: the sum of a fixed random vector a word, case and marks left out."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt


class BagEmbedder:
    """Knows neither word order nor what any word means."""

    def __init__(self, dimensions: int = 32) -> None:
        self.dimensions = dimensions

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """float32 (len(texts), dimensions); zeros for a text without words."""
        rows = [sum(map(self._vector, re.findall(r"\w+", text.lower())), self._zero()) for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(texts), self.dimensions)

    def _zero(self) -> npt.NDArray[np.float64]:
        return np.zeros(self.dimensions)

    def _vector(self, word: str) -> npt.NDArray[np.float64]:
        seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big")
        return np.random.default_rng(seed).standard_normal(self.dimensions)
