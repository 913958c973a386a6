"""A Hugging Face `tokenizers.Tokenizer` as a counter. The library itself is the caller's: not imported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["TokenizersCounter"]


@dataclass(frozen=True, slots=True)
class TokenizersCounter:
    """Counts without the special tokens that a model adds around its input."""

    tokenizer: Any
    name: str = "tokenizers"

    def count(self, text: str) -> int:
        """Tokens of `text`."""
        return len(self.tokenizer.encode(text, add_special_tokens=False).ids)

    def count_batch(self, texts: Sequence[str]) -> Sequence[int]:
        """Tokens of each text."""
        encodings = self.tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [len(encoding.ids) for encoding in encodings]
