"""tersely as a passage compressor of AutoRAG (`pip install autorag`, written against 0.3.27).

Import this file before an `Evaluator` starts a trial; its configuration may then say:

    - node_type: passage_compressor
      modules:
        - module_type: tersely
          budget: [300, 600]
"""

from __future__ import annotations

from typing import Any

import autorag.schema.module as modules
import pandas as pd
import tersely
from autorag.nodes.passagecompressor.base import BasePassageCompressor
from autorag.utils import result_to_dataframe

_known = modules.get_support_modules


class Tersely(BasePassageCompressor):
    """Keeps what answers the question within a budget of tokens; passages of which nothing is left go."""

    @result_to_dataframe(["retrieved_contents"])
    def pure(self, previous_result: pd.DataFrame, *args: Any, **kwargs: Any) -> list[list[str]]:
        """What AutoRAG calls."""
        return self._pure(*self.cast_to_run(previous_result), **kwargs)

    def _pure(
        self, queries: list[str], contents: list[list[str]], budget: int = 600, counter: str = "cl100k_base"
    ) -> list[list[str]]:
        results = (
            tersely.compress(texts, query, budget=budget, counter=counter)
            for query, texts in zip(queries, contents, strict=True)
        )
        return [[part for part in result.parts if part] for result in results]


modules.get_support_modules = lambda name: Tersely if name == "tersely" else _known(name)
