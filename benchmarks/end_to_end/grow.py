"""One fresh process of the growth measurement: python -m benchmarks.end_to_end.grow REPEATS FILE...

Compresses each file REPEATS times and prints a JSON object: median seconds a call, and the peak of memory
during the first call, over what the process held before it with the text already loaded, by byte of UTF-8.
"""

from __future__ import annotations

import ctypes
import gc
import json
import resource
import sys
import time
from pathlib import Path
from statistics import median

import tersely

from benchmarks import checks, tokens
from benchmarks.end_to_end.warm import QUERY, RATIO


def main() -> None:
    """The process."""
    repeats, files = int(sys.argv[1]), [Path(name) for name in sys.argv[2:]]
    tersely.compress(
        "A warm start. It takes a few sentences. Obligations are one of them. " * 20, QUERY, ratio=RATIO
    )
    seconds: list[float] = []
    memory, size, character_bytes = 0.0, 0, 0
    for number, file in enumerate(files):
        text = file.read_bytes().decode()
        if number == 0:
            size, character_bytes = file.stat().st_size, _character_bytes(text)
            before = _start_of_peak()
        for turn in range(repeats):
            begin = time.perf_counter()
            result = tersely.compress(text, QUERY, ratio=RATIO)
            seconds.append(time.perf_counter() - begin)
            if number == 0 and turn == 0:
                memory = (_peak() - before) / size
            checks.check_compressed(result, int(tokens.count(text) * RATIO))
    found = {"seconds": median(seconds), "memory": memory, "bytes": size, "character_bytes": character_bytes}
    print(json.dumps(found))


def _start_of_peak() -> int:
    """Bytes held now; the peak counts from here on where the system can forget the old one.

    Loading the text has a peak of its own, and a child process takes over the peak of its parent: without
    forgetting it, both would hide what the call needs.
    """
    gc.collect()
    if sys.platform != "linux":
        return _peak()
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return _status("VmRSS")


def _peak() -> int:
    if sys.platform == "linux":
        return _status("VmHWM")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _status(key: str) -> int:
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1]) * 1024
    raise KeyError(key)


def _character_bytes(text: str) -> int:
    """Bytes Python itself holds for each character."""
    return 1 if text.isascii() or max(text) < "\u0100" else 2 if max(text) < "\U00010000" else 4


if __name__ == "__main__":
    main()
