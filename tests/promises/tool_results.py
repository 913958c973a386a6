"""Results of tools in every shape, shortened in it."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from result_shapes import LOG, MAPPINGS, ROWS, differences
from tersely.agents import compress_tool_result
from tersely.memory.messages import read_result
from tersely.models.counters import resolve_counter
from tersely.text import decode

from promises.arguments import extractive
from promises.check import Call, budget_for, grown
from promises.counters import counter_named, counter_of, function_of
from promises.documents import as_read, document, undecodable, words


def with_texts_of(random: Random, value: Any) -> Any:
    """A shape of results with other texts and rows in it."""
    if isinstance(value, str):
        return document(random) if value == LOG else value
    if isinstance(value, (bytes, bytearray)):
        text = document(random)
        return type(value)(undecodable(random, text) if random.random() < 0.3 else as_read(text).encode())
    if value is ROWS:
        return [
            {"id": n, "note": words(random, 6), "state": random.choice(["ok", "failed", None])}
            for n in range(random.randrange(60))
        ]
    if isinstance(value, dict):
        return {key: with_texts_of(random, inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [with_texts_of(random, inner) for inner in value]
    return value


def _text_of(value: Any) -> Any:
    """The text of a result of bytes, empty where they are none; any other result as it is."""
    if not isinstance(value, (bytes, bytearray)):
        return value
    try:
        return as_read(decode(bytes(value))[0])
    except UnicodeDecodeError:
        return ""


def _texts(value: Any) -> list[str]:
    """The texts of a result as they are sent, and each value and key of its data."""
    value = _text_of(value)
    return [piece.text for piece in read_result(value).pieces] + list(_leaves(value))


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        value = [*value, *value.values()]
    if isinstance(value, (list, tuple)):
        for inner in value:
            yield from _leaves(inner)
    else:
        yield as_read(value) if isinstance(value, str) else json.dumps(value, default=str)


def _pins(random: Random, value: Any) -> list[str]:
    """Pieces of a result's texts, with the quotes, backslashes and ends of lines that stand in them."""
    text = random.choice(_texts(value) or [""])
    at = random.randint(0, len(text))
    marks = [at for at, character in enumerate(text) if character in "\"\\\n'"]
    if marks and random.random() < 0.7:
        at = max(random.choice(marks) - random.randrange(6), 0)
    return [pin] if (pin := text[at : at + random.randint(1, 12)]).strip() else []


def tool_result(random: Random) -> Call:
    """`compress_tool_result`: within its budget, in the shape that came, or the object that came."""
    shape = random.choice(list(MAPPINGS))
    given, counter = with_texts_of(random, MAPPINGS[shape]), counter_named(random)
    before = copy.deepcopy(given)
    counting = resolve_counter(function_of(counter))
    reports: list[Any] = []
    chosen: dict[str, Any] = {
        "query": random.choice([None, None, words(random, 4), " "]),
        "name": random.choice([None, "bash", "grep", "fetch"]),
        "arguments": random.choice(
            [None, {"command": "pytest -q"}, {"path": "a.json"}, '{"command": "git log -p"}']
        ),
        "strategy": random.choice([None, None, extractive(random)]),
        "pinned": random.choice([(), (), [words(random, 1)], _pins(random, given)]),
    }

    def tokens(made: Any) -> int:
        return int(sum(counting.count_batch([piece.text for piece in read_result(_text_of(made)).pieces])))

    def run(budget: int) -> Any:
        reports.clear()
        return compress_tool_result(
            given, budget=budget, counter=counter_of(counter), report=reports.append, **chosen
        )

    def retry(budget: int) -> Any:
        """A pin of syntax that the shorter data has otherwise is refused once there is room for the rest."""
        try:
            return run(budget)
        except ValueError as error:
            if "pinned: " in str(error):
                return None
            raise

    def check(made: Any, budget: int) -> list[str]:
        if made is None and given is not None:
            return []
        (report,) = reports
        wrong = [] if given == before else ["the result that came was changed"]
        if report.status != "compressed":
            return wrong if made is given else [*wrong, f"{report.status}, and another object"]
        used = tokens(made)
        if used > budget or used != report.tokens:
            wrong.append(f"{used} tokens, {report.tokens} said, for a budget of {budget}")
        wrong += grown(counter, used, report.original_tokens)
        if type(made) is not type(given):
            wrong.append(f"a {type(made).__name__} for a {type(given).__name__}")
        wrong += [
            f"the pin {pin!r} is gone"  # but for white space around it, as for every door (finish.py)
            for pin in chosen["pinned"]
            if any(pin in text for text in _texts(given))
            and not any(pin.strip() in text for text in _texts(made))
        ]
        lost = [
            path for path in differences(given, made) if path and path[-1] in ("role", "type", "tool_call_id")
        ]
        return [*wrong, f"differs at {lost}"] if lost else wrong

    return Call(
        run,
        max(budget_for(random, tokens(given)), 1),
        check,
        repr,
        retry=retry,
        may_refuse=bool(chosen["pinned"]),
        told={"shape": shape, "result": given, "counter": counter, **chosen},
    )
