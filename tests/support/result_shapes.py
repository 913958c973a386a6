"""Results of tools in each shape, as mappings and as real classes, around one long text or list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

LOG = "The worker started and wrote a row.\n" * 900 + "ERROR payment 4711 timed out in /srv/pay/x.py:12\n"
ROWS = [{"id": row, "name": f"user {row}", "state": "failed" if row == 71 else "done"} for row in range(400)]
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0K" * 500}}
CACHED = {"cache_control": {"type": "ephemeral"}}

# fmt: off
MAPPINGS: dict[str, Any] = {
    "text": LOG,
    "bytes": LOG.encode(),
    "bytearray": bytearray(LOG.encode()),
    "data with a text": {"stdout": LOG, "stderr": "", "interrupted": False, "isImage": False},
    "data with a text deep in it": {"type": "text", "file": {"filePath": "/srv/run.log", "content": LOG}},
    "records": ROWS,
    "data with records": {"total": 400, "items": ROWS, "next": None},
    "texts": [f"/srv/app/module_{row}/billing.py" for row in range(900)],
    "blocks": [{"type": "text", "text": LOG, **CACHED}, IMAGE, {"type": "text", "text": "exit code 3"}],
    "openai chat": {"role": "tool", "tool_call_id": "c1", "content": LOG},
    "openai chat, blocks": {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": LOG}]},
    "openai responses": {"type": "function_call_output", "call_id": "c1", "output": LOG},
    "openai responses, blocks": {"type": "function_call_output", "call_id": "c1",
                                 "output": [{"type": "input_text", "text": LOG},
                                            {"type": "input_image", "image_url": "data:;base64,iVBORw0K"}]},
    "openai custom tool": {"type": "custom_tool_call_output", "call_id": "c1", "output": LOG},
    "openai shell": {"type": "local_shell_call_output", "id": "c1", "output": LOG},
    "anthropic": {"type": "tool_result", "tool_use_id": "c1", "content": LOG, **CACHED},
    "anthropic, blocks": {"type": "tool_result", "tool_use_id": "c1", "is_error": False,
                          "content": [{"type": "text", "text": LOG, **CACHED}, IMAGE]},
    "anthropic message": {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "c1", "content": LOG}, {"type": "text", "text": "Go on."}]},
    "mcp": {"content": [{"type": "text", "text": LOG},
                        {"type": "resource", "resource": {"uri": "file:///a.log", "text": LOG}},
                        {"type": "image", "data": "iVBORw0K", "mimeType": "image/png"}], "isError": False},
    "gemini": {"functionResponse": {"name": "read_log", "response": {"result": LOG}}},
    "gemini, records": {"function_response": {"name": "rows", "response": {"rows": ROWS}}},
    "gemini message": {"role": "user",
                       "parts": [{"functionResponse": {"name": "read_log", "response": {"result": LOG}}}]},
    "bedrock": {"toolResult": {"toolUseId": "c1", "content": [{"text": LOG}], "status": "success"}},
    "bedrock, json": {"toolResult": {"toolUseId": "c1", "content": [{"json": {"rows": ROWS}}]}},
    "ai sdk": {"type": "tool-result", "toolCallId": "c1", "toolName": "read_log",
               "output": {"type": "text", "value": LOG}},
    "langchain": {"type": "tool", "content": LOG, "tool_call_id": "c1"},
    "pydantic-ai": {"part_kind": "tool-return", "tool_name": "read_log", "content": LOG,
                    "tool_call_id": "c1"},
    "pydantic-ai, records": {"part_kind": "tool-return", "tool_name": "rows", "content": ROWS,
                             "tool_call_id": "c1"},
}
# fmt: on


def differences(before: Any, after: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Paths of all values that differ, and of all types that do; lists and their objects may be shorter."""
    if type(before) is not type(after):
        yield (*path, type(before).__name__, type(after).__name__)
    elif isinstance(before, Mapping):
        if isinstance(path[-1] if path else None, int):
            return  # a record
        for key in before.keys() | after.keys():
            yield from differences(before.get(key), after.get(key), (*path, key))
    elif isinstance(before, Sequence) and not isinstance(before, (str, bytes, bytearray)):
        kinds = {type(value) for value in before}
        for number, value in enumerate(after):
            if type(value) not in kinds:
                yield (*path, number, type(value).__name__)
        if len(before) == len(after):
            for number, pair in enumerate(zip(before, after, strict=True)):
                yield from differences(*pair, (*path, number))
    elif hasattr(before, "model_dump"):
        for key in type(before).model_fields:
            yield from differences(getattr(before, key), getattr(after, key), (*path, key))
    elif is_dataclass(before):
        for entry in fields(before):
            yield from differences(
                getattr(before, entry.name), getattr(after, entry.name), (*path, entry.name)
            )
    elif before is not after and before != after:
        yield path


def texts_of(value: Any) -> Iterator[str]:
    """Every text in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (bytes, bytearray)):
        yield value.decode(errors="replace")
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from texts_of(inner)
    elif isinstance(value, Sequence):
        for inner in value:
            yield from texts_of(inner)
    elif hasattr(value, "model_dump"):
        yield from texts_of(value.model_dump())
    elif is_dataclass(value):
        for entry in fields(value):
            yield from texts_of(getattr(value, entry.name))
