"""Compress blocks in headroom's proxy: `headroom proxy --compressor tersely`. Needs the package headroom-ai.

headroom finds `TerselyCompressor` by the entry point "tersely" of the group `headroom.compressor`; the
contract is that of headroom/transforms/compressor_registry.py.
"""

from __future__ import annotations

from typing import Any

from tersely import checks
from tersely.agents.tool_results import BUDGET, RETRIEVE_WITH, ToolResultCompressor, ToolResultReport
from tersely.engine.reading import count_batch
from tersely.errors import needs

with needs("headroom-ai"):
    from headroom.transforms.compressor_registry import CompressInput, CompressorDescriptor, CompressOutput

__all__ = ["TerselyCompressor"]


class TerselyCompressor:
    """Compressor of any text, verbatim; headroom stores the original under the hash at the end."""

    descriptor = CompressorDescriptor("tersely", ["*/*"], lossless=False, cost_tier="fast", recoverable=True)

    def compress(self, inp: CompressInput) -> CompressOutput:
        """Shorten a block to 2,000 tokens, or to `target_ratio` of its own; shorter ones pass through."""
        told: list[ToolResultReport] = []
        recoverable: dict[str, str] = {}
        options: Any = {
            "store": _Originals(recoverable, inp.content),
            "expand_with": RETRIEVE_WITH,
            "report": told.append,
        }
        compressor = ToolResultCompressor(BUDGET, **options)
        before = int(count_batch(compressor.counter, [inp.content])[0])
        hints = dict(inp.budget)
        if (ratio := hints.pop("target_ratio", None)) is not None:
            ratio = checks.number(ratio, "target_ratio", above=0, most=1)
            compressor = ToolResultCompressor(max(1, int(before * ratio)), **options)
        short = compressor.compress_or_leave(inp.content, inp.query or None)
        compressed = told[0].status == "compressed"
        return CompressOutput(
            short,
            before,
            told[0].tokens if compressed else before,
            lossless=not compressed,
            markers=[f"tersely:{told[0].status}"],
            recoverable=recoverable,
            warnings=[*told[0].warnings, *(f"{name} is not looked at" for name in hints)],
            compressed=compressed,
        )


class _Originals:
    """Notes the id under which a text is to be kept, in the place of a store."""

    def __init__(self, ids: dict[str, str], text: str) -> None:
        self._ids, self._text = ids, text

    def keep(self, _compressed: Any, *, id: str, **_: Any) -> None:
        self._ids[id] = self._text
