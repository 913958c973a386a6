"""Promise 3: the same bytes on every instruction set, with every hash seed, locale and number of threads."""

from __future__ import annotations

import re
import subprocess

import fixed_run
import pytest
from script_runs import run_code, run_script
from tersely.kernels import isa

#: Instruction set -> what else differs in its process; "": the best set that the CPU has.
PROCESSES = {
    "scalar": {"PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1", "LC_ALL": "C"},
    "": {"PYTHONHASHSEED": "1", "OMP_NUM_THREADS": "7", "LC_ALL": "C.UTF-8"},
    "avx2": {"PYTHONHASHSEED": "4294967295", "LC_ALL": "POSIX"},
    "avx512": {"PYTHONHASHSEED": "random"},
    "avx512vnni": {"PYTHONHASHSEED": "2"},
    "neon": {"PYTHONHASHSEED": "4294967295", "LC_ALL": "POSIX"},
    "neondot": {"PYTHONHASHSEED": "random"},
}


@pytest.fixture(scope="module")
def refused() -> subprocess.CompletedProcess[str]:
    code = "import tersely.kernels; print('imported'); tersely.kernels.isa()"
    return run_code(code, TERSELY_ISA="sse9")


@pytest.fixture(scope="module")
def allowed(refused: subprocess.CompletedProcess[str]) -> list[str]:
    """The instruction sets of this CPU, the best first, as the error lists them."""
    names = re.search(r"TERSELY_ISA must be one of (.+?) on this CPU", refused.stderr)
    assert names, refused.stderr
    return names[1].split(", ")


@pytest.fixture(scope="module")
def digests() -> list[str]:
    return fixed_run.digests()


@pytest.mark.parametrize("name", PROCESSES)
def test_the_same_bytes_in_every_process(name: str, allowed: list[str], digests: list[str]) -> None:
    if name and name not in allowed:
        pytest.skip(f"this CPU has no {name}; it has {', '.join(allowed)}")
    variables = PROCESSES[name]
    done = run_script("fixed_run.py", TERSELY_ISA=name, LANG=variables.get("LC_ALL", ""), **variables)
    assert done.stdout.split() == [*digests, name or allowed[0]], done.stderr


def test_an_unknown_set_is_named_with_what_is_allowed_once_one_is_needed(
    refused: subprocess.CompletedProcess[str],
) -> None:
    assert (refused.returncode, refused.stdout) == (1, "imported\n")
    message = refused.stderr.strip().splitlines()[-1]
    assert "TERSELY_ISA" in message and "'sse9'" in message and "scalar" in message


def test_isa_is_one_of_the_known_names() -> None:
    assert isa() in PROCESSES
