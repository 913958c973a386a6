"""The `tersely` command: `main`, and a file for each subcommand or group of arguments."""

import os
import sys

# numpy without the threads that its OpenBLAS starts: they cost 0.1 s of CPU, and no command but `distill`
# multiplies large matrices. The environment stays as it is, for the commands that `tersely run` starts.
if "OPENBLAS_NUM_THREADS" not in os.environ and "distill" not in sys.argv[1:2]:
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    try:
        import numpy  # noqa: F401  # before anything else does
    finally:
        del os.environ["OPENBLAS_NUM_THREADS"]

from tersely.cli.main import main

__all__ = ["main"]
