"""Load pyarrow when it is first needed, and say what to install where it is missing."""

from __future__ import annotations

from typing import Any

from tersely.core.errors import MissingExtraError

__all__ = ["arrow", "parquet"]


def arrow() -> Any:
    """Return the module pyarrow. Raises MissingExtraError."""
    try:
        import pyarrow
    except ImportError as error:
        raise MissingExtraError("pyarrow", "scale") from error
    return pyarrow


def parquet() -> Any:
    """Return the module pyarrow.parquet. Raises MissingExtraError."""
    arrow()
    import pyarrow.parquet

    return pyarrow.parquet
