"""The command `tersely`, which `python -m tersely` is, too."""

from __future__ import annotations

import sys
import time


def main() -> int:
    """Run the command that the arguments name; returns the exit code."""
    started = time.perf_counter() - time.process_time()  # Python's own start is part of what a user waits for
    if sys.argv[1:] in (["--version"], ["-V"]) and sys.stdout is not None:
        import tersely

        try:  # without numpy and the engine, which take ten times as long
            print(f"tersely {tersely.__version__}", flush=True)
            return 0
        except OSError:  # the command says what is wrong
            pass
    try:
        from tersely.cli import main as run

        return run(started=started)
    except KeyboardInterrupt:  # while it loads, or again
        return 130


if __name__ == "__main__":
    sys.exit(main())
