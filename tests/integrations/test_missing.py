"""Without a framework its door says what to type, and nothing else loads it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

EXTRAS = {
    "langchain": "langchain",
    "langchain_agents": "langchain-agents",
    "llama_index": "llama-index",
    "llama_index_memory": "llama-index",
    "haystack": "haystack",
    "haystack_chat": "haystack",
    "openai_agents": "openai-agents",
    "pydantic_ai": "pydantic-ai",
    "litellm": "litellm",
}
PROBE = """
import sys
for name in "langchain langchain_core llama_index haystack agents pydantic_ai litellm".split():
    sys.modules[name] = None  # as if it were not installed
import importlib
import tersely.errors, tersely.integrations, tersely.retrieval.chunks
import tersely.integrations.llmlingua  # needs nothing
for pair in sys.argv[1:]:
    door, extra = pair.split("=")
    try:
        importlib.import_module(f"tersely.integrations.{door}")
    except tersely.errors.MissingExtraError as error:
        assert f"pip install 'tersely[{extra}]'" in str(error), error
    else:
        raise AssertionError(f"no error: {door}")
"""


def test_a_missing_framework_says_what_to_install(tmp_path: Path) -> None:
    command = [sys.executable, "-B", "-c", PROBE, *(f"{door}={extra}" for door, extra in EXTRAS.items())]
    done = subprocess.run(command, check=False, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
