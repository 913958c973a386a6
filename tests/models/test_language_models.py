"""What callers hand over as a language model, asked from sync and async code."""

from __future__ import annotations

import asyncio
import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest
from tersely.errors import ModelReplyError
from tersely.models.language_models import acomplete_all, complete_all, resolve_language_model
from tersely.protocols import LanguageModel


class Complete:
    def complete(self, prompt: str) -> str:
        return prompt.upper()


class AsyncComplete:
    async def complete(self, prompt: str) -> str:
        await asyncio.sleep(0)
        return prompt.upper()


class Both:
    """Its async form is the one for async callers."""

    def complete(self, prompt: str) -> str:
        return prompt.upper()

    async def acomplete(self, prompt: str) -> str:
        return prompt.upper() + " ASYNC"


class GenerateResponse:
    def generate_response(self, *, prompt: str) -> str:
        return prompt.upper()


class AsyncGenerateResponse:
    async def generate_response(self, *, prompt: str) -> str:
        return prompt.upper()


class AsyncCall:
    async def __call__(self, prompt: str) -> str:
        return prompt.upper()


async def coroutine(prompt: str) -> str:
    return prompt.upper()


def later(prompt: str) -> Any:
    return coroutine(prompt)  # no coroutine function, but gives something to await


class AsyncAlone:
    async def acomplete(self, prompt: str) -> str:
        return prompt.upper()


KINDS = [
    Complete(),
    AsyncAlone(),
    AsyncComplete(),
    GenerateResponse(),
    AsyncGenerateResponse(),
    AsyncCall(),
    coroutine,
    later,
    str.upper,
]


@pytest.mark.parametrize("model", KINDS)
def test_every_kind_answers_sync_and_async(model: Any) -> None:
    resolved = resolve_language_model(model)
    assert isinstance(resolved, LanguageModel)
    assert resolved.complete("yes") == "YES"
    assert asyncio.run(resolved.acomplete("yes")) == "YES"
    assert complete_all(resolved, ["a", "b", "c"], 2) == ["A", "B", "C"]
    assert asyncio.run(acomplete_all(resolved, ["a", "b", "c"], 2)) == ["A", "B", "C"]


@pytest.mark.parametrize("model", KINDS)
def test_sync_code_inside_a_running_loop_may_ask_too(model: Any) -> None:
    async def work() -> str:
        return resolve_language_model(model).complete("yes")

    assert asyncio.run(work()) == "YES"


def test_an_async_caller_uses_the_async_form_in_its_own_loop() -> None:
    loops: list[Any] = []

    async def note(prompt: str) -> str:
        loops.append(asyncio.get_running_loop())
        return prompt

    async def work() -> None:
        await resolve_language_model(note).acomplete("yes")
        assert loops == [asyncio.get_running_loop()]

    asyncio.run(work())
    assert asyncio.run(resolve_language_model(Both()).acomplete("yes")) == "YES ASYNC"


@pytest.mark.parametrize("model", [5, Complete, object(), "gpt"])
def test_other_things_are_refused(model: Any) -> None:
    with pytest.raises(
        TypeError, match=r"must be an object with complete\(prompt\), acomplete\(prompt\), generate_response"
    ):
        resolve_language_model(model)


@pytest.mark.parametrize(
    "reply", [SimpleNamespace(content="yes"), SimpleNamespace(text="yes", content=5), ("yes", 12, None)]
)
def test_A034_C006_replies_of_other_forms(reply: Any) -> None:
    assert resolve_language_model(lambda prompt: reply).complete("?") == "yes"
    assert asyncio.run(resolve_language_model(lambda prompt: reply).acomplete("?")) == "yes"


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (("yes", 12, ValueError("no")), "tuple"),
        (SimpleNamespace(content=["yes"]), "str"),
        ("", "empty"),
        (" \n", "empty"),
        (None, "str, not NoneType"),
        (b"yes", "bytes"),
        (("t", 1), "tuple"),
    ],
)
def test_replies_that_are_no_text(reply: Any, error: str) -> None:
    model = resolve_language_model(lambda prompt: reply)
    with pytest.raises(ModelReplyError, match=error):
        model.complete("yes")
    with pytest.raises(ModelReplyError, match=error):
        asyncio.run(model.acomplete("yes"))


def test_a_failing_prompt_does_not_lose_the_others() -> None:
    def model(prompt: str) -> str:
        if prompt == "b":
            raise TimeoutError("too slow")
        return prompt

    resolved = resolve_language_model(model)
    for replies in (
        complete_all(resolved, ["a", "b", "c"], 3),
        asyncio.run(acomplete_all(resolved, ["a", "b", "c"], 3)),
    ):
        assert [str(reply) for reply in replies] == ["a", "too slow", "c"]
        assert isinstance(replies[1], TimeoutError)


@pytest.mark.parametrize("is_async", [False, True])
def test_no_more_prompts_at_a_time_than_allowed(is_async: bool) -> None:
    lock = threading.Lock()
    under_way, most = 0, 0

    def model(prompt: str) -> str:
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
        time.sleep(0.02)
        with lock:
            under_way -= 1
        return prompt

    prompts = [str(number) for number in range(12)]
    resolved = resolve_language_model(model)
    replies = (
        asyncio.run(acomplete_all(resolved, prompts, 4)) if is_async else complete_all(resolved, prompts, 4)
    )
    assert replies == prompts
    assert most == 4


def test_what_a_model_raises_is_raised() -> None:
    async def model(prompt: str) -> str:
        raise TimeoutError("too slow")

    with pytest.raises(TimeoutError, match="too slow"):
        resolve_language_model(model).complete("yes")


class Generates:
    def generate(self, prompt: str) -> str:
        return f"about {prompt}"


class OfTensors(Generates):
    def forward(self) -> None:
        """Torch modules have one; what they generate from is no text."""


def test_a_model_may_generate() -> None:
    assert resolve_language_model(Generates()).complete("keys") == "about keys"
    with pytest.raises(TypeError, match="generate"):
        resolve_language_model(OfTensors())
