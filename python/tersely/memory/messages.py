"""Messages as chat interfaces have them -> entries: what they say, what must not change.

Read are OpenAI chat messages, items of OpenAI's Responses API, Anthropic messages (mappings, or objects with
`model_dump`), and LangChain messages (objects with `type` and `content`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tersely.documents import check_text
from tersely.memory.quoting import HEADER

__all__ = ["Entry", "Path", "Piece", "check_list", "read_message", "read_messages"]

Path = tuple[str | int, ...]

_LANGCHAIN_ROLES = {"human": "user", "ai": "assistant", "function": "tool", "chat": "user"}
_TEXTS = {"text", "input_text", "output_text"}
_PICTURES = {"image", "image_url", "input_image", "input_audio", "audio", "file", "input_file", "document"}


@dataclass(frozen=True, slots=True)
class Piece:
    """A text of a message.

    Attributes:
        text: what it says.
        kind: "text"; "result": what a tool gave; "call": name and arguments of a call, not changed in place;
            "excerpts": of messages that were folded before (quoting.py).
        path: the keys that lead to it in the message; () for a call.
        call: id of the call that a result is of, "" where it is not said.
    """

    text: str
    kind: Literal["text", "result", "call", "excerpts"]
    path: Path
    call: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """A message as it was read.

    Attributes:
        role: "system", "user", "assistant" or "tool".
        pieces: its texts, in order.
        calls, answers: ids of the tool calls that it makes, and of those whose results it holds.
        name: name of the speaker or the tool, "" without.
        pictures: parts that are no text (images, sound, files).
        opaque: text that is sent but neither read nor changed (thinking, signatures).
        held: why it has to stay as it is ("system", "cache_marker", "picture", "unknown_shape"), else "".
        leads: it may not be parted from the next message (a reasoning item).
    """

    role: str
    pieces: tuple[Piece, ...] = ()
    calls: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    name: str = ""
    pictures: int = 0
    opaque: str = ""
    held: str = ""
    leads: bool = False


def read_messages(messages: Sequence[Any]) -> list[Entry]:
    """One entry a message; raises TypeError for what is no list of messages."""
    check_list(messages)
    return [read_message(message, index) for index, message in enumerate(messages)]


def check_list(messages: Any) -> None:
    """Raise TypeError for what is no list of messages."""
    if isinstance(messages, (str, bytes)) or not isinstance(messages, Sequence):
        raise TypeError(f"messages must be a list of messages, not {type(messages).__name__}")


def read_message(message: Any, index: int = 0) -> Entry:
    """The entry of a message. `index` is for the error: TypeError, ValueError for a lone surrogate."""
    given = _as_mapping(message)
    if given is None:
        what = (
            f"a mapping of {sorted(map(str, message))}"
            if isinstance(message, Mapping)
            else type(message).__name__
        )
        raise TypeError(
            f"messages[{index}] must be a mapping whose role or type is a str, or an object with content, "
            f"not {what}"
        )
    is_item = "role" not in given and given.get("type") != "message"
    entry = _responses_item(given) if is_item else _chat_message(given)
    for text in (*(piece.text for piece in entry.pieces), entry.name, entry.opaque):
        check_text(text, f"messages[{index}]")
    return entry


def _as_mapping(message: Any) -> Mapping[str, Any] | None:
    """The message as a mapping with OpenAI's or Anthropic's keys; None for anything else."""
    if isinstance(message, Mapping):
        return message if isinstance(message.get("role", message.get("type")), str) else None
    kind = getattr(message, "type", None)
    content = getattr(message, "content", None)
    if isinstance(kind, str) and isinstance(content, (str, list)) and not hasattr(message, "role"):
        role = _LANGCHAIN_ROLES.get(kind, kind)
        calls = getattr(message, "tool_calls", None) or []
        return {
            "role": role,
            "content": content,
            "name": getattr(message, "name", None),
            "tool_call_id": getattr(message, "tool_call_id", None),
            "tool_calls": [
                {"id": call.get("id"), "function": {"name": call.get("name"), "arguments": call.get("args")}}
                for call in calls
                if isinstance(call, Mapping)
            ],
        }
    if isinstance(getattr(message, "role", kind), str) and hasattr(message, "model_dump"):
        dumped = message.model_dump(exclude_none=True)
        return dumped if isinstance(dumped, Mapping) else None
    return None


def _chat_message(given: Mapping[str, Any]) -> Entry:
    role = {"developer": "system", "function": "tool", "model": "assistant"}.get(
        given.get("role", "user"), given.get("role", "user")
    )
    content = given.get("content")
    pieces: list[Piece] = []
    calls: list[str] = []
    answered = str(given.get("tool_call_id") or "")
    answers = [answered] if answered else []
    pictures, opaque, held = 0, "", "cache_marker" if "cache_control" in given else ""
    if isinstance(content, str):
        pieces.append(_text(content, role, ("content",), answered))
    elif isinstance(content, Sequence):
        for number, block in enumerate(content):
            if isinstance(block, str):
                pieces.append(_text(block, role, ("content", number), answered))
                continue
            if not isinstance(block, Mapping):
                held = "unknown_shape"
                opaque += str(block)
                continue
            if "cache_control" in block:
                held = "cache_marker"
            what = block.get("type")
            if what in _TEXTS and isinstance(block.get("text"), str):
                pieces.append(_text(block["text"], role, ("content", number, "text"), answered))
            elif what == "tool_use":
                calls.append(str(block.get("id")))
                pieces.append(_call(block.get("name"), block.get("input")))
            elif what == "tool_result":
                answers.append(str(block.get("tool_use_id")))
                found, seen = _results(block.get("content"), ("content", number, "content"), answers[-1])
                pieces += found
                pictures += seen
            elif what in _PICTURES:
                pictures += 1
            else:  # thinking, refusal, what is still to come: sent, never touched
                opaque += _json(block)
                held = held or ("" if what in ("thinking", "redacted_thinking") else "unknown_shape")
    elif content is not None:
        held, opaque = "unknown_shape", str(content)
    for call in [*_listed(given.get("tool_calls")), *_legacy(given.get("function_call"))]:
        function = (call.get("function") or call.get("custom") or {}) if isinstance(call, Mapping) else None
        if not isinstance(function, Mapping):
            held = "unknown_shape"
            opaque += _json(call)
            continue
        calls.append(str(call.get("id")))
        pieces.append(_call(function.get("name"), function.get("arguments", function.get("input"))))
    if role == "system":
        held = "system"
    elif pictures:
        held = held or "picture"
    name = str(given.get("name") or "")
    return Entry(role, tuple(pieces), tuple(calls), tuple(answers), name, pictures, opaque, held)


def _responses_item(given: Mapping[str, Any]) -> Entry:
    what = given["type"]
    identity = (str(given["call_id"]),) if given.get("call_id") else ()
    if what in ("function_call", "custom_tool_call"):
        piece = _call(given.get("name"), given.get("arguments", given.get("input")))
        return Entry("assistant", (piece,), calls=identity)
    if what in ("function_call_output", "custom_tool_call_output"):
        pieces, pictures = _results(given.get("output"), ("output",), *identity)
        held = "picture" if pictures else ""
        return Entry("tool", tuple(pieces), answers=identity, pictures=pictures, held=held)
    if what == "reasoning":
        return Entry("assistant", opaque=_json(given), leads=True)
    return Entry("assistant", opaque=_json(given), held="unknown_shape", answers=identity)


def _results(content: Any, path: Path, call: str = "") -> tuple[list[Piece], int]:
    """The texts of the result of a tool's call, and how many pictures it has."""
    if isinstance(content, str):
        return [Piece(content, "result", path, call)], 0
    if isinstance(content, Mapping):  # no interface has it: counted as JSON, never changed
        return [Piece(_json(content), "call", (), call)], 0
    pieces: list[Piece] = []
    pictures = 0
    for number, block in enumerate(content if isinstance(content, Sequence) else ()):
        if isinstance(block, str):
            pieces.append(Piece(block, "result", (*path, number), call))
        elif isinstance(block, Mapping) and isinstance(block.get("text"), str):
            pieces.append(Piece(block["text"], "result", (*path, number, "text"), call))
        else:
            pictures += 1
    return pieces, pictures


def _text(text: str, role: str, path: Path, call: str) -> Piece:
    if role == "tool":
        return Piece(text, "result", path, call)
    return Piece(text, "excerpts" if text.startswith(HEADER) else "text", path)


def _call(name: Any, arguments: Any) -> Piece:
    shown = arguments if isinstance(arguments, str) else "" if arguments is None else _json(arguments)
    return Piece(f"{name or ''} {shown}".strip(), "call", ())


def _listed(calls: Any) -> Sequence[Any]:
    if calls is None:
        return ()
    return calls if isinstance(calls, Sequence) and not isinstance(calls, str) else (calls,)


def _legacy(call: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(call, Mapping):
        yield {"id": call.get("name"), "function": call}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
