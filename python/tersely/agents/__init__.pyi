from tersely.agents.tool_results import (
    ToolResultCompressor as ToolResultCompressor,
    compress_tool as compress_tool,
    compress_tool_result as compress_tool_result,
)
