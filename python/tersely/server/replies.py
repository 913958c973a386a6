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
_ROUNDS = 8


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
    best: tuple[Result, str] | None = None
    room, low, high = budget, 0, budget + 1  # the room sought is over `low` and under `high`
    for attempt in range(_ROUNDS):
        excess = 0
        try:
            content = fit(room)
        except BudgetExceededError:
            low = room
        else:
            text = write(content)
            excess = count_tokens(text) - budget
            if excess <= 0:
                best, low = (content, text), room
            else:
                high = room
        if high - low <= 1 + budget // 50:
            break
        # What is written around the content may shrink with it: the first step may be too long or too short.
        room = room - excess if attempt == 0 and 0 < excess < room else (low + high) // 2
    return best or _least(fit, write, budget)


def _least(fit: Callable[[int], Result], write: Callable[[Result], str], budget: int) -> tuple[Result, str]:
    """The content that needs least, and its reply."""
    try:
        content = fit(1)
    except BudgetExceededError as error:
        content = fit(int(error.required))
    text = write(content)
    excess = count_tokens(text) - budget
    if excess > 0:
        raise ToolError(f"the reply does not fit into {budget} tokens; {budget + excess} tokens would do")
    return content, text
