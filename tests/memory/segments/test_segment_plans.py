"""Segments in a store: stash, plan and apply, and what a model may cost (seed 004, sections 9, 10, 12)."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from segment_samples import LOG, MESSAGE, MESSAGE_SHORT, NOON, NOTE, Writer, everything, short_for
from tersely.memory import CompressionCost, ContextState, SegmentMemory, new_segment
from tersely.store import Store

LATER = ContextState(now=NOON + timedelta(hours=1))


def test_e001_x063_nothing_is_compressed_unless_somebody_says_so(
    kept: SegmentMemory, store: Store, model: Writer
) -> None:
    before = everything(store)
    plan = kept.plan_context(LATER)
    kept.list_context_segments(), kept.search_stash("token"), kept.get("note")
    assert {decision.action.value for decision in plan.decisions} <= {"keep", "compress", "stash", "remove"}
    assert everything(store) == before and not model.prompts


def test_e024_compressed_and_stashed(kept: SegmentMemory) -> None:
    assert kept.search_stash("Bearer prefix is missing") == []
    done = kept.compress_and_stash("msg_123")
    assert done.compressed_segment is not None and done.original_stashed and done.can_retrieve
    [hit] = kept.search_stash("Bearer prefix is missing or malformed")
    assert (hit.segment_id, hit.text, hit.in_context) == ("msg_123", MESSAGE, True)
    assert kept.get("msg_123").text == MESSAGE_SHORT
    missing = kept.compress_and_stash("missing")
    assert missing.error is not None and missing.error.code == "not_found" and not missing.original_stashed


def test_e024_the_stash_is_searched_by_words_and_by_meaning(tmp_path: Path) -> None:
    texts = {
        "doctor": "The physician wrote a prescription for the patient, who felt ill.",
        "garden": "We painted the fence in the garden and planted tulips beside it.",
        "shard": "Shard 17 was moved to another rack because its disk had failed.",
    }
    for embedder in (False, None):  # by words alone, and with the embedder that comes with tersely
        with Store.open(tmp_path / f"{embedder}.sqlite", embedder=embedder) as store:
            memory = SegmentMemory(store)
            for id, text in texts.items():
                memory.store_context_segment(text, segment_id=id, type="log", timestamp=NOON)
            assert memory.search_stash("moved shard 17") == []
            memory.manage_context(LATER)
            assert memory.search_stash("moved shard 17", 1)[0].segment_id == "shard"
            found = [hit.segment_id for hit in memory.search_stash("doctor medicine", 1)]
            assert found == ([] if embedder is False else ["doctor"])
    with pytest.raises(ValueError, match="top_n must be a whole number from 1, not 0"):
        memory.search_stash("anything", 0)


def test_e025_e026_applying_a_plan(kept: SegmentMemory, store: Store) -> None:
    judged = SegmentMemory(
        store,
        model=Writer(short_for),
        predicates=replace(kept._predicates, verbose=lambda segment, state: segment.segment_id == "note"),
    )
    judged.store_context_segment(
        "Painted the fence green.", segment_id="fence", timestamp=NOON, topic="fence"
    )
    state = replace(LATER, completed_topics=frozenset({"fence"}), active_ids=frozenset({"msg_123"}))
    plan = judged.plan_context(state)
    actions = {decision.segment_id: decision.action.value for decision in plan.decisions}
    assert actions == {"msg_123": "keep", "note": "compress", "log": "stash", "fence": "remove"}
    applied = judged.apply(plan)
    assert (applied.kept, applied.stashed, applied.removed) == (("msg_123",), ("log",), ("fence",))
    assert applied.compression.compressed_segments[0].segment_id == "note" and not applied.errors
    assert [segment.segment_id for segment in judged.list_context_segments()] == ["msg_123", "note"]
    assert applied.tokens == sum(segment.tokens for segment in judged.list_context_segments())
    assert [segment.segment_id for segment in judged.list_context_segments("stash")] == ["log"]
    assert [hit.segment_id for hit in judged.search_stash("shard 17 moved", 3)] == ["log"]
    assert not judged.search_stash("painted fence")  # removed: by its id alone
    assert judged.get("fence").text == "Painted the fence green." and store.get("log").text == LOG
    with pytest.raises(ValueError, match="place must be one of context, stash, removed"):
        judged.list_context_segments("attic")


def test_x063_a_plan_does_not_touch_what_has_changed_since(kept: SegmentMemory) -> None:
    plan = kept.plan_context(LATER)
    other = LOG.replace("shard 17", "shard 18")  # as many tokens
    kept.store_context_segment(other, segment_id="log", type="log")
    applied = kept.apply(plan)
    assert [(one.segment_id, one.code) for one in applied.errors] == [("log", "changed")]
    assert kept.get("log").text == other


def test_manage_context_is_plan_and_apply(kept: SegmentMemory) -> None:
    assert kept.manage_context(LATER).stashed == ("log",)
    assert kept.manage_context(LATER).stashed == ()


def test_stashed_segments_come_back(kept: SegmentMemory) -> None:
    kept.manage_context(LATER)
    assert kept.expand_compressed_context("log").original_text == LOG
    assert "log" in {segment.segment_id for segment in kept.list_context_segments()}
    assert not kept.search_stash("shard 17 moved")
    assert kept.expand_compressed_context("log").error


def test_search_looks_past_what_is_not_stashed(kept: SegmentMemory) -> None:
    for number in range(30):
        kept.store_context_segment(f"shard {number} shard {number} moved", segment_id=f"s{number}")
    kept.manage_context(ContextState(now=NOON + timedelta(minutes=10, seconds=5)))
    assert [hit.segment_id for hit in kept.search_stash("shard moved", 1)] == ["log"]


def test_e029_x066_a_model_is_asked_only_where_that_pays(store: Store, model: Writer) -> None:
    def codes(requests: int) -> list[str]:
        cost = CompressionCost(0.01, 3.0, requests)
        memory = SegmentMemory(store, model=model, cost=cost)
        memory.store_context_segment(MESSAGE, segment_id="msg_123")
        return [one.code for one in memory.compress_context_segment(["msg_123"]).errors]

    tokens = new_segment("msg_123", MESSAGE).tokens
    saved = tokens - int(tokens * 0.6)
    needed = CompressionCost(0.01, 3.0, 1).requests_to_pay(saved)
    assert needed == math.ceil(0.01 / (saved * 3e-6))
    assert codes(needed - 1) == ["not_worth_it"] and not model.prompts
    assert codes(needed) == [] and len(model.prompts) == 1
    by_rules = SegmentMemory(store, cost=CompressionCost(0.01, 3.0, 0))
    by_rules.store_context_segment(NOTE, segment_id="note")
    assert by_rules.compress_context_segment(["note"]).compressed_segments  # costs nothing


def test_e029_x066_requests_to_pay() -> None:
    assert CompressionCost(0.01, 3.0, 1).requests_to_pay(135) == 25
    assert CompressionCost(0.05, 3.0, 1).requests_to_pay(135) == 124
    assert CompressionCost(0.01, 0.3, 1).requests_to_pay(135) == 247
    assert CompressionCost(0.01, 3.0, 1).requests_to_pay(0) is None
    assert CompressionCost(0.01, 3.0, 25).least_saving == 134  # 25 * 134 * 3e-6 is 0.01005
    assert CompressionCost(0.01, 3.0, 0).least_saving is None
    with pytest.raises(ValueError):
        CompressionCost(-1, 3.0, 1)
    with pytest.raises(ValueError, match="requests_expected must be a whole number from 0"):
        CompressionCost(0.01, 3.0, -1)
