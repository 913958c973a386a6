"""What a receipt says that the user should know, on stderr."""

from __future__ import annotations

import sys

from tersely.types import Receipt

__all__ = ["note_receipt"]

_FACTS_SHOWN = 10  # of those that were lost


def note_receipt(receipt: Receipt) -> None:
    """A line for each warning, for a model that did not write, and for the first facts that were lost."""
    reason = receipt.fallback_reason
    if reason == "no_model":
        _note("no --model, so the text is extractive")
    elif reason is not None:
        _note(f"{reason.replace('_', ' ')}, so the text is extractive")
    for warning in receipt.warnings:
        _note(warning.replace("_", " "))
    lost = [] if receipt.facts is None else receipt.facts.of("lost")
    for fact in lost[:_FACTS_SHOWN]:
        _note(f"lost {fact.kind.name.lower().replace('_', ' ')}: {' '.join(fact.text.split())[:70]}")
    if len(lost) > _FACTS_SHOWN:
        _note(f"{len(lost) - _FACTS_SHOWN} more facts were lost; --json has them all")


def _note(text: str) -> None:
    print(f"tersely: note: {text}", file=sys.stderr)
