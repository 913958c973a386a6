"""What providers refuse in a history: calls without results, roles, the first turn, signatures.

An oracle that reads each shape by itself, without the package.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any


def signature(*said: Any) -> str:
    """Sign what a model thought or called, as providers do: other words have another signature."""
    return hashlib.blake2b(json.dumps(said, sort_keys=True).encode(), digest_size=12).hexdigest()


class _Pairs:
    """Follows calls and results through the turns of a history."""

    def __init__(self) -> None:
        self.waiting: list[str] = []
        self.wrong: list[str] = []

    def call(self, at: int, calls: Iterable[str]) -> None:
        for call in calls:
            if call in self.waiting:
                self.wrong.append(f"message {at}: two calls {call} at a time")
            self.waiting.append(call)

    def answer(self, at: int, answers: Iterable[str]) -> None:
        for answer in answers:
            if answer in self.waiting:
                self.waiting.remove(answer)
            else:
                self.wrong.append(f"message {at}: a result of {answer}, which is not called before it")

    def close(self, at: int | str) -> None:
        """Say which calls have no results where all must have some."""
        if self.waiting:
            self.wrong.append(f"message {at}: {self.waiting} have no results yet")
        self.waiting = []


def _begins(roles: Sequence[str]) -> list[str]:
    said = [role for role in roles if role not in ("system", "developer")]
    return [f"the first turn is of {said[0]}"] if said and said[0] != "user" else []


def chat(messages: Sequence[Any]) -> list[str]:
    """OpenAI's chat completions: results follow the message that makes their calls at once."""
    pairs = _Pairs()
    for at, message in enumerate(messages):
        role = message["role"]
        if role == "tool":
            pairs.answer(at, [message["tool_call_id"]])
        else:
            pairs.close(at)
            pairs.call(at, [call["id"] for call in message.get("tool_calls") or ()])
        if role not in ("system", "developer", "user", "assistant", "tool"):
            pairs.wrong.append(f"message {at}: the role {role}")
        if role == "user" and not message["content"]:
            pairs.wrong.append(f"message {at}: nothing is said")
    pairs.close("behind the last")
    return pairs.wrong + _begins([message["role"] for message in messages])


def langchain(messages: Sequence[Any]) -> list[str]:
    """LangChain's messages, which go to chat completions."""
    roles = {"human": "user", "ai": "assistant"}
    plain = [
        {
            "role": roles.get(message.type, message.type),
            "content": message.content,
            "tool_calls": getattr(message, "tool_calls", ()),
            "tool_call_id": getattr(message, "tool_call_id", ""),
        }
        for message in messages
    ]
    return chat(plain)


def responses(items: Sequence[Any]) -> list[str]:
    """Items of OpenAI's Responses API: reasoning stays with what it led to, and as it is."""
    pairs = _Pairs()
    for at, item in enumerate(items):
        kind = item.get("type", "message")
        if kind == "function_call":
            pairs.call(at, [item["call_id"]])
        elif kind == "function_call_output":
            pairs.answer(at, [item["call_id"]])
        elif kind == "message" and item["role"] == "user":
            pairs.close(at)
        if kind == "reasoning":
            then = items[at + 1] if at + 1 < len(items) else {}
            if then.get("type") not in ("reasoning", "function_call") and then.get("role") != "assistant":
                pairs.wrong.append(f"item {at}: reasoning without what it led to")
            if item.get("encrypted_content", signed := signature(item["id"], item["summary"])) != signed:
                pairs.wrong.append(f"item {at}: reasoning is not as it was signed")
    pairs.close("behind the last")
    first = next((item for item in items if item.get("role") not in ("system", "developer")), {})
    return pairs.wrong + _begins([first.get("role", first.get("type", "user"))])


def _blocks(message: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def anthropic(messages: Sequence[Any]) -> list[str]:
    """Anthropic's messages: all results stand first in the turn behind their calls; no text is empty."""
    pairs = _Pairs()
    for at, message in enumerate(messages):
        blocks = _blocks(message)
        kinds = [block["type"] for block in blocks]
        pairs.answer(at, [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"])
        pairs.close(at)
        pairs.call(at, [block["id"] for block in blocks if block["type"] == "tool_use"])
        results = kinds.count("tool_result")
        if "tool_result" in kinds[results:]:
            pairs.wrong.append(f"message {at}: results behind something else")
        if not blocks or any(block["type"] == "text" and not block["text"].strip() for block in blocks):
            pairs.wrong.append(f"message {at}: an empty text")
        for block in blocks:
            if block["type"] == "thinking" and block["signature"] != signature(block["thinking"]):
                pairs.wrong.append(f"message {at}: thoughts are not as they were signed")
        if message["role"] not in ("user", "assistant"):
            pairs.wrong.append(f"message {at}: the role {message['role']}")
    pairs.close("behind the last")
    return pairs.wrong + _begins([message["role"] for message in messages])


def bedrock(messages: Sequence[Any]) -> list[str]:
    """Messages of Bedrock's Converse: turns alternate, all results stand in the turn behind their calls."""
    pairs = _Pairs()
    for at, message in enumerate(messages):
        blocks = message["content"]
        if at and message["role"] == messages[at - 1]["role"]:
            pairs.wrong.append(f"message {at}: two turns of {message['role']}")
        pairs.answer(at, [block["toolResult"]["toolUseId"] for block in blocks if "toolResult" in block])
        pairs.close(at)
        pairs.call(at, [block["toolUse"]["toolUseId"] for block in blocks if "toolUse" in block])
        if not blocks or any("text" in block and not block["text"].strip() for block in blocks):
            pairs.wrong.append(f"message {at}: an empty text")
    pairs.close("behind the last")
    return pairs.wrong + _begins([message["role"] for message in messages])


def gemini(contents: Sequence[Any]) -> list[str]:
    """Contents of Gemini: as many responses as calls in the turn behind, in their order by name."""
    wrong: list[str] = []
    waiting: list[str] = []
    for at, content in enumerate(contents):
        parts = content["parts"]
        answers = [part["functionResponse"]["name"] for part in parts if "functionResponse" in part]
        if answers != waiting:
            wrong.append(f"content {at}: responses of {answers} for calls of {waiting}")
        waiting = [part["functionCall"]["name"] for part in parts if "functionCall" in part]
        if waiting and at and contents[at - 1]["role"] != "user":
            wrong.append(f"content {at}: calls that follow no turn of the user")
        for part in parts:
            call = part.get("functionCall")
            if call and part["thoughtSignature"] != signature(call["name"], call["args"]):
                wrong.append(f"content {at}: a call is not as it was signed")
        if not parts:
            wrong.append(f"content {at}: nothing is said")
    if waiting:
        wrong.append(f"behind the last: {waiting} have no responses")
    return wrong + _begins([content["role"] for content in contents])


Rules = Callable[[Sequence[Any]], list[str]]
