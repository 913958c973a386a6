"""How the documentation is built: `ci/docs.sh`, or `sphinx-build -W docs build/docs`."""

from __future__ import annotations

import re

import tersely

project = "tersely"
author = "The tersely authors"
copyright = author
version = release = tersely.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "index"
exclude_patterns = ["_build"]
myst_heading_anchors = 3
default_role = "code"  # docstrings name code between single backticks, as Markdown does

html_theme = "furo"
html_title = "tersely"

autodoc_default_options = {"members": True}
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
autodoc_mock_imports = [
    "agents",
    "haystack",
    "headroom",
    "langchain",
    "langchain_core",
    "litellm",
    "llama_index",
    "pydantic",
    "pydantic_ai",
]
suppress_warnings = ["ref.python"]  # attributes of one name in several classes

_CODE = re.compile(r"`[^`]*`")
_MARKUP = re.compile(r"((?<!\*)\*(?!\*)|\||_(?=\W|$))")


def _to_rest(app: object, what: str, name: str, thing: object, options: object, lines: list[str]) -> None:
    """Escape what stands in docstrings as itself and would be markup in reStructuredText."""
    for index, line in enumerate(lines):
        if line.lstrip().startswith((">>>", "...")):
            continue
        parts, last = [], 0
        for code in _CODE.finditer(line):
            parts += [_MARKUP.sub(r"\\\1", line[last : code.start()]), f"`{code.group()}`"]
            last = code.end()
        lines[index] = "".join([*parts, _MARKUP.sub(r"\\\1", line[last:])])


def setup(app: object) -> None:
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", _to_rest, priority=100)  # type: ignore[attr-defined]
