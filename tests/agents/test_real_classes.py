"""`compress_tool_result` over the classes of each framework: the same types come back, valid ones."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from result_shapes import LOG, ROWS, differences, texts_of
from tersely.agents import compress_tool, compress_tool_result
from tersely.agents.tool_results import ToolResultReport


def shortened(result: Any, is_known: bool = True) -> Any:
    """The result at 300 tokens; what differs are its long texts alone."""
    told: list[ToolResultReport] = []
    made = compress_tool_result(result, budget=300, query="which payment timed out?", report=told.append)
    assert type(made) is type(result) and told[0].status == "compressed" and told[0].tokens <= 300
    assert any("ERROR payment 4711" in text or "user" in text for text in texts_of(made))
    assert not any(text == LOG for text in texts_of(made))
    assert ("unknown_shape" in told[0].warnings) is not is_known
    for path in differences(result, made):
        assert not isinstance(path[-1], type), path
    assert compress_tool_result(result, budget=10**6) is result
    return made


def test_langchain() -> None:
    messages = pytest.importorskip("langchain_core.messages")
    made = shortened(messages.ToolMessage(LOG, tool_call_id="c1", artifact=[1], status="success", id="m"))
    assert (made.tool_call_id, made.artifact, made.id) == ("c1", [1], "m")
    blocks = [{"type": "text", "text": LOG}, {"type": "image", "url": "https://example.org/a.png"}]
    made = shortened(messages.ToolMessage(blocks, tool_call_id="c1"))
    assert made.content[1] is blocks[1] or made.content[1] == blocks[1]


def test_mcp() -> None:
    types = pytest.importorskip("mcp.types")
    blocks = [
        types.TextContent(type="text", text=LOG),
        types.ImageContent.model_validate({"type": "image", "data": "iVBORw0K", "mimeType": "image/png"}),
        types.EmbeddedResource(
            type="resource", resource=types.TextResourceContents(uri="file:///a.log", text=LOG)
        ),
    ]
    result = types.CallToolResult.model_validate({"content": blocks, "isError": False})
    # URLs of MCP 1.x are of a class of their own.
    made = shortened(result, is_known=isinstance(blocks[2].resource.uri, str))
    assert type(made).model_validate(made.model_dump(by_alias=True)) == made and made.content[1] == blocks[1]
    assert [type(block) for block in made.content] == [type(block) for block in blocks]
    rows = [types.TextContent(type="text", text=json.dumps(row)) for row in ROWS]
    made = shortened(types.CallToolResult(content=rows))
    assert all(type(block) is types.TextContent for block in made.content) and rows[71] in made.content
    given = {"content": [blocks[0]], "structuredContent": {"result": LOG}, "isError": True}
    made = shortened(types.CallToolResult.model_validate(given))
    assert type(made).model_validate(made.model_dump(by_alias=True)) == made
    written = made.model_dump(by_alias=True)  # names of the attributes differ between versions
    assert written["structuredContent"].keys() == {"result"} and written["isError"]


def test_openai() -> None:
    responses = pytest.importorskip("openai.types.responses")
    item = responses.ResponseFunctionToolCallOutputItem(
        id="o1", call_id="c1", output=LOG, type="function_call_output", status="completed"
    )
    made = shortened(item)
    assert (made.id, made.call_id, made.status) == ("o1", "c1", "completed")


def test_anthropic() -> None:
    types = pytest.importorskip("anthropic.types")
    block = types.ToolResultBlockParam(
        type="tool_result",
        tool_use_id="c1",
        content=[{"type": "text", "text": LOG, "cache_control": {"type": "ephemeral"}}],
        cache_control={"type": "ephemeral"},
    )
    made = shortened(block)
    assert made["cache_control"] == made["content"][0]["cache_control"] == {"type": "ephemeral"}


def test_gemini() -> None:
    types = pytest.importorskip("google.genai.types")
    part = types.Part.from_function_response(name="read_log", response={"result": LOG})
    assert shortened(part).function_response.name == "read_log"
    rows = types.Part.from_function_response(name="rows", response={"rows": ROWS})
    assert len(shortened(rows).function_response.response["rows"]) < len(ROWS)
    shortened(types.Content(role="user", parts=[part]))
    shortened(types.FunctionResponse(name="read_log", response={"result": LOG}))


def test_pydantic_ai() -> None:
    messages = pytest.importorskip("pydantic_ai.messages")
    part = messages.ToolReturnPart(tool_name="read_log", content=LOG, tool_call_id="c1")
    made = shortened(part)
    assert (made.tool_name, made.tool_call_id, made.timestamp) == ("read_log", "c1", part.timestamp)
    shortened(messages.ToolReturnPart(tool_name="rows", content=ROWS, tool_call_id="c1"))
    made = shortened(messages.ToolReturn(return_value=LOG, metadata={"seen": 1}), is_known=False)
    assert made.metadata == {"seen": 1}
    image = messages.BinaryContent(b"\x89PNG", media_type="image/png")
    assert shortened([LOG, image])[1] is image


def test_the_agents_sdk() -> None:
    pytest.importorskip("agents.items", reason="pip install openai-agents")
    import agents

    agent = agents.Agent(name="a")
    raw = {"type": "function_call_output", "call_id": "c1", "output": LOG}
    item = agents.ToolCallOutputItem(agent=agent, raw_item=raw, output=LOG)
    told: list[ToolResultReport] = []
    made = compress_tool_result(item, budget=300, report=told.append)
    assert type(made) is type(item) and told[0].tokens <= 300
    assert len(made.to_input_item()["output"]) < 2000 and made.agent is agent
    assert item.to_input_item()["output"] == LOG
    made = shortened(
        [agents.ToolOutputText(text=LOG), agents.ToolOutputImage(image_url="https://e.org/a.png")]
    )
    assert isinstance(made[1], agents.ToolOutputImage)


@compress_tool(budget=300, query="which payment timed out?")
def read_log(path: str) -> str:
    """Read a log.

    Args:
        path: of the file.
    """
    return LOG


def is_short(text: Any) -> bool:
    return isinstance(text, str) and len(text) < 2000 and "ERROR payment 4711" in text


@pytest.mark.filterwarnings("ignore:Function 'read_log' has decorators other than @tool")
def test_a_decorated_function_is_a_tool_of_smolagents() -> None:
    smolagents = pytest.importorskip("smolagents")
    tool = smolagents.tool(read_log)
    assert tool.name == "read_log" and tool.inputs == {
        "path": {"type": "string", "description": "of the file."}
    }
    assert is_short(tool(path="a.log"))

    class ReadLog(smolagents.Tool):  # type: ignore[misc, name-defined]
        name, description, output_type = "read_log", "Read a log.", "string"
        inputs = {"path": {"type": "string", "description": "of the file"}}  # noqa: RUF012

        @compress_tool(budget=300)
        def forward(self, path: str) -> str:
            return LOG

    assert is_short(ReadLog()(path="a.log"))


def test_a_decorated_function_is_a_tool_of_autogen() -> None:
    tools = pytest.importorskip("autogen_core.tools")
    from autogen_core import CancellationToken

    @compress_tool(budget=300)
    async def later(path: str, lines: int = 3) -> str:
        return LOG

    for function, parameters in ((read_log, {"path"}), (later, {"path", "lines"})):
        tool = tools.FunctionTool(function, description="Read a log.")
        assert set(tool.schema["parameters"]["properties"]) == parameters
        made = asyncio.run(tool.run_json({"path": "a.log"}, CancellationToken()))
        assert is_short(tool.return_value_as_string(made))


def test_a_decorated_function_is_a_tool_of_crewai() -> None:
    tools = pytest.importorskip("crewai.tools")
    tool = tools.tool("Read a log")(read_log)
    assert set(tool.args_schema.model_json_schema()["properties"]) == {"path"}
    assert is_short(tool.run(path="a.log"))

    class ReadLog(tools.BaseTool):  # type: ignore[misc, name-defined]
        name: str = "read_log"
        description: str = "Read a log."

        @compress_tool(budget=300)
        def _run(self, path: str) -> str:
            return LOG

    assert is_short(ReadLog().run(path="a.log"))
