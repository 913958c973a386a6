"""Half a character is nearly text: every door reads U+FFFD in its place, the store keeps it as it came."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tersely.memory.compaction import CompactedMessages
from tersely.text import CHARACTERS_REPLACED, well_formed
from tersely.types import Compressed

TEXT = "Gate \ud800 was opened on 2024-05-01.\nERROR lost \udfff value 12 in a.py:3.\n\n" * 30
OF_FILES = ("command", "index")  # they are given bytes
AS_THEY_CAME = ("MemoryCompactor",)  # steps that stay
GIVE_BACK = ("segments", "store")  # what was given


def shown(answer: Any) -> str:
    """What an answer says, without what differs from call to call."""
    named = (getattr(answer, name, None) for name in ("text", "compressed", "texts", "summary"))
    return str(next((one for one in named if one), answer))


def fault(name: str, run: Callable[[str], Any]) -> str | None:
    """What is wrong with a door's answer to TEXT; None: it is the answer to TEXT with U+FFFD."""
    answer, read = run(TEXT), run(well_formed(TEXT))
    if isinstance(answer, CompactedMessages):  # a message that stays is the object that came
        return (
            None if CHARACTERS_REPLACED in answer.warnings and answer.tokens == read.tokens else str(answer)
        )
    if name in GIVE_BACK:
        return None if "".join(answer) == TEXT else "it is not what was given"
    if shown(answer) != shown(read):
        return f"{shown(answer)!r:.200} is not {shown(read)!r:.200}"
    if isinstance(answer, Compressed):
        told = CHARACTERS_REPLACED in answer.receipt.warnings
        return None if told and answer.expand(0) == TEXT else "it is not told, or does not expand"
    return None


def test_every_door_reads_a_lone_surrogate_as_a_replacement_character(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(root))
    doors = importlib.import_module("benchmarks.hostile.calls").DOORS
    faults = {
        name: fault(name, door.run)
        for name, door in doors.items()
        if not name.startswith(OF_FILES + AS_THEY_CAME)
    }
    assert not {name: wrong for name, wrong in faults.items() if wrong}
