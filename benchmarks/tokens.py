"""Token counts from toktok, so that something else checks tersely's own; without it, from tersely itself."""

from __future__ import annotations

from tersely.models.counters import resolve_counter

try:
    import toktok
except ImportError:
    toktok = None

__all__ = ["COUNTED_BY", "O200K", "count", "counts", "cut"]

O200K = "o200k_base"
#: What counts the tokens here.
COUNTED_BY = "tersely itself, as toktok-rs is not installed" if toktok is None else "toktok-rs"


def count(text: str, encoding: str = O200K) -> int:
    """Tokens of a text."""
    return counts([text], encoding)[0]


def counts(texts: list[str], encoding: str = O200K) -> list[int]:
    """Tokens of each text, in one call."""
    if toktok is None:
        return [resolve_counter(encoding).count(text) for text in texts]
    return [int(found) for found in toktok.batch_count(texts, encoding, threads=1)]


def cut(text: str, tokens: int, encoding: str = O200K) -> str:
    """The start of a text that counts exactly `tokens`.

    A few starts are jumped over where one character is several tokens: then the next end that gives the exact
    number is taken. O(log characters) counts.
    """
    seen: dict[int, int] = {}

    def at(end: int) -> int:
        if end not in seen:
            seen[end] = count(text[:end], encoding)
        return seen[end]

    low, high = 0, len(text)  # at(low) <= tokens <= at(high)
    if at(high) < tokens:
        raise ValueError(f"the text has {at(high)} tokens, fewer than {tokens}")
    while high - low > 1 and tokens not in seen.values():
        share = (tokens - at(low)) / max(at(high) - at(low), 1)
        end = min(max(low + round((high - low) * share), low + 1), high - 1)
        low, high = (end, high) if at(end) <= tokens else (low, end)
    for end in range(max(low - 20, 0), min(high + 200, len(text) + 1)):
        if tokens in seen.values():
            break
        at(end)
    exact = [end for end, found in seen.items() if found == tokens]
    if not exact:
        raise ValueError(f"no start of the text has exactly {tokens} tokens")
    return text[: exact[0]]
