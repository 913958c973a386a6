"""Load what takes long, when it is needed: numpy, and the models that flags name."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tersely.models.language_models import CheckedLanguageModel


def model_of(arguments: argparse.Namespace) -> CheckedLanguageModel | None:
    """Return the model of this name at `--base-url`, else at OPENAI_BASE_URL, with the key in OPENAI_API_KEY.

    None where no model is named. Raises ValueError for an address without a model, and where there is neither
    a key nor a server that may need none; MissingExtraError without the openai package.
    """
    if not arguments.model:
        if arguments.base_url:
            raise ValueError("--base-url needs --model")
        return None
    key = os.environ.get("OPENAI_API_KEY") or None
    if key is None and not (arguments.base_url or os.environ.get("OPENAI_BASE_URL")):
        raise ValueError("--model needs a key in OPENAI_API_KEY, or a --base-url of a server that needs none")
    from tersely.models.language_models import resolve_language_model
    from tersely.models.openai import OpenAILanguageModel

    model = OpenAILanguageModel(arguments.model, base_url=arguments.base_url, api_key=key or "none")
    return resolve_language_model(model)


def onnx_pruner(path: str) -> Any:
    """The type of `--pruner`: an ONNX model, a file or a folder."""
    load_numpy()
    from tersely.models.onnx import OnnxPruner

    try:
        return OnnxPruner(path)
    except Exception as error:  # of a file that is none, onnxruntime raises errors of its own
        raise argparse.ArgumentTypeError(str(error)) from None


def load_numpy() -> None:
    """Load numpy, if nobody has, without threads: they cost 0.1 s of CPU, and no command needs them.

    The environment stays as it is, for the commands that `tersely run` starts.
    """
    if "OPENBLAS_NUM_THREADS" in os.environ:
        return
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    try:
        import numpy  # noqa: F401
    finally:
        del os.environ["OPENBLAS_NUM_THREADS"]
