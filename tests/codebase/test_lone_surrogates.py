"""A lone surrogate is no text: every door says so, and where it stands; none fails on its way to UTF-8."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

TEXT = "Gate \ud800 was opened on 2024-05-01.\nERROR lost \udfff value 12 in a.py:3.\n\n" * 30
OF_FILES = ("command", "index")  # they are given bytes


def fault(run: Callable[[str], Any]) -> str | None:
    """What is wrong with the answer to TEXT; None: it was refused by name, or holds no surrogate."""
    try:
        answer = run(TEXT)
    except Exception as error:
        named = "has a lone surrogate '\\ud800' at character 5" in str(error)
        return None if named and not isinstance(error, UnicodeError) else repr(error)
    return "it is in the answer" if any("\ud800" <= letter <= "\udfff" for letter in str(answer)) else None


def test_every_door_refuses_a_lone_surrogate_by_name_or_leaves_it_out(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(root))
    doors = importlib.import_module("benchmarks.hostile.calls").DOORS
    faults = {name: fault(door.run) for name, door in doors.items() if not name.startswith(OF_FILES)}
    assert not {name: wrong for name, wrong in faults.items() if wrong}
