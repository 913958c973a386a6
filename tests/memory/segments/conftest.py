"""A store, a model that does as it is told, and a memory of three segments."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from segment_samples import LOG, MESSAGE, NOTE, Writer, short_for, ticking
from tersely.memory import SegmentMemory
from tersely.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "context.sqlite") as opened:
        yield opened


@pytest.fixture
def model() -> Writer:
    return Writer(short_for)


@pytest.fixture
def kept(store: Store, model: Writer) -> SegmentMemory:
    """A memory with msg_123, a note and a log."""
    memory = SegmentMemory(store, model=model, clock=ticking())
    known: dict[str, Any] = {"file_path": "src/auth.py", "line_number": 45, "topic": "authentication"}
    memory.store_context_segment(MESSAGE, segment_id="msg_123", **known)
    memory.store_context_segment(NOTE, segment_id="note")
    memory.store_context_segment(LOG, segment_id="log", type="log")
    return memory
