"""Short notes in ordinary English: decisions, places of the work, what is being done, what comes next.

They are halved by a digest of their text: the readers were developed with the first half in sight, and the
second one was counted, not read.
"""

from __future__ import annotations

import hashlib
from typing import Any

__all__ = ["FIRST_HALF", "ORDINARY", "SECOND_HALF"]

#: (note, field -> the words that `extract_preserved_metadata` must give for it, among others).
ORDINARY: tuple[tuple[str, dict[str, Any]], ...] = (
    ("I'm going with the write-ahead log because it survives a power cut.", {"decision": "write-ahead log"}),
    ("We'll go for SQLite here, it is already installed everywhere.", {"decision": "SQLite"}),
    ("I've opted for a plain dictionary over an ordered one.", {"decision": "plain dictionary"}),
    ("It was decided to ship without the dark theme.", {"decision": "ship without the dark theme"}),
    ("The team settled on weekly releases.", {"decision": "weekly releases"}),
    ("After some back and forth we chose gRPC.", {"decision": "gRPC"}),
    ("Decision made: we keep the old endpoint until June.", {"decision": "keep the old endpoint"}),
    ("I think I'll stick with pytest for now.", {"decision": "stick with pytest"}),
    ("Let's use the second design, it needs fewer locks.", {"decision": "second design"}),
    ("We're sticking to Python 3.11.", {"decision": "Python 3.11"}),
    ("I've made up my mind: the parser stays recursive.", {"decision": "parser stays recursive"}),
    ("My choice is the trie, since lookups are by prefix.", {"decision": "trie"}),
    ("Approach B was chosen in the end.", {"decision": "Approach B"}),
    ("We agreed that nobody deploys on Fridays.", {"decision": "nobody deploys on Fridays"}),
    ("I picked the smaller image to save bandwidth.", {"decision": "smaller image"}),
    ("Option 3 it is.", {"decision": "Option 3"}),
    ("I went for a lock per bucket instead of one global lock.", {"decision": "lock per bucket"}),
    ("The plan of record is to drop Windows 7.", {"decision": "drop Windows 7"}),
    ("We have decided against caching the token.", {"decision": "against caching the token"}),
    ("I am choosing the async client.", {"decision": "async client"}),
    ("The function is flush_queue.", {"function_name": "flush_queue"}),
    ("The method in question is called render.", {"function_name": "render"}),
    ("It is about the function load_config in settings.py.", {"function_name": "load_config"}),
    ("I'm inside compute_hash right now.", {"function_name": "compute_hash"}),
    ("The relevant function: split_frames", {"function_name": "split_frames"}),
    ("The bug sits in parse_header().", {"function_name": "parse_header"}),
    ("Function name is mergeRanges, file is ranges.ts.", {"function_name": "mergeRanges"}),
    ("My cursor is in the body of on_close.", {"function_name": "on_close"}),
    ("The helper I'm touching is called to_slug.", {"function_name": "to_slug"}),
    ("We are editing a method named Cart.total.", {"function_name": "Cart.total"}),
    ("The failing test is test_roundtrip.", {"function_name": "test_roundtrip"}),
    ("Working in `resolveImport` of loader.js.", {"function_name": "resolveImport"}),
    ("I'm halfway through moving the router to a package of its own.", {"active_state": "moving the router"}),
    ("We're busy writing the importer.", {"active_state": "writing the importer"}),
    ("Just now I am chasing a leak in the pool.", {"active_state": "chasing a leak"}),
    ("My current task is the retry logic.", {"active_state": "retry logic"}),
    ("What I'm doing at the moment is splitting the schema.", {"active_state": "splitting the schema"}),
    ("The migration of the users table is under way.", {"active_state": "users table"}),
    ("I've started on the settings page.", {"active_state": "settings page"}),
    ("The work on the scheduler is ongoing.", {"active_state": "scheduler"}),
    ("Right now it's the login form that I'm on.", {"active_state": "login form"}),
    ("We keep looking for the cause of the stall.", {"active_state": "cause of the stall"}),
    ("I've been profiling the tokenizer since noon.", {"active_state": "profiling the tokenizer"}),
    ("I'll rename the flag after that.", {"pending_work": "rename the flag"}),
    ("We'll have to rerun the benchmarks.", {"pending_work": "rerun the benchmarks"}),
    ("Then it's on to the documentation.", {"pending_work": "documentation"}),
    ("The changelog is still to be written.", {"pending_work": "changelog"}),
    ("Once that is in, the old module can go.", {"pending_work": "old module can go"}),
    ("Tomorrow: wire up the health check.", {"pending_work": "wire up the health check"}),
    ("I'm about to delete the fallback.", {"pending_work": "delete the fallback"}),
    ("What's missing is a test for empty input.", {"pending_work": "test for empty input"}),
    ("Up next is the pagination.", {"pending_work": "pagination"}),
    ("We should probably look into the memory use later.", {"pending_work": "memory use"}),
    ("The remaining work is the French translation.", {"pending_work": "French translation"}),
    ("I was going to add a timeout as well.", {"pending_work": "add a timeout"}),
    ("Someone has to review the SQL.", {"pending_work": "review the SQL"}),
    ("The next thing I'll do is pin the versions.", {"pending_work": "pin the versions"}),
    ("The upload has been made resumable.", {"recent_changes": "upload"}),
    ("I got the linter to pass.", {"recent_changes": "linter"}),
    ("The race is gone, I put a mutex around the map.", {"recent_changes": "mutex around the map"}),
)
FIRST_HALF, SECOND_HALF = (
    tuple(one for one in ORDINARY if hashlib.sha256(one[0].encode()).digest()[0] % 2 == half)
    for half in (0, 1)
)
