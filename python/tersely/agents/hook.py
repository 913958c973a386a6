"""Answer the hook events of coding agents: shorter results of tools before the model sees them."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from tersely.agents.settings import HERMES, OPENCLAW, OPENCODE, PI
from tersely.text import parse_json

if TYPE_CHECKING:
    from tersely.agents.tool_results import ToolResultCompressor

# What these tools give says what they changed: agents show it, and it is short.
_WRITERS = frozenset(
    {"Edit", "MultiEdit", "Write", "NotebookEdit", "TodoWrite", "apply_patch", "replace", "write_file",
     "edit", "create", "update_todo", "write", "patch", "multiedit", "todowrite", "todo"}
)  # fmt: skip
# Fields of an event that say in which conversation it is; a subagent has one of its own.
_SESSIONS = ("session_id", "sessionId", "conversation_id", "agent_id")
_QUESTIONS = ("prompt", "query", "question")  # arguments of a call that say what is sought


class ToolCall(NamedTuple):
    """A tool call read from an event: its name, arguments and result, and the conversation; "" unknown."""

    name: Any
    arguments: Any
    result: Any
    session: str = ""


def read_call(agent: str, event: Any) -> ToolCall | None:
    """Read the call out of an event of an agent; None where its result is to stay as it is.

    Raises KeyError for an agent that is not in AGENTS; nothing else, whatever the event is.
    """
    protocol = AGENTS[agent]
    if not isinstance(event, Mapping) or event.get("hook_event_name", protocol.event) != protocol.event:
        return None
    call = protocol.read(event)
    if call is None or call.result is None or not isinstance(call.name, str) or call.name in _WRITERS:
        return None
    session = [event[key] for key in _SESSIONS if isinstance(event.get(key), str)]
    return call._replace(session="\n".join(session))


def answer_call(agent: str, call: ToolCall, compressor: ToolResultCompressor) -> dict[str, Any]:
    """The reply to the event of a call; {} leaves the result as it is. Raises nothing."""
    protocol = AGENTS[agent]
    question = None
    if isinstance(call.arguments, Mapping):
        asked = (call.arguments.get(key) for key in _QUESTIONS)
        question = next((words for words in asked if isinstance(words, str)), None)
    made = compressor.compress_or_leave(
        call.result,
        question,
        call.name,
        call.arguments,
        is_taken=lambda shorter: bool(protocol.reply(call, shorter)),
    )
    return {} if made is call.result else protocol.reply(call, made) or {}


# What other commands of an agent's shell would miss if it ran in a shell of its own.
_STAYS_IN_ITS_SHELL = re.compile(r"(?<![\w./-])(?:cd|pushd|popd|tersely)(?![\w./=-])|(?<![&>|])&(?![&>\d])")


def rewrite_command(event: Any, run: str) -> dict[str, Any]:
    """The reply to Claude Code before a command runs: `run` runs it, in bash, and keeps its exit code.

    Claude Code takes no replacement for what a failing command wrote, so its output must be short when it
    comes. Its permission rules are asked about the rewritten command. {} leaves alone what changes the folder
    of later commands, or runs in the background.
    """
    if not isinstance(event, Mapping) or "cursor_version" in event or event.get("tool_name") != "Bash":
        return {}
    given = event.get("tool_input")
    if event.get("hook_event_name") != "PreToolUse" or not isinstance(given, Mapping):
        return {}
    command = given.get("command")
    if not isinstance(command, str) or not command.strip() or given.get("run_in_background"):
        return {}
    if _STAYS_IN_ITS_SHELL.search(command):
        return {}
    made = {**given, "command": f"{run} -- bash -c {shlex.quote(command)}"}
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": made}}


def _call(event: Mapping[str, Any]) -> ToolCall | None:
    """A call as most agents tell it. Cursor runs Claude Code's hooks, too, but takes no such answers."""
    if "hook_event_name" not in event or "cursor_version" in event:
        return None
    return ToolCall(event.get("tool_name"), event.get("tool_input"), event.get("tool_response"))


def _gemini_call(event: Mapping[str, Any]) -> ToolCall | None:
    call = _call(event)
    if call is None or not isinstance(call.result, Mapping) or call.result.get("error"):
        return None
    return ToolCall(call.name, call.arguments, call.result.get("llmContent"))


def _copilot_call(event: Mapping[str, Any]) -> ToolCall | None:
    """Copilot CLI does not name the event; `toolArgs` may be JSON in a text."""
    result = event.get("toolResult")
    if not isinstance(result, Mapping) or result.get("resultType") != "success":
        return None
    text = result.get("textResultForLlm")
    return ToolCall(event.get("toolName"), _read(event.get("toolArgs")), text)


def _cursor_call(event: Mapping[str, Any]) -> ToolCall | None:
    """Cursor takes a replacement for results of MCP tools alone; they come as JSON in a text."""
    name, result = event.get("tool_name"), _read(event.get("tool_output"))
    if not isinstance(name, str) or not name.startswith("MCP:"):
        return None
    if not isinstance(result, dict) or not isinstance(result.get("content"), list) or result.get("isError"):
        return None
    return ToolCall(name.removeprefix("MCP:"), _read(event.get("tool_input")), result)


def _hermes_call(event: Mapping[str, Any]) -> ToolCall | None:
    """Hermes hands results over as JSON in a text."""
    call = _call(event)
    return None if call is None else call._replace(result=_read(call.result))


def _read(given: Any) -> Any:
    """Parse a value that may be JSON in a string; any other string is returned as it is."""
    if not isinstance(given, str):
        return given
    try:
        return parse_json(given, "it")
    except ValueError:
        return given


def _same_fields(before: Any, after: Any) -> bool:
    """Whether types and keys are the same; items of lists may differ."""
    if isinstance(before, dict) and isinstance(after, dict):
        return before.keys() == after.keys() and all(_same_fields(before[key], after[key]) for key in before)
    return type(before) is type(after)


def _text_of(made: Any) -> Any:
    """The text of a result that has nothing else; None for any other."""
    if isinstance(made, Mapping) and isinstance(made.get("content"), list):  # MCP
        made = made["content"]
    blocks = made if isinstance(made, list) else [made]
    texts = [block.get("text") if isinstance(block, Mapping) else block for block in blocks]
    return "\n".join(texts) if all(isinstance(text, str) for text in texts) else None  # type: ignore[arg-type]


class HookProtocol(NamedTuple):
    """Format of an agent's hook events and answers."""

    event: str  #: name of the event after a tool
    settings: str  #: file of the user's settings, under the home folder
    matcher: str = ""  #: which tools the hook is installed for, a regular expression
    timeout: int = 30  #: what the settings say, in the agent's unit
    #: the call, out of an event; None where its result is not to be touched
    read: Callable[[Mapping[str, Any]], ToolCall | None] = _call
    #: the reply that puts a shorter result in the place of a call's; this one: of a plugin of settings.py
    answer: Callable[[Any], dict[str, Any]] = lambda made: {"result": made}
    as_text: bool = False  #: whether it must be one text; else it must have the fields of the call's
    project: str = ""  #: file of a project's settings, under its folder; "" for one of the same name
    head: Mapping[str, Any] = {}  #: members that a new file of settings starts with
    #: of an agent that takes code, the plugin's files, in the folder of `settings`, which is the one that
    #: asks `tersely hook`
    files: Mapping[str, str] = {}
    then: str = ""  #: what the user types for the agent to load them
    #: name of the event before a tool, at which a command may be rewritten; "" where none is
    before: str = ""
    #: what stands in the list of the event, from matcher, command and timeout
    entry: Callable[[str, str, int], dict[str, Any]] = lambda matcher, command, timeout: {
        "matcher": matcher,
        "hooks": [{"type": "command", "command": command, "timeout": timeout}],
    }

    def reply(self, call: ToolCall, made: Any) -> dict[str, Any] | None:
        """The reply with a shorter result; None where its shape would not be taken."""
        if self.as_text:
            text = _text_of(made)
            return self.answer(text) if text else None
        return self.answer(made) if _same_fields(call.result, made) else None


_GEMINI_TOOLS = (
    "run_shell_command|grep_search|search_file_content|glob|list_directory|web_fetch|google_web_search|mcp_.*"
)
AGENTS: dict[str, HookProtocol] = {
    # https://code.claude.com/docs/en/hooks, "PostToolUse"; from 2.1.121 on
    "claude-code": HookProtocol(
        "PostToolUse",
        ".claude/settings.json",
        "Bash|BashOutput|Grep|Glob|WebFetch|WebSearch|Task|Agent|mcp__.*",
        answer=lambda made: {
            "hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": made}
        },
        before="PreToolUse",
    ),
    # https://developers.openai.com/codex/hooks, "PostToolUse"; codex-rs/hooks/src/events/post_tool_use.rs
    # The reason takes the place of the result, with Gemini CLI, too.
    "codex": HookProtocol(
        "PostToolUse",
        ".codex/hooks.json",
        "Bash|mcp__.*",
        answer=lambda text: {"continue": False, "stopReason": "the result was made shorter", "reason": text},
        as_text=True,
    ),
    # https://geminicli.com/docs/hooks/reference, "AfterTool"; milliseconds
    "gemini-cli": HookProtocol(
        "AfterTool",
        ".gemini/settings.json",
        _GEMINI_TOOLS,
        30_000,
        _gemini_call,
        lambda text: {"decision": "deny", "reason": text},
        as_text=True,
    ),
    # https://docs.github.com/en/copilot/reference/hooks-reference, "postToolUse"; patterns match whole names
    "copilot-cli": HookProtocol(
        "postToolUse",
        ".copilot/hooks/tersely.json",
        "(?!(view|edit|create|str_replace_editor|apply_patch|update_todo|ask_user)$).*",
        read=_copilot_call,
        answer=lambda made: {"modifiedResult": {"resultType": "success", "textResultForLlm": made}},
        project=".github/hooks/tersely.json",
        head={"version": 1},
        entry=lambda matcher, command, timeout: {
            "type": "command",
            "matcher": matcher,
            "command": command,
            "timeoutSec": timeout,
        },
    ),
    # https://cursor.com/docs/hooks, "postToolUse"
    "cursor": HookProtocol(
        "postToolUse",
        ".cursor/hooks.json",
        "^MCP:",
        read=_cursor_call,
        answer=lambda made: {"updated_mcp_tool_output": made},
        head={"version": 1},
        entry=lambda matcher, command, timeout: {"matcher": matcher, "command": command, "timeout": timeout},
    ),
    # https://opencode.ai/docs/plugins; packages/plugin/src/index.ts, "tool.execute.after"
    "opencode": HookProtocol(
        "tool.execute.after",
        ".config/opencode/plugins/tersely.js",
        project=".opencode/plugins/tersely.js",
        files=OPENCODE,
    ),
    # packages/coding-agent/docs/extensions.md of pi, "tool_result"
    "pi": HookProtocol(
        "tool_result", ".pi/agent/extensions/tersely.ts", project=".pi/extensions/tersely.ts", files=PI
    ),
    # src/plugins/agent-tool-result-middleware-types.ts of OpenClaw; https://docs.openclaw.ai/plugins/manifest
    "openclaw": HookProtocol(
        "agentToolResultMiddleware",
        ".openclaw/extensions/tersely/index.js",
        files=OPENCLAW,
        then="openclaw plugins enable tersely",
    ),
    # https://hermes-agent.nousresearch.com/docs/user-guide/features/hooks; hermes-agent 0.19, model_tools.py
    "hermes": HookProtocol(
        "transform_tool_result",
        ".hermes/plugins/tersely/__init__.py",
        read=_hermes_call,
        answer=lambda made: {
            "result": made if isinstance(made, str) else json.dumps(made, ensure_ascii=False)
        },
        files=HERMES,
        then="hermes plugins enable tersely",
    ),
}
