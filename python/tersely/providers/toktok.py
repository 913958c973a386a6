"""Count tokens offline with the encodings of toktok-rs that are not OpenAI's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tersely.core.errors import MissingExtraError

__all__ = ["TOKTOK_ENCODINGS", "ToktokCounter"]

TOKTOK_ENCODINGS = ("qwen3.5", "jev")
_FEW = 8  # texts up to which separate calls are cheaper: each batch asks the system for its CPUs (30 us)
_NO_LIMIT = 2**60  # tokens


@dataclass(frozen=True, slots=True)
class ToktokCounter:
    """Counts with one of toktok's encodings; the text of special tokens counts as ordinary text.

    Raises MissingExtraError where toktok-rs is not installed.
    """

    name: str

    def __post_init__(self) -> None:
        """Look for the package now, not in the middle of a call."""
        _import()

    def count(self, text: str) -> int:
        """Tokens of `text`. Releases the GIL."""
        total: int = _import().truncate(text, _NO_LIMIT, self.name)[1]
        return total

    def count_batch(self, texts: Sequence[str]) -> Sequence[int]:
        """Tokens of each text. Releases the GIL.

        One thread: more of toktok's own, which share a cache, take twice the CPU and as long.
        """
        if len(texts) <= _FEW:
            return [self.count(text) for text in texts]
        counts: list[int] = _import().batch_count(texts, self.name, threads=1)
        return counts


def _import() -> Any:
    try:
        import toktok
    except ImportError as error:
        raise MissingExtraError("toktok-rs", "toktok") from error
    return toktok
