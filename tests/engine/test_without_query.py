"""Without a query: dense facts go before courtesies, notices and what frames every document."""

from __future__ import annotations

import numpy as np
import pytest
import tersely
from tersely import Extractive, _native
from tersely.engine.score import centrality
from tersely.engine.segment import analyze
from tersely.engine.worth import importance

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


def test_importance_is_centrality_and_the_facts_per_token() -> None:
    texts = [
        "# Report\n\nThe ACME-4711 pump costs 1,250.50 EUR.\n\nIt is old — and loud. See /etc/pump.conf:12."
    ]
    analysis = analyze(texts, [])
    table = analysis.table
    places = (table.document, table.start, table.end, table.kind, table.block)
    facts = np.minimum(_native.segment_weights(texts, *places), 2.0)
    share = 4.75 * facts / ((table.end - table.start) / 4.5 + 8.0)
    assert np.array_equal(importance(texts, analysis), (centrality(analysis) + share).astype(np.float32))
