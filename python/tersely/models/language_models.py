"""Find the language model that a caller passes, check its replies, and send it many prompts at a time."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable, Coroutine, Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ParamSpec, TypeVar

from tersely.errors import ModelReplyError, ModelTimeoutError, OversizedReplyError
from tersely.models.embedders import framework_name
from tersely.threads import checked_timeout, map_in_threads, run_in_time, run_on_thread

__all__ = ["CheckedLanguageModel", "Completion", "acomplete_all", "complete_all", "resolve_language_model"]

_TIMEOUT = 600.0  # seconds that a model has for a reply unless told otherwise
_LONGEST = 2**20  # characters of a reply
_METHODS = ("complete", "Complete", "generate_response", "invoke", "generate")
Completion = str | Exception  # the reply to a prompt, or what was raised instead


@dataclass(frozen=True, slots=True)
class CheckedLanguageModel:
    """A language model whose replies are checked: in time, text, not blank, at most 2**20 characters."""

    ask: Callable[[str], Any]  #: prompt -> reply, or an awaitable of one
    #: prompt -> an awaitable of a reply, for async callers; None: `ask` on another thread
    ask_async: Callable[[str], Awaitable[Any]] | None
    name: str  #: says which model this is
    #: seconds for a reply; None: no limit. A late reply is not waited for; its thread runs on.
    timeout: float | None = _TIMEOUT

    def complete(self, prompt: str) -> str:
        """Return the reply to `prompt`. An async model runs in an event loop of its own.

        Raises ModelReplyError for a reply that cannot be used, ModelTimeoutError for one that does not come
        in time, and whatever the model raises.
        """

        def ask() -> Any:
            reply = self.ask(prompt)
            return _wait(reply) if inspect.isawaitable(reply) else reply

        return self._checked(run_in_time(ask, self.timeout, self.name))

    async def acomplete(self, prompt: str) -> str:
        """Reply as `complete` does, in the caller's event loop; a synchronous model runs on a thread."""
        import asyncio

        try:
            async with asyncio.timeout(self.timeout) as limit:
                if self.ask_async is not None:
                    return self._checked(await self.ask_async(prompt))
                reply = await asyncio.to_thread(
                    run_in_time, lambda: self.ask(prompt), self.timeout, self.name
                )
                return self._checked(await reply if inspect.isawaitable(reply) else reply)
        except TimeoutError as error:
            if limit.expired():
                raise ModelTimeoutError(
                    f"{self.name} gave no answer within {self.timeout:g} seconds"
                ) from error
            raise

    def _checked(self, reply: Any) -> str:
        reply = reply_text(reply)
        if not isinstance(reply, str):
            raise ModelReplyError(f"{self.name} must reply with str, not {type(reply).__name__}")
        if len(reply) > _LONGEST:
            raise OversizedReplyError(f"{self.name} replied with {len(reply)} characters, over {_LONGEST}")
        if not reply.strip():
            raise ModelReplyError(f"{self.name} gave an empty reply")
        return reply


def reply_text(reply: Any) -> Any:
    """Return the text of a reply: a str, or an object whose `text` is one, or gives one (LlamaIndex's
    `CompletionResponse`, LangChain's messages), else whose `content` is one (a chat message); the first of
    (text, anything, None), a form with an error in the last place; anything else as it is."""
    if isinstance(reply, tuple) and len(reply) == 3 and reply[2] is None:
        reply = reply[0]
    if isinstance(reply, str):
        return reply
    text = getattr(reply, "text", None)
    if text is None:
        text = getattr(reply, "content", None)
    if callable(text) and not isinstance(text, str):
        text = text()
    return str(text) if isinstance(text, str) else reply


def resolve_language_model(model: Any, *, timeout: float | None = None) -> CheckedLanguageModel:
    """Return the language model that a caller passes, with its replies checked.

    What comes back can be passed wherever a model is taken. `timeout`: seconds for a reply; None: as many as
    it has, 600 at first.

    Takes an object with `complete(prompt)` (and perhaps `acomplete(prompt)`), such as an LLM of LlamaIndex,
    with `generate_response(prompt=...)`, with `generate(prompt)`, or with `invoke(prompt)` (and perhaps
    `ainvoke(prompt)`), such as a chat model of LangChain, or a callable; any of them may be async. Replies
    are str, have a `text` or `content`, or are (text, anything, None).
    Raises TypeError for anything else, ValueError for a timeout that is not above 0.
    """
    if timeout is not None:
        return replace(resolve_language_model(model), timeout=checked_timeout(timeout))
    if isinstance(model, CheckedLanguageModel):
        return model
    if type(model).__module__.partition(".")[0] == "openai":
        raise TypeError(
            f"{type(model).__name__} does not say which model: "
            "use tersely.models.openai.OpenAILanguageModel(model, client=...)"
        )
    if not isinstance(model, type):
        name = str(getattr(model, "name", None) or getattr(model, "__name__", None) or type(model).__name__)
        later = getattr(model, "acomplete", None) or getattr(model, "ainvoke", None)
        later = later if callable(later) else None
        for method in _METHODS:
            ask = getattr(model, method, None)
            if callable(ask) and not (method == "generate" and hasattr(model, "forward")):  # that of tensors
                name = framework_name(model) if method == "invoke" else name
                if method == "generate_response":
                    return CheckedLanguageModel(functools.partial(_by_keyword, ask), later, name)
                return CheckedLanguageModel(ask, later, name)
        ask = later or model  # async alone: it runs where nobody waits
        if callable(ask):
            return CheckedLanguageModel(ask, later, name)
    raise TypeError(
        "a language model must be an object with complete(prompt), acomplete(prompt), "
        "generate_response(prompt=...), generate(prompt) or invoke(prompt), or a "
        f"callable str -> str, not {model if isinstance(model, type) else type(model).__name__}"
    )


def complete_all(model: CheckedLanguageModel, prompts: Sequence[str], limit: int) -> list[Completion]:
    """Return the reply to each prompt, or its exception; at most `limit` prompts at a time."""

    def ask(prompt: str) -> Completion:
        try:
            return model.complete(prompt)
        except Exception as error:
            return error

    return map_in_threads(ask, prompts, limit)


async def acomplete_all(model: CheckedLanguageModel, prompts: Sequence[str], limit: int) -> list[Completion]:
    """Return replies as `complete_all` does, in the caller's event loop."""
    import asyncio

    free = asyncio.Semaphore(limit)

    async def ask(prompt: str) -> Completion:
        async with free:
            try:
                return await model.acomplete(prompt)
            except Exception as error:
                return error

    return list(await asyncio.gather(*map(ask, prompts)))


def _by_keyword(respond: Callable[..., Any], prompt: str) -> Any:
    return respond(prompt=prompt)


def _wait(reply: Awaitable[Any]) -> Any:
    """Await a reply on a thread of its own, as this one may be running an event loop."""
    import asyncio

    async def awaited() -> Any:
        return await reply

    return run_on_thread(lambda: asyncio.run(awaited()))


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
