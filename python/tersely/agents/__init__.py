"""Compress what an agent's tools give, once, before a model first sees it: no cached prefix ever changes.

>>> from tersely.agents import compress_tool_result
>>> rows = [{"id": row, "state": "failed" if row == 71 else "done"} for row in range(200)]
>>> short = compress_tool_result(rows, budget=200)
>>> type(short), {"id": 71, "state": "failed"} in short
(<class 'list'>, True)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tersely.core.lazy import load_late

if TYPE_CHECKING:
    from tersely.agents.decorator import compress_tool
    from tersely.agents.tool_results import ToolResultCompressor, ToolResultReport, compress_tool_result

__all__ = ["ToolResultCompressor", "ToolResultReport", "compress_tool", "compress_tool_result"]

__getattr__, __dir__ = load_late(
    __name__,
    {
        "tersely.agents.decorator": ("compress_tool",),
        "tersely.agents.tool_results": ("ToolResultCompressor", "ToolResultReport", "compress_tool_result"),
    },
)
