"""The fit beside dense linear algebra, and what refining does to the order of neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

sparse = pytest.importorskip("scipy.sparse", reason="scipy is not installed")

from distill import (  # noqa: E402
    _gradient,
    bags,
    centred,
    fit_ridge,
    mean_cosine,
    mean_vectors,
    principal_basis,
    ranking_agreement,
    read_words,
    refine_ranking,
    start_table,
    unit,
)


def silent(done: int, of: int) -> None:
    pass


def some_bags(random: np.random.Generator, texts: int, words: int) -> Any:
    counts = random.poisson(3 / np.arange(1, words + 1) ** 0.5, (texts, words)).astype(np.float32)
    counts[:, 0] += 1
    return sparse.csr_matrix(counts / counts.sum(axis=1, keepdims=True))


def test_bags_are_shares_of_tokens() -> None:
    words = ["[UNK]", "tide", "##s", "rise", "."]
    rows = bags(["Tides rise. Tides!", "", "tide " * 300], words).toarray()
    assert rows[0].tolist() == pytest.approx([1 / 7, 2 / 7, 2 / 7, 1 / 7, 1 / 7])
    assert rows[1].tolist() == [0] * 5
    assert rows[2].tolist() == pytest.approx([0, 1, 0, 0, 0])


def test_the_fit_is_the_dense_ridge_solution() -> None:
    random = np.random.default_rng(1)
    rows, targets = some_bags(random, 300, 40), random.normal(size=(300, 6)).astype(np.float32)
    start = random.normal(size=(40, 6)).astype(np.float32)
    found = fit_ridge(rows, targets, start, 0.3, 80, silent)
    dense = rows.toarray().astype(np.float64)
    expected = np.linalg.solve(dense.T @ dense + 0.3 * np.eye(40), dense.T @ targets + 0.3 * start)
    np.testing.assert_allclose(found, expected, atol=1e-3)


def test_a_planted_table_is_found_and_words_without_text_stay() -> None:
    random = np.random.default_rng(2)
    rows = some_bags(random, 2000, 60)
    rows = sparse.hstack([rows, sparse.csr_matrix((2000, 5), dtype=np.float32)]).tocsr()
    planted, start = random.normal(size=(2, 65, 8)).astype(np.float32)
    found = fit_ridge(rows, rows @ planted, start, 1e-4, 200, silent)
    np.testing.assert_allclose(found[:60], planted[:60], atol=0.02)
    np.testing.assert_array_equal(found[60:], start[60:])


def test_the_start_is_linear_in_what_the_teacher_says_of_words() -> None:
    """Texts that are sums of their words' weighted vectors are met, for words too that no text has."""
    random = np.random.default_rng(3)
    rows = some_bags(random, 3000, 80)
    rows = sparse.hstack([rows, sparse.csr_matrix((3000, 20), dtype=np.float32)]).tocsr()
    single = 300 * unit(random.normal(size=(100, 10)).astype(np.float32))
    shares = np.asarray(rows.sum(axis=0)).ravel() / rows.sum()
    planted = single[:, :7] * (1e-3 / (1e-3 + shares))[:, None]
    found = start_table(rows, single, np.asarray(rows @ planted, np.float32))
    cosine = (unit(found) * unit(planted.astype(np.float32))).sum(axis=1)
    assert cosine[80:].min() > 0.99


def test_the_basis_holds_the_energy_and_is_orthonormal() -> None:
    random = np.random.default_rng(4)
    vectors = (random.normal(size=(500, 12)) * np.geomspace(9, 0.1, 12)).astype(np.float32)
    basis = principal_basis(vectors, 5)
    np.testing.assert_allclose(basis.T @ basis, np.eye(5), atol=1e-5)
    kept = np.square(vectors @ basis).sum(axis=0)
    assert (np.diff(kept) < 0).all()
    assert kept.sum() == pytest.approx(np.sort(np.linalg.svd(vectors)[1] ** 2)[-5:].sum(), rel=1e-4)


def test_a_centred_table_gives_vectors_without_the_mean() -> None:
    random = np.random.default_rng(5)
    rows, table = some_bags(random, 200, 30), (random.normal(size=(30, 6)) + 2).astype(np.float32)
    mean = mean_vectors(rows, table).mean(axis=0)
    after = mean_vectors(rows, centred(rows, table))
    np.testing.assert_allclose(after @ (mean / np.linalg.norm(mean)), 0, atol=1e-4)


def test_the_gradient_is_that_of_the_cross_entropy() -> None:
    random = np.random.default_rng(6)
    rows = some_bags(random, 12, 9)
    table = random.normal(size=(9, 4)).astype(np.float32)
    teacher = unit(random.normal(size=(12, 5)).astype(np.float32))

    def loss(changed: Any) -> float:
        def weights(vectors: Any) -> Any:
            scores = vectors @ vectors.T / 0.1
            np.fill_diagonal(scores, -np.inf)
            powers = np.exp(scores - scores.max(axis=1, keepdims=True))
            return powers / powers.sum(axis=1, keepdims=True)

        sums = rows.toarray().astype(np.float64) @ changed
        ours = weights(sums / np.linalg.norm(sums, axis=1, keepdims=True))
        theirs = weights(teacher.astype(np.float64))
        apart = ~np.eye(12, dtype=bool)
        return float(-(theirs[apart] * np.log(ours[apart])).sum() / 12)

    columns, gradient = _gradient(table, rows, teacher)
    for row, column in ((0, 0), (3, 2), (8, 3)):
        step = np.zeros_like(table, np.float64)
        step[row, column] = 1e-4
        expected = (loss(table + step) - loss(table - step)) / 2e-4
        found = gradient[columns.tolist().index(row), column] if row in columns else 0.0
        assert found == pytest.approx(expected, rel=2e-2, abs=2e-4)


def test_refining_brings_the_order_nearer_to_the_teachers() -> None:
    random = np.random.default_rng(7)
    rows = some_bags(random, 600, 50)
    planted = random.normal(size=(50, 16)).astype(np.float32)
    teacher = mean_vectors(rows, planted)
    table = planted + random.normal(size=planted.shape).astype(np.float32)
    before = ranking_agreement(mean_vectors(rows, table), teacher)
    refined = refine_ranking(table, rows, teacher, 60, silent)
    assert ranking_agreement(mean_vectors(rows, refined), teacher) > before + 0.05
    first, again = (refine_ranking(table, rows, teacher, 5, silent) for _ in range(2))
    np.testing.assert_array_equal(first, again)


def test_the_measures_are_one_for_the_teacher_itself() -> None:
    random = np.random.default_rng(8)
    teacher = unit(random.normal(size=(40, 12)).astype(np.float32))
    basis = principal_basis(teacher, 12)
    assert mean_cosine(teacher @ basis, teacher, basis) == pytest.approx(1)
    assert ranking_agreement(teacher @ basis, teacher) == 1
    assert ranking_agreement(teacher[:, :1], teacher) < 0.5
    assert ranking_agreement(teacher[:1], teacher[:1]) == 1


def test_only_an_uncased_wordpiece_tokenizer_is_read(tmp_path: Any) -> None:
    path = tmp_path / "tokenizer.json"
    good = (
        '{"normalizer": {"type": "BertNormalizer", "lowercase": true}, "model": {"vocab": {"b": 1, "a": 0}}}'
    )
    path.write_text(good)
    assert read_words(path) == ["a", "b"]
    for bad, message in (
        (good.replace("true", "false"), "must be an uncased WordPiece"),
        (good.replace('"vocab"', '"type": "BPE", "vocab"'), "not BPE"),
        (good.replace('"b": 1', '"b": 2'), "without gaps"),
        ("[]", "is not the file of"),
        ("{", "is not the file of"),
    ):
        path.write_text(bad)
        with pytest.raises(ValueError, match=message):
            read_words(path)
