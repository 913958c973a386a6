"""Formats of many tools: what failed, or is unlike all others, is kept by default, whatever wrote it."""

from __future__ import annotations

import pytest
import tersely
from format_samples import FORMATS


@pytest.mark.parametrize("form", FORMATS)
def test_a_fifth_of_what_a_tool_writes_keeps_what_failed(form: str) -> None:
    text, wanted = FORMATS[form]
    kept = tersely.compress(text, ratio=0.2).text
    assert [part for part in wanted if part not in kept] == []
