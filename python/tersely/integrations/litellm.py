"""Shorten the results of tools in requests through LiteLLM's proxy, as a hook. Needs `tersely[litellm]`."""

from __future__ import annotations

from typing import Any

from tersely.agents.tool_results import BUDGET, ResultShortener, ToolResultCompressor
from tersely.errors import needs

with needs("litellm", "litellm"):
    from litellm.integrations.custom_logger import CustomLogger

__all__ = ["TerselyHook"]


class TerselyHook(CustomLogger):
    """A pre-call hook that shortens tool results in "messages" (chat, Anthropic) and "input" (Responses).

    In a file beside the proxy's config.yaml, `hook = TerselyHook(budget=2000)`; in the config,
    `litellm_settings: {callbacks: my_file.hook}`. A result is sent in the same bytes on every turn. What
    cannot be shortened is sent as it is.
    """

    def __init__(self, budget: int = BUDGET, **options: Any) -> None:
        """Say how long a result may be; other options: as in `tersely.agents.compress_tool_result`."""
        super().__init__()
        self._results = ResultShortener(ToolResultCompressor(budget, **options))

    async def async_pre_call_hook(
        self, user_api_key_dict: Any, cache: Any, data: dict[str, Any], call_type: Any
    ) -> dict[str, Any]:
        """Give the request with shorter results."""
        from asyncio import to_thread

        shorter = {
            key: await to_thread(self._results.shorten, data[key])
            for key in ("messages", "input")
            if isinstance(data.get(key), list)
        }
        return {**data, **shorter}
