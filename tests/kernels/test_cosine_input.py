"""Rows in any memory layout and of any real type, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from tersely.kernels import cosine_pairs, cosine_similarity, threshold_clusters
from vector_oracles import digest

# Multiples of 1/8 up to 8 are the same numbers in every type.
BASE = np.random.default_rng(0).integers(-64, 64, (53, 35)) / 8
BASE[[4, 30]] = BASE[[17, 2]] * [[1], [-1]]
BASE[11] = 0


def everything(x: object, threads: int | None = None) -> str:
    pairs = cosine_pairs(x, 0.2, threads=threads)  # type: ignore[arg-type]
    by_cluster = [
        threshold_clusters(x, 0.2, linkage=linkage, threads=threads)  # type: ignore[arg-type]
        for linkage in ("representative", "single")
    ]
    similarity = cosine_similarity(x, threads=threads)  # type: ignore[arg-type]
    with_other = cosine_similarity(BASE, x, threads=threads)  # type: ignore[arg-type]
    return digest(similarity, with_other, *pairs, *by_cluster[0][:3], *by_cluster[1][:3])


def apart(x: np.ndarray) -> np.ndarray:
    room = np.full((x.shape[0] * 2, x.shape[1] * 3), np.nan, x.dtype)
    room[::2, ::3] = x
    return room[::2, ::3]


def rows_apart(x: np.ndarray) -> np.ndarray:
    room = np.full((x.shape[0], x.shape[1] + 5), np.nan, x.dtype)
    room[:, 2:-3] = x
    return room[:, 2:-3]


def unaligned(x: np.ndarray) -> np.ndarray:
    view = np.frombuffer(b"?" + x.tobytes(), dtype=x.dtype, offset=1).reshape(x.shape)
    assert not view.flags.aligned
    return view


def packed_field(x: np.ndarray) -> np.ndarray:
    """A field of a packed record: rows start at odd addresses."""
    records = np.zeros(len(x), dtype=[("flag", "u1"), ("row", x.dtype, x.shape[1])])
    records["row"] = x
    return records["row"]


def frozen(x: np.ndarray) -> np.ndarray:
    copy = x.copy()
    copy.flags.writeable = False
    return copy


LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "contiguous": np.ascontiguousarray, "fortran": np.asfortranarray,
    "transposed": lambda x: np.ascontiguousarray(x.T).T,
    "reversed": lambda x: np.ascontiguousarray(x[::-1, ::-1])[::-1, ::-1],
    "rows reversed": lambda x: np.ascontiguousarray(x[::-1])[::-1], "apart": apart, "rows apart": rows_apart,
    "unaligned": unaligned, "packed field": packed_field, "read-only": frozen,
    "other byte order": lambda x: x.astype(x.dtype.newbyteorder()),
}  # fmt: skip


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout: str, dtype: type) -> None:
    x = LAYOUTS[layout](BASE.astype(dtype))
    before = x.copy()
    assert everything(x) == everything(BASE)
    np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize(
    "kind",
    [
        "list", "tuple", "bool", "int8", "uint8", "int16", "int32", "int64", "uint64", ">i4", ">f8", ">f4",
        ">f2",
    ],
)  # fmt: skip
def test_numbers_of_other_types(kind: str) -> None:
    whole = np.abs(np.round(BASE)) % (2 if kind == "bool" else 100)
    others = {"list": whole.tolist(), "tuple": tuple(map(tuple, whole.astype(int).tolist()))}
    x = others[kind] if kind in others else whole.astype(kind)
    assert everything(x) == everything(whole)


CALLS: dict[str, Callable[..., object]] = {
    "cosine_similarity": cosine_similarity,
    "cosine_pairs": partial(cosine_pairs, threshold=0.5),
    "representative": partial(threshold_clusters, threshold=0.5),
    "single": partial(threshold_clusters, threshold=0.5, linkage="single"),
}


REFUSED = [
    *((x, TypeError, f"X must be float16, float32 or float64, not {found}")
      for x, found in ((np.ones((3, 2), complex), "complex128"), (np.array([["a", "b"]]), "<U1"),
                       (np.array([[1, None]]), "object"),
                       (np.array([["2020-01-01"]], "M8[D]"), r"datetime64\[D\]"))),
    *((x, ValueError, rf"X must be 2D \(rows, columns\), not {np.asarray(x).ndim}D")
      for x in (3.0, [1.0, 2.0], np.ones((2, 2, 2)), None, [])),
    (np.broadcast_to(np.float32(1), (2, 2**20 + 1)), ValueError, r"X must have at most 2\^20 columns"),
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(("x", "error", "said"), REFUSED)
def test_what_is_no_matrix_of_numbers(call: str, x: object, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        CALLS[call](x)


def test_y_is_checked_too_and_named() -> None:
    x = np.ones((2, 2))
    with pytest.raises(TypeError, match="Y must be float16, float32 or float64, not complex128"):
        cosine_similarity(x, x * 1j)
    with pytest.raises(ValueError, match="Y must be 2D"):
        cosine_similarity(x, x[0])


def test_too_many_rows() -> None:
    x = np.broadcast_to(np.float32(1), (2**31, 1))
    with pytest.raises(ValueError, match=r"X must have less than 2\^31 rows"):
        cosine_pairs(x, 0.5)
    with pytest.raises(ValueError, match=r"X must have less than 2\^31 rows"):
        threshold_clusters(x, 0.5)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("call", CALLS)
def test_a_row_that_is_not_finite_is_named(call: str, bad: float, dtype: type) -> None:
    for depth in (1, 17, 64):
        for row, column in ((0, 0), (46, depth - 1), (99, depth // 2)):
            x = np.ones((100, depth), dtype)
            x[row, column] = bad
            with pytest.raises(ValueError, match=f"^X: row {row} holds a NaN or an infinity$"):
                CALLS[call](x)


LARGE = np.random.default_rng(1).standard_normal((3500, 600), dtype=np.float32)  # worth four threads to pack


@pytest.mark.parametrize("threads", [1, 2, 3, 4])
@pytest.mark.parametrize("call", CALLS)
def test_the_lowest_bad_row_is_named(call: str, threads: int) -> None:
    x = LARGE if call == "cosine_similarity" else LARGE[:1700]
    bad = [len(x) - 1, 1600, 803, 1201]
    saved = x[bad].copy()
    try:
        x[bad] = np.array([[np.nan], [np.inf], [-np.inf], [np.nan]])
        with pytest.raises(ValueError, match=r"^X: row 803 holds a NaN or an infinity$"):
            CALLS[call](x, threads=threads)
    finally:
        x[bad] = saved


@pytest.mark.parametrize("call", ["cosine_pairs", "representative", "single"])
@pytest.mark.parametrize(
    ("threshold", "error", "message"),
    [
        (1.0000001, ValueError, r"threshold must lie in \[-1, 1\], not 1.0000001"),
        (-1.5, ValueError, r"threshold must lie in \[-1, 1\], not -1.5"),
        (float("nan"), ValueError, r"threshold must lie in \[-1, 1\], not nan"),
        (True, TypeError, "threshold must be a number, not True"),
        ("0.5", TypeError, "threshold must be a number, not '0.5'"),
        (None, TypeError, "threshold must be a number, not None"),
        (1j, TypeError, "threshold must be a number, not 1j"),
    ],
)
def test_thresholds_that_are_none(call: str, threshold: object, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        CALLS[call](np.ones((2, 2)), threshold=threshold)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("threads", [0, -1, True, 1.5, "2"])
def test_threads_must_be_a_whole_number(call: str, threads: object) -> None:
    with pytest.raises((TypeError, ValueError), match=r"threads must be a whole number.*, not "):
        CALLS[call](np.ones((2, 2)), threads=threads)


@pytest.mark.parametrize("threads", [1, 7, np.int64(2), 1024, 10**6])
def test_more_threads_than_there_is_work(threads: int) -> None:
    assert everything(BASE, threads) == everything(BASE, 1)
