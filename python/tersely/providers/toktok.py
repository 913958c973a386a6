"""Exact offline BPE counts through toktok-rs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

import toktok

__all__ = ["ENCODINGS", "ToktokCounter"]

ENCODINGS = ("o200k_base", "cl100k_base", "o200k_harmony", "qwen3.5", "jev")
_PARALLEL_FROM = 2_000_000  # characters: less is counted before threads have started


def _cpus() -> int:
    wanted = os.environ.get("OMP_NUM_THREADS", "")
    if wanted.isdecimal() and int(wanted) > 0:
        return int(wanted)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class ToktokCounter:
    """Counts with one of toktok's encodings; the text of special tokens counts as ordinary text."""

    name: str = "o200k_base"

    def count(self, text: str) -> int:
        """Tokens of `text`."""
        return toktok.batch_count([text], self.name, threads=1)[0]

    def count_batch(self, texts: Sequence[str]) -> Sequence[int]:
        """Tokens of each text, on several threads where there is much to count. Releases the GIL."""
        much = len(texts) > 1 and sum(map(len, texts)) > _PARALLEL_FROM
        return toktok.batch_count(texts, self.name, threads=_cpus() if much else 1)
