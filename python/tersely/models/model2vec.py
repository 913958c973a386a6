"""Use static models of model2vec as embedders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tersely.errors import needs

__all__ = ["Model2VecEmbedder"]


class Model2VecEmbedder:
    """Embeds texts with a StaticModel of model2vec."""

    def __init__(self, model: Any) -> None:
        """Take a loaded StaticModel, or load one by its folder or name.

        model2vec downloads a name that is not on this machine.
        """
        self.model = _import().from_pretrained(model) if isinstance(model, str) else model
        if isinstance(model, str):  # a loaded model does not say reliably which one it is
            self.name = f"model2vec:{model}"

    def embed(self, texts: Sequence[str]) -> Any:
        """Return float32[n, d], the model's own vectors."""
        return self.model.encode(list(texts), use_multiprocessing=False)


def _import() -> Any:
    with needs("model2vec", "model2vec"):
        from model2vec import StaticModel
    return StaticModel
