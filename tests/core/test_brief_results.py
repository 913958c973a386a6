"""What the decorators of dataclasses do: a repr of one line, and frozen objects that are made quickly."""

from __future__ import annotations

import copy
import dataclasses
import importlib
import inspect
import pickle
import pkgutil
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import tersely
from sample_texts import LOG
from tersely.checks import brief, quick

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


@pytest.mark.parametrize("kind", sorted(results(), key=lambda kind: kind.__qualname__))
def test_a_class_that_holds_texts_is_shown_on_one_line(kind: type[Any]) -> None:
    made = object.__new__(kind)
    filled = {one.name: "A line.\n" * 5_000 for one in dataclasses.fields(kind)}
    for name, value in filled.items():
        object.__setattr__(made, name, value)
    shown = repr(made)
    assert "\n" not in shown and len(shown) < 120 * len(filled) + 100


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
