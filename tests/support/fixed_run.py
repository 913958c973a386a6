"""Run as a script: prints digests of all that is computed from fixed texts and vectors, and the set used."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import sample_texts
import tersely
from tersely import _native
from tersely.types import Level
from vector_oracles import fixed_answers

QUERIES = [None, "When does the storm sluice fail?", "港 opening hours", "no such thing xyzzy"]


def results() -> list[object]:
    texts = [
        *sample_texts.ALL,
        sample_texts.prose(60),
        "。é" * 777,
        "x" * 129 + "! " + "Ж" * 131 + "? " + "y" * 63,
    ]
    found: list[object] = []
    for level in Level:
        table = tersely.segment(texts, level)
        columns = (table.document, table.start, table.end, table.kind, table.block, table.heading)
        found.append([column.tolist() for column in columns])
    ids, offsets, vocabulary = _native.terms(texts)
    found.append([ids.tolist(), offsets.tolist(), vocabulary])
    for query in QUERIES:
        for budget in (1, 40, 300):
            result = tersely.compress(texts, query, budget=budget)
            found.append([result.to_dict(), [span.score for span in result.kept]])
    found += [embedded(texts, dimensions) for dimensions in (2, 30, 64, 256, 300, 1022)]
    return found


def embedded(texts: list[str], dimensions: int) -> str:
    """The bytes of the texts' vectors from a made-up table."""
    pieces = sorted(set("".join(texts).lower()) - set("\0\n\r "))
    words = ["[UNK]", "the", "##er", "##ing", *pieces, *(f"##{piece}" for piece in pieces)]
    random = np.random.default_rng(3)
    rows = random.integers(0, 256, (len(words), dimensions // 2), dtype=np.uint8)
    scales = random.normal(size=len(words)).astype(np.float32)
    return _native.StaticTable("\n".join(words).encode(), rows, scales).embed(texts).tobytes().hex()


def digests() -> list[str]:
    """Of the texts, and of the vectors on one thread and on three."""
    texts = hashlib.sha256(json.dumps(results(), ensure_ascii=True).encode("ascii")).hexdigest()
    return [texts, fixed_answers(1), fixed_answers(3)]


if __name__ == "__main__":
    print(*digests(), _native.isa())
