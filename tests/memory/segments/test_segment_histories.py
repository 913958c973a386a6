"""Whatever is done to segments, in any order: no original is lost, and what is short still says it all."""

from __future__ import annotations

import tempfile
from datetime import timedelta
from pathlib import Path

from hypothesis import settings, strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule
from segment_samples import MESSAGE, NOON, NOTE, SCENARIO, ticking
from tersely.memory import ContextState, SegmentMemory, check_preserved, new_segment
from tersely.store import Store

TEXTS = st.sampled_from([NOTE, MESSAGE, SCENARIO, "INFO started\n" * 50, "", "Plain words."]) | st.text(
    max_size=80
)
IDS = st.sampled_from(["a", "b", "c"])


class Histories(RuleBasedStateMachine):
    """A memory beside what it must remember."""

    compressed = Bundle("compressed")

    @initialize()
    def start(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "context.sqlite"
        self.open()
        self.texts: dict[str, str] = {}
        self.kinds: dict[str, str] = {}
        self.roots: dict[str, str] = {}  # of compressed ids

    def open(self) -> None:
        self.store = Store.open(self.path)
        self.memory = SegmentMemory(self.store, clock=ticking())

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.close()
            self.folder.cleanup()

    @rule(id=IDS, text=TEXTS, kind=st.sampled_from(["conversation_message", "log"]))
    def put(self, id: str, text: str, kind: str) -> None:
        self.memory.store_context_segment(text, segment_id=id, type=kind, timestamp=NOON)
        self.texts[id], self.kinds[id] = text, kind

    @rule(target=compressed, ids=st.lists(IDS, min_size=1), ratio=st.sampled_from([0.3, 0.6, 1.0]))
    def compress(self, ids: list[str], ratio: float) -> str:
        result = self.memory.compress_context_segment(ids, target_compression_ratio=ratio)
        for one in result.compressed_segments:
            text = self.memory.get(one.segment_id).text
            original = new_segment(one.segment_id, self.texts[one.segment_id], self.kinds[one.segment_id])
            assert one.compression_ratio <= ratio and one.compressed_tokens == new_segment("x", text).tokens
            assert check_preserved(original, text).lost == []
            self.roots[one.compressed_id] = self.texts[one.segment_id]
        assert {one.segment_id for one in (*result.compressed_segments, *result.errors)} == set(ids)
        return result.compressed_segments[0].compressed_id if result.compressed_segments else ids[0]

    @rule(id=compressed | IDS)
    def expand(self, id: str) -> None:
        result = self.memory.expand_compressed_context(id)
        assert result.error or result.original_text == self.roots.get(id, self.texts.get(id))
        assert not result.error or id not in self.roots

    @rule(id=IDS, task=st.sampled_from([None, "something else entirely"]))
    def manage(self, id: str, task: str | None) -> None:
        state = ContextState(now=NOON + timedelta(days=1), task=task, protected_ids=frozenset({id}))
        applied = self.memory.manage_context(state)
        assert not applied.errors and id not in (*applied.stashed, *applied.removed)

    @rule(id=IDS)
    def stash(self, id: str) -> None:
        self.memory.compress_and_stash(id)

    @rule()
    def restart(self) -> None:
        self.store.close()
        self.open()

    @invariant()
    def nothing_is_lost(self) -> None:
        for id, text in {**self.texts, **self.roots}.items():
            assert self.store.expand(id) == text


Histories.TestCase.settings = settings(max_examples=15, stateful_step_count=20)
TestHistories = Histories.TestCase
