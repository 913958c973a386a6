"""Plugin files for agents whose hooks are code and not a command: each calls `tersely hook`.

`@COMMAND@` stands for the command line as JSON, `@EVENT@` for the name of the event.
"""

from __future__ import annotations

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
