"""Compress documents in a time, for backends that must answer whatever happens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import tersely
from tersely import _native, checks, metrics
from tersely.documents import to_documents
from tersely.engine.api import check_options
from tersely.errors import ModelTimeoutError
from tersely.threads import checked_timeout, run_in_time
from tersely.types import Compressed


@dataclass(frozen=True, slots=True)
class Parts:
    """The texts of documents, one for each, in their order.

    Attributes:
        texts: what is left of each, "" where nothing is; each as it came, where there is no result.
        scores: the documents' own.
        result: what `tersely.compress` gave, with spans, `places` and a receipt; None: it failed.
        reason: why there is none: "timeout", or the name of an error and what it says.
    """

    texts: tuple[str, ...]
    scores: tuple[float | None, ...]
    result: Compressed | None
    reason: str | None


def compress_parts(
    documents: Any, query: str | None = None, *, timeout: float | None = None, **options: Any
) -> Parts:
    """Compress documents for a backend that goes on with the originals where that fails or takes too long.

    The budget holds where there is a result. Without one the texts are the originals, of any number of
    tokens, and `reason` says so: this is the only door that may give more than a budget allows. Metrics
    (`tersely.metrics`) count how often.

    Args:
        documents, query, options: as for `tersely.compress`. What fits the budget comes back as it is.
        timeout: seconds from which the originals are returned; the work is stopped. None: any.

    Raises TypeError for what are no documents, ValueError for a timeout that is not above 0, and either for
    an option that no text would make right: what the program that calls has wrong is no reason to go on.
    """
    check_options(options)
    query = None if query is None else checks.text(query, "query")
    given, seconds = to_documents(documents), None if timeout is None else checked_timeout(timeout)
    originals = tuple(document.original for document in given)
    scores = tuple(document.score for document in given)

    def work() -> Compressed:
        if seconds is not None:  # on a thread of its own then
            _native.set_deadline(seconds)
        return tersely.compress(given, query, **options)

    try:
        result = run_in_time(work, seconds, "compress")
    except (ModelTimeoutError, TimeoutError):
        metrics.observe_failure("timeout")
        return Parts(originals, scores, None, "timeout")
    except Exception as error:  # whatever a counter, a model or an option does: a backend must answer
        metrics.observe_failure("error")
        return Parts(originals, scores, None, f"{type(error).__name__}: {error}")
    return Parts(result.parts or (result.text,) * len(given), scores, result, None)
