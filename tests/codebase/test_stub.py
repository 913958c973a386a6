"""_native.pyi and the native module agree: the same functions, the same parameters."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tersely import _native

PARAMETER = re.compile(r"(\w+): ")


def stub_functions(root: Path) -> dict[str, list[str]]:
    stub = ast.parse((root / "python" / "tersely" / "_native.pyi").read_text(encoding="utf-8"))
    functions = [node for node in stub.body if isinstance(node, ast.FunctionDef)]
    return {node.name: [argument.arg for argument in node.args.args] for node in functions}


def native_functions() -> dict[str, list[str]]:
    """From the signatures that pybind11 writes as the first line of each docstring."""
    functions = {name: value for name, value in vars(_native).items() if not name.startswith("__")}
    return {name: PARAMETER.findall(value.__doc__.splitlines()[0]) for name, value in functions.items()}


def test_stub_and_module_agree(root: Path) -> None:
    assert stub_functions(root) == native_functions()
