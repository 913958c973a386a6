"""Doors with options that are seldom combined and results of tools in every shape."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from random import Random
from typing import Any

import tersely
from result_shapes import LOG, MAPPINGS, ROWS, differences
from tersely.agents import compress_tool_result
from tersely.engine.strategies import Auto
from tersely.memory.messages import read_result
from tersely.models.counters import resolve_counter
from tersely.text import decode
from tersely.types import Compressed

from promises.arguments import SEPARATORS, extractive, fills, query, reader, strategy, tokens_of
from promises.check import Call, Door, budget_for, check_compressed, grown
from promises.counters import counter_named, counter_of, function_of
from promises.documents import as_read, undecodable, words
from promises.wide_documents import wide_document, wide_documents, wide_spans


def _budget(random: Random, tokens: int) -> int:
    return random.choice([0, 1, 2, 10**9]) if random.random() < 0.15 else budget_for(random, tokens)


def compress_wide(random: Random) -> Call:
    """`compress` with pins and groups at the borders of syntax and across documents, and every strategy."""
    texts, counter, separator = wide_documents(random), counter_named(random), random.choice(SEPARATORS)
    pinned = wide_spans(random, texts, 0.5)
    groups = [group for _ in range(2) if (group := wide_spans(random, texts, 0.35))]
    make = random.choice([lambda: None, lambda: None, strategy(random)])
    names = random.choice([None, ["a.html", "b.json", "c.yaml", "d.xml", "e.log", "f.py"]])
    shown: list[Any] = [
        text if names is None else {"text": text, "name": random.choice(names)} for text in texts
    ]
    arguments: dict[str, Any] = {
        "query": query(random, texts),
        "counter": counter_of(counter),
        "pinned": pinned,
        "groups": groups,
        "separator": separator,
    }

    def check(result: Compressed, budget: int) -> list[str]:
        wrong = check_compressed(
            result,
            counter,
            budget,
            separator=separator,
            pinned=pinned,
            groups=groups,
            fills=fills(make()),
        )
        report = tersely.check_facts(result)
        return wrong + [
            f"{fact} is made up" for fact in report.of("unsupported") if not result.receipt.used_llm
        ]

    return Call(
        lambda budget: tersely.compress(shown, budget=budget, strategy=make(), **arguments),
        _budget(random, tokens_of(texts, separator, counter)),
        check,
        lambda result: result.to_dict(),
        told={"documents": shown, "strategy": make(), **arguments},
    )


def prepare_wide(random: Random) -> Call:
    """A fit of a reading that was fitted before, with groups and pins: as `compress` gives it."""
    texts, counter = wide_documents(random, 3), counter_named(random)
    pinned, groups = wide_spans(random, texts, 0.4, 2), [g for g in [wide_spans(random, texts, 0.4)] if g]
    chosen = random.choice([None, extractive(random), reader(random), Auto(text=extractive(random))])
    arguments: dict[str, Any] = {
        "query": query(random, texts),
        "counter": counter_of(counter),
        "strategy": chosen,
        "pinned": pinned,
        "groups": groups,
    }
    others = [_budget(random, tokens_of(texts, "\n\n", counter)) for _ in range(2)]

    def run(budget: int) -> Compressed:
        prepared = tersely.prepare(texts, **arguments)
        for other in others:
            with suppress(tersely.BudgetExceededError):
                prepared.fit(other)
        return prepared.fit(budget)

    def check(result: Compressed, budget: int) -> list[str]:
        wrong = check_compressed(result, counter, budget, pinned=pinned, groups=groups)
        if tersely.compress(texts, budget=budget, **arguments).to_dict() != result.to_dict():
            wrong.append("a fit after others is not what compress gives")
        return wrong

    return Call(
        run,
        _budget(random, tokens_of(texts, "\n\n", counter)),
        check,
        lambda result: result.to_dict(),
        told={"texts": texts, "others": others, **arguments},
    )


def batch_wide(random: Random) -> Call:
    """`compress_batch` with a query, budget or ratio and pins an item: each as `compress` gives it alone."""
    items = [wide_documents(random, 2) for _ in range(random.randint(1, 4))]
    counter, threads = counter_named(random), random.choice([1, 3, None])
    queries = [query(random, texts) for texts in items]
    pins = [wide_spans(random, texts, 0.3, 2) for texts in items]
    budgets = [_budget(random, tokens_of(texts, "\n\n", counter)) for texts in items]
    shares = [random.choice([0.05, 0.3, 0.9]) for _ in items]
    by: dict[str, Any] = random.choice(
        [{"budget": budgets}, {"ratio": shares}, {"ratio": 0.3}, {"budget": 40}]
    )

    def run(_: int) -> list[Any]:
        return tersely.compress_batch(
            items, queries, pinned=pins, counter=counter_of(counter), threads=threads, **by
        )

    def check(results: list[Any], _: int) -> list[str]:
        wrong = [] if len(results) == len(items) else ["not one result an item"]
        for number, found in enumerate(results):
            one = {key: value[number] if isinstance(value, list) else value for key, value in by.items()}
            try:
                alone: Any = tersely.compress(
                    items[number], queries[number], pinned=pins[number], counter=counter_of(counter), **one
                )
            except Exception as error:
                alone = error
            if isinstance(found, Compressed) and isinstance(alone, Compressed):
                wrong += [] if found.to_dict() == alone.to_dict() else [f"item {number} is another alone"]
                wrong += check_compressed(found, counter, found.receipt.budget, pinned=pins[number])
            elif str(found) != str(alone) or not isinstance(found, tersely.BudgetExceededError):
                wrong.append(f"item {number} raised {found!r}, alone {alone!r}")
        return wrong

    return Call(
        run,
        0,
        check,
        lambda results: [str(one) if isinstance(one, Exception) else one.to_dict() for one in results],
        told={"items": items, "queries": queries, "pinned": pins, "threads": threads, **by},
    )


def with_texts_of(random: Random, value: Any) -> Any:
    """A shape of results with other texts and rows in it."""
    if isinstance(value, str):
        return wide_document(random) if value == LOG else value
    if isinstance(value, (bytes, bytearray)):
        text = wide_document(random)
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
        max(_budget(random, tokens(given)), 1),
        check,
        repr,
        retry=retry,
        may_refuse=bool(chosen["pinned"]),
        told={"shape": shape, "result": given, "counter": counter, **chosen},
    )


def wide_doors() -> dict[str, tuple[Door, int]]:
    """These doors, and how often each is tried."""
    return {
        "compress, wide": (compress_wide, 12),
        "prepare, wide": (prepare_wide, 4),
        "compress_batch, wide": (batch_wide, 2),
        "compress_tool_result": (tool_result, 6),
    }
