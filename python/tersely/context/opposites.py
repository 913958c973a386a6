"""Words that say the opposite of each other, in English and German, and the words that say the same as one.

A short literal table; where it is silent, a prefix that turns a word round ("supported", "unsupported") and
the endings -ful and -less are read by rule. Words are compared as the terms of csrc/kernels/text are: folded
and stemmed, so that one form of a verb stands for all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache

from tersely import _native

__all__ = ["keys_of", "opposites_of", "same_as"]

# One side | the other. A word may stand in several lines: "remove" turns "add" round, and "keep".
_TABLE = """
fail failure break broke broken crash error unsuccessful red fehlgeschlagen gescheitert scheiterte kaputt \
| succeed succeeded success successful successfully manage pass work green ok okay gelungen gelang erfolg \
erfolgreich klappt
break broke broken | fix repair resolve solve
error wrong false bad falsch | right correct true good richtig wahr
enable activate allow permit accept approve grant grants aktivieren aktiviert erlauben erlaubt zulässig | \
disable deactivate deny denies forbid forbidden prohibit reject refuse revoke block disallow deaktivieren \
deaktiviert verbieten verboten abgelehnt
on an eingeschaltet | off aus ausgeschaltet
before earlier prior until bevor vor vorher | after later afterwards since nach nachdem nachher
previous past vorherige | next future upcoming nächste
first begin began begun start anfang beginn erste | last final end finish stop ende letzte
start begin run resume gestartet starten | stop halt pause kill angehalten gestoppt stoppen
increase rise rose risen grow grew grown raise gain erhöhen erhöht gestiegen steigen | decrease reduce \
lower fall fell fallen drop shrink shrank lose gesunken senken sinken verringern verringert
add insert append include create install erstellt hinzufügen hinzugefügt | remove removal delete drop \
exclude omit strip uninstall destroy entfernen entfernt gelöscht löschen
keep kept retain preserve behalten | remove delete drop discard entfernen entfernt verwerfen
open geöffnet offen | close shut geschlossen
up above over upper hoch oben | down below under lower beneath runter unten unter
top | bottom
left links | right rechts
minimum min minimal smallest lowest least fewest mindestens | maximum max maximal largest biggest highest \
most greatest höchstens
more greater larger bigger higher longer größer höher länger mehr | less fewer smaller lower shorter \
kleiner kürzer niedriger weniger
high large big long groß hoch lang | low small little short klein kurz niedrig
exceed | below within
fast faster quick quicker quickly schnell schneller | slow slower slowly langsam langsamer
better best improve besser verbessert | worse worst degrade regress schlechter verschlechtert
new newer newest latest neu neuer | old older oldest outdated alt älter
always immer | sometimes rarely manchmal selten
all every both everything everyone alle beide | some few einige
many viele | few wenige
same equal identical gleich | different unequal differ anders verschieden
present exist found vorhanden gefunden | absent miss lost gone fehlend fehlt verloren
empty leer | full fill populate voll
yes ja | nein
positive | negative
inside in into within internal inner intern | outside out external outer extern
import input incoming read load | export output outgoing write save
encode encrypt compress serialize | decode decrypt decompress deserialize
push send sent upload | pull receive fetch download
ascending aufsteigend | descending absteigend
public öffentlich | private privat
local lokal | remote
online | offline
source | target destination
client | server
require required mandatory must erforderlich | optional may
dynamic | static
sync synchronous | async asynchronous
expand | collapse shrink
show shown visible display | hide hidden suppress
attach connect mount | detach disconnect unmount
safe secure sicher | dangerous insecure unsafe vulnerable
stable | flaky
strict strictly | lenient
easy simple einfach | complex complicated difficult hard schwierig
likely | unlikely
merge | revert split
upgrade | downgrade
done complete finish erledigt fertig | pending unfinished remaining todo offen
alive healthy up | dead down
win won | lose lost
parent | child
row | column
horizontal | vertical
early earliest früh | late latest spät
cheap cheaper cheapest billig günstig | expensive pricey costly priciest teuer
arrive arrival | depart departure leave
buy purchase | sell sale
inbound | outbound
domestic national | international foreign
credit | debit
confirm proceed continue | cancel abort
approve agree | decline disagree
charge pay | refund
book | cancel
current present now aktuell jetzt | former previous old frühere
additional extra zusätzlich | fewer
specific | general
original unchanged | change modified geändert
initial | final
encryption | decryption
together zusammen | apart separately getrennt
strong stark | weak schwach
hit | miss
full whole | partial
clean sauber | dirty
prefix | suffix
used | unused
accept | decline
"""
# What turns a word round -> the fewest letters of that word, so that "into" does not turn "to" round.
_PREFIXES = {"un": 3, "non": 3, "nicht": 3, "dis": 4, "de": 4, "in": 4, "im": 4, "ir": 4, "il": 4, "mis": 4}


def keys_of(words: Iterable[str]) -> dict[str, str]:
    """Return word -> the form in which words are compared; O(characters)."""
    every = list(dict.fromkeys(words))
    ids, offsets, names = _native.terms(every)
    bounds = zip(every, offsets.tolist(), offsets[1:].tolist(), strict=False)
    return {word: names[ids[at]] if end == at + 1 else word.casefold() for word, at, end in bounds}


@cache
def _table() -> tuple[Mapping[str, frozenset[str]], Mapping[str, frozenset[str]]]:
    """Key -> the keys that say the opposite; key -> those that say the same in some line."""
    lines = [[side.split() for side in line.split("|")] for line in _TABLE.strip().split("\n")]
    keys = keys_of(word for sides in lines for side in sides for word in side)
    other: dict[str, set[str]] = {}
    same: dict[str, set[str]] = {}
    for sides in lines:
        one, two = ({keys[word] for word in side} for side in sides)
        for side, turned in ((one, two), (two, one)):
            for key in side:
                other.setdefault(key, set()).update(turned)
                same.setdefault(key, set()).update(side)
    frozen = [{key: frozenset(found) for key, found in table.items()} for table in (other, same)]
    return frozen[0], frozen[1]


@lru_cache(4_096)
def opposites_of(key: str) -> frozenset[str]:
    """Return the keys that say the opposite of one, by the table and by rule; some are no words."""
    found = set(_table()[0].get(key, ()))
    for prefix, fewest in _PREFIXES.items():
        if len(key) >= fewest:
            found.add(prefix + key)
        if key.startswith(prefix) and len(key) >= len(prefix) + fewest:
            found.add(key[len(prefix) :])
    for one, two in (("ful", "less"), ("less", "ful")):
        if key.endswith(one):
            found.add(key.removesuffix(one) + two)
    return frozenset(found)


@lru_cache(4_096)
def same_as(key: str) -> frozenset[str]:
    """Return the keys that stand on the side of one in some line of the table, itself among them."""
    return _table()[1].get(key, frozenset()) | {key}
