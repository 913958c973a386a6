"""Notes of an agent, and the short forms that belong to them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from tersely.memory import ContextSegment, new_segment
from tersely.store import Store

NOON = datetime(2024, 1, 15, 12, 0, tzinfo=UTC)

SCENARIO = """- "I'm editing src/auth.py, currently at line 45"
- "Fixed the token validation issue, now working on expiration handling"
- "Last error was: 'Token expired' at line 42, I added a check\""""
SCENARIO_SUMMARY = '- "Working on authentication improvements, fixed token validation"'

NOTE = """I'm currently editing src/auth.py. I'm at line 45 working on the
authenticate_user function. I just fixed a bug where expired tokens
were causing 500 errors instead of 401. The fix was to add a check
before the token validation that returns 401 immediately if the token
is expired. The error was occurring because the expired token check
was happening after the database query, which would throw an exception.
Now I'm working on handling the case where the token format is invalid."""
NOTE_SUMMARY = """Working on authentication improvements. Fixed expired token error
handling, now addressing invalid token format."""
NOTE_SHORT = """Editing src/auth.py:45, authenticate_user(). Fixed: expired tokens
now return 401 (was 500). Added pre-validation check. Current:
handling invalid token format."""

MESSAGE = """I'm currently editing the authentication middleware in src/auth.py.
I've reached line 45 where the authenticate_user function is defined.
I just finished fixing a bug where expired tokens were causing 500
Internal Server Errors instead of the expected 401 Unauthorized response.
The issue was that the token expiration check was happening after the
database query, which would throw an exception when the token was expired.
I added a pre-validation check that returns 401 immediately if the token
is expired, before any database operations. Now I'm working on handling
the case where the token format is invalid - specifically when the Bearer
prefix is missing or malformed. The error handling for this case needs
to be added around line 50."""
MESSAGE_SHORT = """Editing src/auth.py:45, authenticate_user(). Fixed: expired tokens
now return 401 (was 500) via pre-validation check. Current: handling
invalid token format (malformed Bearer prefix) at line 50."""


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
