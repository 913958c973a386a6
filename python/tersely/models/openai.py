"""Embeddings and chat completions from OpenAI or any server that speaks its protocol."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from tersely import checks
from tersely.errors import ModelReplyError, TruncatedReplyError, needs
from tersely.types import Float32s

__all__ = ["OpenAIEmbedder", "OpenAILanguageModel", "TokenUsage"]

_ALWAYS_THE_SAME = MappingProxyType({"temperature": 0})


class OpenAIEmbedder:
    """Embeds texts by the embeddings endpoint of OpenAI or a compatible server."""

    def __init__(
        self,
        model: str,
        *,
        client: Any = None,
        batch_size: int = 256,
        dimensions: int | None = None,
        **options: Any,
    ) -> None:
        """Choose the model and the server.

        Args:
            model: the server's name for it.
            client: an `openai.OpenAI`; None: one with these `options`.
            batch_size: texts a request.
            dimensions: for models that can shorten their vectors.
            options: of `openai.OpenAI`: base_url, api_key (otherwise what it reads from the environment),
                timeout (30 seconds a request), max_retries ...
        """
        self.model = model
        self.batch_size = checks.whole_number(batch_size, "batch_size", least=1)
        self.dimensions = dimensions
        self.client = client or _client(**{"timeout": 30.0, **options})

    @property
    def name(self) -> str:
        """Server, model and dimensions."""
        return f"openai:{self.client.base_url}:{self.model}:{self.dimensions or ''}"

    def embed(self, texts: Sequence[str]) -> Float32s:
        """Return float32[n, d], in the order of `texts`.

        Raises ModelReplyError if the reply is not one vector per text, and the openai package's errors if
        there is no reply.
        """
        texts = checks.texts(texts, "texts")
        rows: list[Any] = []
        for start in range(0, len(texts), self.batch_size):
            batch = texts[start : start + self.batch_size]
            wanted = {"dimensions": self.dimensions} if self.dimensions else {}
            reply = self.client.embeddings.create(
                model=self.model, input=batch, encoding_format="float", **wanted
            )
            rows += _vectors(reply, len(batch), self.model)
        try:
            return np.array(rows, dtype=np.float32).reshape(len(texts), -1 if rows else 0)
        except (TypeError, ValueError) as error:
            raise ModelReplyError(f"{self.model} gave vectors of different lengths, or no numbers") from error


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens that replies took, as the server reports them."""

    replies: int = 0  #: replies received
    #: with `completion_tokens`: sums over the replies, in the model's own tokens; a reply that does not say
    #: counts 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


class OpenAILanguageModel:
    """Asks a chat model of OpenAI or a compatible server; each prompt is a new conversation."""

    def __init__(
        self,
        model: str,
        *,
        client: Any = None,
        async_client: Any = None,
        concurrency: int = 8,
        request: Mapping[str, Any] = _ALWAYS_THE_SAME,
        **options: Any,
    ) -> None:
        """Choose the model and the server.

        Args:
            model, client, options: as for OpenAIEmbedder; 60 seconds a request.
            async_client: an `openai.AsyncOpenAI`, for `acomplete`. None: `complete` on another thread.
            concurrency: requests of `client` at a time, of all threads.
            request: further fields of the request.
        """
        self.model = model
        self.request = dict(request)
        self.concurrency = checks.whole_number(concurrency, "concurrency", least=1)
        self.client = client or _client(**{"timeout": 60.0, **options})
        self.async_client = async_client
        self._free = threading.BoundedSemaphore(self.concurrency)
        self._lock = threading.Lock()
        self._usage = TokenUsage()

    @property
    def name(self) -> str:
        """Server and model."""
        return f"openai:{self.client.base_url}:{self.model}"

    @property
    def usage(self) -> TokenUsage:
        """Tokens that all replies so far took."""
        return self._usage

    def complete(self, prompt: str) -> str:
        """Return the reply to `prompt`.

        Raises TruncatedReplyError if the reply was cut off at a limit of tokens, ModelReplyError if it
        has no text, and the openai package's errors where there is no reply.
        """
        with self._free:
            reply = self.client.chat.completions.create(**self._request(prompt))
        return self._text(reply)

    async def acomplete(self, prompt: str) -> str:
        """Reply as `complete` does, in the caller's event loop."""
        if self.async_client is not None:
            return self._text(await self.async_client.chat.completions.create(**self._request(prompt)))
        import asyncio

        return await asyncio.to_thread(self.complete, prompt)

    def _request(self, prompt: str) -> dict[str, Any]:
        return {"model": self.model, "messages": [{"role": "user", "content": prompt}], **self.request}

    def _text(self, reply: Any) -> str:
        used = getattr(reply, "usage", None)
        with self._lock:
            before = self._usage
            self._usage = TokenUsage(
                before.replies + 1,
                before.prompt_tokens + _tokens(used, "prompt_tokens"),
                before.completion_tokens + _tokens(used, "completion_tokens"),
            )
        choices = getattr(reply, "choices", None) or [None]
        text = getattr(getattr(choices[0], "message", None), "content", None)
        if getattr(choices[0], "finish_reason", None) == "length":
            raise TruncatedReplyError(f"{self.model} stopped in the middle of its reply: its limit of tokens")
        if not isinstance(text, str) or not text.strip():
            raise ModelReplyError(f"{self.model} gave a reply without text")
        return text


def _tokens(usage: Any, name: str) -> int:
    """Return a number of a reply's usage; 0 if it is missing or no number."""
    value = getattr(usage, name, None)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


def _vectors(reply: Any, count: int, model: str) -> list[Any]:
    """Return the vectors of a reply in the order of the texts: a server may send them in any order."""
    data = getattr(reply, "data", None) or []
    pairs = [(getattr(entry, "index", None), getattr(entry, "embedding", None)) for entry in data]
    by_index = {index: vector for index, vector in pairs if isinstance(index, int)}
    if len(data) != count or set(by_index) != set(range(count)):
        raise ModelReplyError(f"{model} gave {len(data)} vectors for {count} texts, or numbered them wrongly")
    return [by_index[index] for index in range(count)]


def _client(**options: Any) -> Any:
    with needs("openai", "openai"):
        import openai
    return openai.OpenAI(**options)
