"""The language model that the command line names."""

from __future__ import annotations

import argparse
from dataclasses import replace

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
    model = None
    if arguments.model:
        from tersely.providers.openai import language_model_from_environment

        model = language_model_from_environment(arguments.model, arguments.base_url)
    asked = {"preserve": extractive.preserve} if extractive.preserve else {}
    return replace(strategy, llm=model, fallback=True, extractive=extractive, **asked)  # type: ignore[type-var]
