"""Lazy imports: a public name is imported from its module on first access (PEP 562)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

__all__ = ["load_late"]


def load_late(
    package: str, modules: Mapping[str, Sequence[str]], submodules: Sequence[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` for a package whose names live in modules not yet imported.

    `modules`: dotted name of a module -> the names of it that the package offers. `submodules`: modules of
    the package that it offers by their own names. A name is set on the package on first access, so that
    `__getattr__` is called for it once.
    """
    home = {name: module for module, names in modules.items() for name in names}

    def get(name: str) -> Any:
        """A public name, from its module."""
        if name in submodules:
            return import_module(f"{package}.{name}")
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(home[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        """The public names too that nobody has asked for yet."""
        return sorted({*vars(sys.modules[package]), *home, *submodules})

    return get, names
