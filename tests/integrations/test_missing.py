"""Without a framework its door says what to type, and nothing else loads it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROBE = """
import sys
for name in sys.argv[3].split():
    sys.modules[name] = None  # as if it were not installed
import importlib
import tersely.errors, tersely.integrations, tersely.retrieval.chunks
import tersely.integrations.llmlingua, tersely.integrations.drop_in  # need nothing
try:
    importlib.import_module(f"tersely.integrations.{sys.argv[1]}")
except tersely.errors.MissingExtraError as error:
    assert f"pip install 'tersely[{sys.argv[2]}]'" in str(error), error
else:
    raise AssertionError("no error")
"""


@pytest.mark.parametrize(
    ("door", "extra"),
    [
        ("langchain", "langchain"),
        ("langchain_agents", "langchain-agents"),
        ("llama_index", "llama-index"),
        ("llama_index_memory", "llama-index"),
        ("haystack", "haystack"),
        ("haystack_chat", "haystack"),
        ("openai_agents", "openai-agents"),
        ("pydantic_ai", "pydantic-ai"),
        ("litellm", "litellm"),
    ],
)
def test_a_missing_framework_says_what_to_install(door: str, extra: str, tmp_path: Path) -> None:
    absent = "langchain langchain_core llama_index haystack agents pydantic_ai litellm"
    command = [sys.executable, "-B", "-c", PROBE, door, extra, absent]
    done = subprocess.run(command, check=False, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
