"""Read a prompt, a reply or an excerpt as its reader is told to: what is fenced, and the rest."""

from __future__ import annotations

import re

MARKER = re.compile(r"^=== \d{6,} ===$", re.MULTILINE)


def unfenced(text: str) -> tuple[list[str], str]:
    """The fenced texts in their order, and the marker line; fails where the fences do not pair up."""
    first = MARKER.search(text)
    assert first, "nothing is fenced"
    marker = first[0]
    lines = text.split("\n")
    places = [place for place, line in enumerate(lines) if line == marker]
    assert len(places) % 2 == 0
    pairs = zip(places[::2], places[1::2], strict=True)
    return ["\n".join(lines[start + 1 : end]) for start, end in pairs], marker


def outside(text: str) -> str:
    """What stands around the fenced texts: the only thing that may pass for ours."""
    _, marker = unfenced(text)
    lines = text.split("\n")
    inside, kept = False, []
    for line in lines:
        if line == marker:
            inside = not inside
        elif not inside:
            kept.append(line)
    return "\n".join(kept)
