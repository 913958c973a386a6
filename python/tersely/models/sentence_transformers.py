"""Use models of sentence-transformers as embedders and cross-encoders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tersely.errors import needs

__all__ = ["SentenceTransformersCrossEncoder", "SentenceTransformersEmbedder"]


class _Model:
    """A model of sentence-transformers: a loaded one, or one that is loaded by its folder or name.

    sentence-transformers downloads a name that is not on this machine.
    """

    kind: str  # of the library's classes

    def __init__(self, model: Any) -> None:
        self.model = getattr(_import(), self.kind)(model) if isinstance(model, str) else model
        if isinstance(model, str):  # a loaded model does not say reliably which one it is
            self.name = f"sentence-transformers:{model}"


class SentenceTransformersEmbedder(_Model):
    """Embeds texts with a SentenceTransformer, loaded or by its folder or name."""

    kind = "SentenceTransformer"

    def embed(self, texts: Sequence[str]) -> Any:
        """Return float32[n, d], the model's own vectors."""
        return self.model.encode(list(texts), convert_to_numpy=True, show_progress_bar=False)


class SentenceTransformersCrossEncoder(_Model):
    """Scores texts with a CrossEncoder of sentence-transformers, loaded or by its folder or name."""

    kind = "CrossEncoder"

    def score(self, query: str, texts: Sequence[str]) -> Any:
        """Return float[n], the model's own scores."""
        if not texts:
            return np.empty(0, dtype=np.float32)
        return self.model.predict([(query, text) for text in texts], show_progress_bar=False)


def _import() -> Any:
    with needs("sentence-transformers", "sentence-transformers"):
        import sentence_transformers
    return sentence_transformers
