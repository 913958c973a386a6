"""Parse JSON that somebody wrote or sent, so that nothing of it is lost and every mistake is named."""

from __future__ import annotations

import json
import math
from typing import Any

__all__ = ["parse_json"]


def parse_json(text: str | bytes, what: str) -> Any:
    """Parse JSON; `what` is how an error names it.

    Raises ValueError for anything else, which includes what Python's parser takes and changes: NaN, numbers
    over 1e308, and objects with a key twice; and where lists and objects are nested about 900 deep.
    """
    try:
        return json.loads(text, object_pairs_hook=_object, parse_float=_finite, parse_constant=_finite)
    except RecursionError:
        raise ValueError(f"{what}: lists and objects are nested too deeply; 500 levels are allowed") from None
    except ValueError as error:
        raise ValueError(f"{what} is not JSON: {error}") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in found if names.count(name) > 1)
        raise ValueError(f"an object has the key {twice[:60]!r} twice")
    return found


def _finite(number: str) -> float:
    found = float(number)
    if not math.isfinite(found):
        raise ValueError(f"{number[:60]} is no number of JSON, which are finite and at most 1.8e308")
    return found
