"""_native.pyi and the native module agree: the same functions, the same parameters."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tersely import _native

PARAMETER = re.compile(r"(\w+): ")


def stub_functions(body: list[ast.stmt], prefix: str = "") -> dict[str, list[str]]:
    """Functions, and the methods of classes as Class.method."""
    found = {}
    for node in body:
        if isinstance(node, ast.ClassDef):
            found |= stub_functions(node.body, f"{node.name}.")
        elif isinstance(node, ast.FunctionDef) and node.args.vararg is None:  # else of what nobody calls
            found[prefix + node.name] = [argument.arg for argument in node.args.args]
    return found


def native_functions(owner: object, prefix: str = "") -> dict[str, list[str]]:
    """From the signatures that pybind11 writes as the first line of each docstring."""
    found = {}
    for name, value in vars(owner).items():
        if isinstance(value, type):
            found |= native_functions(value, f"{name}.")
        elif isinstance(value, property):
            found[prefix + name] = ["self"]
        elif callable(value) and (value.__doc__ or "").startswith(f"{name}("):
            found[prefix + name] = PARAMETER.findall(value.__doc__.splitlines()[0])
    return found


def test_stub_and_module_agree(root: Path) -> None:
    stub = ast.parse((root / "python" / "tersely" / "_native.pyi").read_text(encoding="utf-8"))
    assert stub_functions(stub.body) == native_functions(_native)
