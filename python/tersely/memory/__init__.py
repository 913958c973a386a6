"""Memory of agents: histories of chats, made smaller.

What is offered loads when it is first asked for.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tersely.memory.accounts import CompactedMessages, MessageAccount
    from tersely.memory.compaction import compact_messages

__all__ = [
    "CompactedMessages",
    "MessageAccount",
    "compact_messages",
]

_MODULES = {
    "accounts": ("CompactedMessages", "MessageAccount"),
    "compaction": ("compact_messages",),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """A name of `__all__`, from its module."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
