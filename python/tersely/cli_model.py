"""The language model that the command line names."""

from __future__ import annotations

import argparse
import os
from dataclasses import replace

from tersely.errors import MissingExtraError
from tersely.protocols import Strategy
from tersely.strategies.extractive import Extractive

__all__ = ["add_model", "with_model"]

_WRITING = ("abstractive", "hybrid")  # strategies in which a model writes


def add_model(parser: argparse.ArgumentParser) -> None:
    """The arguments that say which model and where."""
    parser.add_argument(
        "--model",
        metavar="NAME",
        help="model that writes the text, for --strategy hybrid or abstractive; the key is read from "
        "OPENAI_API_KEY",
    )
    parser.add_argument(
        "--base-url", metavar="URL", help="server of the model, OpenAI-compatible (OPENAI_BASE_URL)"
    )


def with_model(strategy: Strategy, arguments: argparse.Namespace, extractive: Extractive) -> Strategy:
    """The strategy with the model that the arguments name; `extractive` is what it falls back to.

    Raises ValueError where they do not go together, or the openai package is missing or refuses them.
    """
    if arguments.strategy not in _WRITING:
        if arguments.model or arguments.base_url:
            raise ValueError(f"--model and --base-url need --strategy {' or '.join(_WRITING)}")
        return strategy
    if arguments.base_url and not arguments.model:
        raise ValueError("--base-url needs --model")
    model = _model(arguments.model, arguments.base_url) if arguments.model else None
    asked = {"preserve": extractive.preserve} if extractive.preserve else {}
    return replace(strategy, llm=model, fallback=True, extractive=extractive, **asked)  # type: ignore[type-var]


def _model(name: str, base_url: str | None) -> object:
    from tersely.providers.openai import OpenAILanguageModel

    key = os.environ.get("OPENAI_API_KEY") or None
    local = base_url or os.environ.get("OPENAI_BASE_URL")
    if key is None and not local:
        raise ValueError("--model needs a key in OPENAI_API_KEY, or a --base-url of a server that needs none")
    try:
        return OpenAILanguageModel(name, base_url=base_url, api_key=key or "none")
    except MissingExtraError as error:
        raise ValueError(str(error)) from error
