"""Scripts in a process of their own, with chosen environment variables."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
_TESTS = HERE.parent
_FOLDERS = [str(_TESTS), str(HERE), str(_TESTS / "oracles"), os.environ.get("PYTHONPATH", "")]
_PATHS = os.pathsep.join(filter(None, _FOLDERS))


def run_script(name: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return run_python([str(HERE / name)], **environment)


def run_code(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return run_python(["-c", code], **environment)


def run_python(arguments: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
    variables = {**os.environ, "PYTHONPATH": _PATHS, **environment}
    command = [sys.executable, *arguments]
    return subprocess.run(command, env=variables, capture_output=True, text=True, timeout=300, check=False)
