"""tersely and its peers behind one shape: (messages, budget, ratio) -> all that stays visible."""

from __future__ import annotations

import importlib
import importlib.util
import os
import tempfile
from collections.abc import Callable
from typing import Any

from tersely.memory import compact_messages

from benchmarks import peers, tokens

__all__ = ["Message", "systems"]

Message = dict[str, Any]
Call = Callable[[list[Message], int, float], str]
_ENCODING = "cl100k_base"


def systems() -> dict[str, Call | None]:
    """By name; None where a package is missing."""
    return {
        "tersely": _tersely,
        "newest that fit": _newest,
        "head and tail": _head_and_tail,
        "LangChain trim_messages": _trim_messages(),
        "TextCrusher": _of_text(peers.textcrusher()),
        "llmslim, text": _of_text(peers.llmslim()),
        "llmslim, chat": _of_messages("llmslim", "compress_chat_messages", ratio="target_ratio"),
        "headroom compress": _of_messages(
            "headroom.compress",
            "compress",
            ratio="target_ratio",
            model=peers.COUNTED_AS,
            compress_user_messages=True,
            protect_recent=0,
            kompress_model="disabled",  # its weights would be fetched
        ),
        "furl compress_to": _of_messages(
            "furl_ctx", "compress_to", budget="max_tokens", model=peers.COUNTED_AS
        ),
        "litellm compress": _of_messages(
            "litellm.compression.compress",
            "compress",
            budget="compression_target",
            model=peers.COUNTED_AS,
            compression_trigger=1,
        ),
        "contextgc compile_messages": _of_messages("contextgc", "compile_messages"),  # takes no budget
        "trimtok, each message": _trimtok(),
    }


def _tersely(messages: list[Message], budget: int, ratio: float) -> str:
    result = compact_messages(messages, budget=budget, counter=_ENCODING)
    assert result.tokens <= budget
    return "\n".join(message["content"] for message in result.messages)


def _newest(messages: list[Message], budget: int, ratio: float) -> str:
    kept: list[str] = []
    left = budget
    for message in reversed(messages):
        needs = tokens.count(message["content"], _ENCODING) + 1
        if needs > left:
            kept.append(_clipped(message["content"], left - 1, tail=True))
            break
        left -= needs
        kept.append(message["content"])
    return "\n".join(reversed(kept))


def _head_and_tail(messages: list[Message], budget: int, ratio: float) -> str:
    text = "\n".join(message["content"] for message in messages)
    half = budget // 2 - 2
    return f"{_clipped(text, half)}\n...\n{_clipped(text, half, tail=True)}"


def _clipped(text: str, budget: int, tail: bool = False) -> str:
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        part = text[-middle:] if tail else text[:middle]
        low, high = (middle, high) if tokens.count(part, _ENCODING) <= budget else (low, middle - 1)
    return (text[-low:] if tail else text[:low]) if low else ""


def _trim_messages() -> Call | None:
    if importlib.util.find_spec("langchain_core") is None:
        return None
    module = importlib.import_module("langchain_core.messages")
    kinds = {"user": module.HumanMessage, "assistant": module.AIMessage}

    def call(messages: list[Message], budget: int, ratio: float) -> str:
        given = [kinds[message["role"]](message["content"]) for message in messages]
        kept = module.trim_messages(
            given,
            max_tokens=budget,
            token_counter=lambda some: sum(tokens.count(one.content, _ENCODING) + 1 for one in some),
            strategy="last",
            allow_partial=True,
        )
        return "\n".join(message.content for message in kept)

    return call


def _of_text(peer: peers.Compressor) -> Call | None:
    """A peer that shortens text is given the messages as one."""

    def call(messages: list[Message], budget: int, ratio: float) -> str:
        text = "\n".join(message["content"] for message in messages)
        return peer.text(peer([text], None, budget, ratio))

    return None if peer.call is None else call


def _of_messages(
    module: str, function: str, *, budget: str = "", ratio: str = "", **options: Any
) -> Call | None:
    """A peer's function of messages; `budget`, `ratio`: the names of its arguments for them."""
    peers.offline()
    try:
        compress = getattr(importlib.import_module(module), function)
    except ImportError:
        return None

    def call(messages: list[Message], allowed: int, share: float) -> str:
        asked = {name: value for name, value in ((budget, allowed), (ratio, share)) if name}
        answer = compress([dict(message) for message in messages], **asked, **options)
        answer = answer[0] if isinstance(answer, tuple) else answer
        left = answer["messages"] if isinstance(answer, dict) else getattr(answer, "messages", answer)
        return "\n".join(
            str(message["content"] if isinstance(message, dict) else message.content) for message in left
        )

    return call


def _trimtok() -> Call | None:
    """It shortens one result at a time and takes no budget; what it stores goes to a temporary folder."""
    if importlib.util.find_spec("trimtok") is None:
        return None
    folder = tempfile.TemporaryDirectory()
    os.environ["TRIMTOK_DATA_DIR"] = folder.name
    shorten = importlib.import_module("trimtok").compress_agent_payload

    def call(messages: list[Message], budget: int, ratio: float) -> str:
        assert folder.name
        return "\n".join(shorten(message)[0]["content"] for message in messages)

    return call
