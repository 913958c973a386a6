"""A folder to try the documentation in: samples, stand-ins for models, servers and installers."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import model_server
import pytest
from markdown_blocks import ROOT
from tiny_models import TinyModel

_SAMPLES = ("ARCHITECTURE.md", "CONTRIBUTING.md", "README.md", "examples", "docs")


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for PATH: `tersely` and `python` of this environment; nothing is installed, pytest not run."""
    folder = tmp_path_factory.mktemp("programs")
    installer = Path(__file__).with_name("pip_stand_in.py")
    scripts = {
        "tersely": f'exec "{sys.executable}" -m tersely "$@"',
        "python": f'exec "{sys.executable}" "$@"',
        "python3": '[ "$*" = "-m venv .venv" ]',
        "pip": f'exec "{sys.executable}" "{installer}" "{ROOT}" "$@"',
        "pytest": ":",
        "activate": ":",
    }
    for name, line in scripts.items():
        path = folder / name
        path.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        path.chmod(0o755)
    return folder


@pytest.fixture(scope="session")
def onnx_folder(tmp_path_factory: pytest.TempPathFactory) -> Path | None:
    """A tiny sentence model, where the packages that write and run one are installed."""
    try:
        import onnx  # noqa: F401
        import onnxruntime  # noqa: F401
    except ImportError:
        return None
    folder = tmp_path_factory.mktemp("models")
    TinyModel().write(folder)
    return folder


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of a server that stands in for a language model: it repeats the middle of each prompt."""
    with model_server.running() as running:
        running.reply = _reply
        yield running.url


def _reply(prompt: str) -> str:
    """Say what a weak model would: a sentence or two out of the prompt."""
    sentences = [line.strip() for line in prompt.splitlines() if line.strip().endswith(".")]
    return " ".join(sentences[-3:-1])[:300] or "Nothing is said about it."


@pytest.fixture
def folder(
    tmp_path: Path, programs: Path, server: str, onnx_folder: Path | None, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A clone to run blocks in, which is the working folder while they do."""
    for name in _SAMPLES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("_build", "*.png"))
        else:
            shutil.copy(ROOT / name, tmp_path)
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "bin").symlink_to(programs)
    if onnx_folder is not None:
        shutil.copytree(onnx_folder, tmp_path / "minilm")
    (tmp_path / "home").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("OPENAI_BASE_URL", server)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    return tmp_path
