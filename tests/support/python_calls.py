"""How many Python functions a piece of work calls: the same on every machine."""

from __future__ import annotations

import sys
from collections.abc import Callable

from tersely.engine import finish


def python_calls(run: Callable[[], object]) -> int:
    """Calls that a second run makes, without checks of promises; the first run fills caches."""
    run()
    events: list[str] = []
    checks, finish.check_all = finish.check_all, False
    sys.setprofile(lambda frame, event, argument: events.append(event))
    try:
        run()
    finally:
        sys.setprofile(None)
        finish.check_all = checks
    return events.count("call")
