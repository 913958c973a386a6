"""Use an installed wheel as its first user would: python ci/use_wheel.py, with numpy alone."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path

import tersely
from tersely import _native

if sysconfig.get_config_var("Py_GIL_DISABLED"):
    # The module that is told to need the GIL switches it on for all.
    assert not sys._is_gil_enabled(), "importing tersely switched the GIL on"

checkout = Path(__file__).resolve().parents[1]
assert checkout / "python" not in Path(tersely.__file__).resolve().parents, "that is the checkout"

text = "The relay failed at 10:30. It rained all day. The relay was replaced by model RX-7. " * 20
result = tersely.compress(text, "Which model replaced the relay?", budget=40)
assert result.tokens <= 40 and "RX-7" in result.text, result.text
assert not result.receipt.warnings, result.receipt.warnings  # the embedder inside was found

said = subprocess.run(
    [sys.executable, "-m", "tersely", "--version"], capture_output=True, text=True, check=True
).stdout
assert tersely.__version__ in said, said
print(f"tersely {tersely.__version__} works: {Path(_native.__file__).name}")
