"""The gate that short forms of agents' notes pass: planted changes must not, honest short forms should.

Notes are what agents of recorded runs said of their work. Two honest short forms are made of each by rules of
this file, which share nothing with tersely's: without articles and padding, and with other words for verbs
and contractions. Every change is planted into the first of them, one at a time; a prohibition and a thing
that was done are put into the note first. Nothing here was judged by people: a change is one by construction.

examples:
  python -m benchmarks.memory.gate --data DIR
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import mean
from typing import Any

import tersely
from tersely.memory.segments.preservation import check_preserved
from tersely.memory.segments.segment import new_segment
from tersely.memory.segments.shortening import Shortener, ShorteningRequest, ShortText
from tersely.models.counters import resolve_counter
from tersely.types import Level

from benchmarks import data as development
from benchmarks.arguments import make_parser
from benchmarks.report import Column, Report, Target

__all__ = ["CHANGES", "changed", "notes", "report", "reworded", "telegram"]

_SEED = 11
_WORDS = (25, 400)  # of a note
_RATIOS = (0.6, 0.8)
_A_KIND = 200  # planted changes, at most

# --- honest short forms --------------------------------------------------------------------------------

_PADDING = re.compile(
    r"\b(?:a|an|the|please|just|really|basically|actually|simply|successfully|also|now that|it seems that"
    r"|it appears that|in order) (?=\w)",
    re.IGNORECASE,
)
_STARTS = re.compile(r"(?:^|(?<=[.!?] ))[a-z](?=[a-z]* )")
_OTHER_WORDS = {
    r"\bit(?:'s| is) important to\b": "we should", r"\bLet me\b": "I'll", r"\bLet's\b": "We'll",
    r"\bI will\b": "I'll", r"\bI'm going to\b": "I'll", r"\bwe need to\b": "we have to",
    r"\bcannot\b": "can't", r"\bcan't\b": "cannot", r"\bdoes not\b": "doesn't", r"\bis not\b": "isn't",
    r"\bdid not\b": "didn't", r"\bhas been updated\b": "was changed", r"\bmodify\b": "change",
    r"\bcreate\b": "make", r"\bcreated\b": "made", r"\bensure\b": "make sure", r"\blocate\b": "find",
    r"\bexamine\b": "look at", r"\bproceed with\b": "go on with", r"\bwould like to\b": "want to",
    r"\bHowever,": "But", r"\badditionally\b": "besides", r"\bbegin by\b": "start by",
    r"\bprovide\b": "give", r"\bassistance\b": "help",
}  # fmt: skip


def telegram(note: str) -> str:
    """The note without articles and padding."""
    lines = [_PADDING.sub("", line).strip() for line in note.split("\n") if line.strip()]
    return "\n".join(_STARTS.sub(lambda match: match[0].upper(), line) for line in lines)


def reworded(note: str) -> str:
    """The note with other words where they say the same."""
    for pattern, words in _OTHER_WORDS.items():
        note = re.sub(pattern, words, note)
    return note


# --- planted changes -----------------------------------------------------------------------------------

Planted = tuple[str, str] | None  # the note, and the short form that does not say what the note says
_NUMBER = re.compile(r"(?<![\w.,/-])(?!^\d+[.)])\d+(?![\w/-]|[.,]\d)", re.MULTILINE)  # not of an item
_PATH = re.compile(
    r"(?<![\w/.])(?:[\w.-]*/[\w./-]*\w|\w[\w-]*\.(?:py|rs|js|md|txt|sh|json|toml|html|c|cfg))\b"
)
_NAME = re.compile(r"\b(?:[a-z]+_\w+|[A-Z]{2,4}\d+\w*|[a-z]+[A-Z]\w+)\b")
_DENIES = re.compile(r"\b(?:not|never)\s|n't\b", re.IGNORECASE)
_AUXILIARY = re.compile(r"\b(?:is|are|was|were|can|will|should|could|would|may|must)(?= \w)(?! not\b)")
_HAVE = re.compile(r"\b(?:has|have|had)(?= been| \w+ed\b)")
_FORBIDDEN = (
    "Do not restart worker-7 before 18:00.", "Never delete /srv/data/keep.db.",
    "Don't touch the release branch.", "You must not push to main.", "Do not change the public API.",
    "The cache may not be cleared during the night.", "Never run the migration twice.",
    "Please do not edit vendor/zlib/inflate.c.", "Don't use pip here, only uv.",
    "Do not upgrade numpy past 2.1.",
    "Nothing must be deployed before Thursday.", "Under no circumstances may the schema change.",
)  # fmt: skip
_DONE = (
    ("Fixed the token check.", "Did not fix the token check."),
    ("I removed the duplicate call from the target.", "Did not remove the duplicate call from target."),
    ("Updated the golden files.", "The golden files were not updated."),
    ("I have moved the settings into the environment.", "Settings are not moved into the environment."),
    ("The timeout was raised to 90 s.", "Timeout was never raised to 90 s."),
    ("All unit tests pass.", "All unit tests do not pass."),
)  # fmt: skip
_OUTCOMES = (
    ("The loader fails to read gzip files.", "The loader manages to read gzip files."),
    ("The loader fails to read gzip files.", "The loader reads gzip files."),
    ("I failed to reproduce the crash on musl.", "I managed to reproduce the crash on musl."),
    ("It failed to restore the index.", "Restored the index."),
    ("The build failed on arm64.", "The build succeeded on arm64."),
    ("All 14 checks passed on the second try.", "All 14 checks failed on the second try."),
    ("The rollback worked on staging.", "The rollback broke on staging."),
    ("Unable to reach the mirror.", "Able to reach the mirror."),
    ("The upload was refused by the gateway.", "The upload was accepted by the gateway."),
    ("Telemetry is switched off in the tests.", "Telemetry is switched on in the tests."),
    ("The migration must run before the import.", "The migration must run after the import."),
    ("The option is supported since 3.8.", "The option is unsupported since 3.8."),
    ("Der Import ist fehlgeschlagen.", "Der Import ist gelungen."),
)
_SAME_OUTCOMES = (
    ("The loader fails to read gzip files.", "The loader does not read gzip files."),
    ("The loader was unable to read gzip files.", "The loader failed to read gzip files."),
    ("It could not restore the index.", "Failed to restore the index."),
    ("The build did not succeed on arm64.", "The build failed on arm64."),
    ("All 14 checks passed on the second try.", "On the second try, all 14 checks passed."),
    ("The rollback worked on staging.", "Rollback on staging: worked."),
    ("The upload was refused by the gateway.", "The gateway rejected the upload."),
    ("Telemetry is disabled in the tests.", "Telemetry is not enabled in the tests."),
    ("Telemetry is not enabled in the tests.", "Telemetry is disabled in the tests."),
    ("The migration must run before the import.", "Run the migration before the import."),
    ("The option is not supported since 3.8.", "The option is unsupported since 3.8."),
    ("Der Import ist fehlgeschlagen.", "Import fehlgeschlagen."),
)
_OPPOSITES = re.findall(
    r"(\w+)/(\w+)",
    """
    before/after first/last more/less up/down on/off true/false open/close opened/closed
    enable/disable enabled/disabled increase/decrease increased/decreased add/remove added/removed
    adding/removing allow/deny allowed/forbidden pass/fail passes/fails passed/failed
    failed/succeeded failing/passing start/stop started/stopped min/max minimum/maximum above/below
    inside/outside valid/invalid correct/incorrect correct/wrong success/failure
    successful/unsuccessful left/right top/bottom internal/external input/output larger/smaller
    greater/less higher/lower longer/shorter faster/slower high/low new/old newer/older
    next/previous import/export read/write encode/decode include/exclude included/excluded
    required/optional present/missing found/missing accept/reject accepted/rejected show/hide
    visible/hidden public/private better/worse many/few all/some always/sometimes same/different
    empty/full positive/negative supported/unsupported used/unused known/unknown complete/incomplete
    fixed/broken begin/end keep/remove likely/unlikely with/without least/most early/late
    local/remote safe/unsafe push/pull lock/unlock
    """,
)
_TURNED = {one: two for pair in _OPPOSITES for one, two in (pair, pair[::-1])}
_ANY_WORD = re.compile(r"(?<![\w./:\\`'\"-])[A-Za-z]+(?![\w/:\\`'\"(=-]|\.\w)")


def _number(note: str, short: str, pick: random.Random) -> Planted:
    if not (found := list(_NUMBER.finditer(short))):
        return None
    place = pick.choice(found)
    at = pick.randrange(place.start(), place.end())
    digit = str((int(short[at]) + pick.randint(1, 9)) % 10)
    return note, short[:at] + digit + short[at + 1 :]


def _path(note: str, short: str, pick: random.Random) -> Planted:
    if not (found := list(_PATH.finditer(short))):
        return None
    place = pick.choice(found)
    old, others = place[0], sorted({one[0] for one in found} - {place[0]})
    stem, dot, end = old.rpartition(".")
    forms = [old + ".bak", f"{stem}_2{dot}{end}" if dot else old + "_2", "old/" + old.lstrip("/")]
    new = pick.choice(forms + others[:1])
    return note, short[: place.start()] + new + short[place.end() :]


def _negation_dropped(note: str, short: str, pick: random.Random) -> Planted:
    if not (found := list(_DENIES.finditer(short))):
        return None
    place = pick.choice(found)
    return note, short[: place.start()] + short[place.end() :]


def _negation_added(note: str, short: str, pick: random.Random) -> Planted:
    found = [*_AUXILIARY.finditer(short), *_HAVE.finditer(short)]
    if not found:
        return None
    place = pick.choice(found)
    return note, f"{short[: place.end()]} not{short[place.end() :]}"


def _swap(note: str, short: str, pick: random.Random) -> Planted:
    pairs = []
    for pattern in (_NUMBER, _PATH, _NAME):
        found = list(pattern.finditer(short))
        for index, one in enumerate(found):
            for two in found[index + 1 : index + 4]:
                between = short[one.end() : two.start()]
                same_way = not re.search(r"\w", re.sub(r"\b(?:and|or|to)\b", "", pattern.sub("", between)))
                if one[0] != two[0] and not same_way and len({first[0] for first in found}) < 30:
                    pairs.append((one, two))
    if not pairs:
        return None
    one, two = pick.choice(pairs)
    return note, "".join(
        (short[: one.start()], two[0], short[one.end() : two.start()], one[0], short[two.end() :])
    )


def _between(note: str, sentence: str, pick: random.Random) -> str:
    table = tersely.segment(note, Level.SENTENCE)
    ends = [end for end in table.end.tolist() if note[:end].rstrip().endswith((".", "!", "?"))]
    at = pick.choice(ends) if ends else len(note)
    return f"{note[:at].rstrip()} {sentence} {note[at:].lstrip()}"


def _prohibition(note: str, short: str, pick: random.Random) -> Planted:
    return _between(note, pick.choice(_FORBIDDEN), pick), short


def _done(note: str, short: str, pick: random.Random) -> Planted:
    said, denied = pick.choice(_DONE)
    whole = _between(note, said, pick)
    return whole, telegram(whole).replace(telegram(said), denied)


def _outcome(note: str, short: str, pick: random.Random) -> Planted:
    said, turned = pick.choice([pair[:: pick.choice((1, -1))] for pair in _OUTCOMES])
    whole = _between(note, said, pick)
    return whole, telegram(whole).replace(telegram(said), telegram(turned))


def _opposite(note: str, short: str, pick: random.Random) -> Planted:
    """One word turned round, where the sentence that comes of it is none of the note's."""
    table = tersely.segment(short, Level.SENTENCE)
    spans = list(zip(table.start.tolist(), table.end.tolist(), strict=True))
    found = [match for match in _ANY_WORD.finditer(short) if match[0].casefold() in _TURNED]
    pick.shuffle(found)
    for match in found:
        old = match[0]
        new = _TURNED[old.casefold()]
        new = new.capitalize() if old[0].isupper() else new
        start, end = next(span for span in spans if span[1] >= match.end())
        if short[start : match.start()] + new + short[match.end() : end] not in short:
            return note, short[: match.start()] + new + short[match.end() :]
    return None


CHANGES: dict[str, Callable[[str, str, random.Random], Planted]] = {
    "number": _number,
    "path": _path,
    "negation dropped": _negation_dropped,
    "negation added": _negation_added,
    "swap": _swap,
    "prohibition dropped": _prohibition,
    "done, then not done": _done,
    "outcome": _outcome,
    "opposite": _opposite,
}


def notes(data: Path) -> list[str]:
    """What agents of recorded runs said, each text once."""
    found: dict[str, None] = {}
    for row in development.rows(data, "agent_traces"):
        for entry in row["entries"]:
            said = entry["role"] == "assistant" and entry["kind"] in ("thought", "message")
            if said and _WORDS[0] <= len(entry["text"].split()) <= _WORDS[1]:
                found[entry["text"].strip()] = None
    return list(found)


def changed(texts: list[str]) -> Iterator[tuple[str, str, str]]:
    """(kind of change, note, short form with the change), in a fixed random order, some of each kind."""
    for kind, plant in CHANGES.items():
        pick = random.Random(f"{_SEED} {kind}")
        planted = 0
        for text in pick.sample(texts, len(texts)):
            made = plant(text, telegram(text), pick) if planted < _A_KIND else None
            if made is not None and made != (text, telegram(text)):
                planted += 1
                yield kind, *made


def told_otherwise(texts: list[str]) -> Iterator[tuple[str, str]]:
    """(note with an outcome, short form that tells the outcome in other words), one of each note."""
    pick = random.Random(_SEED)
    for text in texts:
        said, other = pick.choice(_SAME_OUTCOMES)
        whole = _between(text, said, pick)
        yield whole, telegram(whole).replace(telegram(said), telegram(other))


def _accepted(note: str, short: str) -> bool:
    return check_preserved(new_segment("note", note), short).passed


def report(report: Report, data: Path, show: int = 0) -> None:
    """Accepted: of honest short forms, and of those with one change each."""
    texts = notes(data)
    report.note(f"{len(texts)} notes of recorded runs, {_WORDS[0]} to {_WORDS[1]} words each.")
    rows: list[dict[str, Any]] = []
    for name, shorter in (("without padding", telegram), ("other words", reworded)):
        accepted = [_accepted(text, shorter(text)) for text in texts]
        rows.append({"what": f"honest, {name}", "cases": len(texts), "accepted": mean(accepted)})
    accepted = [_accepted(*pair) for pair in told_otherwise(texts)]
    rows.append(
        {"what": "honest, an outcome in other words", "cases": len(texts), "accepted": mean(accepted)}
    )
    shortener = Shortener(resolve_counter(None))
    for ratio in _RATIOS:
        request = ShorteningRequest.of(None, ratio, True)
        made = shortener.shorten([new_segment("note", text) for text in texts], request)
        accepted = [isinstance(one, ShortText) for one in made]
        rows.append({"what": f"rules, at {ratio:g}", "cases": len(texts), "accepted": mean(accepted)})
    report.table("Short forms that say what the note says", _COLUMNS, rows)
    found: dict[str, list[bool]] = {kind: [] for kind in CHANGES}
    for kind, note, short in changed(texts):
        found[kind].append(_accepted(note, short))
        if found[kind][-1] and show > 0:
            show -= 1
            print(f"--- {kind}\n{note}\n->\n{short}\n")
    rows = [
        {"what": kind, "cases": len(got), "accepted": mean(got), "count": sum(got)}
        for kind, got in found.items()
    ]
    every = [one for got in found.values() for one in got]
    rows.append({"what": "all", "cases": len(every), "accepted": mean(every), "count": sum(every)})
    report.table("Short forms with one planted change", (*_COLUMNS, Column("count", "accepted")), rows)
    report.targets.append(Target("planted changes accepted", 0.0, float(mean(every)), "", True))


_COLUMNS = (Column("what"), Column("cases"), Column("accepted", "share accepted", ".3f"))


def main() -> None:
    """Print the tables."""
    parser = make_parser(__doc__)
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print N accepted changes")
    arguments = parser.parse_args()
    said = Report("memory gate", {"data": str(arguments.data)}, ())
    report(said, arguments.data, arguments.show)
    said.finish(arguments.json)


if __name__ == "__main__":
    main()
