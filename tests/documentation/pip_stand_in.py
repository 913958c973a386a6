"""Stands in for pip: installs nothing, but knows which extras and files there are.

python pip_stand_in.py ROOT install PACKAGE...
"""

from __future__ import annotations

import re
import sys
import tomllib
from itertools import pairwise
from pathlib import Path

_OURS = re.compile(r"^(?:tersely|\.)\[(?P<extras>[\w,-]+)\]$")


def main(root: Path, command: str, *arguments: str) -> int:
    """Return 0 where pip could install the arguments."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = [found["extras"].split(",") for found in map(_OURS.match, arguments) if found]
    extras = {extra for names in named for extra in names}
    files = [root / after for before, after in pairwise(arguments) if before == "-r"]
    missing = [str(path) for path in files if not path.is_file()]
    missing += sorted(extras - set(project["optional-dependencies"]))
    if missing:
        print(*missing, file=sys.stderr)
    return command != "install" or bool(missing)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *sys.argv[2:]))
