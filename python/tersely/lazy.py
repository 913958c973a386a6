"""Import public names of a package when they are first asked for; its stub, `__init__.pyi`, lists them."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

_IMPORT = re.compile(r"^from (\S+) import (\([^)]*\)|.*)$", re.MULTILINE)
_NAME = re.compile(r" as (\w+)")


def load_late(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a package (PEP 562), given its name and `__file__`.

    Type checkers read the same lines of the stub: `from module import Name as Name`. A module of the package
    itself is offered where it is imported from the package. A name is set on the package on first access.
    """
    stub = Path(file).with_suffix(".pyi").read_text(encoding="utf-8")
    home = {name: module for module, names in _IMPORT.findall(stub) for name in _NAME.findall(names)}

    def get(name: str) -> Any:
        """A public name, from its module."""
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if home[name] == package:
            return import_module(f"{package}.{name}")
        value = getattr(import_module(home[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        """The public names, and no others."""
        return sorted(home)

    return get, names, names()
