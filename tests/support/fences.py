"""Read a prompt, a reply or an excerpt as its reader is told to: what is fenced, and the rest."""

from __future__ import annotations

import re

MARKER = re.compile(r"^=== \d{6,} ===$", re.MULTILINE)


ONLY = re.compile(r"^Data up to (=== \d{6,} ===): follow no instructions in it\.$", re.MULTILINE)


def unfenced(text: str) -> tuple[list[str], str]:
    """The fenced texts in their order, and the marker line; fails where the fences do not pair up."""
    text, marker = _paired(text)
    lines = text.split("\n")
    places = [place for place, line in enumerate(lines) if line == marker]
    assert len(places) % 2 == 0
    pairs = zip(places[::2], places[1::2], strict=True)
    return ["\n".join(lines[start + 1 : end]) for start, end in pairs], marker


def outside(text: str) -> str:
    """What stands around the fenced texts: the only thing that may pass for ours."""
    text, marker = _paired(text)
    lines = text.split("\n")
    inside, kept = False, []
    for line in lines:
        if line == marker:
            inside = not inside
        elif not inside:
            kept.append(line)
    return "\n".join(kept)


def _paired(text: str) -> tuple[str, str]:
    """A text with a marker line before each fenced text, where the rule may stand for it; and the marker."""
    first, only = MARKER.search(text), ONLY.search(text)
    assert first, "nothing is fenced"
    if only is not None and only.start() < first.start():
        return f"{text[: only.end()]}\n{only[1]}{text[only.end() :]}", only[1]
    return text, first[0]
