"""Rule by rule: where sentences end in European text. A case lists its sentences, joined by a space."""

from __future__ import annotations

import pytest
import tersely

CASES: dict[str, list[str]] = {
    "two plain ones": ["The tide went out.", "The boats lay on their sides."],
    "three marks": ["Who rang?", "It was late!", "Nobody answered."],
    "mixed run": ["You sold it?!", "Yes, all of it!!", "Why...?", "Debts."],
    "no final mark": ["The list ends here.", "Nothing follows it"],
    "one word": ["Yes.", "No.", "Perhaps."],
    # abbreviations
    "title": ["Dr. Okafor met Mrs. Lindqvist at noon.", "They spoke for an hour."],
    "two titles": ["Prof. Dr. Anand and Rev. Bell agreed.", "Gov. Marsh did not."],
    "e.g. and i.e.": ["Bring tools, e.g. a hammer.", "It is free, i.e. it costs nothing."],
    "e.g. before a capital": ["Some metals, e.g. Copper and Zinc, stay.", "Lead goes."],
    "vs.": ["It was copper vs. zinc in the end.", "Zinc won."],
    "before a number": ["See Fig. 4 and p. 12 for more.", "The rest is in vol. 3."],
    "No. before a number": ["He asked for No. 5 in blue.", "They had no. 6 in red."],
    "no. as a word": ["Was it safe?", "They said no.", "The bridge fell."],
    "Inc. inside": ["The firm is Brightwater Inc. and it sells pumps.", "It grows."],
    "Inc. at the end": ["She works at Brightwater Inc.", "The office is small."],
    "p.m. inside": ["We met at 5 p.m. on Monday.", "Nobody was late."],
    "a.m. at the end": ["The train left at 7 a.m.", "It arrived late."],
    "etc. inside": ["Nuts, bolts, etc. are in the drawer.", "Screws are not."],
    "etc. at the end": ["We sell nuts, bolts, etc.", "The shop opens at nine."],
    "month": ["The fair opens Sept. 14 and ends in Oct. of that year.", "It rains."],
    "et al.": ["Haddad et al. measured it twice.", "The result held."],
    "U.S. inside": ["The U.S. Navy bought the rope.", "The price was low."],
    "U.S. at the end": ["He moved to the U.S.", "She stayed behind."],
    "degree": ["She holds a Ph.D. in botany.", "He holds none."],
    "German": ["Das gilt z.B. für Kupfer und ggf. auch für Zinn.", "Blei ist anders."],
    "German title": ["Herr Dr. Vogt kam um 9 Uhr.", "Er blieb bis zum Abend."],
    "Spanish": ["La Sra. Ibáñez llegó tarde.", "Nadie dijo nada."],
    "Spanish marks": ["¿Quién llamó?", "¡Nadie!", "Era el viento."],
    "French": ["Mme. Roche habite ici.", "Il fait froid."],
    # words that are spelled like abbreviations
    "ago": ["That was ten years ago.", "Prices have risen since."],
    "sun": ["We lay in the sun.", "Nobody spoke."],
    "ill and sat": ["He was ill.", "Everybody sat.", "Rain fell on the roof."],
    "mass": ["They went to mass.", "Bells rang."],
    "tab": ["Open the next tab.", "Click on the button."],
    "fig": ["He ate a fig.", "Wasps came."],
    "min": ["It took ten min.", "The rest took longer."],
    "ex": ["She met her ex.", "Words were said."],
    # apostrophes
    "contraction": ["No, I can't.", "Ask her."],
    "curly contraction": ["They say they won’t.", "We shall see."],
    "possessive": ["The boat is Anna's.", "It leaks."],
    "plural possessive": ["The nets are the boys'.", "They mend them."],
    # initials
    "initials": ["J. R. Hartwell wrote it.", "A. Moreau edited it."],
    "initial inside": ["It was found by K. Adeyemi in May.", "Nobody believed her."],
    "pronoun": ["The plan suits you and I.", "Did they agree?"],
    # numbers
    "decimals": ["The ratio is 3.14 today.", "It was 2.71 before."],
    "leading point": ["It rose by .5 percent.", "Then it fell."],
    "number at the end": ["The year was 1987.", "Nobody noticed."],
    "number on its own": ["The work began.", "1987.", "Snow fell."],
    "small number at the end": ["The dog is only 3.", "Its owner is 80."],
    "money": ["It cost $4.50 in June.", "Now it costs $1,200.99."],
    "percent": ["Output fell 3.5%.", "Sales rose 12%."],
    "date and time": ["They met on 03.05.2021 at 10.30.", "It took an hour."],
    "version": ["Use version 2.10.3 or later.", "Version 1.9 is broken."],
    "version with a v": ["Install v1.2.3-rc.1 first.", "Then reboot."],
    "address": ["The host is 10.0.0.1 on that net.", "It is down."],
    # names with stops
    "link": ["See https://example.org/a.b?c=d!e for more.", "It is long."],
    "link at the end": ["Visit www.example.com.", "Then call us."],
    "mail": ["Write to jo.bloggs@example.co.uk today.", "We answer soon."],
    "file names": ["Open setup.py and README.md now.", "Then run make.sh."],
    "hidden file": ["The file .env holds the secrets.", "Keep it safe."],
    "library": ["We use Node.js and ASP.NET here.", "Both work."],
    "call": ["Call list.append(x) once.", "Then print it."],
    # ellipses
    "ellipsis inside": ["He waited... and waited.", "Nothing came."],
    "ellipsis at the end": ["She left...", "The room was silent."],
    "ellipsis sign": ["She left…", "The room was silent."],
    "ellipsis before I": ["Well... I am not sure.", "Perhaps tomorrow."],
    "spaced ellipsis": ["The road . . . was closed.", "We turned back."],
    "left out words": ["The law says [...] Nobody may fish here.", "It is old."],
    # quotes and brackets
    "quote then speaker": ['"Stop!" he shouted.', "Nobody stopped."],
    "quoted sentence": ['"It is over."', "He closed the book."],
    "curly quotes": ["“We won.”", "She laughed."],
    "single curly quotes": ["‘We lost.’", "He sighed."],
    "German quotes": ["„Es ist gut.“", "Er ging nach Hause."],
    "guillemets": ["«Nous partons.»", "Elle ferma la porte."],
    "bracketed sentence": ["(This is an aside.)", "This is not."],
    "bracket inside": ["They agreed (see section 4.2).", "Work began."],
    "guillemets with spaces": ["« Nous partons. »", "Elle ferma la porte."],
    "guillemets with fixed spaces": ["«\u00a0Il part.\u00a0»", "Elle reste."],
    "footnote": ["The claim holds.[12]", "Others differ.[3][4]", "We do not."],
    "emphasis": ["It is **very.**", "It was *small.*", "It stays."],
    "quote opens the next": ["He looked up.", '"Who is it?"', '"Me," she said.'],
    "bracket opens the next": ["He looked up.", "(Nobody was there.)", "He slept."],
    # other
    "emoticon": ["We won! :)", "The cup is ours."],
    "exclamation in a name": ["The Yahoo! brand is old.", "It remains."],
    "interpunct": ["Section 3.2.1 applies.", "Section 4 does not."],
    "semicolon and colon": ["One thing is sure: it rains; it pours.", "Bring a coat."],
    "Greek": ["Το πλοίο έφυγε.", "Κανείς δεν το είδε."],
    "Cyrillic": ["Корабль ушёл.", "Никто его не видел!"],
}


def sentences(text: str) -> list[str]:
    return [text[start:end] for _, start, end, _ in tersely.segment(text)]


@pytest.mark.parametrize("name", CASES)
def test_X78_sentences(name: str) -> None:
    assert sentences(" ".join(CASES[name])) == CASES[name]


def test_X78_a_missing_space_behind_a_stop() -> None:
    assert sentences("The lamp was red.The door was blue.") == ["The lamp was red.", "The door was blue."]


@pytest.mark.parametrize("space", ["  ", "\t", "\u00a0", "\u2003", " \n "])
def test_any_white_space_separates_sentences(space: str) -> None:
    assert sentences(f"Salt is white.{space}Rust is red.") == ["Salt is white.", "Rust is red."]


@pytest.mark.parametrize(
    "mark", [".", "!", "?", "…", "...", "?!", "‼", "⁇", "؟", "۔", "։", "።", "။", "។", "།"]
)
def test_every_mark_ends_a_sentence(mark: str) -> None:
    first, second = f"The rope was wet{mark}", f"The knot held{mark}"
    assert sentences(f"{first} {second}") == [first, second]
