"""Compress documents in a time, for backends that must answer whatever happens."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import tersely
from tersely import _native, checks, metrics
from tersely.documents import to_documents
from tersely.engine.api import check_options
from tersely.errors import OverloadedError
from tersely.threads import MOST_WAITING, TURNS, checked_timeout, run_in_time
from tersely.types import Compressed


@dataclass(frozen=True, slots=True)
class Parts:
    """The compressed texts of documents: one for each, in the same order.

    Attributes:
        texts: what is left of each ("": nothing); if compression failed, the originals.
        scores: the documents' own scores.
        result: the result of `tersely.compress`, with spans, `places` and a receipt; None: it failed.
        reason: why it failed: "timeout", "overloaded", or the name and message of an error.
    """

    texts: tuple[str, ...]
    scores: tuple[float | None, ...]
    result: Compressed | None
    reason: str | None


def compress_parts(
    documents: Any, query: str | None = None, *, timeout: float | None = None, **options: Any
) -> Parts:
    """Compress documents, one output for each; after a failure or timeout, return the originals.

    If compression succeeds, the texts fit the budget. Otherwise they are the originals, of any number of
    tokens, and `reason` says why; this is the only function that may exceed a budget. Metrics
    (`tersely.metrics`) count how often.

    Args:
        documents, query, options: as for `tersely.compress`. Documents that fit the budget are returned
            unchanged.
        timeout: seconds after which the work is stopped and the originals are returned. None: no limit.

    Raises TypeError if the documents are not documents, ValueError for a timeout that is not above 0, and one
    of the two for an invalid option: errors of the calling program are not hidden.
    """
    call = _Call(documents, query, timeout, options)

    def work() -> Compressed:
        if call.seconds is not None:  # on a thread of its own then
            _native.set_deadline(_native.Deadline(call.seconds))
        return call.work()

    try:
        return call.done(run_in_time(work, call.seconds, "compress"))
    except Exception as error:
        return call.failed(error)


async def acompress_parts(
    documents: Any,
    query: str | None = None,
    *,
    timeout: float | None = None,
    waiting: int = MOST_WAITING,
    **options: Any,
) -> Parts:
    """Run `compress_parts` from an event loop; the time in the queue counts towards the timeout.

    As many calls run at a time as there are CPUs. A call that cannot finish in time, or that comes while
    `waiting` calls wait, gets the originals at once, with the reason "overloaded". Cancelling the task stops
    the work.

    Args:
        documents, query, timeout, options: as for `compress_parts`.
        waiting: how many calls may wait.

    Raises the errors of `compress_parts`.
    """
    call, most = _Call(documents, query, timeout, options), checks.whole_number(waiting, "waiting")
    try:
        return call.done(await TURNS.run(call.work, call.seconds, most))
    except Exception as error:
        return call.failed(error)


class _Call:
    """A checked call, and the answer for its result or error."""

    def __init__(
        self, documents: Any, query: str | None, timeout: float | None, options: dict[str, Any]
    ) -> None:
        check_options(options)
        query = None if query is None else checks.text(query, "query")
        given = to_documents(documents)
        self.seconds = None if timeout is None else checked_timeout(timeout)
        self.originals = tuple([one.text if one.given is None else one.given for one in given])
        self.scores = tuple([one.score for one in given])
        self.work = partial(tersely.compress, given, query, **options)

    def done(self, result: Compressed) -> Parts:
        return Parts(result.parts or (result.text,) * len(self.originals), self.scores, result, None)

    def failed(self, error: Exception) -> Parts:
        """Whatever a counter, a model or an option does: a backend must answer."""
        late = isinstance(error, TimeoutError)  # a model's is one, too
        reason = "timeout" if late else "overloaded" if isinstance(error, OverloadedError) else "error"
        metrics.observe_failure(reason)
        said = f"{type(error).__name__}: {error}" if reason == "error" else reason
        return Parts(self.originals, self.scores, None, said)
