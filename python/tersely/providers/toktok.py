"""Exact offline BPE counts through toktok-rs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import toktok

from tersely.threads import default_threads

__all__ = ["ENCODINGS", "ToktokCounter"]

ENCODINGS = ("o200k_base", "cl100k_base", "o200k_harmony", "qwen3.5", "jev")
_PARALLEL_FROM = 2_000_000  # characters: less is counted before threads have started


@dataclass(frozen=True, slots=True)
class ToktokCounter:
    """Counts with one of toktok's encodings; the text of special tokens counts as ordinary text."""

    name: str = "o200k_base"

    def count(self, text: str) -> int:
        """Tokens of `text`."""
        return int(toktok.batch_count([text], self.name, threads=1)[0])

    def count_batch(self, texts: Sequence[str]) -> Sequence[int]:
        """Tokens of each text, on several threads where there is much to count. Releases the GIL."""
        much = len(texts) > 1 and sum(map(len, texts)) > _PARALLEL_FROM
        counts: list[int] = toktok.batch_count(texts, self.name, threads=default_threads() if much else 1)
        return counts
