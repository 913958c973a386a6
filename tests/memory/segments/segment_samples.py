"""Notes of an agent, and the short forms that belong to them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tersely.memory import ContextSegment, new_segment
from tersely.store import Store

DATA = Path(__file__).parents[2] / "data" / "memory"
NOON = datetime(2024, 1, 15, 12, 0, tzinfo=UTC)

_SECTIONS = (DATA / "samples.txt").read_text(encoding="utf-8").rstrip("\n").split("\n\n[")[1:]
_SAMPLES = dict(section.split("]\n", 1) for section in _SECTIONS)
SCENARIO, SCENARIO_SUMMARY = _SAMPLES["SCENARIO"], _SAMPLES["SCENARIO_SUMMARY"]
NOTE, NOTE_SUMMARY, NOTE_SHORT = _SAMPLES["NOTE"], _SAMPLES["NOTE_SUMMARY"], _SAMPLES["NOTE_SHORT"]
MESSAGE, MESSAGE_SHORT = _SAMPLES["MESSAGE"], _SAMPLES["MESSAGE_SHORT"]
LOG = "\n".join(f"2024-01-15 10:00:{second:02} INFO shard {second} was moved" for second in range(60))


def short_for(prompt: str) -> str:
    """The short form of the note or message in a prompt."""
    return NOTE_SHORT if "500 errors" in prompt else MESSAGE_SHORT


def note(text: str = NOTE, segment_id: str = "note", **known: Any) -> ContextSegment:
    """A segment of noon."""
    return new_segment(segment_id, text, **{"timestamp": NOON, **known})


def ticking(start: datetime = NOON, step: timedelta = timedelta(seconds=1)) -> Callable[[], datetime]:
    """A clock that goes on by a step whenever it is read."""
    times = [start]

    def read() -> datetime:
        times.append(times[-1] + step)
        return times[-1]

    return read


class Writer:
    """A model that replies as told, and remembers what it was asked."""

    name = "writer"

    def __init__(self, reply: Any) -> None:
        self.reply = reply
        self.prompts: list[str] = []

    def complete(self, prompt: str) -> str:
        self.prompts.append(prompt)
        reply = self.reply(prompt) if callable(self.reply) else self.reply
        if isinstance(reply, Exception):
            raise reply
        return str(reply)


def everything(store: Store) -> list[tuple[str, int, str]]:
    """Id, version and text of all that is newest."""
    return [(id, store.get(id).version, store.get(id).text) for id in store.ids()]
