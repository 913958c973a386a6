"""Take models of LangChain and LlamaIndex as they are; neither package is imported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_EMBED = ("embed_documents", "get_text_embedding_batch")  # of LangChain, of LlamaIndex
_NAMES = ("model_name", "model", "model_id")


class FrameworkEmbedder:
    """Embeds texts with LangChain's `Embeddings` or LlamaIndex's `BaseEmbedding`.

    Queries are embedded as documents are, so that all vectors are of one kind.
    """

    def __init__(self, model: Any) -> None:
        """Take a model that has one of the two methods. Raises TypeError for any other."""
        found = [method for name in _EMBED if callable(method := getattr(model, name, None))]
        if isinstance(model, type) or not found:
            raise TypeError(f"{type(model).__name__} has neither {' nor '.join(_EMBED)}")
        self._embed = found[0]
        self.name = framework_name(model)

    @staticmethod
    def fits(model: Any) -> bool:
        """Say whether an object is such a model."""
        return not isinstance(model, type) and any(callable(getattr(model, name, None)) for name in _EMBED)

    def embed(self, texts: Sequence[str]) -> Any:
        """n rows of numbers, the model's own vectors."""
        return self._embed(list(texts))


def framework_name(model: Any) -> str:
    """Return the identity of a model object: its class and, if it has one, its model name."""
    names = [name for key in _NAMES if isinstance(name := getattr(model, key, None), str) and name]
    return ":".join([type(model).__name__, *names[:1]])


def reply_text(reply: Any) -> Any:
    """Return the text of a reply: a str, or an object whose `text` is one, or gives one (LlamaIndex's
    `CompletionResponse`, LangChain's messages), else whose `content` is one (a chat message); the first of
    (text, anything, None), a form with an error in the last place; anything else as it is."""
    if isinstance(reply, tuple) and len(reply) == 3 and reply[2] is None:
        reply = reply[0]
    if isinstance(reply, str):
        return reply
    text = getattr(reply, "text", None)
    if text is None:
        text = getattr(reply, "content", None)
    if callable(text) and not isinstance(text, str):
        text = text()
    return str(text) if isinstance(text, str) else reply
