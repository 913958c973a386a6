"""Check that every public name is in the reference that was built.

python docs/check_reference.py build/docs
"""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path

from conf import autodoc_mock_imports
from sphinx.ext.autodoc.mock import mock
from sphinx.util.inventory import InventoryFile

_MODULE = re.compile(r"^\.\. automodule:: (\S+)$", re.MULTILINE)
_ELSEWHERE = re.compile(r"^   :exclude-members: (.+)$", re.MULTILINE)


def main(built: Path) -> int:
    """Return 1 where a name of a module in the reference has no entry, and print each."""
    entries = InventoryFile.loads((built / "objects.inv").read_bytes(), uri="").data
    known = {name for kind, names in entries.items() if kind.startswith("py:") for name in names}
    short = {name.rpartition(".")[2] for name in known}
    missing = []
    for page in sorted(Path(__file__).parent.glob("reference/*.md")):
        text = page.read_text(encoding="utf-8")
        told = {name.strip() for listed in _ELSEWHERE.findall(text) for name in listed.split(",")}
        for module in _MODULE.findall(text):
            with mock(autodoc_mock_imports):
                names = getattr(importlib.import_module(module), "__all__", ())
            for name in names:
                elsewhere = name in told and (name in short or f"{module}.{name}" in sys.modules)
                if f"{module}.{name}" not in known and not elsewhere:
                    missing.append(f"{page.name}: {module}.{name}")
    print(*(missing or [f"{len(known)} names are in the reference"]), sep="\n")
    return bool(missing)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
