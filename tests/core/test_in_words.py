"""Results, errors and shares in words: one line, one number that would do, the same three words."""

from __future__ import annotations

import copy
import dataclasses
import importlib
import inspect
import math
import pickle
import pkgutil
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import odd_counters
import pytest
import tersely
from hypothesis import given, strategies as st
from sample_texts import LOG
from tersely import BudgetExceededError
from tersely.checks import Ratios, brief, quick
from tersely.engine.strategies import smallest_fit
from tersely.memory import CompactionResult, compact_messages
from tersely.text import percent
from text_strategies import texts

LONGEST = 700  # characters: a result has up to ten fields
#: How results that hold somebody's texts are called.
NAMED = re.compile(
    r"(?:Results?|Messages|Context|Document|[a-z]Chunk|ToolResultReport|Record|Stored|Found|Excerpt|Preview|Summary|Entry|Level"
    r"|Segment|Audit|Statement|Answer|Reply)$"
)
HELD = re.compile(r"(?:texts?|content|contents|originals?|compressed|messages|documents|chunks|key|fact)$")


def results() -> Iterator[type[Any]]:
    """Dataclasses that the public packages give out and that hold texts."""
    for package in ("memory", "retrieval", "strategies", "agents", "store", "mcp", "scale"):
        root = importlib.import_module(f"tersely.{package}")
        found = pkgutil.walk_packages(root.__path__, f"{root.__name__}.")
        for name in (root.__name__, *(module.name for module in found)):
            for kind in vars(importlib.import_module(name)).values():
                if inspect.isclass(kind) and kind.__module__ == name and dataclasses.is_dataclass(kind):
                    holds = any(HELD.match(one.name) for one in dataclasses.fields(kind))
                    if holds and NAMED.search(kind.__name__) and not kind.__name__.startswith("_"):
                        yield kind


def test_a_class_that_holds_texts_is_shown_on_one_line() -> None:
    kinds = list(results())
    assert len(kinds) > 20
    for kind in kinds:
        made = object.__new__(kind)
        filled = {one.name: "A line.\n" * 5_000 for one in dataclasses.fields(kind)}
        for name, value in filled.items():
            object.__setattr__(made, name, value)
        shown = repr(made)
        assert "\n" not in shown and len(shown) < 120 * len(filled) + 100, kind


def test_real_results_are_shown_on_one_line() -> None:
    from tersely.memory import compact_messages
    from tersely.retrieval import compress_results
    from tersely.strategies import ExtractiveCompressor

    messages = [
        {"role": "user", "content": f"Step {n}: open part{n}.py and fix E{n}.\n" * 9} for n in range(60)
    ]
    made = [
        tersely.compress(LOG, budget=60),
        tersely.Document(LOG * 50),
        tersely.segment(LOG),
        compact_messages(messages, budget=800),
        ExtractiveCompressor().compress(LOG),
        compress_results([LOG, LOG[:200]], "What failed?"),
    ]
    for result in made:
        assert "\n" not in repr(result) and len(repr(result)) < LONGEST, repr(result)


def test_what_is_shown_says_what_it_is_of() -> None:
    @brief
    @dataclasses.dataclass(frozen=True, slots=True)
    class Made:
        text: str
        rows: Any
        hidden: int = dataclasses.field(default=1, repr=False)

    assert repr(Made("short", [1, 2])) == "Made(text='short', rows=[1, 2])"
    assert repr(Made("a\n" * 900, np.zeros((40, 40)))).count("\n") == 0
    assert "..." in repr(Made("long " * 100, list(range(9)))) and "hidden" not in repr(Made("", ()))


@quick
@dataclasses.dataclass(frozen=True, slots=True)
class Quick:
    kind: str
    rows: tuple[int, ...] = (1, 2)
    SET: dict[str, int] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", self.kind.strip())


def test_what_is_made_quickly_is_like_what_python_makes() -> None:
    @dataclasses.dataclass(frozen=True, slots=True)
    class Slow:
        kind: str
        rows: tuple[int, ...] = (1, 2)
        SET: dict[str, int] = dataclasses.field(default_factory=dict)

    assert list(inspect.signature(Quick).parameters) == list(inspect.signature(Slow).parameters)
    made = Quick(" a ", SET={"b": 1})
    assert dataclasses.astuple(made) == dataclasses.astuple(Slow("a", SET={"b": 1}))
    assert (
        type(made) is Quick and made == Quick("a", (1, 2), {"b": 1}) and repr(made).startswith("Quick(kind=")
    )
    assert Quick("").SET is not Quick("").SET
    for other in (copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert type(other) is Quick and other == made
    assert dataclasses.replace(made, rows=()) == Quick("a", (), {"b": 1})
    with pytest.raises(TypeError, match=r"Quick.__init__\(\) missing 1 required positional argument: 'kind'"):
        Quick()  # type: ignore[call-arg]
    for change in (lambda: setattr(made, "kind", "b"), lambda: delattr(made, "kind")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            change()


def test_ratio_reduction_and_factor_of_results() -> None:
    text = "One sentence about tides. Another about the moon. A third about the sun."
    kept = tersely.compress(text, ratio=0.5)
    sent = compact_messages([{"role": "user", "content": text}] * 20, budget=120)
    steps = CompactionResult(9, 3, 100, 25)
    for result in (kept, sent, steps):
        assert isinstance(result, Ratios) and 0 < result.ratio < 1
        assert result.reduction == pytest.approx(1 - result.ratio)
        assert result.factor == pytest.approx(1 / result.ratio)
    assert (steps.ratio, steps.reduction, steps.compression_ratio, steps.factor) == (0.25, 0.75, 0.75, 4.0)


def test_nothing_and_nothing_left() -> None:
    assert CompactionResult(0, 0, 0, 0).factor == 1.0 and CompactionResult(0, 0, 0, 0).reduction == 0.0
    assert CompactionResult(9, 0, 100, 0).factor == math.inf


@pytest.mark.parametrize(
    ("share", "told"),
    [
        (0, "0%"), (1e-9, "under 0.1%"), (0.0023, "0.2%"), (0.01, "1%"), (0.286, "29%"), (0.99, "99%"),
        (0.9949, "99.5%"), (0.9999, "over 99.9%"), (1.0, "100%"), (1.38, "138%"),
    ],
)  # fmt: skip
def test_shares_in_words(share: float, told: str) -> None:
    assert percent(share) == told


@given(st.floats(0, 1))
def test_only_nothing_is_0_and_only_all_is_100_percent(share: float) -> None:
    assert (percent(share) == "0%") == (share == 0)
    assert (percent(share) == "100%") == (share == 1)


MESSAGE = re.compile(
    r"^(?P<reason>.+) into a budget of (?P<budget>\d+); (?P<required>\d+) would do$", re.DOTALL
)


def check_message(error: BudgetExceededError) -> None:
    said = MESSAGE.match(str(error))
    assert said is not None, str(error)
    assert (int(said["budget"]), int(said["required"])) == (error.budget, error.required)
    assert said["reason"] == error.reason and error.required > error.budget
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.reason, again.required) == (str(error), error.reason, error.required)


@given(
    text=texts,
    budget=st.integers(0, 30),
    strategy=st.sampled_from(["extractive", "hierarchical", "hybrid", "json", "table", "log"]),
    pin=st.booleans(),
    counter=st.sampled_from([None, len, odd_counters.words, odd_counters.quarters]),
)
def test_what_the_message_says_is_what_the_error_says_and_a_retry_succeeds(
    text: str, budget: int, strategy: str, pin: bool, counter: object
) -> None:
    def attempt(allowed: int) -> tersely.Compressed:
        pinned = [(0, min(10, len(text)))] if pin and text else ()
        return tersely.compress(text, budget=allowed, strategy=strategy, pinned=pinned, counter=counter)  # type: ignore[call-overload]

    try:
        attempt(budget)
    except BudgetExceededError as error:
        check_message(error)
        assert error.budget == budget
        assert attempt(int(error.required)).tokens <= error.required
        assert smallest_fit(attempt, budget).tokens == attempt(int(error.required)).tokens


@pytest.mark.parametrize("budget", [0, 999_999, 10_000_000])
def test_large_numbers_are_written_out(budget: int) -> None:
    check_message(BudgetExceededError("nothing fits", required=budget + 1, budget=budget))


def test_costs_need_not_be_whole() -> None:
    error = BudgetExceededError("the pinned items do not fit", required=2.5, budget=1.0)
    assert str(error) == "the pinned items do not fit into a budget of 1; 2.5 would do"
