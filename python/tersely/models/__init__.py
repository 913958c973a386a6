"""What ships inside the wheel: fitted weights, and their cards."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

__all__ = ["relevance_weights"]


def relevance_weights(kind: str) -> Mapping[str, float]:
    """Weights of the features of relevance (engine/score.py) for a kind of vectors: "none", ...

    benchmarks/quality/fit.py fits them; models/relevance.md says on what, and how well they do elsewhere.
    """
    return dict(_weights()[kind])


@lru_cache(maxsize=1)
def _weights() -> dict[str, Any]:
    import json  # `import tersely` need not

    text = Path(__file__).with_name("relevance.json").read_text(encoding="utf-8")
    return dict(json.loads(text))
