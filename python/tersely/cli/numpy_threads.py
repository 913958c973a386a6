"""Load numpy without the threads that its OpenBLAS starts.

They cost 0.1 s of CPU, and no command but `distill` multiplies large matrices.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

_NAME = "OPENBLAS_NUM_THREADS"


def load_numpy() -> None:
    """Load numpy with one thread, unless the environment or `distill` wants more.

    The environment stays as it is, for the commands that `tersely run` starts.
    """
    if _NAME not in os.environ and "distill" not in sys.argv[1:2]:
        os.environ[_NAME] = "1"
        try:
            import_module("numpy")
        finally:
            del os.environ[_NAME]
