from __future__ import annotations

import re
from collections.abc import Sequence

from tersely.facts import Fact, FactKind, FactReport

_PATTERNS = [
    (FactKind.FENCED_CODE, re.compile(r"```.*?```", re.S)),
    (FactKind.INLINE_CODE, re.compile(r"`[^`\n]+`")),
    (FactKind.QUOTE, re.compile(r'"[^"\n]+ [^"\n]+"')),
    (FactKind.PATH, re.compile(r"(?:\w+)?(?:/\w[\w.]*)+")),
    (FactKind.NAME, re.compile(r"(?<=[a-z,;] )[A-Z]\w+(?: [A-Z]\w+)*")),
    (FactKind.NUMBER, re.compile(r"\d+(?:[.,]\d+)*")),
]


def _find(text: str):
    taken = []
    for kind, pattern in _PATTERNS:
        for m in pattern.finditer(text):
            if not any(s < m.end() and m.start() < e for _, s, e in taken):
                taken.append((kind, m.start(), m.end()))
    return sorted(taken, key=lambda t: t[1])


def facts_after(
    sources: Sequence[str], text: str, reinserted: Sequence[tuple[int, int, int]] = ()
) -> FactReport:
    facts, seen = [], set()
    here = {text[s:e] for _, s, e in _find(text)}
    for d, source in enumerate(sources):
        for kind, s, e in _find(source):
            f = source[s:e]
            if f in seen:
                continue
            seen.add(f)
            outcome = "kept" if f in here or f in text else "lost"
            if outcome == "kept" and any(d == a and s < c and b < e for a, b, c in reinserted):
                outcome = "reinserted"
            facts.append(Fact(kind, f, d, s, e, outcome, "rewritten" if outcome == "lost" else ""))
    for kind, s, e in _find(text):
        f = text[s:e]
        if (
            f not in seen
            and kind in (FactKind.NUMBER, FactKind.NAME, FactKind.PATH)
            and not any(f in x for x in sources)
        ):
            seen.add(f)
            facts.append(Fact(kind, f, -1, -1, -1, "unsupported"))
    return FactReport(tuple(facts))
