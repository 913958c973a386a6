"""What the documents say about the repository is so."""

from __future__ import annotations

import os
import re
from pathlib import Path

MACHINE_PATH = re.compile(r"(?<![\w.~-])/(?:work|root|home|farm|Users)/")
TEXT = {".py", ".pyi", ".cpp", ".hpp", ".inl", ".md", ".toml", ".txt", ".sh", ".yml", ".yaml", ".cfg", ""}


def test_readme_has_the_test_command(root: Path) -> None:
    command = (root / "ci" / "test.sh").read_text(encoding="utf-8").splitlines()[-1]
    assert command.endswith("/pytest")
    assert command in (root / "README.md").read_text(encoding="utf-8")


def test_ci_calls_scripts_that_exist(root: Path) -> None:
    text = (root / ".ci" / "run").read_text(encoding="utf-8")
    queue = re.search(r"<<'END'\n([a-z \n]+)END\n", text)
    assert queue is not None and " ci/test.sh" in text[text.index("\nwait\n") :]
    parts = [*queue[1].split(), "test"]
    assert sorted([*parts, "shared"]) == sorted(path.stem for path in (root / "ci").glob("*.sh"))
    for part in parts:
        script = root / "ci" / f"{part}.sh"
        assert os.access(script, os.X_OK), f"{script} is not executable"
        told = script.read_text(encoding="utf-8")
        assert re.search(r"^# minutes: \d+$", told, re.MULTILINE), f"{script} says not how long it may take"
        for given in " ".join(re.findall(r"^# inputs: (.+)$", told, re.MULTILINE)).split():
            assert (root / given).exists(), f"{script} checks {given}, which is not there"


def test_no_path_of_one_machine(root: Path, sources: list[Path]) -> None:
    found = [
        f"{path}:{number}"
        for path in sources
        if path.suffix in TEXT
        for number, line in enumerate(
            (root / path).read_text(encoding="utf-8", errors="replace").splitlines(), 1
        )
        if MACHINE_PATH.search(line)
    ]
    assert not found
