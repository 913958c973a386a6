"""POST /v1/compress and GET /v1/retrieve/HASH: shorten histories for gateways in front of models.

The contract is headroom's, as LiteLLM's guardrail for compression calls it: messages, model and config come;
messages, `tokens_before`, `tokens_after` and `ccr_hashes` go back (docs.litellm.ai/docs/proxy/headroom).
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from threading import Lock
from typing import TYPE_CHECKING, Any

from tersely import checks
from tersely.agents.tool_results import (
    BUDGET,
    RETRIEVE_WITH,
    ResultShortener,
    ToolResultCompressor,
    ToolResultReport,
)
from tersely.errors import StoreError
from tersely.mcp.answers import count_tokens
from tersely.mcp.tools import Tool, ToolReply, object_schema
from tersely.memory.compaction import compact_messages
from tersely.memory.groups import PICTURE_TOKENS, count_entries
from tersely.memory.messages import read_messages, warnings_of
from tersely.models.counters import resolve_counter

if TYPE_CHECKING:
    from tersely.store import Store

__all__ = ["Gateway"]

_LOG = logging.getLogger("tersely.mcp")
_HASH = re.compile(r"[0-9a-f]{16}")  # ids of whole results
_MODES = ("ccr", "lossy_inline", "lossless_then_lossy")
_READ = ("mode", "frozen_message_count", "protect_recent")  # of `config`
_MOST_SHORTENERS = 16  # of a model each, whose names are the callers'


class Gateway:
    """Compresses tool results in the histories that gateways send, and returns originals on request.

    A result is sent in the same bytes on every turn. Everything else stays as it is, and so does the number
    of messages, unless `token_budget` asks for a history within a budget.
    """

    def __init__(self, open_store: Callable[[], Store] | None = None, budget: int = BUDGET) -> None:
        """Compress each result to `budget` tokens.

        `open_store` opens the store that keeps whole results, when one is first needed; None: nothing is
        kept, and no hashes are given.
        """
        self.budget = checks.whole_number(budget, "budget", least=1)
        self._open = None if open_store is None else lru_cache(1)(open_store)
        self._shortener = lru_cache(_MOST_SHORTENERS)(
            lambda model, store: ResultShortener(
                ToolResultCompressor(budget, store, model, expand_with=RETRIEVE_WITH)
            )
        )
        self._lock = Lock()

    def tool(self) -> Tool:
        """Describe the request: `checked` reads its body, `run` answers it."""
        schema = object_schema(
            ["messages"],
            messages={"type": "array"},
            model={"type": "string"},
            config={"type": "object"},
            token_budget={"type": "integer", "minimum": 1},
        )
        return Tool("compress", "Shorten results of tools in a history.", schema, self._compress)

    def retrieve(self, hash: str) -> Mapping[str, Any] | None:
        """Return a whole result by its hash; None if there is none."""
        store = self._store() if _HASH.fullmatch(hash) else None
        if store is None or hash not in store:
            return None
        text = store.expand(hash, masked=True)
        store.note_expansion(hash)
        return {"hash": hash, "original_content": text, "original_tokens": count_tokens(text)}

    def _compress(self, given: dict[str, Any]) -> ToolReply:
        messages, config = given["messages"], given.get("config", {})
        mode = config.get("mode")
        if mode is not None:
            checks.one_of(mode, "config.mode", _MODES)
        first, last = (checks.whole_number(config.get(name, 0), f"config.{name}") for name in _READ[1:])
        warnings = [f"config.{name:.60} is not looked at" for name in config if name not in _READ]
        model = given.get("model")
        try:
            counter = resolve_counter(model)
        except ValueError:
            model, counter = None, resolve_counter(None)
            warnings.append("the model's tokens are counted as o200k_base")
        store = self._store(warnings) if mode == "ccr" else None
        told: list[ToolResultReport] = []
        entries = read_messages(messages)
        warnings += warnings_of(entries)
        sent = self._shortener(model, store).shorten(
            messages, among=range(first, len(messages) - last), told=told
        )
        count = partial(count_entries, counter, picture_tokens=PICTURE_TOKENS)
        before, after = int(count(entries).sum()), int(count(read_messages(sent)).sum())
        if "token_budget" in given:
            compacted = compact_messages(
                sent, budget=given["token_budget"], counter=counter, keep_last=last, pinned=range(first)
            )
            sent, after = compacted.messages, compacted.tokens
            warnings += [warning for warning in compacted.warnings if warning not in warnings]
        data = {
            "messages": sent,
            "tokens_before": before,
            "tokens_after": after,
            "tokens_saved": before - after,
            "compression_ratio": after / before if before else 1.0,
            "transforms_applied": [f"tersely:{report.status}" for report in told],
            "ccr_hashes": list(dict.fromkeys(report.id for report in told if report.id)),
            "warnings": warnings,
        }
        return ToolReply("", data)

    def _store(self, warnings: list[str] | None = None) -> Store | None:
        try:
            with self._lock:  # one is opened, however many ask
                store = None if self._open is None else self._open()
        except (StoreError, OSError) as error:
            _LOG.warning("no store: %s", error)
            store = None
        if store is None and warnings is not None:
            warnings.append("there is no store: nothing can be retrieved")
        return store
