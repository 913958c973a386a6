"""Memory of agents: histories of chats, made smaller.

What is offered loads when it is first asked for.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tersely.memory.accounts import CompactedMessages, MessageAccount
    from tersely.memory.compaction import compact_messages
    from tersely.memory.compaction_config import CompactionConfig, CompactionResult
    from tersely.memory.compactor import Compactor
    from tersely.memory.conversation import ConversationMemory, ConversationTurn
    from tersely.memory.planning import CompactionPlan, Prices, apply, break_even, plan
    from tersely.memory.repl import REPLEntry, REPLHistory
    from tersely.memory.repl_compactor import MemoryCompactor

__all__ = [
    "CompactedMessages",
    "CompactionConfig",
    "CompactionPlan",
    "CompactionResult",
    "Compactor",
    "ConversationMemory",
    "ConversationTurn",
    "MemoryCompactor",
    "MessageAccount",
    "Prices",
    "REPLEntry",
    "REPLHistory",
    "apply",
    "break_even",
    "compact_messages",
    "plan",
]

_MODULES = {
    "accounts": (
        "CompactedMessages",
        "MessageAccount",
    ),
    "compaction": ("compact_messages",),
    "compaction_config": (
        "CompactionConfig",
        "CompactionResult",
    ),
    "compactor": ("Compactor",),
    "conversation": (
        "ConversationMemory",
        "ConversationTurn",
    ),
    "planning": (
        "CompactionPlan",
        "Prices",
        "apply",
        "break_even",
        "plan",
    ),
    "repl": (
        "REPLEntry",
        "REPLHistory",
    ),
    "repl_compactor": ("MemoryCompactor",),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """A name of `__all__`, from its module."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
