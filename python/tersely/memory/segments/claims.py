"""Find claims of a shorter text that its source lacks: new words and units, reversed changes or states."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import cache

from tersely.memory.segments.agreement import (
    DENIES,
    exact_spans,
    keys_of,
    kind_of,
    opposites_of,
    same_as,
    term_lists,
)
from tersely.memory.segments.clauses import Clause, Role, role_of
from tersely.memory.segments.reading import Reading
from tersely.memory.segments.words import pattern, read_words

# --- numbers and units ---------------------------------------------------------------------------------

# Word or sign of a unit, in small letters -> the unit in the form in which it is compared.
_UNITS = {word: row.split()[0] for row in read_words("units") for word in row.split()}
_DIGITS = {word: str(value) for value, word in enumerate(" ".join(read_words("numbers")).split(), 2)}
_DIGITS["twice"] = "2 times"
_NUMBER_WORD = re.compile(rf"\b(?:{'|'.join(_DIGITS)})\b", re.IGNORECASE)
_UNIT = "|".join(map(re.escape, sorted(_UNITS, key=len, reverse=True)))
_WITH_UNIT = re.compile(
    rf"(?<![\w.,/:-])(?P<number>\d[\d,]*(?:\.\d+)?)[ \t-]?(?P<unit>{_UNIT})(?![\w/])"
    r"|(?P<sign>[$€£])(?P<amount>\d(?:[\d,]*\d)?(?:\.\d+)?)",
    re.IGNORECASE,
)
_RATES = {word: row.split()[-1] for row in read_words("units") for word in row.split()}
_RATE = re.compile(
    rf"(?P<count>\d[\d.,]{{0,30}}[ ]?[a-z]{{1,20}})/(?P<sign>{_UNIT})(?![\w/])"
    rf"|\b(?:per|each|every|an?(?=[ ](?!second)\w{{3}}))[ ](?P<unit>{_UNIT})\b",
    re.IGNORECASE,
)
_RATE_FORM = re.compile(rf"\bper (?:{'|'.join(map(re.escape, dict.fromkeys(_RATES.values())))})(?!\w)")
_BARE = re.compile(r"(?<![\w.,/:-])\d[\d,]*(?:\.\d+)?(?!\w|[.,:/]\d)")
_THOUSANDS = re.compile(r"(?<![\w.,/:-])\d{1,3}(?:,\d{3}){1,5}(?!,?\d)")
_NEAR = 16  # characters between two numbers of one unit
_RANGE = re.compile(r"(?<=\d)[ \t]?[–—][ \t]?(?=\d)")
_WRAPPED = re.compile(r"(?<=[^\s.:;!?])[ \t\r]{0,9}\n(?=[^\W\d_])(?![A-Z])")
_SHARE = re.compile(r"(?<![\w.,/:-])(\d+) (?:over|out of|of) (?=\d+(?![\w.,/:-]\w))")


def in_one_form(text: str, words: bool = False) -> str:
    """Write each number with its unit, in one form: "4.20 seconds" as "4.2 s", "$5" as "5 $", "1,400" as
    "1400", "142 over 88" as "142/88", "1–4" as "1 to 4"; and "two" as "2", where `words`. Lines that go on in
    the next one are joined. O(characters)."""

    def written(match: re.Match[str]) -> str:
        number = match["amount"] or match["number"]
        if "." in number:  # of a number without a unit, 1.10 may be a version
            number = number.rstrip("0").rstrip(".")
        return f"{number} {match['sign'] or _UNITS[match['unit'].casefold()]}"

    def rate(match: re.Match[str]) -> str:
        before = f"{match['count']} " if match["count"] else ""
        return f"{before}per {_RATES[(match['sign'] or match['unit']).casefold()]}"

    if words:
        text = _NUMBER_WORD.sub(lambda match: _DIGITS[match[0].casefold()], text)
    text = _THOUSANDS.sub(lambda match: match[0].replace(",", ""), _WRAPPED.sub(" ", text))
    return _SHARE.sub(r"\1/", _RATE.sub(rate, _WITH_UNIT.sub(written, _RANGE.sub(" to ", text))))


def other_units(original: str, text: str) -> list[str]:
    """List the numbers of a text with a unit that its source does not give them, alone or before another
    number ("3 to 5 min"); both are `in_one_form`. O(characters)."""
    known = set()
    for match in _WITH_UNIT.finditer(original):
        before = _BARE.findall(original[max(match.start() - _NEAR, 0) : match.start()])
        known |= {match[0], *[f"{number} {match['unit']}" for number in before]}
    found = [match[0] for match in _WITH_UNIT.finditer(text) if match[0] not in known]
    return found + [rate for rate in dict.fromkeys(_RATE_FORM.findall(text)) if rate not in original]


# --- words ---------------------------------------------------------------------------------------------

_WORD = re.compile(r"[^\W\d_]+")
_CONTRACTED = re.compile(r"\b[^\W\d_]{1,20}n['’]t\b")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WITHOUT_SPACES = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u9fff\uac00-\ud7ff]")
_FRONT, _STEM = 3, 5  # letters of "auth" for a longer word; that two words of one family share at least
_FAMILY = 64  # words of a family that are looked at


@cache
def _small() -> frozenset[str]:
    return frozenset(keys_of(" ".join(read_words("small")).split()).values())


@cache
def _forms() -> dict[str, str]:
    """Key of an irregular form of a verb -> that of the verb."""
    rows = [line.split() for line in read_words("irregular")]
    keys = keys_of(word for row in rows for word in row)
    return {keys[word]: keys[row[0]] for row in rows for word in row}


def _keys(words: Iterable[str]) -> dict[str, str]:
    """Word -> its key, of a verb's forms the same one; stop words are left out."""
    every = list(dict.fromkeys(words))
    found = {word: terms[0] for word, terms in zip(every, term_lists(every), strict=True) if terms}
    return {word: _forms().get(key, key) for word, key in found.items()}


def _words(text: str) -> list[str]:
    return _WORD.findall(_HUMP.sub(" ", text))


def made_up_words(source: str, text: str) -> list[str]:
    """List the content words of a text that its source has in no form.

    Stop words and those of the section "small" say little by themselves. A word stands for others that begin
    with it, or as it does; or that are on its side of the table of opposites. O(characters).
    """
    there = _words(source)
    known = {*_keys(there).values(), *keys_of(there).values()}
    families: dict[str, list[str]] = {}
    for word in sorted({*known, *map(str.casefold, there)}):
        for size in (_FRONT, _STEM):
            if len(family := families.setdefault(word[:size], [])) < _FAMILY:
                family.append(word)
    denies = bool(DENIES.search(source) or DENIES.search(text))
    plain = known | _small() | _UNITS.keys() | _DIGITS.keys()
    found = []
    for word, key in _keys(_words(DENIES.sub(" ", _CONTRACTED.sub(" ", text)))).items():
        small, turned = word.casefold(), opposites_of(key) & known
        if key in plain or small in plain or len(word) == 1 or _WITHOUT_SPACES.search(word):
            continue
        if (turned and denies) or not same_as(key).isdisjoint(known):
            continue
        akin = [*families.get(small[:_FRONT], ()), *families.get(key[:_STEM], ())]
        if turned or not any(other.startswith(small) or _is_akin(key, other) for other in akin):
            found.append(word)
    return found


def _is_akin(one: str, two: str) -> bool:
    """Say whether two keys are of one family: they begin alike, and less than that differs ("allergy",
    "allergic"; "calibrate", "calibration")."""
    longest = min(len(one), len(two))
    alike = next((at for at in range(longest) if one[at] != two[at]), longest)
    return alike >= _STEM and max(len(one), len(two)) < 2 * alike


# --- changes -------------------------------------------------------------------------------------------

_CHANGE = re.compile(
    r"(?P<was>[,(]\s?(?:it |which )?(?:was|were|took|formerly|previously|before|not)\b:?\s)"
    r"|(?P<arrow>\s?(?:->|→|=>)\s?)|(?P<instead>\b(?:instead of|rather than|in place of)\s)"
    r"|(?P<wanted>\b(?:should be|should have been|expected)\s)|(?P<to>\sto\s)",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"\"[^\s\"]{1,40}\"")
_FROM = re.compile(r"\bfrom\b[^.,;:!?]{0,20}$", re.IGNORECASE)
_STOP = re.compile(r"[.;!?](?:\s|$)|\n[ \t]{0,8}(?:\n|[-*•>|#]|\d{1,3}[.)])")  # not where a line is wrapped
_ACTUAL = pattern("actual")
_FAR = 40  # characters between what changed and the word that says so

Change = tuple[str, str]  # what it was, what it is or should be


def read_changes(text: str) -> dict[Change, str]:
    """Read what changed from what to what, of numbers, paths and names: the change -> its words.
    O(characters)."""
    quoted = [(match.start(), match.end(), match[0].casefold()) for match in _QUOTED.finditer(text)]
    spans = sorted([*exact_spans(text), *quoted])
    found: dict[Change, str] = {}
    at = 0
    for match in _CHANGE.finditer(text):
        while at < len(spans) and spans[at][1] <= match.start():
            at += 1
        if not 0 < at < len(spans):
            continue
        (first, end, one), (start, last, two) = spans[at - 1], spans[at]
        before, behind = text[end : match.start()], text[match.end() : start]
        if start < match.end() or max(len(before), len(behind)) > _FAR or _STOP.search(before + behind):
            continue
        if one == two or kind_of(one) != kind_of(two):
            continue
        word = match.lastgroup
        if word == "to" and not _FROM.search(text, max(first - _FAR, 0), first):
            continue
        turned = word == "was"
        if word == "instead" or DENIES.search(match[0]):  # which is so now, the rest of the sentence says
            begin = max((stop.end() for stop in _STOP.finditer(text, 0, first)), default=0)
            stop = _STOP.search(text, last)
            turned = not _ACTUAL.search(text, begin, stop.start() if stop else len(text))
        found[(two, one) if turned else (one, two)] = text[first:last]
    return found


def turned_changes(source: Collection[Change], text: Collection[Change]) -> list[str]:
    """List the changes of a text that its source tells the other way round only, or of another number, path
    or name, which changed from nothing in the source."""
    was = {new: old for old, new in source}
    olds = set(was.values())
    return [
        f"{old} to {new}"
        for old, new in sorted(text)
        if (old, new) not in source and ((new, old) in source or (new in was and old not in olds))
    ]


# --- states --------------------------------------------------------------------------------------------

_OPEN, _DONE = (Role.ACTIVE, Role.NEXT), (Role.DONE,)
_IS_OPEN, _IS_DONE, _AIM = pattern("is_open"), pattern("is_done"), pattern("aim")
_BORDER = re.compile(r"[,;]\s|[()]|(?<=\w \w{3})\w*:\s")
_MOST = 100  # clauses of a text that are looked at
_SAME = 0.5  # share of the terms of a clause in another that speaks of the same


def turned_states(source: Reading, written: Sequence[Clause]) -> list[str]:
    """List the clauses that call something done which the source's most similar clause calls current or next,
    or the other way round. O(clauses of both x terms)."""
    theirs = [(one.role, one.label, one.text) for one in source.clauses if not one.is_pasted]
    mine = [part for one in written for part in _parts(one) if part[0] in (*_OPEN, *_DONE)]
    # What denies is for `contradictions` to see.
    mine = [part for part in mine if part[1] or not DENIES.search(part[2])][:_MOST]
    every = [(_words(f"{label} {text}"), text) for _, label, text in (*theirs, *mine)]
    terms = [set(one) - _small() for one in term_lists([text for _, text in every])]
    keys = _keys([word for own, _ in every for word in own])
    forms = [{word.casefold() for word in own if word in keys} for own, _ in every]
    states = [_is_done(role, text) for role, _, text in theirs]
    found = []
    for number, (role, _, clause) in enumerate(mine, len(theirs)):
        best: dict[bool | None, float] = {True: 0.0, False: 0.0, None: 0.0}
        done, about = role in _DONE, terms[number]
        for state, words, there in zip(states, terms, forms, strict=False):
            same = state is not None and forms[number] <= there  # in the same words: as it is
            told = done if same else state
            best[told] = max(best[told], len(about & words) / max(len(about), 1))
        if best[not done] >= max(_SAME, best[None]) and best[not done] > best[done]:
            found.append(clause)
    return found


def _is_done(role: Role, text: str) -> bool | None:
    """Tell whether a clause says that something is done (True) or current or next (False); None: neither."""
    if role in (Role.OTHER, Role.ERROR):
        return False if _IS_OPEN.search(text) else True if _IS_DONE.search(text) else None
    if role in _DONE:
        return None if DENIES.search(_AIM.sub("", text)) else True  # "the fix is not released"
    return False if role in _OPEN else None


def _parts(clause: Clause) -> list[tuple[Role, str, str]]:
    """Return (role, label, text) of the parts of a clause between commas, semicolons, colons and brackets."""
    parts = [part for part in _BORDER.split(clause.text) if part.strip()]
    is_one = clause.label or len(parts) <= 1
    return [(clause.role if is_one else role_of(part), clause.label, part) for part in parts]
