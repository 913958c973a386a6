"""Print the lines of a log that say what failed, and write a page that shows what was kept.

python examples/what_failed.py [LOG] [PAGE.html]
"""

from __future__ import annotations

import sys
from pathlib import Path

import tersely
from tersely.report import write_html

_QUESTION = "What failed, and why?"


def sample() -> str:
    """Return a log of a thousand requests, two of which failed."""
    lines = [
        f"2026-03-14 02:{n // 60:02}:{n % 60:02} INFO request req-{n:04} paid in {n % 7} ms"
        for n in range(1000)
    ]
    lines[480] = "2026-03-14 02:08:00 WARN gateway pool 2 signs with key 17, expected 18"
    lines[481] = "2026-03-14 02:08:01 ERROR request req-0481 refused: status 401 (PAY-5031)"
    lines[777] = "2026-03-14 02:12:57 ERROR request req-0777 refused: status 401 (PAY-5031)"
    return "\n".join(lines)


def main(log: str = "", page: str = "what_failed.html") -> None:
    """Compress the log to 200 tokens."""
    text = Path(log).read_text(encoding="utf-8") if log else sample()
    result = tersely.compress(tersely.Document(text, name="checkout.log"), _QUESTION, budget=200)
    print(result.text)
    print(f"\n{result.tokens} of {result.original_tokens} tokens; {page} shows the rest", file=sys.stderr)
    write_html(result, page, query=_QUESTION)


if __name__ == "__main__":
    main(*sys.argv[1:])
