"""Pairs are passed over by codes of a byte a value on most CPUs: none that reaches the threshold is lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from script_runs import run_code
from tersely.kernels import cosine_pairs, isa, threshold_clusters
from vector_oracles import TOLERANCE, components, cosines, gaussian, pairs_of

PANEL = 48
Shape = tuple[int, int]


def found(x: np.ndarray, threshold: float) -> list[tuple[int, int]]:
    got = cosine_pairs(x, threshold)
    return list(zip(got.i.tolist(), got.j.tolist(), strict=True))


def lost_to_codes(rng: np.random.Generator, shape: Shape) -> np.ndarray:
    """One large value and many just below half a step of the code: all that rows share is rounded away."""
    x = np.full(shape, 0.499 / 127)
    x[np.arange(shape[0]), rng.integers(0, shape[1], shape[0])] = rng.choice([-1, 1], shape[0])
    x[::2] *= rng.uniform(0.98, 1.02, shape[1])
    return x


KINDS: dict[str, Callable[[np.random.Generator, Shape], np.ndarray]] = {
    "normal": lambda rng, shape: rng.standard_normal(shape),
    "heavy tails": lambda rng, shape: rng.standard_cauchy(shape),
    "many sizes": lambda rng, shape: rng.standard_normal(shape) * 10.0 ** rng.integers(-2, 3, shape),
    "sparse": lambda rng, shape: rng.standard_normal(shape) * (rng.random(shape) < 0.1),
    "one sign": lambda rng, shape: rng.random(shape) + 0.5,
    "negative": lambda rng, shape: -rng.random(shape),
    "one hot": lambda rng, shape: np.eye(shape[1])[rng.integers(0, shape[1], shape[0])],
    "signs": lambda rng, shape: rng.choice([-1.0, 1.0], shape),
    "halves of a step": lambda rng, shape: (rng.integers(-127, 127, shape) + 0.5) / 127.5,
    "halves of a coarse step": lambda rng, shape: (rng.integers(-63, 63, shape) + 0.5) / 63.5,
    "largest and smallest codes": lambda rng, shape: rng.choice([-63.49, -63, -1, 0, 1, 63, 63.49], shape),
    "one of two sums": lambda rng, shape: rng.choice([-1.0, 1.0], shape) * (np.arange(shape[1]) % 4 < 2),
    "in the first block": lambda rng, shape: rng.standard_normal(shape) * (np.arange(shape[1]) < 130),
    "denormal": lambda rng, shape: rng.standard_normal(shape) * 1e-39,
    "huge": lambda rng, shape: rng.uniform(-3e38, 3e38, shape),
    "zero rows": lambda rng, shape: rng.standard_normal(shape) * (np.arange(shape[0]) % 3 > 0)[:, None],
    "lost to codes": lost_to_codes,
}


DEEP = [(kind, depth, False) for kind in list(KINDS)[:10] for depth in (3, 4, 5, 16, 17, 63, 65, 768, 1003)]
CASES = [(kind, depth, alike) for kind in KINDS for depth in (5, 65, 150) for alike in (False, True)]


@pytest.mark.parametrize(("kind", "depth", "alike"), [*DEEP, *(case for case in CASES if case not in DEEP)])
def test_no_pair_is_lost(kind: str, depth: int, alike: bool) -> None:
    """`alike`: the later a row of the second panel, the more columns it has from its row in the first."""
    rng = np.random.default_rng(depth)
    x = KINDS[kind](rng, (2 * PANEL, depth)).astype(np.float32)
    if alike:
        shared = rng.random((PANEL, depth)) < np.linspace(0, 1, PANEL)[:, None]
        x[PANEL:] = np.where(shared, x[:PANEL], x[PANEL:])
    cosine = cosines(x)
    ordered = np.sort(cosine[:PANEL, PANEL:], axis=None)
    for place in (-1, -2, -5, -40, len(ordered) // 2):  # few pairs reach the first ones
        threshold = float(np.clip(ordered[place] + 0.9 * TOLERANCE, -1, 1))
        expected = pairs_of(cosine, threshold)
        assert found(x, threshold) == expected
        labels = threshold_clusters(x, threshold, linkage="single").labels
        assert labels.tolist() == components(cosine, threshold)[0]
        representatives = set(threshold_clusters(x, threshold).representatives.tolist())
        members = {j for i, j in expected if i in representatives}
        assert sorted(members | representatives) == list(range(2 * PANEL))


def two_rows(first: np.ndarray, second: np.ndarray, others: float, depth: int) -> np.ndarray:
    """Rows 5 and 60; the others are like both, but less, or zero."""
    x = others * np.outer(np.r_[np.ones(PANEL), -np.ones(PANEL)], np.ones(depth))
    x[5], x[60] = first, second
    return x


@pytest.mark.parametrize("depth", [2, 17, 129, 1000])
@pytest.mark.parametrize("below", [0.1, 0.3, 0.49, 0.4999, 0.5, 0.51])
def test_what_two_rows_share_is_what_the_codes_leave_out(below: float, depth: int) -> None:
    """The bound is tight where one row points along what the code of the other one lost."""
    spike, flat = np.full(depth, below / 127), np.ones(depth)
    spike[0], flat[0] = 1, 0
    other = spike[::-1].copy()
    for first, second in ((spike, flat), (flat, spike), (spike, other), (-flat, -spike)):
        x = two_rows(first, second, 0, depth)
        reached = float(cosines(x)[5, 60])
        assert found(x, reached) == [(5, 60)]
        assert found(x, reached + 0.9 * TOLERANCE) == [(5, 60)]
        assert found(x, reached + 2 * TOLERANCE) == []


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("depth", [33, 64, 200, 768])
def test_what_two_rows_share_stands_in_the_last_columns(depth: int, share: float) -> None:
    """The first columns, where the screen may stop, are zero, or as far apart as they can be."""
    rng = np.random.default_rng(depth)
    x = rng.standard_normal((2 * PANEL, depth))
    first = round(share * depth)
    for i, j in ((5, 60), (3, 40), (47, 48)):  # in two panels, in one, side by side
        x[j] = x[i]
        x[j, :first] *= rng.choice([0, -0.3])
    cosine = cosines(x)
    for i, j in ((5, 60), (3, 40), (47, 48)):
        reached = float(cosine[i, j])
        for threshold in (reached, reached + 0.9 * TOLERANCE, reached - 1e-6):
            assert found(x, threshold) == pairs_of(cosine, threshold)
            assert (i, j) in found(x, threshold)


def exact(x: np.ndarray, threshold: float) -> list[tuple[int, int]]:
    unit = x / np.linalg.norm(x.astype(np.float64), axis=1, keepdims=True)
    return pairs_of(unit @ unit.T, threshold)


@pytest.mark.parametrize("depth", [24, 70])
def test_the_sampled_rows_are_unlike_the_others(depth: int) -> None:
    """Some rows say after how many columns to stop; these say nothing of where the others' pairs are."""
    rng = np.random.default_rng(depth)
    x = rng.standard_normal((1100, depth)) * 0.01
    x[:, -4:] = rng.standard_normal((1100, 4))
    x[:: 1100 // 17] = rng.standard_normal((len(x[:: 1100 // 17]), depth)) * (np.arange(depth) < 16)
    for threshold in (0.8, 0.95):
        assert len(exact(x, threshold)) > 100
        assert found(x, threshold) == exact(x, threshold)


@pytest.mark.parametrize("rows", [1103, 1152, 1200])
def test_nothing_is_ruled_out_among_copies_and_almost_all_beside_them(rows: int) -> None:
    """Where the screen does not help it is asked less, and again where it does."""
    x = np.random.default_rng(rows).standard_normal((rows, 40))
    x[100:500] = x[50] + 0.1 * x[100:500]
    x[900:1100:2] = -x[50] + 0.1 * x[900:1100:2]
    expected = exact(x, 0.9)
    assert len(expected) > 80_000
    assert found(x, 0.9) == expected
    assert threshold_clusters(x, 0.9, linkage="single").labels.tolist() == _components(rows, expected)


def _components(rows: int, pairs: list[tuple[int, int]]) -> list[int]:
    label = list(range(rows))
    for i, j in pairs:  # each row's first neighbour comes first, and there are no longer chains here
        label[j] = min(label[j], label[i])
    names = {name: number for number, name in enumerate(dict.fromkeys(label))}
    return [names[name] for name in label]


ALL_SETS = """
import itertools, sys
sys.path.insert(0, {folder!r})
import test_cosine_screen as cases
from tersely.kernels import isa
for kind in cases.KINDS:
    cases.test_no_pair_is_lost(kind, 150, alike=True)
for depth, below in itertools.product((17, 129), (0.3, 0.4999, 0.5)):
    cases.test_what_two_rows_share_is_what_the_codes_leave_out(below, depth)
cases.test_what_two_rows_share_stands_in_the_last_columns(200, 0.5)
cases.test_the_sampled_rows_are_unlike_the_others(24)
cases.test_nothing_is_ruled_out_among_copies_and_almost_all_beside_them(1103)
cases.test_later_rows_find_representatives_of_earlier_steps(64)
print(isa())
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["avx2", "avx512", "avx512vnni", "neondot"])
def test_no_pair_is_lost_on_any_instruction_set(name: str) -> None:
    if name == isa():
        return  # the tests above
    done = run_code(ALL_SETS.format(folder=str(Path(__file__).parent)), TERSELY_ISA=name)
    if "TERSELY_ISA must be one of" in done.stderr:
        pytest.skip(f"this CPU has no {name}")
    assert done.stdout.split() == [name], done.stderr


@pytest.mark.parametrize("depth", [8, 64, 768])
def test_later_rows_find_representatives_of_earlier_steps(depth: int) -> None:
    """Rows 800 and on against representatives that were copied together with their codes."""
    spike, flat = np.full(depth, 0.49 / 127), np.ones(depth)
    spike[0], flat[0] = 1, 0
    x = np.zeros((900, depth))
    x[[300, 310]] = spike, -spike
    x[[850, 851, 899]] = flat, spike, -flat
    limit = float(cosines(x[[300, 850]])[0, 1])
    labels, representatives = threshold_clusters(x, limit)[:2]
    assert representatives[labels[[850, 851, 899]]].tolist() == [300, 300, 310]


@pytest.mark.slow
@pytest.mark.parametrize("depth", [2**16 + 1, 2**17, 2**17 + 1, 2**20])
def test_as_many_columns_as_there_may_be(depth: int) -> None:
    """All codes at their largest: sums of products of codes come near to 2^31."""
    x = np.zeros((60, depth), np.float32)
    x[:3] = np.sign(gaussian(3, depth)) + np.float32(1e-3)
    x[3], x[4], x[50:52] = 1, -1, 1
    assert found(x, 0.9) == [(3, 50), (3, 51), (50, 51)]
    assert found(x, 1.0) == [(3, 50), (3, 51), (50, 51)]
    assert threshold_clusters(x, 0.9).sizes.max() == 3
    assert len(found(x, -1.0)) == 60 * 59 // 2
