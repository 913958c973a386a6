"""The same bits on every instruction set, for every number of threads, and wherever a row stands."""

from __future__ import annotations

import re

import numpy as np
import pytest
from script_runs import run_code
from tersely.kernels import cosine_pairs, cosine_similarity, isa, threshold_clusters
from vector_oracles import all_answers, fixed_answers, gaussian

SETS = ["scalar", "avx2", "avx512", "avx512vnni", "neon", "neondot"]
RUN = """
from tersely.kernels import isa
from vector_oracles import fixed_answers
print(isa(), *{fixed_answers(threads) for threads in (1, 3)})
"""


def allowed() -> list[str]:
    """The instruction sets of this CPU, as the error message lists them."""
    stderr = run_code("from tersely.kernels import isa; isa()", TERSELY_ISA="no-such-set").stderr
    names = re.search(r"TERSELY_ISA must be one of (.+?) on this CPU", stderr)
    assert names, stderr
    return names[1].split(", ")


@pytest.mark.parametrize("name", SETS)
def test_the_same_bits_on_every_instruction_set(name: str) -> None:
    if name not in allowed():
        pytest.skip(f"this CPU has no {name}; it has {', '.join(allowed())}")
    done = run_code(RUN, TERSELY_ISA=name)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [name, fixed_answers()]


def test_isa_is_one_of_the_known_names() -> None:
    assert isa() in SETS


@pytest.mark.parametrize("threads", [2, 3, 4])
def test_the_same_bits_for_every_number_of_threads(threads: int) -> None:
    assert fixed_answers(threads) == fixed_answers(1)
    x, y = gaussian(1700, 96), gaussian(800, 96, seed=1)  # enough for all the threads to be used
    assert all_answers(x, y, 0.3, threads) == all_answers(x, y, 0.3, 1)


def test_the_same_bits_run_after_run() -> None:
    x, y = gaussian(1000, 96), gaussian(800, 96, seed=1)
    assert len({all_answers(x, y, 0.3, 4) for _ in range(8)}) == 1


@pytest.mark.parametrize("depth", [1, 17, 100])
def test_a_similarity_does_not_depend_on_where_its_rows_stand(depth: int) -> None:
    x = gaussian(145, depth)
    whole = cosine_similarity(x)
    rng = np.random.default_rng(0)
    for rows, others in ((145, 145), (1, 145), (7, 1), (49, 97), (96, 48)):
        i, j = rng.permutation(145)[:rows], rng.permutation(145)[:others]
        np.testing.assert_array_equal(cosine_similarity(x[i], x[j]), whole[np.ix_(i, j)])
        np.testing.assert_array_equal(cosine_similarity(x[i]), whole[np.ix_(i, i)])


@pytest.mark.parametrize("depth", [2, 17, 100])
def test_pairs_do_not_depend_on_where_their_rows_stand(depth: int) -> None:
    x = gaussian(145, depth)
    x[100:] = x[:45] * 3
    order = np.random.default_rng(0).permutation(145)
    for threshold in (0.4, 1.0):
        straight = cosine_pairs(x, threshold)
        shuffled = cosine_pairs(x[order], threshold)
        names = np.sort(np.stack([order[shuffled.i], order[shuffled.j]]), axis=0)
        in_order = np.lexsort(names[::-1])
        np.testing.assert_array_equal(names[:, in_order], [straight.i, straight.j])
        np.testing.assert_array_equal(shuffled.similarity[in_order], straight.similarity)


def test_labels_do_not_depend_on_where_the_rows_stand() -> None:
    x = gaussian(1600, 24)
    scores = np.random.default_rng(1).permutation(1600)
    order = np.random.default_rng(0).permutation(1600)
    for linkage in ("representative", "single"):
        straight = threshold_clusters(x, 0.6, scores, linkage=linkage)  # type: ignore[arg-type]
        shuffled = threshold_clusters(x[order], 0.6, scores[order], linkage=linkage)  # type: ignore[arg-type]
        np.testing.assert_array_equal(shuffled.labels, straight.labels[order])
        np.testing.assert_array_equal(order[shuffled.representatives], straight.representatives)


def test_scaling_by_powers_of_two_changes_no_bit() -> None:
    x = gaussian(100, 33, dtype=np.float64)
    factors = 2.0 ** np.random.default_rng(0).integers(-900, 900, (100, 1))
    np.testing.assert_array_equal(cosine_similarity(x * factors), cosine_similarity(x))
