"""Check the files and the dependencies of a wheel: python ci/check_wheel.py WHEEL."""

from __future__ import annotations

import fnmatch
import re
import sys
import zipfile
from email.parser import Parser

REQUIRED = (
    "tersely/py.typed",
    "tersely/_native.pyi",
    "tersely/_native*.so",
    "tersely/models/relevance.json",
    "tersely/models/static.npz",
    "tersely/models/static.md",
    "tersely/models/o200k_base.bin",
    "tersely/models/cl100k_base.bin",
    "tersely/models/tokens.md",
    "tersely-*.dist-info/licenses/LICENSE",
)
ALLOWED = ("tersely/*", "tersely-*.dist-info/*")
FORBIDDEN = ("*.cpp", "*.hpp", "*.inl", "*.inc", "*/test*", "*.pyc")
HARD_DEPENDENCIES = {"numpy"}


def problems(path: str) -> list[str]:
    """What is wrong with the wheel at `path`, one line each."""
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        metadata = Parser().parsestr(wheel.read(next(n for n in names if n.endswith("/METADATA"))).decode())
    found = [f"{pattern} is missing" for pattern in REQUIRED if not fnmatch.filter(names, pattern)]
    for name in names:
        if not any(fnmatch.fnmatch(name, pattern) for pattern in ALLOWED):
            found.append(f"{name} does not belong there")
        if any(fnmatch.fnmatch(name, pattern) for pattern in FORBIDDEN):
            found.append(f"{name} must not be shipped")
    requirements = [line for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line]
    hard = {re.split(r"[^\w.-]", line)[0] for line in requirements}
    if hard != HARD_DEPENDENCIES:
        found.append(f"hard dependencies are {sorted(hard)}, not {sorted(HARD_DEPENDENCIES)}")
    return found


if __name__ == "__main__":
    sys.exit("\n".join(problems(sys.argv[1])) or None)
