"""Importing the package is quick, quiet and loads nothing that is optional."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import tersely

# fmt: off
HEAVY = {
    "aiohttp", "asyncio", "faiss", "fastapi", "haystack", "httpx", "langchain_core", "llama_index",
    "mcp", "model2vec", "multiprocessing", "numba", "onnx", "onnxruntime", "openai", "opentelemetry",
    "pandas", "prometheus_client", "pyarrow", "ray", "requests", "rich", "scipy", "sentence_transformers",
    "sklearn", "sqlite3", "tiktoken", "tokenizers", "toktok", "torch", "transformers",
}
# fmt: on
MOST = 2  # times the CPU of a Python that has imported numpy, whatever the machine

# Reports everything the interpreter does while it imports: an audit hook sees it even where it is undone.
PROBE = """
import json, os, sys, time
WATCHED = {"os.putenv", "os.unsetenv", "os.mkdir", "os.remove", "os.rename", "os.fork", "subprocess.Popen",
           "socket.__new__"}
seen = []
def hook(event, arguments):
    writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)
    if writes or event in WATCHED:
        seen.append([event, repr(arguments)])
import numpy
def state():
    return [dict(os.environ), os.getcwd(), sys.path[:], len(os.listdir("/proc/self/task"))]
before, bare = state(), time.process_time()
if sys.argv[1] == "audit":
    sys.addaudithook(hook)
import tersely
print(json.dumps({
    "cpu": time.process_time() / bare,
    "seen": seen,
    "changed": [list(pair) for pair in zip(before, state()) if pair[0] != pair[1]],
    "modules": sorted({name.partition(".")[0] for name in sys.modules}),
}))
"""


def probe(folder: Path, what: str) -> dict[str, Any]:
    command = [sys.executable, "-B", "-c", PROBE, what]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return probe(tmp_path_factory.mktemp("empty"), "audit")


def test_nothing_optional_is_loaded(audited: dict[str, Any]) -> None:
    assert not HEAVY & set(audited["modules"])


def test_scoring_relevance_loads_nothing_optional(tmp_path: Path) -> None:
    code = (
        "import json, sys, tersely.retrieval as r; r.RelevanceScorer().score_sync(['a token'], 'token'); "
        "import tersely.models.recorded; print(json.dumps([name.partition('.')[0] for name in sys.modules]))"
    )
    command = [sys.executable, "-B", "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert not HEAVY & set(json.loads(done.stdout))


def test_no_side_effects(audited: dict[str, Any]) -> None:
    assert audited["seen"] == []
    assert audited["changed"] == []  # environment, working folder, module path, native threads


@pytest.mark.seconds
def test_cpu_time_of_the_first_import(tmp_path: Path) -> None:
    # The whole process: interpreter, numpy and all. The best of five, as other processes disturb.
    assert min(probe(tmp_path, "time")["cpu"] for _ in range(5)) < MOST


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_the_version_is_told_without_numpy_or_the_engine(option: str) -> None:
    code = "import sys; from tersely.__main__ import main; main(); print(sorted(sys.modules))"
    said = subprocess.run([sys.executable, "-c", code, option], capture_output=True, text=True, check=True)
    version, loaded = said.stdout.splitlines()
    assert version == f"tersely {tersely.__version__}"
    assert "'numpy'" not in loaded and "'tersely.engine" not in loaded


@pytest.mark.parametrize("command", [[], ["compress"], ["count"], ["batch"], ["mcp"], ["hook"]])
def test_help_loads_no_numpy(command: list[str]) -> None:
    code = "import atexit, sys, tersely.cli as c; atexit.register(lambda: print(*sys.modules)); c.main()"
    run = [sys.executable, "-c", code, *command, "--help"]
    said = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    loaded = said.splitlines()[-1].split()
    assert "usage: tersely" in said and "numpy" not in loaded and "tersely.engine" not in loaded


EVENT = json.dumps(
    {
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "cat notes"},
        "tool_response": {"stdout": "one line of output\n" * 300, "stderr": "", "interrupted": False},
    }
)


@pytest.mark.parametrize(
    ("command", "event"),
    [
        (["run", "--", "true"], ""),
        (["hook"], ""),
        (["hook", "--agent", "codex"], '{"hook_event_name": "PostToolUse", "tool_response": "done"}'),
        (["run", "--", sys.executable, "-c", "print('one line of output\\n' * 300)"], ""),
        (["hook"], EVENT),
    ],
    ids=["run", "no event", "short event", "run within the budget", "event within the budget"],
)
def test_what_has_nothing_to_shorten_loads_no_numpy(command: list[str], event: str) -> None:
    code = "import sys; from tersely.__main__ import main; main(); print(sorted(sys.modules))"
    said = subprocess.run(
        [sys.executable, "-c", code, *command], input=event, capture_output=True, text=True, check=True
    )
    loaded = said.stdout.splitlines()[-1]
    if "'tersely.memory'" not in loaded:  # nothing was counted
        assert "'dataclasses'" not in loaded and "'inspect'" not in loaded
    assert "'numpy'" not in loaded and "'tersely.engine" not in loaded and "'tersely.store" not in loaded
