"""A process that forks a writer for each line of its input, `PATH ROUND STATEMENT`, to be killed.

The writer says on stdout what it was told is durable. Run as a script by test_kills.py.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
import traceback

from tersely.store import Store


def original(round_: int, number: int) -> str:
    """The same text for the same numbers, short or some pages long."""
    random_ = random.Random(f"{round_} {number}")
    words = [random_.choice(("token", "store", "page", "\x00", "é", "日本", "\r\n")) for _ in range(9)]
    return f"{round_} {number} " + " ".join(words) * random_.choice((1, 1, 1, 40, 900))


def say(*words: object) -> None:
    os.write(1, (" ".join(map(str, words)) + "\n").encode())  # one write: whole lines, whoever else writes


def write(store: Store, round_: int, numbers: range) -> None:
    for number in numbers:
        id = f"{round_}-{number}"
        if number % 5 == 4:
            ids = [f"{id}-{part}" for part in range(20)]
            store.put_many([{"id": name, "text": f"{name} {original(round_, number)}"} for name in ids])
            say("many", round_, number)
            continue
        store.put(original(round_, number), id=id)
        say("put", round_, number)
        for times in range(number % 3):
            store.replace(id, f"{times} {round_} {number}")
            say("replaced", round_, number, times)


def child(path: str, round_: int) -> None:
    with Store.open(path) as store:
        say("opened", round_, 0)
        threads = [
            threading.Thread(target=write, args=(store, round_, range(first, first + 100_000)))
            for first in (1_000_000, 2_000_000, 3_000_000)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def child_that_dies_at(path: str, round_: int, statement: int) -> None:
    """Kills itself before that statement of a put and a replacement."""
    count = 0

    def before(_: str) -> None:
        nonlocal count
        count += 1
        if count == statement:
            os.kill(os.getpid(), signal.SIGKILL)

    with Store.open(path) as store:
        store._file._writer.set_trace_callback(before)  # type: ignore[union-attr]
        write(store, round_, range(1, 2))
        say("survived", round_, count)


def main() -> None:
    for line in sys.stdin:
        path, round_, statement = line.rsplit(" ", 2)
        ready, go = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.read(ready, 1)  # its process id is said first
            try:
                if int(statement) == 0:
                    child(path, int(round_))
                else:
                    child_that_dies_at(path, int(round_), int(statement))
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(1)
        say("pid", pid, 0)
        os.write(go, b"g")
        os.waitpid(pid, 0)
        os.close(ready)
        os.close(go)
        say("dead", pid, 0)


if __name__ == "__main__":
    main()
