"""What holds for every result, whether a model wrote any of it or not."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import tersely
from result_checks import check_result
from tersely import Compressed


def check_written(result: Compressed, count: Callable[[str], int]) -> None:
    """The promises of the design for a text that a model may have written."""
    check_result(result, count)
    if not result.receipt.used_llm:
        said = [result.text[start:end] for start, end in result.generated]
        assert said == [] or (said == ["…"] and "segment_cut" in result.receipt.warnings)
        return
    assert result.receipt.fallback_reason is None
    check_generated(result)
    check_facts(result)


def check_generated(result: Compressed) -> None:
    """The model's places are in order and not empty; each kept segment stands outside of them, verbatim."""
    ends = [0, *(end for _, end in result.generated)]
    assert all(before <= start < end for before, (start, end) in zip(ends, result.generated, strict=False))
    assert ends[-1] <= len(result.text)
    verbatim = outside(result.text, result.generated)
    for span in result.kept:
        assert span.reason in ("copied", "reinserted", "pinned")
        piece = result.documents[span.document].text[span.start : span.end]
        assert any(piece in part for part in verbatim), piece
    rest = "".join(verbatim)
    for span in sorted(result.kept, key=lambda span: span.start - span.end):
        rest = rest.replace(result.documents[span.document].text[span.start : span.end], " ", 1)
    assert not rest.strip()  # nothing else claims to be verbatim
    assert all(span.reason in ("rewritten", "budget", "redundant") for span in result.dropped)


def check_facts(result: Compressed) -> None:
    report = result.receipt.facts
    assert report is not None
    for fact in report.facts:
        if fact.outcome == "unsupported":
            assert fact.document == -1
            alone = re.compile(rf"(?<![\w.,]){re.escape(fact.text)}(?![\w.,%])")
            assert not any(alone.search(document.text) for document in result.documents)
        else:
            source = result.documents[fact.document].text
            assert source[fact.start : fact.end] == fact.text
    assert ("facts_lost" in result.receipt.warnings) == bool(report.of("lost"))
    assert ("unsupported_facts" in result.receipt.warnings) == bool(report.of("unsupported"))


def outside(text: str, places: Sequence[tuple[int, int]]) -> list[str]:
    """The parts of a text between the places."""
    borders = [0, *(border for place in places for border in place), len(text)]
    return [text[start:end] for start, end in zip(borders[::2], borders[1::2], strict=True)]


class Model:
    """A language model that gives its replies in order, the last one for ever, and remembers the prompts."""

    name = "scripted"

    def __init__(self, *replies: str | Exception | Callable[[str], str]) -> None:
        self.replies = list(replies)
        self.prompts: list[str] = []

    def complete(self, prompt: str) -> str:
        self.prompts.append(prompt)
        reply = self.replies[min(len(self.prompts), len(self.replies)) - 1]
        if isinstance(reply, Exception):
            raise reply
        return reply if isinstance(reply, str) else reply(prompt)


def content_of(prompt: str) -> str:
    """What a prompt asks to compress."""
    marker = prompt.split("\nContent to compress:\n", 1)[1].split("\n", 1)[0]
    return prompt.split(f"\n{marker}\n")[1]


def target_of(prompt: str) -> int:
    """How many tokens a prompt asks for."""
    match = re.match(r"Compress the following content to approximately (\d+) tokens ", prompt)
    assert match is not None
    return int(match[1])


def first_sentences(prompt: str) -> str:
    """A fair summary: whole sentences from the start, as many as the prompt asks for."""
    content, target = content_of(prompt), target_of(prompt)
    table = tersely.segment(content)
    best = ""
    for end in table.end.tolist():
        if tersely.compress(content[:end], budget=10**6).tokens > target:
            break
        best = content[:end]
    return best or content[:1]
