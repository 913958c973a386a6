"""Whatever a caller names as a language model -> one with `complete` and `acomplete`; many prompts."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tersely.errors import ModelReplyError
from tersely.threads import map_in_threads

__all__ = ["CheckedLanguageModel", "acomplete_all", "complete_all", "limited", "resolve_language_model"]


@dataclass(frozen=True, slots=True)
class CheckedLanguageModel:
    """A language model whose replies are checked: text, and not blank.

    Attributes:
        ask: prompt -> reply, or an awaitable of one.
        ask_async: prompt -> an awaitable of a reply, for async callers; None: `ask` on another thread.
        name: says which model this is.
    """

    ask: Callable[[str], Any]
    ask_async: Callable[[str], Awaitable[Any]] | None
    name: str

    def complete(self, prompt: str) -> str:
        """The reply to `prompt`. An async model gets an event loop of its own for it.

        Raises ModelReplyError for a reply that is no text or blank, and whatever the model raises.
        """
        reply = self.ask(prompt)
        return self._checked(_wait(reply) if inspect.isawaitable(reply) else reply)

    async def acomplete(self, prompt: str) -> str:
        """As `complete`, in the caller's event loop; a model that is not async runs on another thread."""
        if self.ask_async is not None:
            return self._checked(await self.ask_async(prompt))
        import asyncio

        reply = await asyncio.to_thread(self.ask, prompt)
        return self._checked(await reply if inspect.isawaitable(reply) else reply)

    def _checked(self, reply: Any) -> str:
        if not isinstance(reply, str):
            raise ModelReplyError(f"{self.name} must reply with str, not {type(reply).__name__}")
        if not reply.strip():
            raise ModelReplyError(f"{self.name} gave an empty reply")
        return reply


def resolve_language_model(model: Any) -> CheckedLanguageModel:
    """The language model for an object with `complete(prompt)` (and perhaps `acomplete(prompt)`) or with
    `generate_response(prompt=...)`, or a callable; any of them may be async.

    Raises TypeError for anything else.
    """
    if isinstance(model, CheckedLanguageModel):
        return model
    if type(model).__module__.partition(".")[0] == "openai":
        raise TypeError(
            f"{type(model).__name__} does not say which model: "
            "use tersely.providers.openai.OpenAILanguageModel(model, client=...)"
        )
    if not isinstance(model, type):
        name = getattr(model, "name", None) or getattr(model, "__name__", None) or type(model).__name__
        later = getattr(model, "acomplete", None)
        for method in ("complete", "Complete"):
            if callable(ask := getattr(model, method, None)):
                return _checked_model(ask, later, str(name))
        if callable(respond := getattr(model, "generate_response", None)):
            return _checked_model(_by_keyword(respond), later, str(name))
        if callable(model):
            return _checked_model(model, None, str(name))
    raise TypeError(
        "a language model must be an object with complete(prompt) or generate_response(prompt=...), or a "
        f"callable str -> str, not {model if isinstance(model, type) else type(model).__name__}"
    )


def complete_all(model: CheckedLanguageModel, prompts: Sequence[str], limit: int) -> list[str | Exception]:
    """The reply to each prompt, or what was raised instead; at most `limit` at a time."""

    def ask(prompt: str) -> str | Exception:
        try:
            return model.complete(prompt)
        except Exception as error:
            return error

    return map_in_threads(ask, prompts, limit)


async def acomplete_all(
    model: CheckedLanguageModel, prompts: Sequence[str], limit: int
) -> list[str | Exception]:
    """As `complete_all`, in the caller's event loop."""
    import asyncio

    free = asyncio.Semaphore(limit)

    async def ask(prompt: str) -> str | Exception:
        async with free:
            try:
                return await model.acomplete(prompt)
            except Exception as error:
                return error

    return list(await asyncio.gather(*map(ask, prompts)))


def limited(model: CheckedLanguageModel, limit: int) -> CheckedLanguageModel:
    """The model with `limit` prompts at a time, whoever sends them; for the callers in one event loop."""
    import asyncio

    free = asyncio.Semaphore(limit)

    async def ask(prompt: str) -> str:
        async with free:
            return await model.acomplete(prompt)

    return CheckedLanguageModel(model.ask, ask, model.name)


def _checked_model(ask: Callable[[str], Any], later: Any, name: str) -> CheckedLanguageModel:
    if not callable(later):
        call = getattr(ask, "__call__", ask)  # noqa: B004  of an object, whose own __call__ may be async
        is_async = inspect.iscoroutinefunction(ask) or inspect.iscoroutinefunction(call)
        later = ask if is_async else None
    return CheckedLanguageModel(ask, later, name)


def _by_keyword(respond: Callable[..., Any]) -> Callable[[str], Any]:
    if inspect.iscoroutinefunction(respond):

        async def ask_async(prompt: str) -> Any:
            return await respond(prompt=prompt)

        return ask_async
    return lambda prompt: respond(prompt=prompt)


def _wait(reply: Awaitable[Any]) -> Any:
    """The awaited reply, on a thread of its own: this one may be running an event loop."""
    import asyncio

    async def awaited() -> Any:
        return await reply

    outcome: list[Any] = []

    def work() -> None:
        try:
            outcome.extend((asyncio.run(awaited()), None))
        except BaseException as error:
            outcome.extend((None, error))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    if outcome[1] is not None:
        raise outcome[1]
    return outcome[0]
