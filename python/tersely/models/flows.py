"""Run flows, generators that yield prompts and take replies, in sync and in async code."""

from __future__ import annotations

import functools
from collections.abc import Callable, Coroutine, Generator
from dataclasses import replace
from typing import Any, ParamSpec, TypeVar

from tersely.models.language_models import CheckedLanguageModel, Completion, acomplete_all, complete_all

Result = TypeVar("Result")
Given = ParamSpec("Given")

Flow = Generator[list[str], list[Completion], Result]  # work that yields prompts and takes their completions


class UnawaitedCoroutine(Coroutine[Any, Any, Result]):
    """A coroutine whose attributes raise an error that says it was not awaited."""

    def __init__(self, coroutine: Coroutine[Any, Any, Result], hint: str) -> None:
        """Take the coroutine and the error's text."""
        self._coroutine, self._hint = coroutine, hint

    def send(self, value: Any) -> Any:
        """Advance the coroutine, as an event loop does."""
        return self._coroutine.send(value)

    def throw(self, *error: Any) -> Any:
        """Raise where the coroutine waits."""
        return self._coroutine.throw(*error)

    def close(self) -> None:
        """End the coroutine."""
        self._coroutine.close()

    def __await__(self) -> Generator[Any, None, Result]:
        """Wait for the result."""
        return self._coroutine.__await__()

    def __getattr__(self, name: str) -> Any:
        """Raise AttributeError: there is no result yet."""
        raise AttributeError(f"{self._hint}; only then has it {name!r}")


def to_be_awaited(
    method: Callable[Given, Coroutine[Any, Any, Result]],
) -> Callable[Given, Coroutine[Any, Any, Result]]:
    """Decorate a coroutine that a design prescribes, so that a forgotten `await` is told at once."""
    hint = f"{method.__qualname__} is a coroutine: await it, or call its twin in _sync, if there is one"

    @functools.wraps(method)
    def start(*args: Given.args, **kwargs: Given.kwargs) -> UnawaitedCoroutine[Result]:
        return UnawaitedCoroutine(method(*args, **kwargs), hint)

    return start


def one_model(**named: Any) -> Any:
    """The model given under one of several argument names (`model=`, `llm=`, ...), None where none was.

    Raises ValueError if two names were given two models.
    """
    given = {name: model for name, model in named.items() if model is not None}
    if len(set(map(id, given.values()))) > 1:
        raise ValueError(f"give one language model, not {' and '.join(given)}")
    return next(iter(given.values()), None)


def run_flow(flow: Flow[Result], model: CheckedLanguageModel | None, limit: int) -> Result:
    """Run a flow to its end, its prompts on threads, at most `limit` at a time.

    A flow's result is never None; without a model it must not yield prompts.
    """
    prompts, result = _advance(flow, None)
    while result is None:
        prompts, result = _advance(flow, complete_all(_given(model), prompts, limit))
    return result


async def run_flow_async(flow: Flow[Result], model: CheckedLanguageModel | None, limit: int) -> Result:
    """As `run_flow`, the prompts in the caller's event loop, all else on other threads."""
    import asyncio

    prompts, result = await asyncio.to_thread(_advance, flow, None)
    while result is None:
        completions = await acomplete_all(_given(model), prompts, limit)
        prompts, result = await asyncio.to_thread(_advance, flow, completions)
    return result


def _given(model: CheckedLanguageModel | None) -> CheckedLanguageModel:
    if model is None:
        raise AssertionError("a flow yielded prompts although it has no model")
    return model


def _advance(flow: Flow[Result], completions: list[Completion] | None) -> tuple[list[str], Result | None]:
    """The next prompts, or the result: a StopIteration cannot cross a thread's border."""
    try:
        return (next(flow) if completions is None else flow.send(completions)), None
    except StopIteration as end:
        return [], end.value


def limited(model: CheckedLanguageModel, limit: int) -> CheckedLanguageModel:
    """Return the model limited to `limit` prompts at a time from all callers of one event loop together."""
    import asyncio

    free = asyncio.Semaphore(limit)

    async def ask(prompt: str) -> str:
        async with free:
            return await model.acomplete(prompt)

    return replace(
        model, ask=model.complete, ask_async=ask, timeout=None
    )  # waiting for a turn is not counted
