"""The native border. Arrays are C-contiguous and one-dimensional; texts hold no lone surrogates."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

_Int32s: TypeAlias = npt.NDArray[np.int32]
_Int64s: TypeAlias = npt.NDArray[np.int64]
_UInt8s: TypeAlias = npt.NDArray[np.uint8]
_Float32s: TypeAlias = npt.NDArray[np.float32]
# document, start, end, kind, block, heading: the columns of a SegmentTable
_Table: TypeAlias = tuple[_Int32s, _Int64s, _Int64s, _UInt8s, _Int32s, _Int32s]

__version__: str

def isa() -> str: ...
def segment(texts: list[str], level: int, window: int) -> _Table: ...
def analyze(
    texts: list[str], extras: list[str], level: int, window: int
) -> tuple[_Table, _Int32s, _Int64s, int]: ...
def terms(texts: list[str]) -> tuple[_Int32s, _Int64s, list[str]]: ...
def relevance(
    term_ids: _Int32s,
    term_offsets: _Int64s,
    vocabulary: int,
    document: _Int32s,
    block: _Int32s,
    heading: _Int32s,
    query_row: int,
    title_rows: _Int64s,
) -> _Float32s: ...
def centrality(
    term_ids: _Int32s,
    term_offsets: _Int64s,
    vocabulary: int,
    document: _Int32s,
    block: _Int32s,
    heading: _Int32s,
) -> _Float32s: ...
def inverse_frequency(
    term_ids: _Int32s,
    term_offsets: _Int64s,
    vocabulary: int,
    document: _Int32s,
    block: _Int32s,
    heading: _Int32s,
) -> _Float32s: ...
def select_budgeted(
    score: _Float32s,
    cost: _Int64s,
    budget: int,
    pinned: _UInt8s,
    group: _Int32s,
    document: _Int32s,
    heading: _Int32s,
    term_ids: _Int32s,
    term_offsets: _Int64s,
    term_weight: _Float32s,
    redundancy: float,
    context: int,
) -> _UInt8s: ...
