"""OnnxCrossEncoder and OnnxPruner against numpy."""

from __future__ import annotations

import os
import pickle
import shutil
from pathlib import Path

import numpy as np
import pytest
import tersely
from tersely.cli import main
from tersely.errors import MissingExtraError
from tersely.models.onnx import OnnxCrossEncoder, OnnxEmbedder, OnnxPruner
from tiny_models import LONGEST, TinyModel

pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
pytest.importorskip("onnx", reason="onnx is not installed: it writes the test model")

TEXTS = ["the relay failed", "", "copper", "keys renewed every day of rain", "never hurry the pilot", "Zebra"]


@pytest.mark.parametrize("logits", [1, 2])
def test_scores_are_those_of_the_oracle(tmp_path: Path, logits: int) -> None:
    model = TinyModel(logits=logits)
    scores = OnnxCrossEncoder(model.write(tmp_path)).score("token expiry", TEXTS)
    expected = [model.probability("token expiry", text) for text in TEXTS]
    assert scores.dtype == np.float32
    assert len(set(scores.tolist())) == len(TEXTS)  # else the test sees nothing
    np.testing.assert_allclose(scores, expected, atol=2e-6)


def test_what_is_cut_is_reported_and_encoders_pickle(tmp_path: Path) -> None:
    model = TinyModel(logits=1)
    encoder = OnnxCrossEncoder(model.write(tmp_path))
    long = "rain " * 100
    scores, truncated = encoder.score_report("copper", ["blue", long, "red"])
    assert truncated.tolist() == [1]
    assert scores[1] == pytest.approx(model.probability("copper", "rain " * (LONGEST - 4)), abs=2e-6)
    scores, truncated = encoder.score_report("copper " * 30, ["blue", "red"])
    assert truncated.tolist() == [0, 1]
    assert scores[0] == pytest.approx(model.probability("copper " * (LONGEST // 2), "blue"), abs=2e-6)
    encoder = OnnxCrossEncoder(TinyModel(logits=1).write(tmp_path))
    assert encoder.score("copper", []).shape == (0,)
    again = pickle.loads(pickle.dumps(encoder))
    assert again.name == encoder.name
    assert np.array_equal(again.score("copper", TEXTS), encoder.score("copper", TEXTS))


def test_a_sentence_model_is_no_cross_encoder(tiny_path: Path) -> None:
    with pytest.raises(ValueError, match="is no cross-encoder"):
        OnnxCrossEncoder(tiny_path)


@pytest.mark.parametrize("logits", [1, 2])
def test_a_pruner_averages_over_the_tokens_of_a_segment(tmp_path: Path, logits: int) -> None:
    model = TinyModel(logits=logits, pruner=True)
    pruner = OnnxPruner(model.write(tmp_path))
    kept = pruner.prune("token expiry", TEXTS)
    assert kept.dtype == np.float32 and kept[1] == 0 and len(set(kept.tolist())) == len(TEXTS)
    np.testing.assert_allclose(kept, model.kept("token expiry", TEXTS), atol=2e-6)
    assert pickle.loads(pickle.dumps(pruner)).name == pruner.name and pruner.prune("copper", []).shape == (0,)


def test_a_pruner_cuts_between_segments_and_is_a_second_stage(tmp_path: Path) -> None:
    model = TinyModel(logits=2, pruner=True)
    pruner = OnnxPruner(model.write(tmp_path))
    many = [f"rain {word} failed" for word in ("copper", "blue", "red", "pilot")] * 4  # 3 + 1 tokens each
    fits = (LONGEST - 3 - 2) // 4
    expected = [one for at in range(0, 16, fits) for one in model.kept("token expiry", many[at : at + fits])]
    np.testing.assert_allclose(pruner.prune("token expiry", many), expected, atol=2e-6)
    long = "rain " * 100
    kept = pruner.prune("copper", [long, "blue"])
    cut = "rain " * (LONGEST - 4)
    np.testing.assert_allclose(
        kept, [*model.kept("copper", [cut]), *model.kept("copper", ["blue"])], atol=2e-6
    )
    pruner = OnnxPruner(TinyModel(logits=2, pruner=True).write(tmp_path))
    texts = [
        "The relay failed. Copper is red. Keys renewed every day.",
        "Never hurry the pilot. Rain is blue.",
    ]
    found = tersely.compress(texts, "which keys failed?", budget=12, pruner=pruner)
    assert 0 < found.tokens <= 12 and not found.receipt.warnings
    assert found.text == tersely.prepare(texts, "which keys failed?", pruner=pruner).fit(budget=12).text


def test_the_command_takes_a_pruner(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder, page = tmp_path / "model", tmp_path / "page.txt"
    folder.mkdir()
    model = TinyModel(logits=2, pruner=True).write(folder)
    text = " ".join(f"Relay {number} failed in the {word} rain." for number, word in enumerate(TEXTS * 4))
    page.write_text(text, encoding="utf-8")
    query = "which keys failed?"
    given = ["compress", str(page), "--budget", "40", "--quiet", "--query", query, "--pruner"]
    assert main([*given, str(model)]) == 0
    expected = tersely.compress(text, query, budget=40, pruner=OnnxPruner(model)).text
    assert capfd.readouterr().out.removesuffix("\n") == expected
    assert expected != tersely.compress(text, query, budget=40).text
    for more in (["--strategy", "lead"], ["--query", ""]):
        assert main([*given, str(model), *more]) == 2
        assert "--pruner needs --query, and --strategy auto or extractive" in capfd.readouterr().err
    (tmp_path / "wrong.onnx").write_bytes(b"no model")
    shutil.copy(folder / "tokenizer.json", tmp_path)
    for name in ("none.onnx", "wrong.onnx"):
        with pytest.raises(SystemExit, match="2"):
            main([*given, str(tmp_path / name)])
        said = capfd.readouterr().err
        assert "argument --pruner: " in said and name in said


@pytest.mark.parametrize("logits", [0, 1])
def test_a_sentence_model_and_a_cross_encoder_are_no_pruners(tmp_path: Path, logits: int) -> None:
    with pytest.raises(ValueError, match="is no pruner: it must give one or two logits a token"):
        OnnxPruner(TinyModel(logits=logits).write(tmp_path))


@pytest.mark.parametrize("package", ["onnxruntime", "tokenizers"])
def test_a_missing_extra_says_what_to_install(
    tiny_path: Path, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    monkeypatch.setitem(__import__("sys").modules, package, None)
    with pytest.raises(MissingExtraError, match=rf"{package} is not installed.*'tersely\[onnx\]'"):
        OnnxEmbedder(tiny_path)


def test_related_sentences_are_closer(model_path: Path) -> None:
    if not os.environ.get("TERSELY_MODELS") or "tiny" in str(model_path.parent.name):
        pytest.skip("a model with random weights knows no meaning")
    query, near, far = OnnxEmbedder(model_path).embed(
        ["When do the keys expire?", "Keys stop being valid after a day.", "The harbour opened in 1884."]
    )
    assert query @ near > query @ far + 0.2
