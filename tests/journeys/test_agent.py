"""Whoever builds with agents: a hook, failing commands, servers, a gateway, compaction, savings."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from result_shapes import LOG
from tersely.models.counters import resolve_counter

pytestmark = pytest.mark.slow  # each step has a test of its own that is quick

COUNT = resolve_counter(None).count
SERVER = f"""
from mcp.server.mcpserver import MCPServer
server = MCPServer("jobs")
def read_log(path: str) -> str:
    return {LOG!r}
server.add_tool(read_log)
server.run()
"""
USE = {"type": "function", "function": {"name": "run", "arguments": '{"command": "make"}'}, "id": "a"}
DECISION = "We decided to raise the limit in src/limits.py:7 to 40."


class Agent:
    """What an agent has on a machine: a home folder, a project, a shell."""

    def __init__(self, folder: Path) -> None:
        self.home, self.project = folder / "home", folder / "project"
        self.home.mkdir()
        self.project.mkdir()
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("XDG_")}
        self.environment |= {"HOME": str(self.home), "PATH": path}
        self.environment.pop("TERSELY_STORE", None)

    def shell(self, command: str, given: Any = None, code: int = 0) -> str:
        data = b"" if given is None else json.dumps(given).encode()
        done = subprocess.run(
            ["bash", "-c", command], cwd=self.project, env=self.environment, input=data, capture_output=True,
            check=False,
        )  # fmt: skip
        assert done.returncode == code, done.stderr.decode()
        return done.stdout.decode()

    def settings(self) -> dict[str, Any]:
        return json.loads((self.home / ".claude" / "settings.json").read_bytes())["hooks"]

    def hook(self, event: str, tool_input: dict[str, Any], **more: Any) -> dict[str, Any]:
        """Do as Claude Code does: run the hook of an event, and read its answer."""
        told = {"hook_event_name": event, "tool_name": "Bash", "tool_input": tool_input, **more}
        ((_, command),) = [
            (entry, hook["command"]) for entry in self.settings()[event] for hook in entry["hooks"]
        ]
        answer = json.loads(self.shell(command, told))
        return answer.get("hookSpecificOutput", {})


def test_the_steps_of_an_agent_builder(tmp_path: Path) -> None:
    agent = Agent(tmp_path)
    (agent.project / "build.log").write_text(LOG)

    # The hook is installed, and a long result is short before the model sees it.
    agent.shell("tersely hook install claude-code --failures --budget 300 --yes")
    response = {"stdout": LOG, "stderr": "", "interrupted": False, "isImage": False}
    made = agent.hook("PostToolUse", {"command": "make"}, tool_response=response)["updatedToolOutput"]
    assert COUNT(made["stdout"]) <= 300 and "ERROR payment 4711" in made["stdout"]
    assert made.keys() == response.keys()

    # A command that fails writes little, too, and fails as before.
    call = {"command": "cat build.log; exit 3", "description": "Build"}
    command = agent.hook("PreToolUse", call)["updatedInput"]["command"]
    short = agent.shell(command, code=3)
    assert COUNT(short) <= 300 and "ERROR payment 4711" in short

    # The model asks for the whole; the doctor has seen both events.
    id = made["stdout"].rpartition("expand ")[2].removesuffix("]")
    assert agent.shell(f"tersely expand {id}") == LOG
    told = agent.shell("tersely hook doctor")
    assert told.count("the last event arrived") == 2 and "not installed: codex" in told

    # The same command again within minutes, and the expansion, count against what was saved.
    agent.hook("PostToolUse", {"command": "make"}, tool_response=response)
    told = agent.shell("tersely hook doctor")
    assert "tokens in 3 results; asked for whole again: 1, calls made again within five minutes: 1" in told

    # A history is compacted, and what that lost is told.
    history = [
        {"role": "user", "content": "Never restart the east pool. Which payment timed out?"},
        {"role": "assistant", "content": None, "tool_calls": [USE]},
        {"role": "tool", "tool_call_id": "a", "content": LOG},
        {"role": "assistant", "content": f"Payment 4711. {DECISION}"},
        *({"role": "user", "content": f"Step {n}: look at job-{n} again."} for n in range(60)),
    ]  # fmt: skip
    (agent.project / "history.json").write_text(json.dumps(history))
    agent.shell("tersely compact history.json --budget 400 -o shorter.json")
    audited = json.loads(agent.shell("tersely audit history.json shorter.json --json --report lost.html"))
    assert audited["counts"]["facts"][1] > 0 and (agent.project / "lost.html").stat().st_size > 1000
    assert "job-3" in agent.shell("tersely audit history.json shorter.json --all")
    agent.shell("echo 'They looked at jobs.' > summary.md")
    counts = json.loads(agent.shell("tersely audit history.json summary.md --json"))["counts"]
    assert counts["instructions"] == counts["decisions"] == [1, 1] and counts["errors"][1] > 0

    # All of it can be taken away again.
    agent.shell("tersely hook uninstall claude-code --yes")
    assert not (agent.home / ".claude" / "settings.json").exists()


def test_servers_of_an_agent_builder(tmp_path: Path) -> None:
    anyio, mcp = pytest.importorskip("anyio"), pytest.importorskip("mcp")
    from http_servers import ask

    agent = Agent(tmp_path)
    (agent.project / "server.py").write_text(SERVER)
    parameters = mcp.StdioServerParameters(
        command="tersely",
        args=["mcp", "--wrap", "--budget", "300", "--", sys.executable, "server.py"],
        env=agent.environment,
        cwd=agent.project,
    )

    async def use() -> None:
        with anyio.fail_after(60), Path(os.devnull).open("w") as quiet:
            async with mcp.Client(mcp.stdio_client(parameters, errlog=quiet)) as client:
                assert {"read_log", "expand"} <= {tool.name for tool in (await client.list_tools()).tools}
                text = (await client.call_tool("read_log", {"path": "a"})).content[0].text
                assert COUNT(text) <= 300 and "ERROR payment 4711" in text

    anyio.run(use)

    with subprocess.Popen(
        ["tersely", "mcp", "--http", "--port", "0", "--budget", "300"],
        env=agent.environment,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            assert process.stderr is not None
            url = process.stderr.readline().rpartition(" ")[2].strip()
            messages = [
                {"role": "user", "content": "Which payment timed out?"},
                {"role": "tool", "tool_call_id": "a", "content": LOG},
            ]
            status, answer = ask(url, "/v1/compress", {"messages": messages, "config": {"mode": "ccr"}})
            assert status == 200 and answer["tokens_after"] < 400 < answer["tokens_before"]
            (hash,) = answer["ccr_hashes"]
            status, whole = ask(url, f"/v1/retrieve/{hash}", None, "GET")
            assert status == 200 and whole["original_content"] == LOG
        finally:
            process.terminate()
