"""Read arrays as NumPy writes them, without a copy and without trust in what their headers claim."""

from __future__ import annotations

import math
import mmap
import re
import zlib
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["file_digest", "map_array", "map_bytes", "read_array"]

# The header of version 1.0, read by this pattern alone: its claims are compared with what is there.
_HEADER = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '([|<]\w+)', 'fortran_order': False, 'shape': \(([\d, ]+)\), \} *\n",
    re.DOTALL,
)


def read_array(content: bytes | mmap.mmap, name: str, dtype: str, dimensions: int) -> Any:
    """The array of a file's content, which it shares; `dtype` as NumPy writes it: "<f4".

    Raises ValueError where it is another array, or has more or fewer values than it claims.
    """
    found = _HEADER.match(content)
    shape = [int(size) for size in found[2].split(b",") if size.strip()] if found else []
    if not found or found[1] != dtype.encode():
        raise ValueError(f"{name} is not an array of {np.dtype(dtype)}")
    values: Any = np.frombuffer(content, dtype, offset=found.end())
    if len(shape) != dimensions or values.size != math.prod(shape):
        raise ValueError(f"{name} has {values.size} values, not those of a shape of {dimensions}: {shape}")
    return values.reshape(shape)


def map_array(path: Path, dtype: str) -> Any:
    """The one-dimensional array of a file, mapped: nothing is read before it is used. Raises as `read_array`,
    and OSError."""
    return read_array(map_bytes(path), path.name, dtype, 1)


def map_bytes(path: Path) -> bytes | mmap.mmap:
    """A file's bytes, mapped. Raises OSError."""
    with path.open("rb", buffering=0) as file:
        try:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError:  # an empty file
            return b""


def file_digest(path: Path) -> str:
    """The CRC-32 of a file, in hexadecimal: it shows damage, not forgery. O(bytes), 1 to 7 GB a second.

    Raises OSError.
    """
    return f"{zlib.crc32(map_bytes(path)):08x}"
