"""One fresh process of the growth measurement: python -m benchmarks.end_to_end.grow REPEATS FILE...

Compresses each file REPEATS times and prints a JSON object: median seconds a call, and the peak of memory
during the first call, over what the process held before it with the text already loaded, by byte of UTF-8.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from statistics import median

import tersely

from benchmarks import checks, tokens
from benchmarks.end_to_end.warm import QUERY, RATIO
from benchmarks.peak import peak, start_of_peak


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
            before = start_of_peak()
        for turn in range(repeats):
            begin = time.perf_counter()
            result = tersely.compress(text, QUERY, ratio=RATIO)
            seconds.append(time.perf_counter() - begin)
            if number == 0 and turn == 0:
                memory = (peak() - before) / size
            checks.check_compressed(result, int(tokens.count(text) * RATIO))
    found = {"seconds": median(seconds), "memory": memory, "bytes": size, "character_bytes": character_bytes}
    print(json.dumps(found))


def _character_bytes(text: str) -> int:
    """Bytes Python itself holds for each character."""
    return 1 if text.isascii() or max(text) < "\u0100" else 2 if max(text) < "\U00010000" else 4


if __name__ == "__main__":
    main()
