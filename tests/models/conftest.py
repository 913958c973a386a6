"""A folder with a tiny ONNX model, and the real ones of TERSELY_MODELS where that is set."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tiny_models import TinyModel


@pytest.fixture(scope="session")
def tiny() -> TinyModel:
    return TinyModel()


@pytest.fixture(scope="session")
def tiny_path(tmp_path_factory: pytest.TempPathFactory, tiny: TinyModel) -> Path:
    pytest.importorskip("onnx", reason="onnx is not installed: it writes the test model")
    return tiny.write(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(params=["tiny", "TERSELY_MODELS/model.onnx", "TERSELY_MODELS/model_int8.onnx"])
def model_path(request: pytest.FixtureRequest) -> Path:
    if request.param == "tiny":
        path: Path = request.getfixturevalue("tiny_path")
        return path
    folder = os.environ.get("TERSELY_MODELS")
    if not folder:
        pytest.skip("TERSELY_MODELS does not name a folder with a sentence model")
    return Path(folder) / Path(request.param).name
