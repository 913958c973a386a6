"""What every call of every door must keep, and how a call is made again from its seed."""

from __future__ import annotations

import hashlib
import json
import re
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from tersely.documents import to_documents
from tersely.engine.finish import broken_promises
from tersely.engine.reading import to_groups, to_spans
from tersely.errors import BudgetExceededError
from tersely.models.counters import resolve_counter
from tersely.types import Compressed, Kind, Request

from promises.counters import STEADY, TOKENIZERS, function_of

_ID = re.compile(r"[0-9a-f]{64}|\b0x[0-9a-f]+|datetime\([^)]*\)")  # differ though results are equal
REFUSED = (ValueError, TypeError)  # what a call may raise for wrong arguments


class RefusedError(Exception):
    """A call that was refused for an argument that is wrong: what a door of wrong arguments hopes for."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a door, which can be made as often as one likes."""

    #: makes it, with objects of its own, under a budget; None where the door takes none
    run: Callable[[int], Any]
    budget: int  #: that it is made with first
    check: Callable[[Any, int], Sequence[str]]  #: result, budget -> what of the promises is broken
    seen: Callable[[Any], Any]  #: the result as plain values, for the comparison of two calls
    retry: Callable[[int], Any] | None = None  #: makes it with what an error requires; None: `run`
    may_refuse: bool = False  #: whether ValueError and TypeError are answers
    of_one: bool = True  #: whether there is one budget, which an error must name
    #: whether what counts is no counter: then nothing can be promised, but that no other error than those
    #: named comes of it
    wrong_counter: bool = False
    told: Mapping[str, Any] | None = None  #: the arguments, for who has to look into it


Door = Callable[[Random], Call]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a call: "kept", "too small" or "refused", what is broken, and a digest of the result."""

    name: str
    broken: tuple[str, ...]
    digest: str = ""


_WORD = re.compile(r"\w+")
_WIDE = re.compile(r"\s{100}")


def outcome_of(call: Call) -> Outcome:
    """Make a call twice, retry it where the budget is too small, and check all of it."""
    first = _made(call, call.budget)
    if isinstance(first, _Fault):
        return Outcome("fault", (f"raised {first.text}",))
    if call.wrong_counter:
        return Outcome("refused" if isinstance(first, Exception) else "kept", ())
    again = _made(call, call.budget)
    seen = _seen(call, first)
    wrong = [] if seen == _seen(call, again) else ["the same call gave something else"]
    name = "kept"
    if isinstance(first, BudgetExceededError):
        name = "too small"
        wrong += _retried(call, first)
    elif isinstance(first, RefusedError):
        name = "refused"
    else:
        wrong += call.check(first, call.budget)
    text = _ID.sub("", repr(seen)).encode("utf-8", "surrogatepass")
    return Outcome(name, tuple(wrong), hashlib.blake2b(text, digest_size=12).hexdigest())


def broken(door: Door, seed: int | str) -> Outcome:
    """The outcome of the call of a door that a seed stands for."""
    try:
        return outcome_of(door(Random(seed)))
    except Exception:  # what makes and checks a call is ours: that is a fault of the tests
        return Outcome("fault", (f"making or checking the call raised {traceback.format_exc(limit=-4)}",))


@dataclass(frozen=True, slots=True)
class _Fault:
    text: str


def _made(call: Call, budget: int, run: Callable[[int], Any] | None = None) -> Any:
    try:
        return (run or call.run)(budget)
    except BudgetExceededError as error:
        return error
    except AssertionError as error:
        return _Fault(f"AssertionError: {str(error)[:400]}")
    except Exception as error:
        if call.may_refuse and isinstance(error, REFUSED):
            return RefusedError(f"{type(error).__name__}: {error}")
        return _Fault(traceback.format_exc(limit=-5))


def _seen(call: Call, made: Any) -> Any:
    if isinstance(made, BudgetExceededError):
        return str(made), made.required, made.budget
    if isinstance(made, (_Fault, RefusedError)):
        return str(made)
    return call.seen(made)


def _retried(call: Call, error: BudgetExceededError) -> list[str]:
    """What is broken of `BudgetExceededError.required`: a retry with it succeeds."""
    wrong = []
    if call.of_one and error.budget != call.budget:
        wrong.append(f"the error speaks of a budget of {error.budget}, not of {call.budget}")
    if not error.required > error.budget:
        wrong.append(f"{error.required} are said to do where {error.budget} do not")
    made = _made(call, error.required, call.retry)
    if isinstance(made, BudgetExceededError):
        wrong.append(f"{error.required} would do, it said; now {made.required}")
    elif isinstance(made, (_Fault, RefusedError)):
        wrong.append(f"the retry with {error.required} raised {made}")
    else:
        wrong += call.check(made, error.required)
    return wrong


def budget_for(random: Random, tokens: int) -> int:
    """A budget for so many tokens: mostly less, sometimes nothing, one less, or all."""
    small = getattr(random, "small_budgets", 0)
    if small and random.random() < small:
        return random.randint(20, 2000)
    kind = random.random()
    if kind < 0.15:
        return random.randint(0, 5)
    if kind < 0.25:
        return max(tokens + random.randint(-2, 1), 0)
    return random.randint(0, max(int(tokens * random.choice([0.1, 0.3, 0.6, 1.1])), 1))


def grown(counter: str, tokens: int, whole: int) -> list[str]:
    """Say where a text has more tokens than the one it was made of, by a counter that is steady."""
    return [f"{tokens} tokens made of {whole}"] if tokens > whole and counter in STEADY else []


def half_unused(result: Compressed, counter: str, budget: int) -> list[str]:
    """Say where less than half of a budget is used, though a piece that was left out for it would fit.

    One of an eighth of what is free at most, as it may need markers or others. Headings are none: where all
    that stands under them is told already, they do not stand alone. Nor is one word, or a bracket. Of a text
    with long white space nothing is said: it comes with what stands on both sides of it.
    """
    free = budget - result.tokens
    if 2 * result.tokens >= budget or counter not in TOKENIZERS:
        return []
    dropped = (span for span in result.dropped if span.reason == "budget" and span.kind != Kind.HEADING)
    pieces = {result.documents[span.document].text[span.start : span.end] for span in dropped}
    told = [piece for piece in pieces if len(_WORD.findall(piece)) > 1]
    least = min(told, key=lambda one: (len(one), one), default="")
    if not least or 8 * (function_of(counter)(least) + 10) > free:
        return []
    if any(_WIDE.search(document.text) for document in result.documents):
        return []
    return [f"{result.tokens} tokens for a budget of {budget}, without {least[:60]!r}"]


def unparsed(result: Compressed) -> list[str]:
    """Say what was left of JSON that is no JSON any more, but where a unit was cut."""
    wrong: list[str] = []
    reasons = result.receipt.reasons
    if len(result.receipt.content_types) != len(result.parts) or any(
        name.endswith("cut") for name in reasons
    ):
        return wrong
    for index, (kind, part) in enumerate(zip(result.receipt.content_types, result.parts, strict=True)):
        if kind == "json" and part and _is_json(result.documents[index].text) and not _is_json(part):
            wrong.append(f"document {index} was JSON, and is no more: {part[:200]!r}")
    return wrong


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except RecursionError:
        return True
    except ValueError:
        return False
    return True


def check_compressed(
    result: Compressed,
    counter: str,
    budget: int,
    *,
    separator: str = "\n\n",
    pinned: Any = (),
    groups: Any = (),
    fills: bool = True,
) -> list[str]:
    """What is broken of a result: all that finish.py says, and the caller's own count of its text.

    `fills`: whether what made it uses the budget as far as it can, for one text from all documents.
    """
    documents = to_documents(list(result.documents))
    request = Request(
        documents,
        None,
        budget,
        1.0,
        resolve_counter(function_of(counter)),
        to_spans(pinned, documents),
        to_groups(groups, documents),
        separator,
    )
    wrong = broken_promises(result, request)
    tokens = function_of(counter)(result.text)
    if tokens > budget:
        wrong.append(f"{tokens} tokens by {counter} for a budget of {budget}")
    if tokens != result.tokens:
        wrong.append(f"{tokens} tokens by {counter}, {result.tokens} in the result")
    if tokens > result.original_tokens:
        wrong.append(f"{tokens} tokens made of {result.original_tokens}")
    wrong += unparsed(result)
    if fills and not groups and not result.receipt.used_llm:
        wrong += half_unused(result, counter, budget)
    for index, document in enumerate(result.documents):
        if result.expand(index) != document.original:
            wrong.append(f"document {index} cannot be had again")
    return wrong
