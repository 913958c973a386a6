"""What `tersely hook install` writes: a hook in an agent's settings, or the files of a plugin that asks us.

Values of others in the settings stay."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tersely.text import json_bytes, parse_json

_INDENTED = re.compile(r"\s*\{\r?\n([ \t]*)")


def add_hook(
    text: str, event: str, entry: dict[str, Any], marker: str, head: Mapping[str, Any] | None = None
) -> str:
    """The settings with an entry at the end of `hooks.EVENT`; where a hook has the marker, with its command.

    `text` is "" where there is no file: a new one has the members of `head`, too. Raises ValueError for what
    is no JSON object, or has hooks of a shape that is not an agent's.
    """
    settings = _read(text, event) if text.strip() else dict(head or {})
    (made,) = entry.get("hooks", [entry])
    ours = [hook for _, hook in _hooks(settings, event) if marker in hook["command"]]
    for hook in ours:
        hook["command"] = made["command"]
    if not ours:
        settings.setdefault("hooks", {}).setdefault(event, []).append(entry)
    return _written(settings, text)


def remove_hook(text: str, event: str, marker: str, head: Mapping[str, Any] | None = None) -> str:
    """Remove the entries that have a hook with the marker from the settings; "" if nothing else is left."""
    settings = _read(text, event) if text.strip() else {}
    ours = [entry for entry, hook in _hooks(settings, event) if marker in hook["command"]]
    if not ours:
        return text
    hooks = settings["hooks"]
    hooks[event] = [entry for entry in hooks[event] if entry not in ours]
    if not hooks[event]:
        del hooks[event]
    if not hooks:
        del settings["hooks"]
    return "" if settings == (head or {}) else _written(settings, text)


def hook_commands(text: str, event: str) -> list[str]:
    """All command lines of `hooks.EVENT`. Raises as `add_hook`."""
    return [hook["command"] for _, hook in _hooks(_read(text, event), event)] if text.strip() else []


def _read(text: str, event: str) -> dict[str, Any]:
    settings = parse_json(text, "what it holds")
    if not isinstance(settings, dict):
        raise ValueError("its outermost value is no object")
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict):
        raise ValueError("its 'hooks' is not an object")
    if not isinstance(hooks.get(event, []), list):
        raise ValueError(f"its {event!r} is not a list")
    return settings


def _hooks(settings: Mapping[str, Any], event: str) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Each hook of an event that is a command, with its entry."""
    for entry in settings.get("hooks", {}).get(event, []):
        inner = entry.get("hooks", [entry]) if isinstance(entry, dict) else None
        for hook in inner if isinstance(inner, list) else ():
            if isinstance(hook, dict) and isinstance(hook.get("command"), str):
                yield entry, hook


def _written(settings: dict[str, Any], before: str) -> str:
    """The settings as JSON, indented and ended as the text before."""
    found = _INDENTED.match(before)
    indent = found[1] if found else 2 if before.strip() in ("", "{}") else None
    made = json_bytes(settings, indent).decode()
    end = before[len(before.rstrip()) :] if before.strip() else "\n"
    return made.replace("\n", "\r\n" if "\r\n" in before else "\n") + end


# Files of plugins: `@COMMAND@` stands for the command line as JSON, `@EVENT@` for the name of the event.
_ASK = """\
// Written by `tersely hook install`, taken away by `tersely hook uninstall`.
import { spawn } from "node:child_process";

const COMMAND = @COMMAND@;

// A shorter result; undefined where it stays as it is, whatever goes wrong.
function shorten(tool_name, tool_input, tool_response) {
  return new Promise((resolve) => {
    const parts = [];
    const child = spawn(COMMAND, { shell: true, stdio: ["pipe", "pipe", "ignore"], timeout: 30000 });
    child.on("error", () => resolve(undefined));
    child.stdout.on("data", (part) => parts.push(part));
    child.stdin.on("error", () => {});
    child.on("close", () => {
      try {
        resolve(JSON.parse(Buffer.concat(parts).toString("utf8")).result);
      } catch {
        resolve(undefined);
      }
    });
    child.stdin.end(JSON.stringify({ hook_event_name: "@EVENT@", tool_name, tool_input, tool_response }));
  });
}
"""

OPENCODE = {
    "tersely.js": _ASK
    + """
export const Tersely = async () => ({
  "@EVENT@": async (input, result) => {
    for (const key of ["output", "content"]) { // "content": of MCP tools
      const made = result?.[key] ? await shorten(input.tool, input.args, result[key]) : undefined;
      if (made !== undefined) result[key] = made;
    }
  },
});
"""
}

PI = {
    "tersely.ts": _ASK
    + """
export default function (pi) {
  pi.on("@EVENT@", async (event) => {
    const content = await shorten(event.toolName, event.input, event.content);
    return content === undefined ? undefined : { content };
  });
}
"""
}

OPENCLAW = {
    "index.js": _ASK
    + """
export default {
  id: "tersely",
  name: "tersely",
  register(api) {
    const handler = async (event) => {
      const content = await shorten(event.toolName, event.args, event.result?.content);
      return content === undefined ? undefined : { result: { ...event.result, content } };
    };
    api.registerAgentToolResultMiddleware(handler, { runtimes: ["openclaw", "codex"] });
  },
};
""",
    "openclaw.plugin.json": """{
  "id": "tersely",
  "name": "tersely",
  "description": "Shortens long results of tools, verbatim and retrievable.",
  "activation": { "onStartup": true },
  "contracts": { "agentToolResultMiddleware": ["openclaw", "codex"] },
  "configSchema": { "type": "object", "additionalProperties": false, "properties": {} }
}
""",
    "package.json": """{ "name": "tersely", "type": "module", "openclaw": { "extensions": ["./index.js"] } }
""",
}

HERMES = {
    "__init__.py": '''"""Written by `tersely hook install`, taken away by `tersely hook uninstall`."""

import json
import subprocess

COMMAND = @COMMAND@


def shorten(tool_name="", args=None, result="", **_):
    """A shorter result; None where it stays as it is, whatever goes wrong."""
    event = {
        "hook_event_name": "@EVENT@",
        "tool_name": tool_name,
        "tool_input": args,
        "tool_response": result,
    }
    try:
        given = json.dumps(event).encode()
        done = subprocess.run(COMMAND, shell=True, input=given, capture_output=True, timeout=30)
        return json.loads(done.stdout).get("result")
    except Exception:
        return None


def register(ctx):
    ctx.register_hook("@EVENT@", shorten)
''',
    "plugin.yaml": """name: tersely
version: "1"
description: Shortens long results of tools, verbatim and retrievable.
provides_hooks:
  - @EVENT@
""",
}
