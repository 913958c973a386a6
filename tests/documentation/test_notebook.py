"""The notebook in examples/ runs, and prints what it says that it prints."""

from __future__ import annotations

from pathlib import Path

import pytest
from markdown_blocks import ROOT
from notebooks import printed, stored

NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_prints_what_it_says(notebook: Path) -> None:
    assert printed(notebook) == stored(notebook)
    assert [path.name for path in notebook.parent.glob("*.html")] == []


def test_there_is_one_and_the_list_has_it() -> None:
    listed = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    assert NOTEBOOKS
    assert [notebook.name for notebook in NOTEBOOKS if f"]({notebook.name})" not in listed] == []
