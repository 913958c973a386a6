"""Without a query: dense facts go before courtesies, notices and what frames every document."""

from __future__ import annotations

import random

import numpy as np
import pytest
import tersely
from tersely import Extractive, _native
from tersely.engine.reading import analyze
from tersely.engine.worth import centrality, importance
from tersely.strategies import CompressionOptions, ExtractiveCompressor

MAIL = """Hi team, I hope you are all doing well and that you had a great weekend with your family.

It was really nice to see so many of you again, and thank you so much for everything. Please find below a few
things that I wanted to share with you today, and feel free to ask whenever something is not clear.

Invoice INV-2291 over $480 was sent to the wrong branch. It is due on 14 June.

As always, please do not hesitate to get in touch if you have any questions or if there is anything else.
Thanks again and have a wonderful day, everyone!
"""


@pytest.mark.parametrize("preserve", [(), ("all",)])
@pytest.mark.parametrize("ratio", [0.25, 0.3, 0.4])
def test_facts_go_before_courtesies(preserve: tuple[str, ...], ratio: float) -> None:
    result = tersely.compress(MAIL, ratio=ratio, strategy=Extractive(preserve=preserve))
    assert "Invoice INV-2291 over $480 was sent to the wrong branch." in result.text
    assert "Hi team" not in result.text


def test_facts_that_cannot_be_guessed_go_before_capitalised_words() -> None:
    names = " ".join(f"Then {one} Brown met {one} Green." for one in ("Anna", "Ben", "Carl", "Dora", "Emil"))
    facts = "The valve is listed in etc/valves.toml. Serial QX-4471-C failed."
    result = tersely.compress(f"{names} {facts} {names}", ratio=0.35, strategy=Extractive(preserve=("all",)))
    assert "etc/valves.toml" in result.text
    assert "QX-4471-C" in result.text


def test_what_frames_every_document_goes_before_what_one_says() -> None:
    frame = "The harbour gazette, printed at the old quay, sold in the market hall."
    stories = ("Two cranes were moved to the northern basin.", "A pilot boat sank near the lighthouse.")
    more = ("The fish auction opens an hour later.", "Dredging of the channel begins.")
    documents = [f"{frame}\n\n{story}" for story in (*stories, *more)]
    result = tersely.compress(documents, ratio=0.4, strategy=Extractive())
    assert frame not in result.text


def test_importance_is_centrality_and_what_stands_alone_per_token() -> None:
    texts = [
        "# Report\n\nThe ACME-4711 pump costs 1,250.50 EUR.\n\nIt is old — and loud. See /etc/pump.conf:12."
    ]
    analysis = analyze(texts, [])
    table = analysis.table
    found = importance(texts, analysis)
    assert found.gist is not None and np.array_equal(found.gist, centrality(analysis))
    facts = _native.segment_weights(texts, *table.columns()[:5])
    said = found.apart * (1.5 * np.log2((len(table) + 16) / 16) + facts)
    share = 4.75 * np.minimum(said, 6.0) / ((table.end - table.start) / 4.5 + 8.0)
    np.testing.assert_allclose(found.worth, found.gist + share, rtol=1e-6)


def test_words_stand_alone_as_far_as_no_other_unit_has_them() -> None:
    texts = ["The crane lifts stones. The crane lifts beams. A pilot whistles. The crane lifts stones."]
    apart = importance(texts, analyze(texts, [])).apart
    assert apart is not None
    # crane, lift in two of three that differ, stones or beams in one; 2 words are added
    shared = np.exp(-2 * np.log(2) / (3 + 2))
    assert apart.tolist() == pytest.approx([shared, shared, 1, shared])


@pytest.mark.parametrize("door", ["compress", "compressor", "preserve"])
@pytest.mark.parametrize("seed", range(3))
def test_A005_A064_planted_facts_of_every_kind_stay_by_default(seed: int, door: str) -> None:
    """Also in a page full of code and numbers, where those say little."""
    facts = (
        "The vault opens with code QX-4471.",
        "Ottoline Brackwater carries the second key.",
        "Parking is forbidden behind the bakery.",
        "Complaints go to desk7@records.example.net.",
        "We chose granite over marble.",
    )
    chance = random.Random(seed)
    page = [
        f"Set `retry_limit_{n}` to {n * 7 % 50} before the pool starts {n % 9} workers, then restart it."
        for n in range(60)
    ]
    for fact in facts:
        page.insert(chance.randrange(5, len(page)), fact)
    text = "\n\n".join(page)
    if door == "compressor":
        kept = ExtractiveCompressor().compress(text, CompressionOptions(target_ratio=0.3)).compressed
    else:
        strategy = Extractive(preserve="all") if door == "preserve" else None
        kept = tersely.compress(text, ratio=0.3, strategy=strategy).text
    assert [fact for fact in facts if fact not in kept] == []


def test_A006_the_first_tenth_is_what_the_text_is_about() -> None:
    turned = ["turned", "lifted", "moved", "swung", "carried"]
    boat = ["boat", "barge", "ferry", "yacht", "punt", "raft"]
    said = [f"The tide {turned[n % 5]} the {boat[n % 6]} at the pier." for n in range(30)]
    text = " ".join([*said, *(one.replace("pier", "quay") for one in said), "Otto owes 4471 crowns."])
    assert "Otto" not in tersely.compress(text, ratio=0.1).text
    assert "Otto" in tersely.compress(text, ratio=0.3).text
