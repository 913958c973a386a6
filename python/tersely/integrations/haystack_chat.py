"""Fit chat histories into a budget in Haystack pipelines. Needs `tersely[haystack]`."""

# Annotations are not postponed here: Haystack 2 reads the types of sockets from them.
import asyncio
from dataclasses import replace
from typing import Any, Self

from tersely.errors import needs
from tersely.memory import compact_messages

with needs("haystack-ai", "haystack"):
    from haystack import component, default_to_dict
    from haystack.dataclasses import ChatMessage

__all__ = ["TerselyCompactor"]


@component
class TerselyCompactor:
    """Fits chat messages into a token budget, before a chat generator (`tersely.memory.compact_messages`).

    Messages that stay are the same objects. A long tool result that was shortened is a copy with its call;
    one user message with excerpts, which says so, replaces older messages. A call and its results are kept or
    dropped together; system messages and pictures stay unchanged.
    """

    def __init__(self, budget: int, counter: str | None = None, keep_last: int = 0) -> None:
        """Say how long a history may be.

        Args:
            budget: tokens of all messages, with their frames.
            counter: the name of a tokenizer, as in `tersely.compress`.
            keep_last: so many of the newest messages are never folded.
        """
        if counter is not None and not isinstance(counter, str):
            raise TypeError(f"counter must be a name or None, not {type(counter).__name__}")
        self.budget = budget
        self.counter = counter
        self.keep_last = keep_last

    @component.output_types(messages=list[ChatMessage], report=dict[str, Any])
    def run(self, messages: list[ChatMessage]) -> dict[str, Any]:
        """Return the messages that fit, and an account of each (`CompactedMessages.to_dict`).

        Raises BudgetExceededError if what must stay does not fit.
        """
        given = [message.to_openai_dict_format(require_tool_call_ids=False) for message in messages]
        found = compact_messages(given, budget=self.budget, counter=self.counter, keep_last=self.keep_last)
        same = {id(ours): message for ours, message in zip(given, messages, strict=True)}
        shortened = iter(
            messages[account.index] for account in found.accounts if account.outcome == "compressed"
        )
        kept = []
        for ours in found.messages:
            if id(ours) in same:
                kept.append(same[id(ours)])
            elif ours["role"] == "tool":
                kept.append(_with_result(next(shortened), ours["content"]))
            else:
                kept.append(ChatMessage.from_user(ours["content"], meta={"tersely": "folded"}))
        return {"messages": kept, "report": found.to_dict()}

    @component.output_types(messages=list[ChatMessage], report=dict[str, Any])
    async def run_async(self, messages: list[ChatMessage]) -> dict[str, Any]:
        """Run in a thread of its own, for async pipelines."""
        return await asyncio.to_thread(self.run, messages)

    def to_dict(self) -> dict[str, Any]:
        """Return the component as plain types, for a file."""
        written: dict[str, Any] = default_to_dict(
            self, budget=self.budget, counter=self.counter, keep_last=self.keep_last
        )
        return written

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Make a component from the dict of `to_dict`."""
        return cls(**data["init_parameters"])


def _with_result(message: Any, content: Any) -> Any:
    """Copy the answer of a tool with a shorter result: its text, or its blocks with shorter texts."""
    (result,) = message.tool_call_results
    if not isinstance(content, str):
        content = [
            replace(block, text=sent["text"]) if hasattr(block, "text") else block
            for block, sent in zip(result.result, content, strict=True)
        ]
    return ChatMessage.from_tool(content, origin=result.origin, error=result.error, meta=message.meta)
