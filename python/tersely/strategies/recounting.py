"""Tokens of a text that is nearly the same as one that was counted."""

from __future__ import annotations

import re

from tersely.protocols import BatchTokenCounter
from tersely.providers.toktok import ToktokCounter
from tersely.stages.count import count
from tersely.strategies.diff import common_prefix, common_suffix

__all__ = ["recount"]

_ADDITIVE = frozenset({"o200k_base", "cl100k_base", "o200k_harmony", "qwen3.5"})  # not "jev", an estimate
_BORDER = re.compile("[A-Za-z](?= [A-Za-z])")
_LAST_BORDER = re.compile("(?s:.*)" + _BORDER.pattern)
_REACH = 500  # characters from what differs in which a border is looked for


def recount(counter: BatchTokenCounter, text: str, before: str, tokens: int) -> int:
    """What `count` gives for `text`; `tokens`: what it gave for `before`.

    The byte-pair encodings first cut a text by a regular expression, and none of theirs joins a letter with
    the space after it, nor looks behind: before a space between two ASCII letters, counts add up. So what
    lies between the last such place before all that differs and the first one after it is counted, in both
    texts. With other counters, and where that would be more than the text, the text is counted. Raises what
    `count` does. O(characters), nearly all of it in comparing.
    """
    if type(counter) is not ToktokCounter or counter.name not in _ADDITIVE:
        return count(counter, text)
    begin = common_prefix(before, text)
    end = common_suffix(before, text, begin)
    above = _LAST_BORDER.match(text, max(begin - _REACH, 0), begin)
    below = _BORDER.search(text, len(text) - end, len(text) - end + _REACH)
    begin, end = above.end() if above else 0, len(text) - below.end() if below else 0
    old, new = before[begin : len(before) - end], text[begin : len(text) - end]
    if len(old) + len(new) >= len(text):
        return count(counter, text)
    return tokens - count(counter, old) + count(counter, new)
