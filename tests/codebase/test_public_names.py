"""What `import tersely` offers: names, docstrings, version."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
import tomllib
from pathlib import Path

import pytest
import tersely
from tersely import memory, retrieval, strategies

MOST = 140  # public names of all packages: what is asked for; a new one takes the place of another
PACKAGES = [
    "tersely",
    "tersely.agents",
    "tersely.kernels",
    "tersely.memory",
    "tersely.report",
    "tersely.retrieval",
    "tersely.retrieval.index",
    "tersely.scale",
    "tersely.store",
    "tersely.strategies",
]


def offered() -> dict[tuple[str, str], object]:
    """Each public name of each package with what it is; `__version__` is none."""
    packages = [(package, importlib.import_module(package)) for package in PACKAGES]
    return {
        (package, name): getattr(module, name)
        for package, module in packages
        for name in module.__all__
        if name != "__version__"
    }


def test_every_package_that_offers_names_is_counted() -> None:
    found = pkgutil.walk_packages(tersely.__path__, "tersely.")
    listed = [
        one.name for one in found if one.ispkg and hasattr(importlib.import_module(one.name), "__all__")
    ]
    assert {*listed, "tersely"} - {"tersely.cli"} == set(PACKAGES)  # the command is no library


def test_no_package_offers_more_names_than_people_can_hold() -> None:
    names = offered()
    assert len(names) <= MOST, f"{len(names)} names: which one need nobody name? Its module still has it"
    homes = [id(thing) for thing in names.values()]
    assert len(homes) == len(set(homes)), "one thing is offered by two packages"


def test_a_name_that_two_designs_prescribe_does_not_pass_for_the_other() -> None:
    names = [name for _, name in offered()]
    assert {name for name in names if names.count(name) > 1} == {"CompressionResult", "ExtractiveCompressor"}
    text, options = "Keys rotate. Milk is cold.", strategies.CompressionOptions()
    with pytest.raises(TypeError, match="token_budget"):
        retrieval.ExtractiveCompressor().compress(text, options)  # type: ignore[call-arg,arg-type]
    with pytest.raises(TypeError, match="CompressionOptions"):
        strategies.ExtractiveCompressor().compress(text, "When?")  # type: ignore[arg-type]
    kinds = (retrieval.CompressionResult, memory.CompressionResult)
    fields = [{one.name for one in dataclasses.fields(kind)} for kind in kinds]
    assert not fields[0] & fields[1]


def test_all_is_exact_and_sorted() -> None:
    for package in PACKAGES:
        module = importlib.import_module(package)
        assert module.__all__ == sorted(module.__all__) and set(module.__all__) <= set(dir(module)), package


@pytest.mark.parametrize("name", tersely.__all__)
def test_public_names_have_docstrings(name: str) -> None:
    thing = getattr(tersely, name)
    assert thing.__doc__ and thing.__doc__.strip()
    if inspect.isclass(thing):
        own = {key: value for key, value in vars(thing).items() if not key.startswith("_")}
        silent = [key for key, value in own.items() if inspect.isroutine(value) and not inspect.getdoc(value)]
        silent += [key for key, value in own.items() if isinstance(value, property) and not value.__doc__]
        assert not silent


def test_versions_agree(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert tersely.__version__ == project["version"]
