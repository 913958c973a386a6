"""Load numpy without the threads that its OpenBLAS starts."""

from __future__ import annotations

import os


def load_numpy() -> None:
    """Load numpy, if nobody has, without threads: they cost 0.1 s of CPU, and no command needs them.

    The environment stays as it is, for the commands that `tersely run` starts.
    """
    if "OPENBLAS_NUM_THREADS" in os.environ:
        return
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    try:
        import numpy  # noqa: F401
    finally:
        del os.environ["OPENBLAS_NUM_THREADS"]
