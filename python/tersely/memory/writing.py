"""Messages with other texts in them, and new messages, in the shape of those that were there."""

from __future__ import annotations

import copy
import importlib
from collections.abc import Mapping, Sequence
from typing import Any

from tersely.memory.messages import Path

__all__ = ["new_user_message", "with_texts"]


def with_texts(message: Any, texts: Mapping[Path, str]) -> Any:
    """A copy of the message with the texts at these paths; what is not on a path is shared, not copied."""
    if isinstance(message, Mapping):
        changed: Any = message
        for path, text in texts.items():
            changed = _put(changed, path, text)
        return changed
    content = message.content
    for path, text in texts.items():
        content = _put(content, path[1:], text)
    if hasattr(message, "model_copy"):
        return message.model_copy(update={"content": content})
    made = copy.copy(message)
    made.content = content
    return made


def new_user_message(text: str, like: Sequence[Any]) -> Any:
    """A user's message that says `text`, of the kind that the messages `like` are."""
    if all(isinstance(message, Mapping) for message in like):
        if any(message.get("type") == "message" for message in like):
            return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
        return {"role": "user", "content": text}
    for message in like:
        if getattr(message, "type", None) == "human":
            return type(message)(content=text)
    if any(type(message).__module__.partition(".")[0].startswith("langchain") for message in like):
        return importlib.import_module("langchain_core.messages").HumanMessage(content=text)
    return {"role": "user", "content": text}  # objects of an SDK stand beside mappings


def _put(value: Any, path: Path, text: str) -> Any:
    if not path:
        return text
    made: Any = dict(value) if isinstance(value, Mapping) else list(value)
    made[path[0]] = _put(value[path[0]], path[1:], text)
    return made
