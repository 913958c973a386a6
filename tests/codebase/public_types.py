"""The types a caller's checker sees. Never run: test_types.py and ci/lint.sh give it to mypy --strict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_type

import tersely
from tersely.types import Request

result = tersely.compress("text", "query", budget=100)
assert_type(result, tersely.Compressed)
assert_type(result.text, str)
assert_type(result.tokens, int)
assert_type(result.ratio, float)
assert_type(result.kept[0], tersely.Span)
assert_type(result.kept[0].kind, tersely.Kind)
assert_type(result.receipt.warnings, tuple[str, ...])
assert_type(result.expand(result.dropped[0], context=40), str)

assert_type(tersely.compress_batch(["a", "b"], threads=2), list[tersely.Compressed | Exception])
assert_type(tersely.segment("text", level="paragraph"), tersely.SegmentTable)


class Words:
    """A caller's counter: satisfies the protocol without importing it."""

    def count(self, text: str) -> int:
        """White-space separated words."""
        return len(text.split())


class Fixed:
    """A caller's strategy."""

    def compress(self, request: Request) -> tersely.Compressed:
        """The same for everybody."""
        return result


counter: tersely.TokenCounter = Words()
tersely.compress(["a"], counter=counter, strategy=Fixed())
tersely.compress("text", budget="100")  # type: ignore[arg-type]
tersely.compress("text", 3)  # type: ignore[arg-type]


def spans(of: tersely.Compressed) -> Sequence[tersely.Span]:
    """Whatever stands in `kept` is a sequence of spans."""
    return of.kept
