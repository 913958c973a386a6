"""Write shares as percentages."""

from __future__ import annotations

__all__ = ["percent"]


def percent(share: float) -> str:
    """A share as a percentage that says "0%" of nothing alone, and "100%" only of all."""
    if share in (0, 1) or 0.01 <= share <= 0.99 or share > 1:
        return f"{share:.0%}"
    if share < 0.001:
        return "under 0.1%"
    return "over 99.9%" if share > 0.999 else f"{share:.1%}"
