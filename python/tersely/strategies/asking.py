"""Compression as steps: prompts go out, replies come in; who asks, and how, is the caller's affair."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

from tersely.providers.language_models import CheckedLanguageModel, acomplete_all, complete_all
from tersely.types import Compressed

__all__ = ["Reply", "Steps", "answer", "answer_async"]

Result = TypeVar("Result")
Reply = str | Exception
Steps = Generator[list[str], list[Reply], Compressed]


def answer(
    steps: Generator[list[str], list[Reply], Result], model: CheckedLanguageModel | None, limit: int
) -> Result:
    """Run the steps to their end, at most `limit` prompts at a time. Without a model they ask nothing.

    A result is never None.
    """
    prompts, result = _advance(steps, None)
    while result is None:
        prompts, result = _advance(steps, complete_all(_given(model), prompts, limit))
    return result


async def answer_async(
    steps: Generator[list[str], list[Reply], Result], model: CheckedLanguageModel | None, limit: int
) -> Result:
    """As `answer`: the prompts in the caller's event loop, all else on other threads."""
    import asyncio

    prompts, result = await asyncio.to_thread(_advance, steps, None)
    while result is None:
        replies = await acomplete_all(_given(model), prompts, limit)
        prompts, result = await asyncio.to_thread(_advance, steps, replies)
    return result


def _advance(
    steps: Generator[list[str], list[Reply], Result], replies: list[Reply] | None
) -> tuple[list[str], Result | None]:
    """The next prompts, or the result: a StopIteration cannot cross a thread's border."""
    try:
        return (next(steps) if replies is None else steps.send(replies)), None
    except StopIteration as end:
        return [], end.value


def _given(model: CheckedLanguageModel | None) -> CheckedLanguageModel:
    if model is None:
        raise AssertionError("a strategy asked something although it has no model")
    return model
