from tersely.agents.tool_results import (
    ToolResultCompressor as ToolResultCompressor,
)
from tersely.agents.tool_results import (
    ToolResultReport as ToolResultReport,
)
from tersely.agents.tool_results import (
    compress_tool as compress_tool,
)
from tersely.agents.tool_results import (
    compress_tool_result as compress_tool_result,
)
