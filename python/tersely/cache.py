"""Keep values in memory by key, up to a number of bytes; the least recently used ones make room."""

from __future__ import annotations

import hashlib
import threading
from array import array
from collections import OrderedDict
from collections.abc import Sequence
from typing import Generic, TypeVar

from tersely import checks

Value = TypeVar("Value")

_ENTRY_BYTES = 200  # key, links and the like


class BoundedCache(Generic[Value]):
    """A dict of limited bytes: the least recently used values make room. Thread-safe, O(1) a call.

    Attributes:
        size: bytes allowed, as the callers of `put` count them.
        hits, misses: how often `get` found a value, and how often not.
    """

    def __init__(self, size: int) -> None:
        """Make an empty cache of `size` bytes, a whole number; with 0 it keeps nothing."""
        self.size = checks.whole_number(size, "size")
        self.hits = self.misses = 0
        self._entries: OrderedDict[bytes | str, tuple[Value, int]] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def nbytes(self) -> int:
        """Bytes in use."""
        return self._bytes

    def get(self, key: bytes | str) -> Value | None:
        """The value of `key`, or None."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                self.misses += 1
                return None
            self.hits += 1
            self._entries.move_to_end(key)
            return entry[0]

    def put(self, key: bytes | str, value: Value, nbytes: int) -> None:
        """Keep `value`, which takes `nbytes`; one larger than the cache is not kept."""
        nbytes += _ENTRY_BYTES
        with self._lock:
            before = self._entries.pop(key, None)
            self._bytes -= before[1] if before else 0
            if nbytes > self.size:
                return
            self._entries[key] = (value, nbytes)
            self._bytes += nbytes
            while self._bytes > self.size:
                self._bytes -= self._entries.popitem(last=False)[1][1]

    def remove(self, key: bytes | str) -> bool:
        """Forget a value; whether there was one."""
        with self._lock:
            entry = self._entries.pop(key, None)
            self._bytes -= entry[1] if entry else 0
            return entry is not None

    def clear(self) -> None:
        """Forget the values, not the counts."""
        with self._lock:
            self._entries.clear()
            self._bytes = 0


def digest_of(fields: Sequence[str]) -> bytes:
    """Return the SHA-256 of a list of texts, lengths included. A lone surrogate is hashed as it is."""
    encoded = [field.encode("utf-8", "surrogatepass") for field in fields]
    lengths = array("Q", map(len, encoded)).tobytes()
    return hashlib.sha256(lengths + b"".join(encoded)).digest()
