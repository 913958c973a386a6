"""Write messages and results of tools in the shape that they came in: with other texts, or a new message."""

from __future__ import annotations

import copy
import importlib
import json
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any

from tersely.memory.messages import LANGCHAIN_TYPES, MAPPING, Path, is_list, parse_json_text, plain

REMOVED = object()
_PLAIN = {"role", "content", "name", "tool_calls", "tool_call_id"}


@dataclass(frozen=True, slots=True)
class Rows:
    """Replacement texts for a list of blocks with a JSON object each."""

    texts: tuple[str, ...]  # as `to_json` writes them, or others


def with_texts(message: Any, texts: Mapping[Path, Any]) -> Any:
    """A copy of the message with the texts (or records) at these paths; other parts are shared.

    REMOVED takes a block out of its list; one where a provider's cache ends stays, with "…" as its text.
    O(what is on the paths, with the lists that they lead through).
    """
    return _put(message, list(texts.items())) if texts else message


def _put(value: Any, places: list[tuple[Path, Any]]) -> Any:
    if not places[0][0]:
        made = places[0][1]
        return _blocks_like(value, made) if isinstance(made, Rows) else made
    if isinstance(value, str):  # the text is one of JSON in a string
        found = parse_json_text(value)
        assert found is not None
        return found[1].write(_put(found[0], places))
    by_key: dict[str | int, list[tuple[Path, Any]]] = {}
    for path, text in places:
        by_key.setdefault(path[0], []).append((path[1:], text))
    if isinstance(value, MAPPING):
        same = copy.copy(value) if isinstance(value, MutableMapping) else dict(value)
        for key, inner in by_key.items():
            same[key] = _put(value[key], inner)
        return same
    if is_list(value):
        made = list(value)
        for number, inner in by_key.items():
            assert isinstance(number, int)
            made[number] = _put_block(made[number], inner)
        made = [block for block in made if block is not REMOVED]
        return made if isinstance(value, list) else tuple(made)
    updates = {str(key): _put(getattr(value, str(key)), inner) for key, inner in by_key.items()}
    if hasattr(value, "model_copy"):
        return value.model_copy(update=updates)
    changed = copy.copy(value)
    for name, update in updates.items():
        object.__setattr__(changed, name, update)  # of a frozen dataclass as well
    return changed


def _blocks_like(blocks: Sequence[Any], rows: Rows) -> Any:
    """Blocks with these texts: each the block that has the same data, or else one like the first."""
    texts = [
        block["text"] if type(block) is dict or isinstance(block, MAPPING) else block.text for block in blocks
    ]
    same = dict(zip(_values(texts), blocks, strict=True))
    data = [text for text in rows.texts if text[:1] == "{"]  # others are notes
    kept = dict(zip(data, map(same.get, _values(data)), strict=True))
    made = [kept.get(text) or _put(blocks[0], [(("text",), text)]) for text in rows.texts]
    return made if isinstance(blocks, list) else tuple(made)


def _values(texts: Sequence[str]) -> list[str]:
    """Parse each JSON text, however it is spaced."""
    return list(map(repr, json.loads(f"[{','.join(texts)}]")))


def _put_block(block: Any, places: list[tuple[Path, Any]]) -> Any:
    made = _put(block, places)
    if isinstance(made, str) and not isinstance(block, str):
        return _text_block(made, block)
    if made is REMOVED and isinstance(block, MAPPING) and "cache_control" in block:
        return {**block, "text": "…"}
    return made


def _text_block(text: str, like: Any) -> Any:
    """A block that says `text` in the place of the picture `like`; a provider's cache still ends there."""
    shape = like if isinstance(like, MAPPING) else plain(like)
    if "kind" in shape and "type" not in shape:  # pydantic-ai writes texts bare
        return text
    made: dict[str, Any] = {"text": text}
    if "type" in shape:
        made["type"] = "input_text" if str(shape["type"]).startswith(("input_", "computer_")) else "text"
    if "cache_control" in shape:
        made["cache_control"] = shape["cache_control"]
    validate = None if like is shape or "type" in shape else getattr(type(like), "model_validate", None)
    return validate(made) if validate else made  # a part of Gemini's SDK, or a mapping


def joined_turns(messages: Sequence[Any]) -> list[tuple[int, int, Any]]:
    """(first, behind the last, one message) of messages that are one turn to their provider. O(messages).

    Bedrock's Converse refuses two turns of one role in a row, and Gemini a call right behind a turn of the
    model; where what stood between them is gone, their blocks go into one.
    """
    found: list[tuple[int, int, Any]] = []
    before = ("", "")
    for index, message in enumerate(messages):
        plainly = type(message) is dict and type(message.get("content")) is str and "parts" not in message
        turn = ("", "") if plainly else _turn(message)
        if turn[0] and turn == before:
            again = bool(found) and found[-1][1] == index
            first, _, joined = found.pop() if again else (index - 1, index, messages[index - 1])
            blocks = [*_field(joined, turn[1]), *_field(message, turn[1])]
            found.append((first, index + 1, with_texts(message, {(turn[1],): blocks})))
        before = turn
    return found


def _turn(message: Any) -> tuple[str, str]:
    """The role, and the field of the blocks, of a message that may be joined with one beside it; or ""."""
    role = _field(message, "role")
    if role == "model" and is_list(_field(message, "parts")):
        return "model", "parts"
    blocks = _field(message, "content")
    if role in ("user", "assistant") and is_list(blocks):
        untyped = [isinstance(block, MAPPING) and "type" not in block for block in blocks]
        if untyped and all(untyped):
            return role, "content"
    return "", ""


def _field(message: Any, name: str) -> Any:
    return message.get(name) if isinstance(message, MAPPING) else getattr(message, name, None)


def new_user_message(text: str, like: Sequence[Any]) -> Any:
    """A user's message that says `text`, of the kind that the messages `like` are."""
    for message in like:
        if isinstance(message, tuple):
            return "user", text
        plainly = type(message) is dict and message.keys() <= _PLAIN
        if plainly and isinstance(message.get("content"), (str, type(None))):
            continue  # as most are: of no particular shape
        made = _user_mapping(text, message) if isinstance(message, MAPPING) else _user_object(text, message)
        if made is not None:
            return made
    return {"role": "user", "content": text}  # objects of an SDK stand beside mappings


def _user_mapping(text: str, like: Mapping[str, Any]) -> dict[str, Any] | None:
    """The mapping of the shape of `like`; None where that is no particular one."""
    what = like.get("type")
    parts = like.get("parts")
    if "kwargs" in like:
        names = [*like.get("id", [])[:-1], "HumanMessage"]
        return {"lc": 1, "type": "constructor", "id": names, "kwargs": {"type": "human", "content": text}}
    if what in LANGCHAIN_TYPES and "role" not in like:
        fields = {"type": "human", "content": text}
        return {"type": "human", "data": fields} if "data" in like else fields
    if what == "message":
        return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
    if like.get("kind") in ("request", "response"):
        return {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": text}]}
    if is_list(parts):
        typed = any(isinstance(part, MAPPING) and "type" in part for part in parts)
        return {"role": "user", "parts": [{"type": "text", "text": text} if typed else {"text": text}]}
    blocks = like.get("content")
    if is_list(blocks) and any(isinstance(block, MAPPING) and "type" not in block for block in blocks):
        return {"role": "user", "content": [{"text": text}]}
    return None


def _user_object(text: str, like: Any) -> Any:
    """Make an object of the kind of `like`; None where there is a mapping beside it as well."""
    if getattr(like, "type", None) == "human":
        return type(like)(content=text)
    if type(like).__module__.partition(".")[0].startswith("langchain"):
        return importlib.import_module("langchain_core.messages").HumanMessage(content=text)
    if hasattr(like, "parts") and hasattr(like, "model_validate"):
        return type(like).model_validate({"role": "user", "parts": [{"text": text}]})
    return None
