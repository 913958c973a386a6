"""The same bits for every number of threads and wherever a row stands (instruction sets: test_isa.py)."""

from __future__ import annotations

import numpy as np
import pytest
from tersely.kernels import cosine_similarity
from vector_oracles import all_answers, fixed_answers, gaussian


@pytest.mark.parametrize("threads", [2, 3, 4])
def test_the_same_bits_for_every_number_of_threads(threads: int) -> None:
    assert fixed_answers(threads) == fixed_answers(1)
    x, y = gaussian(1700, 96), gaussian(800, 96, seed=1)  # enough for all the threads to be used
    assert all_answers(x, y, 0.3, threads) == all_answers(x, y, 0.3, 1)


@pytest.mark.parametrize("depth", [1, 17, 100])
def test_a_similarity_does_not_depend_on_where_its_rows_stand(depth: int) -> None:
    x = gaussian(145, depth)
    whole = cosine_similarity(x)
    rng = np.random.default_rng(0)
    for rows, others in ((145, 145), (1, 145), (7, 1), (49, 97), (96, 48)):
        i, j = rng.permutation(145)[:rows], rng.permutation(145)[:others]
        np.testing.assert_array_equal(cosine_similarity(x[i], x[j]), whole[np.ix_(i, j)])
        np.testing.assert_array_equal(cosine_similarity(x[i]), whole[np.ix_(i, i)])


def test_scaling_by_powers_of_two_changes_no_bit() -> None:
    x = gaussian(100, 33, dtype=np.float64)
    factors = 2.0 ** np.random.default_rng(0).integers(-900, 900, (100, 1))
    np.testing.assert_array_equal(cosine_similarity(x * factors), cosine_similarity(x))
