"""Plugin folders, server.json, AGENTS.md and llms.txt say what the package does."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tersely.agents.hook import AGENTS
from tersely.cli.mcp import add_mcp

ROOT = Path(__file__).parents[2]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
MANIFESTS = {
    "claude-code": (".claude-plugin/plugin.json", ".claude-plugin/marketplace.json"),
    "codex": (".codex-plugin/plugin.json", ".agents/plugins/marketplace.json"),
    "gemini-cli": ("gemini-extension.json", None),
}


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("agent", MANIFESTS)
def test_a_plugin_has_the_hook_that_install_writes(agent: str) -> None:
    protocol, folder = AGENTS[agent], ROOT / "plugins" / agent
    entry = protocol.entry(protocol.matcher, f"tersely hook --agent {agent}", protocol.timeout)
    assert read(folder / "hooks" / "hooks.json") == {"hooks": {protocol.event: [entry]}}
    manifest, marketplace = MANIFESTS[agent]
    told = read(folder / manifest)
    assert (told["name"], told["version"]) == ("tersely", VERSION)
    if marketplace is not None:
        (listed,) = read(ROOT / marketplace)["plugins"]
        source = listed["source"]
        path = source if isinstance(source, str) else source["path"]
        assert (ROOT / path).samefile(folder) and listed["name"] == told["name"]


def test_the_registrys_entry_starts_the_server() -> None:
    told = read(ROOT / "server.json")
    (package,) = told["packages"]
    assert told["version"] == package["version"] == VERSION and len(told["description"]) <= 100
    assert package["runtimeArguments"][0]["value"] == f"tersely[mcp]=={VERSION}"
    command, store = package["packageArguments"]
    assert add_mcp.__name__ == f"add_{command['value']}" and store["name"] == "--store"


@pytest.mark.parametrize("name", ["AGENTS.md", "llms.txt"])
def test_what_agents_read_first_is_short_and_its_links_lead_somewhere(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert links and all((ROOT / link).is_file() for link in links) and text.count("\n") < 40
