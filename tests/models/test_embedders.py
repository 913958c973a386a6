"""What callers hand over as embedders and cross-encoders, and what is done about bad answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from tersely.errors import MissingExtraError, ModelReplyError
from tersely.models.embedders import resolve_cross_encoder, resolve_embedder
from tersely.models.model2vec import Model2VecEmbedder
from tersely.models.sentence_transformers import SentenceTransformersEmbedder
from tersely.models.static import SHIPPED
from tersely.protocols import CrossEncoder, Embedder, TruncationReporter


class Fixed:
    """An embedder and cross-encoder that always gives the same answer."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def embed(self, texts: Sequence[str]) -> Any:
        return self.answer

    def score(self, query: str, texts: Sequence[str]) -> Any:
        return self.answer


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, list])
def test_rows_come_out_as_float32_of_length_one(kind: Any) -> None:
    rows = [[3.0, 4.0], [0.0, 0.0], [-2.0, 0.0]]
    answer = rows if kind is list else np.array(rows, dtype=kind)
    vectors = resolve_embedder(Fixed(answer)).embed(["a", "b", "c"])
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, [[0.6, 0.8], [0, 0], [-1, 0]], atol=1e-7)


def test_huge_and_tiny_rows_keep_their_direction() -> None:
    vectors = resolve_embedder(Fixed([[1e30, 1e30], [1e-30, 0.0]])).embed(["a", "b"])
    np.testing.assert_allclose(vectors, [[2**-0.5, 2**-0.5], [1, 0]], rtol=1e-6)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ([[1.0, 2.0]], r"Fixed must give an array of shape \(2, dimensions\), not \(1, 2\)"),
        ([1.0, 2.0], r"not \(2,\)"),
        (np.zeros((2, 0)), r"not \(2, 0\)"),
        ([[1.0], [np.nan]], "Fixed gave no finite number for text 1"),
        ([[np.inf], [1.0]], "no finite number for text 0"),
        ([[1.0], [1.0, 2.0]], "must give an array of numbers, not list"),
        ("vectors", "must give an array of numbers, not str"),
        (np.array([[1 + 2j], [1]]), "must give an array of numbers, not complex128"),
        (None, "no finite number|array of numbers"),
    ],
)
def test_bad_answers_of_an_embedder(answer: Any, error: str) -> None:
    with pytest.raises(ModelReplyError, match=error):
        resolve_embedder(Fixed(answer)).embed(["a", "b"])


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ([0.5], r"Fixed must give 2 scores, not shape \(1,\)"),
        ([[0.5], [0.5]], r"not shape \(2, 1\)"),
        ([0.5, np.nan], "no finite number for text 1"),
        (["high", "low"], "must give an array of numbers"),
    ],
)
def test_bad_answers_of_a_cross_encoder(answer: Any, error: str) -> None:
    with pytest.raises(ModelReplyError, match=error):
        resolve_cross_encoder(Fixed(answer)).score("q", ["a", "b"])


@pytest.mark.parametrize("cut", [[2], [-1], [0.5], [[0]], "first", None])
def test_bad_reports_of_what_was_cut(cut: Any) -> None:
    class Reporting(Fixed):
        def embed_report(self, texts: Sequence[str]) -> Any:
            return self.answer, cut

        def score_report(self, query: str, texts: Sequence[str]) -> Any:
            return [0.5, 0.5], cut

    model = Reporting([[1.0], [2.0]])
    with pytest.raises(ModelReplyError, match="Reporting"):
        resolve_embedder(model).embed_report(["a", "b"])
    with pytest.raises(ModelReplyError, match="Reporting"):
        resolve_cross_encoder(model).score_report("q", ["a", "b"])


def test_scores_in_the_unit_interval_are_kept_and_logits_become_probabilities() -> None:
    assert resolve_cross_encoder(Fixed([0.0, 1.0])).score("q", ["a", "b"]).tolist() == [0, 1]
    scores = resolve_cross_encoder(Fixed([0.0, 800.0, -900.0])).score("q", ["a", "b", "c"])
    np.testing.assert_allclose(scores, [0.5, 1, 0])


@pytest.mark.parametrize("thing", [5, "model", Fixed, object(), lambda texts: texts])
def test_other_things_are_refused(thing: Any) -> None:
    with pytest.raises(TypeError, match=r"embedder must be None, an object with embed\(list\[str\]\)"):
        resolve_embedder(thing)
    with pytest.raises(TypeError, match="cross_encoder must be an object with score"):
        resolve_cross_encoder(thing)


def test_resolving_twice_is_once() -> None:
    once = resolve_embedder(Fixed([[1.0]]))
    assert resolve_embedder(once) is once
    assert isinstance(once, Embedder) and isinstance(once, TruncationReporter)
    assert resolve_cross_encoder(encoder := resolve_cross_encoder(Fixed([1.0]))) is encoder
    assert isinstance(encoder, CrossEncoder)


def test_none_is_the_embedder_that_comes_along() -> None:
    if not SHIPPED.is_file():
        pytest.skip("this checkout has no static table")
    vectors = resolve_embedder().embed(["The keys expire after a day.", "token expiry", "rain"])
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2]


def test_a_model2vec_model_is_taken_as_it_is() -> None:
    model2vec = pytest.importorskip("model2vec", reason="model2vec is not installed")
    tokenizers = pytest.importorskip("tokenizers")
    words = {"[UNK]": 0, "[PAD]": 1, "copper": 2, "rain": 3}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    table = np.array([[0, 0, 1], [0, 0, 0], [2, 0, 0], [0, 4, 0]], dtype=np.float32)
    model = model2vec.StaticModel(table, tokenizer)
    vectors = resolve_embedder(model).embed(["copper", "rain rain", "copper rain"])
    np.testing.assert_allclose(vectors, [[1, 0, 0], [0, 1, 0], [5**-0.5, 2 * 5**-0.5, 0]], atol=1e-6)


def test_a_sentence_transformers_model_is_taken_as_it_is() -> None:
    library = pytest.importorskip("sentence_transformers", reason="sentence-transformers is not installed")
    models = pytest.importorskip("sentence_transformers.models")
    model = library.SentenceTransformer(modules=[models.BoW(vocab=["copper", "rain", "relay"])], device="cpu")
    vectors = resolve_embedder(model).embed(["copper copper", "rain relay"])
    np.testing.assert_allclose(vectors, [[1, 0, 0], [0, 2**-0.5, 2**-0.5]], atol=1e-6)


@pytest.mark.parametrize(
    ("provider", "package"),
    [(SentenceTransformersEmbedder, "sentence-transformers"), (Model2VecEmbedder, "model2vec")],
)
def test_a_missing_package_says_what_to_install(
    provider: Any, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, package.replace("-", "_"), None)
    with pytest.raises(MissingExtraError, match=rf"pip install 'tersely\[{package}\]'"):
        provider("a-model")
