"""What a person said in a session: does it stand word for word in what is left of it?

And of the lines of excerpts: how many are understood by themselves.
"""

from __future__ import annotations

import re
from itertools import chain, product
from pathlib import Path
from statistics import mean
from typing import Any

from tersely.memory import compact_messages
from tersely.memory.messages import read_messages

from benchmarks import data as development
from benchmarks.memory.traces import half_of
from benchmarks.report import Column, Report, Target

__all__ = ["report"]

_ASKED = {0.1: 0.85, 0.2: 0.97, 0.3: 1.0}  # share of what stands beside the system prompt -> statements kept
_ASKED_FIRST = 0.95  # the same of a first message, at a fifth
_WHERE = ("middle", "first", "brief", "long")
_BRIEF, _LONG = 4000, 2000  # characters behind a first message, and behind one in the middle
_WORD = re.compile(r"\w")
_EACH = 8  # statements a session, one at a time
_STATEMENTS = """\
Please never charge the card that ends in 4411 without asking me.
We decided to keep the refund in travel credit.
I am allergic to peanuts, so no meal with nuts.
The deadline for the visa papers is June 3.
Don't email my work address, it is monitored.
My name is Priya Raman and I use a wheelchair.
I prefer aisle seats near the front.
Actually, it was Boston I meant, not Austin.
Keep the total under 640 dollars.
You may not share my phone number with the hotel.
I would rather wait a day than take a red-eye.
Make sure that both kids sit next to me.
By the way, I changed my mind: economy is fine.
Only call me after 6 pm.
The baggage fee has to be paid with the gift card.
Let's go with the earlier of the two.
I no longer want the insurance.
My mother, Helga, travels with an oxygen tank.
Leave the second booking alone.
Send the receipt to accounts@northline.example instead.
I speak Spanish better than English.
If the price goes above 300, ask me first.
The doctor said she cannot fly before the 20th.
Correction: the passport number ends in 88, not 83.
Do not touch anything on the Seattle trip.
We agreed that the voucher covers the change fee.
I need the invoice before Friday noon.
Under no circumstances split us over two flights.
My son is 11, he can't fly alone.
It must be a direct connection.
Always read the total back to me before you book.
I'm vegetarian.
Treat what I tell you about my health as confidential.
For the hotel, use the name on my driving licence.
The cat travels in the cabin, that is settled.
Our company pays at most 120 a night.
Skip the lounge, I don't care about it.
I want everything in writing.
Stop offering me upgrades.
We'll pay with the Visa, not with the Mastercard."""
_ORDERS = """\
Leave port 9443 alone.
The ledger_2024 table is off limits.
Hands off the prod config.
Keep your fingers out of /etc/nginx.
Stay away from the billing service.
Only read from the replica.
The migration history is sacred.
Before anything else, ask me.
The staging bucket belongs to legal, so steer clear of it.
Treat the vendor folder as read-only.
Whatever you do, the seeds file stays as it is.
The DNS records are mine to handle.
Deploys are for Maria alone to start.
Customer mails go out through Dana and nobody else.
The flag for the new checkout remains off.
Anything under legacy/ is frozen.
Run every change past me first.
Refrain from force pushes.
Avoid the old pricing API.
Check with Tom prior to any schema change.
Prices are to be shown in euros.
Production data is out of bounds.
Let the cron entries be.
Spare the archive folder.
Payments repo: no-go area.
Answers in French, please.
What I say about salaries stays between us.
Rather than deleting rows, mark them.
Raw SQL it is, ORM magic is banned.
Two reviewers per merge is the rule here.
Wait for my go before you ship.
Steer around the old queue."""  # and states that are to last, without "not" or "must"


def report(report: Report, data: Path) -> None:
    """Shares of statements that are kept, or named as lost, and of excerpt lines that are numbers alone."""
    sessions = list(development.rows(data, "agent_tau"))
    rows: list[dict[str, Any]] = []
    for where, half, ratio in product(_WHERE, ("tuned", "reported"), _ASKED):
        told = _ORDERS if where == "long" else _STATEMENTS
        statements = [one for one in told.splitlines() if half_of(one) == half]
        mine = [row["messages"] for row in sessions if half_of(row["id"]) == half]
        found = []
        for number, each in product(range(len(mine)), range(_EACH)):
            said = statements[(number * _EACH + each) % len(statements)]
            found.append(_measured(*_planted(mine, number, said, each, where), said, ratio))
        lost = [named for kept, named, _ in found if not kept]
        bare, legible = zip(*chain.from_iterable(lines for _, _, lines in found), strict=True)
        share, readable = mean(kept for kept, _, _ in found), mean(legible)
        row: dict[str, object] = {"where": where, "half": half, "ratio": ratio, "kept": share}
        row |= {"named": mean(lost) if lost else None, "bare": mean(bare), "legible": readable}
        rows.append(row)
        if half == "reported":
            asked = _ASKED[ratio] if where in ("middle", "long") or ratio != 0.2 else _ASKED_FIRST
            report.targets.append(Target(f"said, {where}, kept at {ratio:.0%}", asked, share, "", False))
            report.targets.append(
                Target(f"legible lines, {where}, at {ratio:.0%}", 0.95, readable, "", False)
            )
    columns = (
        Column("where"), Column("half"), Column("ratio", "", ".0%"), Column("kept", "word for word", ".3f"),
        Column("named", "named where lost", ".3f"), Column("bare", "lines of numbers alone", ".3f"),
        Column("legible", "legible lines", ".3f"),
    )  # fmt: skip
    report.table("What a person said", columns, rows)


def _planted(
    sessions: list[list[dict[str, Any]]], number: int, said: str, each: int, where: str
) -> tuple[list[dict[str, Any]], int]:
    """A session with a statement in a turn of the user, and which message that is.

    "middle": one of the turns between the first and the last; "first": the first; "brief": the first, and
    behind it _BRIEF characters of what was said in another session, by line; "long": in the middle,
    and behind it _LONG characters of what the user of another session said, as one paragraph.
    """
    messages = sessions[number]
    turns = [index for index, message in enumerate(messages) if message["role"] == "user"]
    turn = turns[1:-1][7 * each % len(turns[1:-1])] if where in ("middle", "long") else turns[0]
    content = messages[turn]["content"]
    with_it = [f"{said} {content}", f"{content}\n{said}", f"{content} {said}"][each % 3]
    other = sessions[(number + 3) % len(sessions)]
    talk = [one for one in other[1:] if one["role"] != "tool" and one["content"]]
    if where == "long":
        words = [one["content"] for one in talk if one["role"] == "user"]
        sentences = re.split(r"(?<=[.!?])\s+", " ".join([content, *words]))
        while sum(map(len, sentences)) > _LONG:
            sentences.pop()
        sentences.insert([0, len(sentences), len(sentences) // 2][each % 3], said)
        with_it = " ".join(sentences)
    if where == "brief":
        lines = [content, *"\n".join([one["content"] for one in talk])[:_BRIEF].split("\n")]
        lines.insert([0, len(lines), len(lines) // 2][each % 3], said)
        with_it = "\n".join(lines)
    return [*messages[:turn], {**messages[turn], "content": with_it}, *messages[turn + 1 :]], turn


def _measured(
    messages: list[dict[str, Any]], turn: int, said: str, ratio: float
) -> tuple[bool, bool, list[tuple[bool, bool]]]:
    """(kept, named as lost, (bare, legible) of each line of excerpts) for one statement in one turn."""
    prompt, whole = (compact_messages(some, budget=10**7).tokens for some in (messages[:1], messages))
    made = compact_messages(messages, budget=prompt + int(ratio * (whole - prompt)))
    pieces = [piece for entry in read_messages(made.messages) for piece in entry.pieces]
    lost = [messages[turn]["content"][start:end] for _, start, end in made.accounts[turn].lost]
    sources = [piece.text for entry in read_messages(messages) for piece in entry.pieces]
    looks = _looks([piece.text for piece in pieces if piece.kind == "excerpts"], sources)
    return any(said in piece.text for piece in pieces), any(one in said or said in one for one in lost), looks


def _looks(excerpts: list[str], sources: list[str]) -> list[tuple[bool, bool]]:
    """Of each line of excerpts: whether it has numbers alone, and whether it is understood by itself.

    That are those with four consecutive words as they stand in a source, and whole lines of one.
    """
    whole = {" ".join(line.split()) for text in sources for line in text.splitlines()}
    running = "\n".join(" ".join(text.split()) for text in sources)
    found = []
    for line in (line for text in excerpts for line in text.split("\n")[2:-1]):
        said = re.sub(r"^(?:\w+)(?: [\w.:-]+)? \d+: ", "", line)
        words = said.split()
        four = [words[at : at + 4] for at in range(len(words) - 3)]
        has_words = any(all(map(_WORD.search, some)) and " ".join(some) in running for some in four)
        found.append((not re.search(r"[^\W\d_]{2,}", said), has_words or " ".join(words) in whole))
    return found
