"""The `tersely` command: `main`, and a file for each subcommand or group of arguments."""

from tersely.cli.main import main

__all__ = ["main"]
