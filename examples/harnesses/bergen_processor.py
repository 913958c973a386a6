"""tersely as a context processor of BERGEN (github.com/naver/bergen).

Copy this file into `models/context_processors/` of a clone, with `config/context_processor/tersely.yaml`:

    init_args:
      _target_: models.context_processors.bergen_processor.Tersely
      ratio: 0.3

Then add `context_processor=tersely` to any command of BERGEN.
"""

from __future__ import annotations

from typing import Any

import tersely
from models.context_processors.context_processor import ContextProcessor


class Tersely(ContextProcessor):
    """Keeps what answers the question, word for word; a passage of which nothing is left is empty."""

    def __init__(self, ratio: float = 0.3, counter: str = "cl100k_base") -> None:
        """Keep at most `ratio` of the tokens of all passages of a question."""
        super().__init__()
        self.predefined_context_processing_metrics = ["context_compression"]
        self.name = f"tersely_{ratio}"
        self.ratio, self.counter = ratio, counter

    def _process(
        self, contexts: list[list[str]], queries: list[str]
    ) -> tuple[list[list[str]], dict[str, Any]]:
        processed = [
            list(tersely.compress(texts, query, ratio=self.ratio, counter=self.counter).parts)
            for texts, query in zip(contexts, queries, strict=True)
        ]
        return processed, {}
