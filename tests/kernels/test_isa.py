"""Promise 3: every instruction set gives the same bytes."""

from __future__ import annotations

import re

import pytest
from script_runs import run_code, run_script
from tersely import _native

ASK = "from tersely import _native; print(_native.isa())"


@pytest.fixture(scope="module")
def scalar_digest() -> str:
    done = run_script("fixed_run.py", TERSELY_ISA="scalar")
    assert done.returncode == 0, done.stderr
    digest, isa = done.stdout.split()
    assert isa == "scalar"
    return digest


def allowed() -> list[str]:
    """The instruction sets of this CPU, as the error message lists them."""
    stderr = run_code(ASK, TERSELY_ISA="no-such-set").stderr
    names = re.search(r"TERSELY_ISA must be one of (.+?) on this CPU", stderr)
    assert names, stderr
    return names[1].split(", ")


@pytest.mark.parametrize("isa", ["avx2", "avx512", "avx512vnni", "neon", "neondot"])
def test_same_bytes_as_scalar(isa: str, scalar_digest: str) -> None:
    if isa not in allowed():
        pytest.skip(f"this CPU has no {isa}; it has {', '.join(allowed())}")
    done = run_script("fixed_run.py", TERSELY_ISA=isa)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [scalar_digest, isa]


def test_the_best_set_is_chosen_without_the_variable(scalar_digest: str) -> None:
    done = run_script("fixed_run.py", TERSELY_ISA="")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [scalar_digest, allowed()[0]]


def test_an_unknown_set_names_itself_and_what_is_allowed() -> None:
    done = run_code(ASK, TERSELY_ISA="sse9")
    assert done.returncode == 1
    message = done.stderr.strip().splitlines()[-1]
    assert "TERSELY_ISA" in message
    assert "'sse9'" in message
    assert "scalar" in message


def test_importing_does_not_read_the_variable() -> None:
    done = run_code("import tersely", TERSELY_ISA="sse9")
    assert done.returncode == 0, done.stderr


def test_isa_is_one_of_the_known_names() -> None:
    assert _native.isa() in {"scalar", "avx2", "avx512", "avx512vnni", "neon", "neondot"}
