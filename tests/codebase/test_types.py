"""public_types.py holds under mypy --strict, against the installed package."""

from __future__ import annotations

from pathlib import Path

import pytest

mypy = pytest.importorskip("mypy.api", reason="mypy is not installed; ci/lint.sh runs this check")


def test_public_types(root: Path) -> None:
    file = root / "tests" / "codebase" / "public_types.py"
    report, errors, status = mypy.run(
        ["--config-file", str(root / "pyproject.toml"), "--cache-dir", "/dev/null", str(file)]
    )
    assert status == 0, report + errors
