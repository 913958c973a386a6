"""Promise 7: the native stages let other threads run."""

from __future__ import annotations

import pytest
from other_threads import assert_others_run_during
from tersely import _native

TEXT = "The winch on the north quay was oiled again, and nobody noticed. " * 150_000  # 10 MB


@pytest.mark.slow
@pytest.mark.parametrize("name", ["segment", "terms", "analyze"])
def test_other_threads_run_meanwhile(name: str) -> None:
    calls = {
        "segment": lambda: _native.segment([TEXT], 3, 200),
        "terms": lambda: _native.terms([TEXT])[2],
        "analyze": lambda: _native.analyze([TEXT], [], 3, 200),
    }
    assert_others_run_during(calls[name])
