"""What goes into models and what comes out, checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tersely.tables import Float32s

__all__ = ["checked_texts", "unit_rows"]


def checked_texts(texts: Sequence[str]) -> list[str]:
    """The texts as a list. Raises TypeError for a single str and for what is no str."""
    if isinstance(texts, (str, bytes)):
        raise TypeError(f"texts must be a list of str, not one {type(texts).__name__}")
    result = list(texts)
    if set(map(type, result)) <= {str}:
        return result
    for index, text in enumerate(result):
        if not isinstance(text, str):
            raise TypeError(f"text {index} must be str, not {type(text).__name__}")
    return result


def unit_rows(rows: Any) -> Float32s:
    """float32[n, d]: the rows at length one; a zero row stays zero. The lengths are taken in double."""
    wide = np.asarray(rows, dtype=np.float64)
    lengths = np.sqrt(np.einsum("ij,ij->i", wide, wide))
    with np.errstate(invalid="ignore"):  # infinite rows become NaN: the caller looks
        return np.asarray(wide / np.where(lengths > 0, lengths, 1.0)[:, None], dtype=np.float32)
