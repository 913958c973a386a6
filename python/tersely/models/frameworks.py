"""Take models of other libraries as they are; none of them is imported."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

_EMBED = ("embed_documents", "get_text_embedding_batch")  # of LangChain, of LlamaIndex
_ENCODE = {  # library -> options of its `encode`
    "sentence_transformers": {"convert_to_numpy": True, "show_progress_bar": False},
    "model2vec": {"use_multiprocessing": False},
}
_NAMES = ("model_name", "model", "model_id")


def library_of(model: Any) -> str:
    """Return the name of the package that an object's class is from."""
    return type(model).__module__.partition(".")[0]


class FrameworkEmbedder:
    """Embeds texts with a SentenceTransformer, a StaticModel of model2vec, or embeddings of a framework.

    Those are LangChain's `Embeddings` and LlamaIndex's `BaseEmbedding`: queries are embedded as documents
    are, so that all vectors are of one kind.
    """

    def __init__(self, model: Any) -> None:
        """Take a model that `fits`."""
        found = [getattr(model, name) for name in _EMBED if hasattr(model, name)]
        self._embed: Any = found[0] if found else None
        if not found:  # a loaded model that does not say reliably which one it is: it has no name
            self._embed = partial(model.encode, **_ENCODE[library_of(model)])
        else:
            self.name = framework_name(model)

    @staticmethod
    def fits(model: Any) -> bool:
        """Say whether an object is such a model."""
        known = library_of(model) in _ENCODE and hasattr(model, "encode")
        return not isinstance(model, type) and (
            known or any(callable(getattr(model, name, None)) for name in _EMBED)
        )

    def embed(self, texts: Sequence[str]) -> Any:
        """n rows of numbers, the model's own vectors."""
        return self._embed(list(texts))


class FrameworkCrossEncoder:
    """Scores texts with a CrossEncoder of sentence-transformers."""

    def __init__(self, model: Any) -> None:
        """Take a loaded model."""
        self._model = model

    def score(self, query: str, texts: Sequence[str]) -> Any:
        """n numbers, the model's own scores."""
        return (
            self._model.predict([(query, text) for text in texts], show_progress_bar=False) if texts else []
        )


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
