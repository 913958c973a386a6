"""How much of the evidence of a question stands in a text."""

from __future__ import annotations

import re
from statistics import mean

from benchmarks.quality.tasks import SENTENCE, Task

__all__ = ["evidence_shares", "stands_in"]

_SHORTEST = 4  # characters of a part of the evidence that is looked for on its own
_SPACE = re.compile(r"\s+")


def evidence_shares(text: str, task: Task) -> tuple[float, bool]:
    """Share of the evidence that stands in the text, up to case and white space, and whether all of it does.

    A piece of several sentences counts by the share of its sentences. Where the pieces are places of the
    answer, the best one counts.
    """
    given = _normal(text)
    shares = [mean(part in given for part in _parts(piece)) for piece in task.evidence]
    if task.any_evidence:
        return max(shares), max(shares) == 1
    return mean(shares), min(shares) == 1


def stands_in(text: str, piece: str) -> bool:
    """Whether a piece of evidence stands in the text as a whole, up to case and white space."""
    return _normal(piece) in _normal(text)


def _parts(piece: str) -> list[str]:
    found = (_normal(match.group()) for match in SENTENCE.finditer(piece))
    return [part for part in found if len(part) >= _SHORTEST] or [_normal(piece)]


def _normal(text: str) -> str:
    return _SPACE.sub(" ", text).strip().lower()
