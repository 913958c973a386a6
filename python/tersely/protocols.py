"""Protocols of callers' objects: tokenizers, embedders, models, strategies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from tersely.types import Compressed, Request


@runtime_checkable
class TokenCounter(Protocol):
    """Counts tokens. The count of a text may differ from the sum of the counts of its parts."""

    def count(self, text: str) -> int:
        """Return the number of tokens of `text`, >= 0."""
        ...


@runtime_checkable
class BatchTokenCounter(TokenCounter, Protocol):
    """A counter that counts many texts in one call, faster than one by one."""

    def count_batch(self, texts: Sequence[str]) -> Sequence[int]:
        """Return `[count(text) for text in texts]`."""
        ...


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors whose cosine says how similar the texts are."""

    def embed(self, texts: Sequence[str]) -> Any:
        """Return a float array (len(texts), dimensions); row i is the vector of text i."""
        ...


@runtime_checkable
class TruncationReporter(Embedder, Protocol):
    """An embedder that says which texts were longer than its model reads."""

    def embed_report(self, texts: Sequence[str]) -> tuple[Any, Any]:
        """Return (`embed(texts)`, ascending indices of the texts that were cut)."""
        ...


@runtime_checkable
class CrossEncoder(Protocol):
    """Scores a text for a query by reading both together."""

    def score(self, query: str, texts: Sequence[str]) -> Any:
        """Return a float array (len(texts),), in [0, 1] or logits; higher is more relevant."""
        ...


@runtime_checkable
class Pruner(Protocol):
    """Reads a query with a window of text and scores what to keep.

    May also have `threads`, how many windows it is given at a time; else one after the other.
    """

    def prune(self, query: str, segments: Sequence[str]) -> Any:
        """Float array (len(segments),) in [0, 1]: how probably each segment helps to answer the query.

        `segments` are of one document, in its order; a model of tokens averages over those of a segment.
        """
        ...


@runtime_checkable
class LanguageModel(Protocol):
    """Answers a prompt. Async callers use `async acomplete(prompt) -> str`, if it has that."""

    def complete(self, prompt: str) -> str:
        """Return the reply to `prompt`; raises if there is none."""
        ...


@runtime_checkable
class Strategy(Protocol):
    """A way to compress: a frozen, picklable dataclass with its options as fields."""

    def compress(self, request: Request) -> Compressed:
        """Fit the request's documents into its budget."""
        ...
