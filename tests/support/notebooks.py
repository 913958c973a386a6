"""Run a notebook's code cells in their order, and hold or write down what they print.

python tests/support/notebooks.py examples/first_steps.ipynb      # writes what the cells print into the file
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any


def printed(notebook: Path) -> list[str]:
    """Return what each code cell prints, its last expression included, as Jupyter shows it.

    Cells share one set of names and run in a copy of the notebook's folder, as they do in Jupyter.
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    sources = _sources(notebook)
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copytree(notebook.parent, Path(folder, "notebook"))
        with contextlib.chdir(copy):
            return [_run(source, names) for source in sources]


def _sources(notebook: Path) -> list[str]:
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def _run(source: str, names: dict[str, Any]) -> str:
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(tree, "cell", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
            if value is not None:
                print(repr(value))
    return out.getvalue()


def stored(notebook: Path) -> list[str]:
    """Return what the file says that each code cell prints."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return [
        "".join(line for output in cell["outputs"] for line in output["text"])
        for cell in cells
        if cell["cell_type"] == "code"
    ]


def write_outputs(notebook: Path) -> None:
    """Run the notebook and write into it what its cells print."""
    content = json.loads(notebook.read_text(encoding="utf-8"))
    code = [cell for cell in content["cells"] if cell["cell_type"] == "code"]
    for number, (cell, text) in enumerate(zip(code, printed(notebook), strict=True), 1):
        lines = text.splitlines(keepends=True)
        stream = {"name": "stdout", "output_type": "stream", "text": lines}
        cell["execution_count"] = number
        cell["outputs"] = [stream] if lines else []
    notebook.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write_outputs(Path(sys.argv[1]))
