"""Write the replies of tools: text from elsewhere fenced, within a budget of tokens that counts the fence."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from tersely.core.errors import BudgetExceededError
from tersely.core.fence import fence
from tersely.providers.counters import resolve_counter
from tersely.server.tools import ToolError

__all__ = ["count_tokens", "fenced_reply", "fit_reply"]

Result = TypeVar("Result")

_TOKENS = resolve_counter(None)


def count_tokens(text: str) -> int:
    """Tokens of a reply (o200k_base)."""
    return _TOKENS.count(text)


def fenced_reply(text: str) -> str:
    """A reply that is one text from elsewhere."""
    around = fence(text)
    return f"{around.rule}\n{around.put(text)}"


def fit_reply(
    fit: Callable[[int], Result], write: Callable[[Result], str], budget: int
) -> tuple[Result, str]:
    """Fit content and all that is written around it into a budget: the content, and the reply.

    `fit` gives the content for a budget of tokens >= 1, or raises BudgetExceededError; `write` gives its
    reply, which is counted. Raises ToolError where not even the least content fits: it says what would do.
    """
    room = budget
    while True:
        try:
            content = fit(max(room, 1))
        except BudgetExceededError as error:  # the content that needs least
            content, room = fit(int(error.required)), 1
        text = write(content)
        over = count_tokens(text) - budget
        if over <= 0:
            return content, text
        if room <= 1:
            raise ToolError(f"the reply does not fit into {budget} tokens; {budget + over} tokens would do")
        room -= over
