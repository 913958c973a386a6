"""Shorten tool results in requests of OpenAI's Agents SDK. Needs `tersely[openai-agents]`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tersely.agents.tool_results import BUDGET, ResultShortener, ToolResultCompressor
from tersely.errors import needs

with needs("openai-agents", "openai-agents"):
    from agents.run import CallModelData, ModelInputData

__all__ = ["shorten_model_input"]


def shorten_model_input(budget: int = BUDGET, **options: Any) -> Callable[[CallModelData], ModelInputData]:
    """Make a `call_model_input_filter` that shortens results of tools; the session keeps them whole.

        Runner.run(agent, task, run_config=RunConfig(call_model_input_filter=shorten_model_input(2000)))

    A result is sent in the same bytes on every turn, so that a provider's cache holds. What cannot be
    shortened is sent as it is.

    Args:
        budget, options: as in `tersely.agents.compress_tool_result`, but for query, name and arguments, which
            the history says.
    """
    results = ResultShortener(ToolResultCompressor(budget, **options))

    def shorten(data: CallModelData) -> ModelInputData:
        given = data.model_data
        return ModelInputData(input=results.shorten(given.input), instructions=given.instructions)

    return shorten
