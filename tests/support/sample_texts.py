"""Fixed texts of our own, varied enough that every rule has something to do."""

from __future__ import annotations

GUIDE = """# The Harbour Handbook

The harbour at Tessmouth opened in 1884. Dr. Ilse Varga, its third keeper, wrote most of this guide.
It rained on 214 days of that year, i.e. more often than not. Ships of up to 3.5 metres draught may enter
at any tide; larger ones wait outside. "Never hurry the pilot," she used to say. The pilot never hurried.

## 1. Arriving

1. Call the office on channel 12.
2. Wait for the pilot... however long it takes.
3. Pay the fee (currently 48.20 crowns, see section 4.2).

The fee was raised in 2019. Nobody complained! Was it fair? The council thinks so.

- Yachts moor on the west quay.
- Fishing boats moor on the east quay, next to the ice house.
  They leave before dawn.

> The west quay is dry at low water.
> Do not moor there without legs.

| berth | length | power |
|-------|--------|-------|
| W1    | 12 m   | yes   |
| W2    | 9 m    | no    |

## 2. Signals

```python
def signal(flag: str) -> int:
    # red means stop
    return {"red": 0, "green": 1}[flag]
```

    raw_signal = read_port(0x3f8)
    if raw_signal > 7: halt()

STORM WARNINGS

A black ball means wind above 17 m/s. Two balls mean a gale. See https://example.org/tess.v2?storm=1 for both.
"""

LOG = """2024-03-05 10:11:12,031 INFO  gatekeeper started with 8 workers
2024-03-05 10:11:13,542 WARN  sluice 3 slow to answer (1204 ms)
2024-03-05 10:11:15,007 ERROR sluice 3 failed: TimeoutError('no reply')
2024-03-05 10:11:15,008 INFO  retrying sluice 3 in 5 s
2024-03-05 10:11:20,113 ERROR sluice 3 failed again, paging keeper_on_call
"""

CHAT = """User: The sluice alarm went off again. What should I do?
Assistant: Check sluice 3 first. Its motor draws too much current.
User: It says E-42.
Assistant: E-42 is a blocked gate. Clear the weed, then reset with resetGate(3).
"""

WORLD = (
    "港は朝六時に開きます。船は三隻まで入れます！嵐の日は閉まります。\n\n"
    "Der Hafen öffnet am 3. Juni um 6 Uhr. "
    "Die Gebühr beträgt ca. 48,20 Kronen und wird z.B. am Kai bezahlt.\n\n"
    "يفتح الميناء صباحا. هل يغلق ليلا؟ نعم يغلق.\n\n"
    "बंदरगाह सुबह खुलता है। रात में बंद रहता है।\n\n"
    "ท่าเรือเปิดตอนเช้าทุกวันยกเว้นวันที่มีพายุใหญ่ "
    "เรือประมงออกก่อนรุ่งสางเสมอเพราะน้ำขึ้นสูง\n\n"
    "Cafe\u0301s on the quay 👩‍👩‍👧‍👦 open late… sometimes. İzmir, Ωmega, ÉCOLE.\r\n"
    "Windows line.\r\n\x00 NUL line.\u3000Wide space.\n"
)

ALL = [GUIDE, LOG, CHAT, WORLD]

TOPICS = [
    "copper", "zinc", "granite", "willow", "barley", "herring", "lantern", "compass", "anchor", "kettle",
]  # fmt: skip


def prose(sentences: int) -> str:
    """Distinct sentences about rotating topics, five to a paragraph."""
    parts = []
    for i in range(sentences):
        topic, other = TOPICS[i % 10], TOPICS[(i * 7 + 3) % 10]
        end = "\n\n" if i % 5 == 4 else " "
        parts.append(
            f"Report {i + 100} says the {topic} shipment met the {other} crew near dock {i * 37 % 91}.{end}"
        )
    return "".join(parts)


# What users say in the middle of a session, to be kept word for word.
SAID = [
    "Please never charge the card that ends in 4411 without asking me.",
    "I am allergic to peanuts.",
    "We decided to keep the refund in travel credit.",
]


#: What comes again and again in texts made to provoke.
REPEATED = {
    "spaces": " ", "newlines": "\n", "carriage returns": "\r", "brackets": "(", "closing brackets": ")",
    "square brackets": "[1", "stops": ".", "spaced stops": ". ", "ellipses": "... a", "question marks": "?",
    "quotes": '"', "curly quotes": "“", "backticks": "`", "stars": "*", "hashes": "# ", "greater than": ">",
    "greater than lines": ">\n", "dashes": "- ", "dash lines": "- \n", "numbers": "1. ",
    "number lines": "1. a\n", "letters": "a) ", "rows": "a|b\n", "pipes": "|", "fences": "```\n",
    "longer fences": "````\n```\n", "tilde fences": "~~~ a\n", "rules": "---\n", "underlines": "a\n==\n",
    "headings": "# a\n\n", "capitals": "ABCD\n\n", "indented": "    a\n\n",
    "indented and blank": "    a\n" + "\n" * 50, "braces": "{\n", "log lines": "2031-04-05 06:07:08 a\n",
    "turns": "User: a\n", "speakers": "Mara Quist: a\n\n", "words": "word ", "sentences": "A word. ",
    "abbreviations": "Dr. ", "initials": "A. B. ", "capital words": "Aa ", "numbers with marks": "1,",
    "identifiers": "aB_", "camel case": "aB", "underscores": "_", "cjk": "漢。", "cjk titles": "《",
    "thai": "ก ", "marks": "\u0301", "wide spaces": "\u3000", "emoji": "👍", "nul": "\x00",
    "links": "http://a.b/c?d=e. ", "emoticons": ". :)",
}  # fmt: skip

NOTE = """I'm currently editing src/auth.py. I'm at line 45 working on the authenticate_user function. I just
fixed a bug where expired tokens were causing 500 errors instead of 401. The fix was to add a check before the
token validation that returns 401 immediately if the token is expired. The error was occurring because the
expired token check was happening after the database query, which would throw an exception. Now I'm working on
handling the case where the token format is invalid."""
