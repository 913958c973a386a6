"""OnnxEmbedder: against numpy on a tiny model, and its promises on real ones too (TERSELY_MODELS)."""

from __future__ import annotations

import json
import pickle
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from script_runs import run_code
from tersely.errors import ModelReplyError
from tersely.models.onnx import OnnxEmbedder
from tiny_models import LONGEST, WIDTH, WORDS, TinyModel

pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

ROUNDING = 2e-6  # of float32 products in another order


def some_texts(count: int, seed: int = 1) -> list[str]:
    """Texts of 0 to 30 words, some of them unknown."""
    random = np.random.default_rng(seed)
    words = [*WORDS, "elephant", "Quai"]
    return [" ".join(random.choice(words, random.integers(0, 30))) for _ in range(count)]


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_vectors_are_those_of_the_oracle(tiny: TinyModel, tiny_path: Path, pooling: Any) -> None:
    texts = some_texts(150)
    vectors = OnnxEmbedder(tiny_path, pooling=pooling).embed(texts)
    expected = np.array([tiny.embedding(text, pooling) for text in texts])
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, expected, atol=ROUNDING)


def test_vectors_depend_on_their_texts_alone(model_path: Path) -> None:
    texts = some_texts(80)
    order = np.random.default_rng(3).permutation(len(texts))
    embedder = OnnxEmbedder(model_path)
    vectors = embedder.embed(texts)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(embedder.embed([texts[i] for i in order]), vectors[order], atol=ROUNDING)
    texts = some_texts(40)
    embedder = OnnxEmbedder(model_path)
    together = embedder.embed(texts)
    one_by_one = np.vstack([embedder.embed([text]) for text in texts])
    np.testing.assert_allclose(one_by_one, together, atol=ROUNDING)
    texts = some_texts(60)
    one, three = (OnnxEmbedder(model_path, threads=threads).embed(texts) for threads in (1, 3))
    assert np.array_equal(one, three)
    embedder = OnnxEmbedder(model_path)
    assert embedder.embed([]).shape == (0, embedder.dimensions)


def test_truncation_is_reported_and_its_limit_comes_from_the_files(
    tiny: TinyModel, tiny_path: Path, tmp_path: Path
) -> None:
    texts = ["copper " * 8, "rain " * 7, "", "blue " * 500, "red"]
    embedder = OnnxEmbedder(tiny_path, max_tokens=9)
    vectors, truncated = embedder.embed_report(texts)
    assert truncated.tolist() == [0, 3]
    expected = np.array([tiny.embedding(text, longest=9) for text in texts])
    np.testing.assert_allclose(vectors, expected, atol=ROUNDING)
    path = tiny.write(tmp_path)
    assert OnnxEmbedder(path).max_tokens == LONGEST  # tokenizer.json
    (tmp_path / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 17}))
    assert OnnxEmbedder(path).max_tokens == 17
    assert OnnxEmbedder(path, max_tokens=12).max_tokens == 12


def test_a_folder_does_as_a_path(tiny: TinyModel, tiny_path: Path, tmp_path: Path) -> None:
    tiny.write(tmp_path, "model.onnx")
    (tmp_path / "onnx").mkdir()
    shutil.move(tmp_path / "model.onnx", tmp_path / "onnx")  # as exported: the tokenizer in the folder above
    vector = OnnxEmbedder(tmp_path).embed(["copper rain"])
    assert np.array_equal(vector, OnnxEmbedder(tiny_path).embed(["copper rain"]))
    assert vector.shape == (1, WIDTH)


def test_files_that_are_not_there(tiny: TinyModel, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"holds no \.onnx file"):
        OnnxEmbedder(tmp_path)
    with pytest.raises(FileNotFoundError, match="no file"):
        OnnxEmbedder(tmp_path / "model.onnx")
    with pytest.raises(ValueError, match=r"must name an \.onnx file"):
        OnnxEmbedder(tmp_path / "model.bin")
    for name in ("a.onnx", "b.onnx"):
        tiny.write(tmp_path, name)
    with pytest.raises(FileNotFoundError, match=r"holds a\.onnx, b\.onnx: name one"):
        OnnxEmbedder(tmp_path)
    (tmp_path / "tokenizer.json").unlink()
    with pytest.raises(FileNotFoundError, match=r"no tokenizer\.json beside"):
        OnnxEmbedder(tmp_path / "a.onnx")


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"pooling": "max"}, "pooling must be one of mean, cls, not 'max'"),
        ({"threads": 0}, "threads must be a whole number from 1, not 0"),
        ({"batch_size": -1}, "batch_size must be a whole number from 1, not -1"),
        ({"max_tokens": 4}, "max_tokens must be a whole number from 5, not 4"),
    ],
)
def test_options_are_checked(tiny_path: Path, options: dict[str, Any], error: str) -> None:
    with pytest.raises(ValueError, match=error):
        OnnxEmbedder(tiny_path, **options)


def test_texts_and_pickles(tiny_path: Path) -> None:
    embedder = OnnxEmbedder(tiny_path)
    with pytest.raises(TypeError, match="texts must be a list of str, not one str"):
        embedder.embed("copper")
    with pytest.raises(TypeError, match=r"texts\[1\] must be str, not int"):
        embedder.embed(["copper", 5])  # type: ignore[list-item]
    embedder = OnnxEmbedder(tiny_path, pooling="cls", max_tokens=12)
    again = pickle.loads(pickle.dumps(embedder))
    assert (again.name, again.max_tokens) == (embedder.name, 12)
    assert np.array_equal(again.embed(["copper"]), embedder.embed(["copper"]))


def test_models_without_numbers_and_of_another_kind_are_refused(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    broken = TinyModel()
    broken.tokens[broken.vocabulary["copper"]] = np.inf
    embedder = OnnxEmbedder(broken.write(tmp_path))
    assert np.isfinite(embedder.embed(["rain", "red"])).all()
    with pytest.raises(ModelReplyError, match="no finite numbers for text 1"):
        embedder.embed(["rain", "copper", "red"])
    onnx = pytest.importorskip("onnx")
    path = TinyModel().write(tmp_path)
    model = onnx.load(str(path))
    for node in model.graph.node:
        node.input[:] = ["pixels" if name == "input_ids" else name for name in node.input]
    model.graph.input[0].name = "pixels"
    onnx.save(model, str(path))
    with pytest.raises(ValueError, match="must take integers under the names input_ids, attention_mask"):
        OnnxEmbedder(path)


def test_the_name_says_which_vectors(tiny: TinyModel, tiny_path: Path, tmp_path: Path) -> None:
    name = OnnxEmbedder(tiny_path).name
    assert OnnxEmbedder(tiny.write(tmp_path / "same")).name == name
    others = {
        OnnxEmbedder(TinyModel(seed=8).write(tmp_path / "other")).name,
        OnnxEmbedder(tiny_path, pooling="cls").name,
        OnnxEmbedder(tiny_path, max_tokens=9).name,
    }
    assert len(others | {name}) == 4
    outside = tiny.write(tmp_path / "outside")
    Path(f"{outside}_data").write_bytes(b"weights")  # as large models keep them
    assert OnnxEmbedder(outside).name not in others | {name}


def test_a_forked_child_gives_the_same_vectors(model_path: Path) -> None:
    done = run_code(f"""
import multiprocessing, os, warnings
os.environ["TOKENIZERS_PARALLELISM"] = "false"
warnings.simplefilter("ignore")
from tersely.models.onnx import OnnxEmbedder
embedder = OnnxEmbedder({str(model_path)!r}, threads=2)
texts = ["copper", "the rain of the day", "two keys"] * 20
def work(_):
    return embedder.embed(texts).tobytes()
expected = work(0)
with multiprocessing.get_context("fork").Pool(1) as pool:
    assert pool.apply_async(work, (0,)).get(timeout=60) == expected
""")
    assert done.returncode == 0, done.stderr[-2000:]
