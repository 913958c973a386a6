"""Write the names of each module of the reference as a table, for who reads the pages without building them.

python docs/reference_tables.py            write the tables anew
python docs/reference_tables.py --check    say which pages are not as they would be written
"""

from __future__ import annotations

import ast
import re
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_BLOCK = re.compile(
    r"(?:^\| name \| what it is \|\n\|---\|---\|\n(?:^\|.*\n)*\n)?"
    r"(?P<block>^```\{eval-rst\}\n\.\. automodule:: (?P<module>\S+)\n)",
    re.MULTILINE,
)


def tables(page: str) -> str:
    """Return the text of a page with a table above each module."""
    return _BLOCK.sub(lambda found: f"{_table(found['module'])}{found['block']}", page)


def _table(module: str) -> str:
    rows = [f"| `{name}` | {first} |\n" for name, first in sorted(names(module).items()) if first]
    return f"| name | what it is |\n|---|---|\n{''.join(rows)}\n" if rows else ""


def names(module: str) -> dict[str, str]:
    """The public names of a module with the first sentence of each docstring, read from the sources."""
    stub = _path(module).with_suffix(".pyi")
    if stub.exists():
        listed = re.findall(r" as (\w+)", stub.read_text(encoding="utf-8"))
    else:
        listed = [
            str(name)
            for statement in _parsed(_path(module)).body
            if isinstance(statement, ast.Assign) and getattr(statement.targets[0], "id", "") == "__all__"
            for name in ast.literal_eval(statement.value)
        ]
    return {name: _first_sentence(stub if stub.exists() else _path(module), name) for name in listed}


def _first_sentence(path: Path, name: str) -> str:
    """The first sentence of the docstring of what a file defines or imports by a name; "" without one."""
    for node in _parsed(path).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
            first = " ".join((ast.get_docstring(node) or "").partition("\n\n")[0].split())
            return first.partition(". ")[0].removesuffix(".").replace("|", "\\|")
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tersely"):
            for alias in node.names:
                if (alias.asname or alias.name) == name and (inner := _path(str(node.module))).exists():
                    return _first_sentence(inner, alias.name)
    return ""


@cache
def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _path(module: str) -> Path:
    path = (ROOT / "python").joinpath(*module.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return path if path.exists() else path.with_suffix(".pyi")


def main(check: bool) -> int:
    """Write the pages, or return 1 where one is not as it would be written."""
    old = []
    for page in sorted((ROOT / "docs" / "reference").glob("*.md")):
        before = page.read_text(encoding="utf-8")
        after = tables(before)
        if before != after:
            old.append(page.name)
            if not check:
                page.write_text(after, encoding="utf-8")
    print("old:" if check else "written:", *(old or ["none"]))
    return bool(check and old)


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
