"""Divide notes into clauses, and find the files, lines and functions that they name.

The words are English and stand in the lists of this file; a text in another language has clauses of the role
OTHER only. Every pattern is tried on one clause at a time, of at most 600 characters, and repeats nothing
that can be repeated in two ways: time grows with the length of the text, whatever stands in it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from itertools import pairwise
from operator import attrgetter
from pathlib import Path

import numpy as np

from tersely.content.lines import Mark, read_lines
from tersely.engine.facts import list_facts
from tersely.engine.reading import segment as cut_up
from tersely.types import Fact, FactKind, Kind, SegmentTable

_LONGEST = 600  # characters of a clause; longer ones are data
_MOST_LINES = 2**31 - 1  # every clause is looked at
_PASTED = (Kind.FENCED_CODE, Kind.CODE, Kind.LOG_LINE)


class Role(StrEnum):
    """The role of a clause: done, current, next, wrong, decided."""

    DECISION = "decision"
    REJECTED = "rejected"  # what was not chosen
    NEXT = "next"  # what is to be done, or not done yet
    ACTIVE = "active"
    DONE = "done"
    ERROR = "error"
    ADJUNCT = "adjunct"  # when, why or if: of the clause behind it ("To fix this, ...")
    OTHER = "other"


@dataclass(frozen=True)
class Clause:
    """A piece of a sentence that says one thing.

    Attributes:
        role: what it says.
        text: `source[start:end]`, without the label in front of it ("Next:").
        start: where it begins, in characters of the source.
        sentence: the number of the sentence it lies in.
        label: what stands in front of it before a colon, in small letters; "" for nothing.
        is_pasted: whether it is of a log, code or a diff, which nobody wrote about their work.
    """

    role: Role
    text: str
    start: int
    sentence: int = 0
    label: str = ""
    is_pasted: bool = False

    @property
    def end(self) -> int:
        """Where it ends, in characters of the source."""
        return self.start + len(self.text)

    @cached_property
    def core(self) -> tuple[int, int]:
        """(start, end) in the source, without the words it opens with ("I'm currently") and its full stop."""
        begin = 0
        while (match := _OPENING.match(self.text, begin)) and match.end() < len(self.text):
            begin = match.end()
        rest = self.text[begin:]
        rest = rest if rest.endswith("...") else rest.rstrip(" .;,:!…")
        return self.start + begin, self.start + begin + len(rest)

    @cached_property
    def message(self) -> str:
        """The text of its core."""
        begin, end = self.core
        return self.text[begin - self.start : end - self.start]


def read_words(section: str) -> list[str]:
    """Read the lines of a section of words.txt."""
    text = Path(__file__).with_name("words.txt").read_text(encoding="utf-8")
    return text.partition(f"\n[{section}:")[2].partition("]\n")[2].partition("\n\n")[0].splitlines()


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


# What stands in quotation marks or backticks, or from a mark to the end.
_QUOTED = re.compile(
    r"(?<!\w)'([^'\n]{2,200})'(?!\w)|\"((?:[^\"\\\n]|\\.){2,200})\"|`([^`\n]{2,200})`|[“‘]([^”’\n]{2,200})[”’]"
    r"|(?<!\w)['\"“]([^'\"“”\n]{4,200})$"
)
_I = r"\b(?:i|we)"
_HAVE = r"(?:['’]ve| have|['’]d| had)?"
_AM = r"(?:i['’]m|i am|we['’]re|we are|i['’]ve been|i have been|we['’]ve been|we have been|been)"
_WORKING = (
    r"(?!going (?:for|to|with)\b)"
    r"(?:adapt|add|build|chang|continu|convert|creat|deal|debugg|document|edit|fix|go|handl|implement"
    r"|investigat|look|merg|migrat|mov|pok|port|read|refactor|remov|review|rewrit|runn|splitt|test|trac|try"
    r"|updat|work|writ)ing"
)
_FINISHED = (
    r"(?:added|bumped|closed|committed|completed|confirmed|converted|corrected|deleted|done|dropped"
    r"|extracted|finished|fixed|implemented|installed|introduced|merged|migrated|moved|patched|ported|pushed"
    r"|refactored|removed|renamed|repaired|replaced|resolved|reverted|rewritten|rewrote|solved|updated"
    r"|upgraded|verified|written|wrote)"
)
_PAST = (  # of "I ...": verbs in -ed that say that something was done, and irregular ones
    r"(?:(?!(?:agre|assum|decid|expect|hop|intend|lik|need|notic|opt|paus|pick|plann|settl|start|stopp"
    r"|suppos|us|want|wonder)ed\b|(?:exceed|feed|need|proceed|speed|succeed)\b)\w{2,30}ed|broke|brought"
    r"|built|cut|found|gave|got rid|made|put|ran|rebuilt|set|split|taught|threw|took)"
)
_TASKS = (  # of orders, and of what is to be done once something else is
    r"(?:add|bump|change|check|clean|close|compare|convert|delete|deploy|document|drop|enable|finish|fix"
    r"|handle|implement|make|merge|migrate|move|port|publish|put|redo|release|remove|rename|replace|rerun"
    r"|restore|revert|rewrite|run|ship|split|switch|tag|test|try|turn|update|upgrade|wire|write)"
)
_RESULTS = (
    r"(?:accepts|builds|checks|closes|compiles|handles|keeps|logs|parses|passes|prints|raises|reads|rejects"
    r"|retries|returns|runs|sends|shows|skips|supports|takes|uses|validates|waits|works|writes)"
)

#: Words of a decision, before what was decided; some stand behind it, too ("B was chosen").
DECIDES = (
    r"(?:agreed|choosing|(?<!the )chosen|chose|decided|decision|(?:going|go|went) (?:for|with)"
    r"|made up (?:my|our) minds?|(?:my|our|the) choice|opt(?:ed|ing) for|pick(?:ed|ing)(?! up)|plan of record"
    r"|settl(?:ed|ing) (?:for|on)|stick(?:ing)? (?:to|with))"
)
#: What fails, says of itself that it does: with no message, these words are one.
FAILS = _any(
    r"(?<!no longer )(?<!not )(?<!never )(?<!n't )(?<!n’t )\b(?:abort(?:s|ed)|blew up|blows up|crash(?:es|ed)"
    r"|deadlock(?:s|ed)|die[sd]|diverges|exit(?:s|ed) (?:with )?(?:code |status )?[1-9]"
    r"|exit (?:code|status) [1-9]"
    r"|fail(?:s|ed|ing)|freezes|froze|hang(?:s|ing)|hung|leaks|panics|panicked|(?:ran|runs) out of|refuses to"
    r"|segfault(?:s|ed)|still (?:complains|gives|prints|reports|says|shows|throws)|times out|timed out)\b"
)
# Words that show what a clause says. Those that come first in a clause decide; of two in one place, the role
# that stands first here.
_CUES: dict[Role, re.Pattern[str]] = {
    Role.DECISION: _any(
        rf"(?:{_I}(?:['’][a-z]{{1,2}}| am| are| have| will)? (?:just |now |\w{{1,30}}ly )?)?\b{DECIDES}\b",
        r"^let(?:['’]s| us) (?:choose|keep|pick|stick|use)\b",
        r"^(?!.{0,40}\b(?:as|how|that|what|where) it is)[^,;:]{2,40} it is[.!]?$",
    ),
    Role.REJECTED: _any(
        r"^(?:the )?(?:other |alternative|rejected|instead of)",
        r"\balternatives?\b",
        r"\bruled out\b",
    ),
    Role.NEXT: _any(
        r"^(?:and |then |so )?(?:the )?next\b",
        r"\bnext (?:comes|i|is|item|point|step|task|thing|up|we)\b",
        r"\b(?:about|going|has|have|hope|intend|left|needs|ought|plan|planning|remains|still|want|wants"
        r"|yet) to\b",
        r"(?<!that i )(?<!that we )\bneed to\b",
        r"^let(?:['’]s| me| us)\b",
        r"^(?:check|confirm|ensure|make sure|try|verify)\b",
        rf"^(?:and |so )?(?:after that |afterwards |then ){_TASKS}\b",
        r"^(?:after|as soon as|if|once|when) [^,]{1,80}"
        rf"(?:, (?:please )?{_TASKS}\b|(?:,[^,]{{1,60}})?\bcan\b)",
        r"\bnext[.!]?$",
        r"\b(?:best|better|crucial|essential|important|necessary|prudent|time) to\b",
        r"\bto[- ]?do\b",
        r"\bremain(?:s|ing)?\b",
        r"\b(?:what|all|that)(?:['’]s| is) (?:left|missing|open)\b",
        r"\b(?:are|is|still|yet) (?:missing|open|outstanding|pending|to come|unfinished|untouched)\b",
        r"^(?:outstanding|pending)\b",
        r"\bopen (?:end|issue|item|point|question|task)s?\b",
        r"(?:\b(?:had|has|have)(?: not|n['’]t)|\b(?:i|they|we|you)['’]ve not) \w",
        r"\bnot (?:\w{1,30} )?yet\b",
        r"\b(?:are|is)(?: not|n['’]t) (?:complete|covered|done|finished|handled|implemented|ready"
        r"|supported)\b",
        r"\b(?:i|one|someone|somebody|they|we|whoever|you)(?: [^ ,;]{1,30}){0,6} (?:must|shall"
        r"|should)\b(?! have)",
        rf"\b(?:must|shall|should) be {_FINISHED}\b",
        _I + r"(?:['’]ll| will| can| would|['’]d like| would like)\b",
        r"\bwould be (?:better|good|great|nice|worth)\b",
        r"\b(?:my|our|the) (?:aim|goal|idea|plan)\b(?! of record)",
        r"\bneeds (?:a|an|another|more|some|the|\w{2,20}ing)\b",
    ),
    Role.ACTIVE: _any(
        r"\b(?:currently|presently|right now)\b",
        r"\bat (?:present|the moment)\b",
        r"^(?:(?:my|our|the) )?current (?:state|task|work)\b",
        r"^the task (?:involves|is)\b",
        r"\bin the (?:middle|midst|process) of\b",
        r"\b(?:half ?way|in progress|midway|under ?way)\b",
        r"\bbusy with\b",
        r"\bstuck\b",
        r"\bleft off\b",
        r"\bwhere (?:i am|we are)\b",
        r"\b(?:breakpoint|cursor) (?:is|sits|stands)\b",
        rf"\b(?:{_AM}|keep|kept) (?:\w{{1,30}} )?{_WORKING}\b",
        rf"\b{_AM} (?!going\b|getting\b|meaning\b|planning\b|seeing\b)\w{{2,30}}ing\b",
        r"\b(?:i['’]m|i am|we['’]re|we are|now) (?:currently |now |still )?(?:at|in|inside|on|within)\b",
        _I + _HAVE + r" (?:just )?(?:begun|began|paused|reached|started|stopped)\b",
        rf"\b(?:are|is|now|still|was|were) (?:last )?(?:seen )?{_WORKING}\b",
        # not a subject: "Running the suite gave me this"
        rf"^(?:now |still )?{_WORKING}\b(?![^,:;]{{1,80}} (?:did|failed|fails|gave|gives|helped|is|made|makes"
        rf"|showed"
        r"|shows|solved|took|was|were|worked)\b)",
    ),
    Role.DONE: _any(
        rf"\b{_FINISHED}\b",
        r"\bthe fix (?:is|was)\b",
        rf"(?<!that )(?<!what )(?<!which ){_I}{_HAVE} (?:also |already |both |just |now |then "
        rf"|\w{{1,30}}ly )?{_PAST}\b",
        r"\b(?:had|has|have) been \w{2,30}(?:ade|ed|en|ilt|ut)\b",
        r"\b(?:are|is|was|were) (?:all |already |now )?(?:complete|green|in place|over|ready|through)\b",
        r"\bworks? (?:\w{1,30} )?(?:again|fine|for|now)\b",
        rf"\bnow {_RESULTS}\b",
        r"\b(?:go|goes|went|passes|pass) through\b",
        r"\bso far\b",
        r"\bgot .{1,60} (?:to (?:build|compile|pass|run|work)|(?:build|go|mov|pass|runn|work)ing|green)\b",
        r"\bgot rid of\b",
        r"\b(?:managed|(?:am|are|was|were) (?:finally )?able) to\b",
        r"\b(?:are|is|was|were) (?:all |now )?(?:gone|solved|sorted)\b",
        r"\b(?:are|is|was|were) (?:fine|happy|ok|okay|stable) (?:again|now)\b",
        r"\b(?:goes|went) away\b",
        r"\bno longer \w",
        r"\bwent (?:down |up )?from\b",
        r"\b(?:is|are) down to\b",
    ),
    Role.ERROR: _any(  # beside the words that programs have for it (`_with_errors`)
        FAILS.pattern,
        r"\b(?:break|complain|refuse|reject|stop|throw)s\b",
        r"\b(?:broke|complained|threw)\b",
        r"\b(?:fehler(?:meldung)?|fehlgeschlagen|scheitert)\b",
    ),
}
# An error that is told, rather than spoken about.
_TELLS_ERROR = _any(
    r"\b(?:encountered|error message|following|getting|got|hit|last|latest|raised|saw|threw"
    r"|throws?)\b.{0,60}?\b(?:error|exception|failure)",
    r"\berror (?:message )?(?:is|was)\b.{0,3}['\"`‘“]",
    r"^(?:the )?(?:last )?error\b ?[:=]",
    r"^(?:letzter? )?fehler(?:meldung)?\b ?[:=]?",
    r"\b\w{1,60}(?:Error|Exception)\b ?:",
    r"\b(?:aborts?|complain(?:s|ed)|crash(?:es|ed)|die[sd]|exit(?:s|ed)|fail(?:s|ed)|panick?(?:s|ed)|reject(?:s"
    r"|ed)?|stop(?:s|ped)|(?:build|compiler|console|it|linker|log|logs|terminal|test) (?:says"
    r"|shows?))\b[^'\"`‘“]{0,80}['\"`‘“]",
)
_TELLS_STATUS = _any(  # "answers 502", "returns HTTP 429", "responds with a 503"; not "returns 500 rows"
    r"\b(?:answer|fail|get|give|respond|return|send|serve|throw)(?:s|ed|ing)\b(?: (?:back|with|an?|the|http"
    r"|status|code)){0,4} [45]\d\d\b(?!,?\d|[.:]\d| (?!as\b|this\b)\w{1,20}s\b)",
    r"\b(?:got|replied|replies) (?:with )?(?:an? )?(?:http |status )?[45]\d\d\b(?!,?\d|[.:]\d| \w{1,20}s\b)",
)
# What programs say when something is wrong: of a quotation, or of words behind a colon.
_WRONG = _any(
    r"\b(?:(?:can|could|do|does|did|is|was|may|must)(?:not| not|n['’]t)|unable to|not (?:a|an|allowed"
    r"|callable|defined|enough|found|implemented|iterable|permitted|supported|valid)"
    r"|no (?:matching|module|space|such)|nan|out of (?:bounds|memory|range)|timed? ?out"
    r"|too (?:few|large|long|many)|broken pipe|reset by peer"
    r"|expected\b.{1,80}\b(?:but|found|got|received|was)|(?:got|received)\b.{1,80}\b(?:expected|want(?:ed)?))\b",
    r"\b(?:abort(?:ed)?|conflict|crash(?:ed)?|deadlock|denied|duplicate|errors?|exceed(?:ed|s)|exception|fail(?:ed|s"
    r"|ure)?|fatal|forbidden|illegal|invalid|mismatch|missing|overflow|panic|problem|refused|traceback"
    r"|unauthorized|undeclared|undefined|unexpected|unknown|unrecognized|unreachable|unresolved|unsupported"
    r"|violat(?:es|ion))\b",
    r"\w(?:Error|Exception)\b",
    r"\b(?:fehl\w{1,20}|nicht|ungültig\w{0,2}|unbekannt\w{0,2})\b",
)
_FAILURE = _any(
    _CUES[Role.ERROR].pattern,
    r"\b(?:errors?|exceptions?|fail(?:ing|ures?)?|traceback)\b",
    r"\w(?:Error|Exception)\b",
)
_SAYS = re.compile(r"\b\w{2,20}: (?=\S)")
_OPINION = _any(r"^(?:(?:i|we) (?:assume|believe|guess|suppose|suspect|think)|my guess)\b")
# What stands before a colon, and what the words behind it say; None: that is for these words to show.
_LABELS: tuple[tuple[Role | None, re.Pattern[str]], ...] = (
    (
        Role.NEXT,
        _any(
            r"\b(?:follow-?ups?|later|left|next|open|outstanding|pending|plan|remain(?:s|ing)|to[- ]?do"
            r"|tomorrow|upcoming)\b"
        ),
    ),
    (Role.NEXT, _any(r"^still to\b")),
    (
        Role.ERROR,
        _any(r"\b(?:bugs?|broken|errors?|exception|fail(?:s|ure)|problem)\b", r"\bdoes(?:n['’]t| not)\b"),
    ),
    (Role.DECISION, _any(r"\b(?:choice|chosen|decided|decisions?)\b")),
    (Role.DONE, _any(r"\b(?:changed|changes|completed?|done|finished|fixed|resolved|solved|works)\b")),
    (
        Role.ACTIVE,
        _any(
            r"\b(?:active|cursor|currently|doing|file|function|in progress|line|location|method|now"
            r"|position)\b"
        ),
    ),
    (Role.ACTIVE, _any(r"^current\b", r"\b(?:task|where i am|working on)\b")),
    (None, _any(r"\b(?:state|status|progress)\b")),
    (Role.OTHER, _any(r"^(?:aside|background|context|details?|fyi|history|notes?|remarks?|see also)\b")),
)
_LABEL = re.compile(
    r"[\s*•>#-]{0,8}(?:\d{1,3}[.)]\s)?[*_`]{0,3}(?P<label>[A-Za-z][\w '’/-]{0,40})[*_`]{0,3}:[*_`]{0,3}(?=\s"
    r"|$)"
)
_ITEM = re.compile(r"\s*(?:\d{1,3}[.)]|[-*•])\s{1,8}")
_LINE_END = re.compile(r"[ \t\r]{0,80}\n(?P<indent>[ \t]{0,80})(?=\S)")
_WRAPPED = 50  # characters of the narrowest text that programs wrap
_RAGGED = 0.85  # of the longest line of a wrapped text: the other ones have as much
_WHOLLY_QUOTED = re.compile(r"[\"“][^\"“”\n]{2,600}[\"”]\W{0,2}$")
_HEADING = re.compile(r"#{1,6}\s{1,4}(?P<label>[^\n]{1,60})")
_CUT = _any(
    # "..., now I ...", "... and I ...", "...; ...", "...: it ..."
    r"(?:[,;:]|\s[-–—])\s{1,4}(?:and\s|but\s|so\s)?(?=(?:i|i['’][a-z]{1,2}|let me|let us|let['’]s|need to"
    r"|next|now|still need|the next|then|we|we['’][a-z]{1,2})\s)",
    r"\sand\s(?=(?:i am|i have|i['’][a-z]{1,2}|now|we are|we have|we['’][a-z]{1,2})\s)",
    r";\s{1,4}",
    r":\s{1,4}(?=(?:it|there|they|this)\s)",
    # a full stop before a small letter, or behind a unit
    r"(?<=[a-z0-9_)\]'\"`]{2})(?<!\betc)(?<!\bincl)(?<!\bresp)(?<!\bvs)[.!?]\s{1,4}(?=[a-z])",
    r"(?<=\d [a-z])\.\s{1,4}(?=(?-i:[A-Z])[a-z])",
    r"\s{0,4}\|\s{1,4}",  # cells of a table
)
_ADJUNCT = _any(
    r"(?:after|although|as|because|before|given|if|in order to|now that|once|since|to|when|while|without)\b"
)
_CONTINUES = _any(r"(?:and )?(?:after that|afterwards|then)\b")
_OPENING = _any(
    r"(?:so(?! far)|and|but|then|well|okay|ok|also|however|therefore|thus|now"
    r"|next(?! (?:issue|item|one|point|problem|question|step|task|thing|up)\b)|currently|presently"
    r"|specifically|basically|actually|additionally|right now|at the moment|at present|as of now|for now"
    r"|after that|afterwards|finally|in the end|first|just|already|still|only)\b(?! comes)[,:]?\s+(?!of\b"
    r"|\s)",
    rf"{_AM}\s+",
    r"(?:i have|we have|(?:i|we)(?:['’](?:d|ll|ve))?)\s+",
    r"let(?:['’]s| me| us)\s+",
    r"(?:working on|work on)\s+",
    r"(?:about|going|has|have|hope|intend|like|need|needs|plan|planning|want|wants) to\s+",
    r"(?:can|must|should|will|would)\s+",
    r"(?:what|all)(?: still)?(?: remains|(?:['’]s| that['’]s| is| that is) (?:left|missing|open)) is\s+"
    r"(?:that |to )?",
    r"(?:still )?left to do\b[,:]?\s+",
    r"(?:the )?(?:last|next|open|remaining) (?:issue|item|one|point|problem|question|step|task"
    r"|thing)s?(?: (?:on|of) (?:my|the) list)? (?:are|is|will be|would be)\s+(?:that |to )?",
    r"(?:my|our|the) (?:aim|goal|idea|plan) is\s+(?:to )?",
    r"it would be (?:better|good|nice) to\s+",
    r"next (?:comes|step is|up is|up)\b:?\s+(?:to )?",
    r"(?:next step is|next up|current(?: task)?|done|fixed|todo|to do|status)\s?:\s+(?:to )?",
)
_FILLER = _any(
    r"\b(?:actually|as you know|basically|essentially|i think|in fact|kind of|more or less|needless to say"
    r"|obviously|of course|really|simply|so to say|sort of|to be honest)\b,?\s+"
)
_ALTERNATIVE = _any(r",?\s(?:instead of|rather than)(?:\s(?!because\b|since\b|as\b)[^\s,;()]{1,60}){1,12}")
_AROUND, _BEHIND = ' \t\r\n-*•>|"“', ' \t\r\n-*•>|"“”'


def read_clauses(text: str, *, notes: bool = True, pasted: Sequence[tuple[int, int]] = ()) -> list[Clause]:
    """Cut a text into clauses, in order: at lines that begin on purpose, and within sentences. O(characters).

    `notes`: whether somebody wrote it about their work; of anything else, and of what is `pasted` into it
    (start, end), only errors are told from the rest.
    """
    borders = [border for span in pasted for border in span]
    table = cut_up([text])
    starts, ends, kinds = table.start.tolist(), table.end.tolist(), table.kind.tolist()
    headings, blocks = table.heading.tolist(), table.block.tolist()
    found: list[Clause] = []
    above: tuple[Role | None, str] = (None, "")  # of the label over a list, or over the lines of a block
    labelled = -1  # that block
    for start, end, sentence in _lines(text, table):
        row, kind, block, heading = text[start:end], kinds[sentence], blocks[sentence], headings[sentence]
        if kind == Kind.HEADING:
            title = row.lstrip("# ")
            said = Role.OTHER if _under(row)[1] or not notes else _role(title)
            found.append(Clause(said, title, end - len(title), sentence))
            continue
        if not notes or kind in _PASTED or bisect_right(borders, start) % 2:
            pieces = _pieces(row)
            found += [Clause(Role.OTHER, piece, start + at, sentence, is_pasted=True) for at, piece in pieces]
            continue
        role, label, begin = _labelled(row)
        if label and not row[begin:].strip():
            above, labelled = (role, label), block  # alone in its line: it speaks for what is below
            continue
        if not label and (kind == Kind.LIST_ITEM or (above[1] and block == labelled)):
            role, label = above
            over = heading
            while not label and over >= 0:
                role, label = _under(text[starts[over] : ends[over]])
                over = headings[over]
            begin = match.end() if (match := _ITEM.match(row)) else begin
        elif kind != Kind.LIST_ITEM:
            above = (None, "")
        found += _clauses(row, begin, start, sentence, role, label)
    return _with_errors(found)


def _with_errors(clauses: list[Clause]) -> list[Clause]:
    """Let the clauses that say nothing of the work tell an error where programs would have written them."""
    silent = [at for at, clause in enumerate(clauses) if clause.role is Role.OTHER and not clause.label]
    lines = read_lines([" ".join(clauses[at].text.split()) for at in silent], None, _MOST_LINES)
    tells = lines.has(Mark.ERROR | Mark.FAILURE) & ~lines.has(Mark.NONE | Mark.PASSED)
    for row in np.unique(lines.table.document[tells]).tolist():
        clauses[silent[row]] = replace(clauses[silent[row]], role=Role.ERROR)
    return clauses


def _lines(text: str, table: SegmentTable) -> Iterator[tuple[int, int, int]]:
    """Yield (start, end, sentence) of the parts of sentences: each begins a line on purpose.

    The lines of a block that a program wrapped go on in the next one, and so do indented ones of an item;
    what opens like a clause of its own is one all the same. O(characters).
    """
    rows = zip(
        table.start.tolist(), table.end.tolist(), table.kind.tolist(), table.block.tolist(), strict=True
    )
    ends = dict(zip(table.block.tolist(), table.end.tolist(), strict=True))
    wrapped = (-1, False)
    for sentence, (start, end, kind, block) in enumerate(rows):
        if block != wrapped[0]:
            wrapped = (block, _is_wrapped(text[start : ends[block]].split("\n")))
        begin = start
        for match in _LINE_END.finditer(text, start, end):
            goes_on = wrapped[1] or (kind == Kind.LIST_ITEM and match["indent"])
            if not goes_on or _opens(text[match.end() : min(end, match.end() + _LONGEST)]):
                yield begin, match.start(), sentence
                begin = match.end()
        yield begin, end, sentence


def _is_wrapped(lines: Sequence[str]) -> bool:
    """Say whether each line but the last ends a sentence or is full: one more word would have made it about
    as long as the longest, or longer."""
    width = max(map(len, lines))
    return width >= _WRAPPED and all(
        len(line.rstrip()) + len(behind.split(None, 1)[0] if behind.strip() else "") >= _RAGGED * width
        or line.rstrip().endswith((".", "!", "?", ":"))
        for line, behind in pairwise(lines)
    )


def _opens(text: str) -> bool:
    """Say whether a text begins with a capital and a label, or with words that show what a clause says."""
    return text[:1].isupper() and bool(_labelled(text)[1] or any(cue.match(text) for cue in _CUES.values()))


def _clauses(row: str, begin: int, start: int, sentence: int, role: Role | None, label: str) -> list[Clause]:
    """Return the clauses of a sentence, in which a label may have said what they say."""
    found: list[Clause] = []
    for at, piece in _pieces(row[begin:]):
        said, own, behind = (None, "", 0) if label and not found else _labelled(piece)
        text = piece[behind:].lstrip()
        if own and text:
            role, label = said, own
        else:
            text = piece
        is_adjunct = row.startswith(",", begin + at + len(piece)) and _ADJUNCT.match(text)
        said = role or (Role.ADJUNCT if is_adjunct else _role(text))
        if said is Role.OTHER and found and _CONTINUES.match(text):
            said = found[-1].role
        found.append(Clause(said, text, start + begin + at + len(piece) - len(text), sentence, label))
    return found


def _pieces(sentence: str) -> list[tuple[int, str]]:
    """Return (start, text) of the pieces of a sentence, without marks of lists and quotation around them."""
    found: list[tuple[int, str]] = []
    at = 1 if _WHOLLY_QUOTED.match(sentence) else 0
    for cut in [*_CUT.finditer(sentence), None]:
        piece = sentence[at : cut.start() if cut else len(sentence)]
        if cut and len(piece) < _LONGEST and (piece.count("`") % 2 or piece.count('"') % 2):
            continue  # within code or a quotation
        lead = len(piece) - len(piece.lstrip(_AROUND))
        if piece := piece.strip(_BEHIND):
            found.append((at + lead, piece))
        at = cut.end() if cut else at
    return found


def _labelled(row: str) -> tuple[Role | None, str, int]:
    """Return (what the label says, the label, where the words behind it begin); (None, "", 0) without one."""
    match = _LABEL.match(row)
    if match is None:
        return None, "", 0
    label = match["label"].lower().strip()
    if len(label.split()) > (4 if label.startswith(("still", "what", "where")) else 2):
        return None, "", 0  # a clause, rather
    for role, cue in _LABELS:
        if cue.search(label):
            return role, label, match.end()
    return None, "", 0


def _under(heading: str) -> tuple[Role | None, str]:
    """Return what a heading says of the items below it; of the state that it announces, they say more."""
    match = _HEADING.match(heading)
    role, label, _ = _labelled(f"{match['label'].rstrip(' #:')}:") if match else (None, "", 0)
    return (None, "") if role in (Role.ACTIVE, Role.OTHER) else (role, label)


def quotations(text: str) -> list[tuple[int, str]]:
    """Return (start, words) of each quotation, its marks left out; `start` is that of its first mark."""
    return [(match.start(), next(filter(None, match.groups()))) for match in _QUOTED.finditer(text)]


def said_wrong(text: str) -> str | None:
    """Return the longest quotation that sounds like a message of failure, else such words behind a colon;
    None where there are neither."""
    wrong = []
    for match in _QUOTED.finditer(text):
        quote: str = next(filter(None, match.groups()))
        if " " in quote.strip() and _WRONG.search(quote):
            wrong.append(quote)
    if wrong:
        return max(wrong, key=len)
    behind = _SAYS.search(text)
    if behind and _FAILURE.search(text, 0, behind.end()) and _WRONG.search(text, behind.end()):
        return text[behind.end() :].rstrip(" .")
    return None


def _role(clause: str) -> Role:
    if len(clause) > _LONGEST:
        return Role.OTHER
    whole = " ".join(clause.split())
    plain = _QUOTED.sub('""', whole)  # what others say tells nothing of the work
    if (_TELLS_ERROR.search(whole) or said_wrong(whole)) and not _CUES[Role.NEXT].search(plain):
        return Role.ERROR
    first = {role: match.start() for role, cue in _CUES.items() if (match := cue.search(plain))}
    if not first and _TELLS_STATUS.search(plain):
        return Role.ERROR
    if _OPINION.match(plain):
        first.pop(Role.DONE, None)
    named = first.pop(Role.ERROR, None)  # most often, an error is only named
    return min(first, key=first.__getitem__, default=Role.OTHER if named is None else Role.ERROR)


def without_filler(text: str) -> str:
    """Return the text without words that say nothing ("basically"), its white space as single spaces."""
    return " ".join(_FILLER.sub("", text).split())


def without_alternative(text: str) -> str:
    """Return a decision without what was not chosen ("rather than ...")."""
    return _ALTERNATIVE.sub("", text)


def capitalized(text: str) -> str:
    """Return the text with a capital first letter, unless its first word is code or a path."""
    first = text.split(" ", 1)[0]
    plain = first.replace("-", "").rstrip(".,:;!?…")
    return text[:1].upper() + text[1:] if plain.isalpha() else text


@dataclass(frozen=True, slots=True)
class Place:
    """A file, or a line of it, or both."""

    path: str | None
    line: int | None

    def __str__(self) -> str:
        line = f"line {self.line}" if self.path is None else f":{self.line}"
        return (self.path or "") + (line if self.line is not None else "")


@dataclass(frozen=True, slots=True)
class Mention:
    """A path, a line or a function, where the text names it.

    Attributes:
        start, end: in characters of the text.
        name: of the file, or the function (without "()"); "" for a line alone.
        line: the number behind a path ("a.py:12"), or of a line alone; None for neither.
    """

    start: int
    end: int
    name: str = ""
    line: int | None = None


_LINE_BEHIND = re.compile(r"(?::|\(|\"?,? lines? )\[?(\d{1,9})(?=\D|$)")


def find_paths(text: str, facts: Sequence[Fact] | None = None) -> list[Mention]:
    """Find the files that a text names, in source order, each with the line behind it.

    `facts`: `list_facts([text])`, where that is known. O(characters).
    """
    found = []
    for fact in list_facts([text]) if facts is None else facts:
        if fact.kind is FactKind.PATH:
            found.append(Mention(fact.start, fact.end, fact.text))
        elif fact.kind is FactKind.PATH_LINE:
            behind = _LINE_BEHIND.search(fact.text, 1)
            name = fact.text[: behind.start()] if behind else fact.text
            found.append(Mention(fact.start, fact.end, name, int(behind[1]) if behind else None))
    return found


start_of = attrgetter("start")  # sort key of mentions, facts and clauses


#: Words for the line of a file, in some languages.
LINE_WORDS = (
    r"lines?|ln|zeilen?|lignes?|l[ií]neas?|rig(?:a|he)|linhas?|regels?|linjer?|wiersz\w{0,3}|строк[аеиу]"
)
#: A line of a file, as texts name it; the number is its last group.
LINE_NUMBER = re.compile(
    rf"\b(?:{LINE_WORDS})[ \t]{{0,3}}[:#]?\s{{0,3}}(\d{{1,3}}(?:,\d{{3}}){{1,2}}|\d{{1,9}})(?![\w]|[.,]\d)"
    r"|(?<![\w.:-])L(\d{1,9})\b",
    re.IGNORECASE,
)
_NAME = r"[A-Za-z_$][\w$]{0,99}(?:(?:\.|::)~?[A-Za-z_$][\w$]{0,99}){0,5}"
_WHOLE_NAME = re.compile(_NAME)
_CALLED = re.compile(
    rf"\b(?P<name>[A-Za-z_$][\w$.]{{0,99}}(?:::[\w$.]{{1,99}}){{0,5}})\(\)"
    rf"|\bline \d{{1,9}}, in (?P<frame>{_NAME})"
)
_BEHIND_NAMES = re.compile(  # "the function parse", "fn parse", "the helper I use is called parse"
    r"\b(?:constructor|def|fn|fonction|func|funci[oó]n|fun|function|funktion|handler|helper|hook|macro|method"
    r"|methode|m[eé]thode|m[eé]todo|procedure|proc|routine|sub|test)(?: name)?:?"
    r"(?:(?:\s(?:here|in question|now|(?:that )?(?:i|we)(?:['’][a-z]{1,2}| am| are| have)? \w{1,20}))?"
    r"\s(?P<is>is|was))?"
    rf"\s{{1,3}}(?P<called>called\s|named\s)?(?P<quote>[`'\"]?)(?P<name>{_NAME})",
    re.IGNORECASE,
)
_BEFORE = re.compile(  # "the parse method", "parse_args method"
    rf"(?P<the>\bthe\s{{1,3}})?(?P<quote>`?)\b(?P<name>{_NAME})`?\s{{1,3}}"
    r"(?P<noun>function|handler|hook|macro|method|procedure|routine|test)\b"
)
_LIKE_CODE = re.compile(r"_|[a-z][A-Z]|[.:]\w|\d")
_NO_NAME = frozenset(" ".join(read_words("no functions")).split())  # words beside "function"
_ENDS_NAME = re.compile(
    r"[`'\")]{0,2}\s?(?:[.,;:(]|$|(?:around|at|from|in|inside|is|now|of|on|was|where|which|within)\b)"
)
_NEAR = 20  # characters between a function and its place, or a word for it
_INSIDE = re.compile(
    r"\b(?:(?:body|end|middle|start|top) of|inside|within)\s{1,3}(?:the\s)?[`'\"]?$", re.IGNORECASE
)
_BETWEEN = re.compile(
    r"[\s,:(`'\"]{1,3}(?:(?:at|from|in|inside|of|within)\s)?(?:file\s|line\s|ln\s|the\s){0,2}[(`'\"]{0,2}"
)


def find_functions(text: str, facts: Sequence[Fact], places: Sequence[Mention]) -> list[Mention]:
    """Find the functions that a text names: as calls, behind "inside", beside a word for them or a place."""
    called = [_named(match) for match in _CALLED.finditer(text)]
    found = [one for one in called if not one.name.isupper()]  # "DONE()" is a macro
    for match in [*_BEHIND_NAMES.finditer(text), *_BEFORE.finditer(text)]:
        one = _named(match)
        if match.re is _BEFORE:
            told = match["the"] and match["noun"] in ("function", "method", "procedure", "routine")
        else:
            told = not match["is"] or (match["called"] and not one.name.endswith("ly"))
            told = told and _ENDS_NAME.match(text, match.end())
        is_code = match["quote"] or _LIKE_CODE.search(match["name"])
        if is_code or (told and one.name.lower() not in _NO_NAME):
            found.append(one)
    starts = [place.start for place in places]
    for fact in facts:
        if fact.kind is not FactKind.IDENTIFIER or fact.text.isupper():
            continue
        if not (_WHOLE_NAME.fullmatch(fact.text) and _LIKE_CODE.search(fact.text)):
            continue
        index = bisect_left(starts, fact.start)
        before = text[places[index - 1].end : fact.start] if index else "-"
        behind = text[fact.end : starts[index]] if index < len(starts) else "-"
        inside = _INSIDE.search(text, max(fact.start - _NEAR, 0), fact.start)
        if inside or any(len(gap) <= _NEAR and _BETWEEN.fullmatch(gap) for gap in (before, behind)):
            found.append(Mention(fact.start, fact.end, fact.text))
    return sorted(found, key=start_of)


def _named(match: re.Match[str]) -> Mention:
    """Return the name that a match gives, and where it is."""
    group = "name" if match["name"] else "frame"
    start, name = match.start(group), match[group].strip(".")
    return Mention(start, start + len(name), name)
