"""The `tersely` command: `main`, and a file for each subcommand or group of arguments."""

from tersely.cli.numpy_threads import load_numpy

load_numpy()  # before anything else does

from tersely.cli.main import main  # noqa: E402

__all__ = ["main"]
