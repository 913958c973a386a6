"""What sets tersely up says the same everywhere, and the commands in it work: container, conda, extras."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from markdown_blocks import ROOT, read_blocks

yaml = pytest.importorskip("yaml")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
#: Modules whose distribution has another name.
DISTRIBUTIONS = {
    "agents": "openai-agents", "haystack": "haystack-ai", "llama_index": "llama-index-core",
    "opentelemetry": "opentelemetry-api", "pydantic_ai": "pydantic-ai-slim",
}  # fmt: skip
#: What pages show beside tersely, which no part of tersely needs.
BESIDE = {"onnx"}


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_workflows_use_what_is_pinned_and_scripts_that_exist() -> None:
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        text = path.read_text(encoding="utf-8")
        uses = re.findall(r"uses: (\S+)(.*)", text)
        assert all(re.search(r"@[0-9a-f]{40}$", name) and "# v" in version for name, version in uses), path
        for job in yaml.safe_load(text)["jobs"].values():
            assert {"runs-on", "steps"} <= set(job)
            for step in job["steps"]:
                scripts = re.findall(r"\bci/\w+\.sh\b", step.get("run", ""))
                assert all((ROOT / script).is_file() for script in scripts)


def test_the_recipe_is_the_project() -> None:
    recipe = yaml.safe_load(read("conda/recipe.yaml"))
    build = tomllib.loads(read("pyproject.toml"))["build-system"]["requires"]
    pinned = {"".join(str(one).split()) for part in ("host", "run") for one in recipe["requirements"][part]}
    python = f"python{PROJECT['requires-python']}"
    assert recipe["context"]["version"] == PROJECT["version"]
    assert pinned == {python, "pip", *PROJECT["dependencies"], *build}
    assert recipe["build"]["python"]["entry_points"] == [
        f"{name} = {place}" for name, place in PROJECT["scripts"].items()
    ]
    for test in recipe["tests"]:
        for module in test.get("python", {}).get("imports", ()):
            __import__(module)
        for line in test.get("script", ()):
            program, *arguments = line.split()
            assert program == "tersely"
            subprocess.run([sys.executable, "-m", "tersely", *arguments], cwd=ROOT, check=True, timeout=60)


@pytest.fixture
def port() -> Iterator[int]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number = free.getsockname()[1]
    yield number


def container() -> dict[str, Any]:
    """ENTRYPOINT, CMD and HEALTHCHECK of the container file."""
    found = re.findall(r"^(ENTRYPOINT|CMD|HEALTHCHECK CMD) (\[.*\])$", read("Containerfile"), re.MULTILINE)
    return {name: json.loads(command) for name, command in found}


@pytest.mark.slow
@pytest.mark.parametrize("which", ["container", "compose"])
def test_the_server_answers_its_health_check(which: str, port: int, tmp_path: Path) -> None:
    pytest.importorskip("mcp")
    image = container()
    service = yaml.safe_load(read("compose.yaml"))["services"]["tersely"]
    command, check = image["CMD"], image["HEALTHCHECK CMD"]
    if which == "compose":
        command, check = service["command"], service["healthcheck"]["test"][1:]
    assert image["ENTRYPOINT"] == ["tersely"] and check[0] == "python"
    arguments = [str(word).replace("/data/", f"{tmp_path}/") for word in command]
    served = subprocess.Popen(
        [sys.executable, "-m", "tersely", *arguments, "--port", str(port)],
        env=os.environ | {"TERSELY_MCP_TOKEN": "a-token-of-some-length"},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert served.stderr is not None and "serving" in served.stderr.readline()
        asked = [sys.executable, *(word.replace("8765", str(port)) for word in check[1:])]
        deadline = time.monotonic() + 30
        while subprocess.run(asked, check=False, capture_output=True, timeout=10).returncode:
            assert time.monotonic() < deadline, "never healthy"
        served.terminate()
        assert served.wait(timeout=30) in (0, -15)
    finally:
        served.kill()
        served.communicate()
    assert subprocess.run(asked, check=False, capture_output=True, timeout=10).returncode == 1


def test_an_extra_brings_what_a_block_of_the_guide_needs() -> None:
    extras = {
        name: {re.split(r"[<>=\[; ]", package)[0] for package in packages}
        for name, packages in PROJECT["optional-dependencies"].items()
        if name not in ("test", "docs", "lint")
    }
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        for block in read_blocks(page):
            modules = {module.partition(".")[0] for module in block.needs}
            needed = {DISTRIBUTIONS.get(module, module.replace("_", "-")) for module in modules} - BESIDE
            assert not needed or any(needed <= brought for brought in extras.values()), (page.name, needed)
