"""Where sentences end: rule by rule, in all scripts, at line breaks, in lists, quotes and code."""

from __future__ import annotations

import pytest
import tersely

#: Joined by a space, by nothing, by a line break.
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
    "Arabic": ["هل وصل القارب؟", "نعم وصل.", "لم يره أحد!"],
    "Urdu": ["یہ کشتی ہے۔", "وہ بندرگاہ ہے۔"],
    "Hindi": ["नाव आ गई।", "किसी ने नहीं देखा।"],
    "Sanskrit verse": ["नौः आगता॥", "कोऽपि न अपश्यत्॥"],
    "Armenian": ["Նավը եկավ։", "Ոչ ոք չտեսավ։"],
    "Amharic": ["ጀልባው መጣ።", "ማንም አላየም።"],
    "Burmese": ["လှေ ရောက်ပြီ။", "ဘယ်သူမှ မမြင်ဘူး။"],
    "Khmer": ["ទូកមកដល់ហើយ។", "គ្មាននរណាឃើញទេ។"],
    "Tibetan": ["གྲུ་འབྱོར་སོང་།", "སུས་ཀྱང་མ་མཐོང་།"],
    "Polish": [
        "Weź narzędzia, np. Młotek, i idź na ul. Długą.",
        "Sklep, biuro itd.",
        "Otwieramy o dziewiątej.",
    ],
    "Czech": ["Viz čl. 5 odst. 3, tzv. Zákon.", "Máme šrouby apod.", "Zítra je zavřeno."],
    "Slovak": ["Je to napr. Bratislava, t.j. hlavné mesto.", "Dosť."],
    "Greek abbreviations": ["Βλ. σελ. 12, π.χ. Αθήνα.", "Βίδες κ.λπ.", "Το μαγαζί ανοίγει."],
    "Russian": ["На ул. Ленина, т.е. Рядом, см. рис. 4.", "Гайки и т. д.", "Болты и др.", "Магазин открыт."],
    "Ukrainian": ["Він живе на вул. Шевченка, див. рис. 4.", "Болти та ін.", "Магазин відкрито."],
    "Italian": [
        "Il sig. Rossi e la dott.ssa Bianchi, cfr. pag. 12, sono qui.",
        "Viti ecc.",
        "Il negozio apre.",
    ],
    "Portuguese": ["Traga ferramentas, p.ex. Martelo.", "O eng. Silva veio."],
    "Dutch": ["Neem hamers, bijv. Grote, d.w.z. Zware.", "Moeren enz.", "De winkel is open."],
    "Swedish": ["Ta med verktyg, t.ex. Hammare, bl.a. Yxor.", "Muttrar m.fl.", "Butiken är öppen."],
    "Turkish": ["Doç. Dr. Ayşe geldi, bkz. Ek.", "Vida, somun vb.", "Dükkân açık."],
    "Vietnamese": ["GS. Nguyễn và TS. Lê sống ở TP. Huế.", "Ốc, vít, v.v.", "Cửa hàng mở cửa."],
    "Romanian": ["Dl. Ionescu stă pe str. Lungă, jud. Cluj.", "Piulițe ș.a.", "Magazinul e deschis."],
    "Hungarian": ["Hozz szerszámot, pl. Kalapácsot.", "Csavarok stb.", "Az üzlet nyitva van."],
    "letter behind a number": ["It takes 5 m.", "The rest is long."],
    "Korean": ["배가 도착했습니다.", "아무도 보지 못했습니다.", "정말입니까?"],
    "German ordinals": [
        "Der Brief kam am 3. Juni und wir haben ihn gelesen.",
        "Die Antwort ging am 14. Juli mit der Post.",
    ],
    "German dates": ["Frist: 1. Januar 2027.", "Ausgabe 24. Dez. 2026."],
    "Danish ordinals": ["Mødet blev holdt den 3. Oktober og referatet er sendt.", "Det var det 2. Møde."],
    "Finnish ordinals": ["Kirja oli hyllyssä ja 2. Kerros oli kiinni.", "Ovet ovat auki."],
    "Turkish ordinals": ["Bu ev 3. Sokak için çok büyük.", "Kapı ve pencere açık."],
    "German number at the end": ["Der Zug kam auf Gleis 3.", "Das war zu spät und nicht gut."],
    "English number at the end": ["The bus that we took was the 14.", "June was the driver and she knew it."],
    "no capitals": ["i went home.", "then i slept.", "it was late."],
    "a small letter goes on": ["The file (approx. forty pages) arrived."],
    "numbered list": ["1. Boil the water", "2. Add the rice", "3. Wait ten minutes"],
    "list with brackets": ["1) Boil the water", "2) Add the rice", "3) Wait ten minutes"],
    "list with letters": ["a) boil the water", "b) add the rice", "c) wait ten minutes"],
    "list with bullets": ["• boil the water", "• add the rice", "• wait ten minutes"],
    "numbers out of order": ["1. Boil 4. eggs and 3. potatoes"],
}
TIGHT: dict[str, list[str]] = {
    "Japanese": ["船が着いた。", "誰も見なかった。", "本当か？", "本当だ！"],
    "Chinese": ["船到了。", "没有人看见。", "真的吗？", "真的！"],
    "half width stop": ["船が着いた｡", "誰も見ない｡"],
    "quote inside": ["他说：“船到了。”", "然后他走了。"],
    "corner brackets": ["「船が着いた。」", "彼は言った。"],
    "Hindi without a space": ["नाव आ गई।", "कोई नहीं था।"],
    "latin inside": ["私はv1.2を使う。", "Aさんは3.5を使う。"],
    "full width bracket": ["（船到了。）", "他走了。"],
    "title": ["我读了《你好。世界》这本书。", "很好。"],
    "numbers of full width": ["値は３．１４です。", "次の値は2．71。"],
    "items of full width": ["１．はじめに述べる．", "２．方法を示す．", "終わり．"],
    "version of full width": ["Ｖｅｒ．２．０を使う．", "次に進む．"],
    "number of full width at the end": ["結果は１０．", "次に示す．"],
}
LINES: dict[str, list[str]] = {
    "numbered items": ["1. Open the valve. Slowly.", "2. Read the gauge.", "10. Close the valve."],
    "an item of two lines": [
        "- Yachts moor on the west quay\n  next to the old crane.",
        "- Others moor elsewhere.",
    ],
    **{
        f"items with {mark}": [
            f"{mark} Take the eastern stairs.",
            f"{mark} Knock twice. Then wait.",
            f"{mark} Leave by the same way",
        ]
        for mark in "-*+•"
    },
}
WRAPPED = (
    "The warehouse on the north side of the river was built before the war and\n"
    "has stood empty for most of the years since then, because nobody wants to\n"
    "pay for the roof. Last winter a part of that roof fell into the yard where\n"
    "the children of the street used to play football on Sunday afternoons.\n"
)
WRAPPED_SENTENCES = [WRAPPED[: WRAPPED.index(" Last")], WRAPPED[WRAPPED.index("Last") : -1]]


def sentences(text: str) -> list[str]:
    return [text[start:end] for _, start, end, _ in tersely.segment(text)]


@pytest.mark.parametrize(("joined", "cases"), [(" ", CASES), ("", TIGHT), ("\n", LINES)])
def test_sentences(joined: str, cases: dict[str, list[str]]) -> None:
    for name, expected in cases.items():
        assert sentences(joined.join(expected)) == expected, name


PDF = (  # lines of many widths, some of which begin with a capital or a number
    "This Agreement is made by and between\nAcme Corporation, a firm of Delaware,\n"
    "and Globex. The parties agree that\nthe Supplier shall deliver the goods to\n"
    "London within 30 days of the order, and\nthat the Buyer shall pay within\n60 days of the invoice.\n"
)


@pytest.mark.parametrize("gap", [" ", "  ", "   "])
def test_a_line_break_of_wrapped_text_ends_no_sentence(gap: str) -> None:
    text = PDF.replace("\n", f"\n{gap[1:]}")
    cut = text.index(" The parties")
    assert sentences(text) == [text[:cut], text[cut:].strip()]


@pytest.mark.parametrize("behind", ["more than the budget", "Python code", "3 units more"])
def test_an_item_goes_on_behind_its_line_break(behind: str) -> None:
    items = ["- Files are written at once.\n- Rows are read at once.\n- Keys are sorted.\n"] * 2
    item = f"- Only here may\n  {behind} come back. An error does the same.\n"
    (found,) = [piece for piece in sentences(item.join(items)) if "Only here" in piece]
    assert behind in found


@pytest.mark.parametrize("line", ["}", "9.", "i", "12", ");"])
def test_a_line_that_says_nothing_is_no_sentence(line: str) -> None:
    for text in (f"The tide went out.\n{line}\nThe boats lay on their sides.", f"The tide went out.\n{line}"):
        assert line not in sentences(text)


def test_a_long_item_is_cut_into_sentences() -> None:
    first = "- " + "The first sentence of this item is long enough to matter. " * 8
    assert len(sentences(first + "The last one is short.")) == 9


def test_quoted_lines_are_cut_like_prose() -> None:
    text = "> The quay is dry.\n> Do not moor there."
    pieces = sentences(text)
    assert [piece.strip("> \n") for piece in pieces] == ["The quay is dry.", "Do not moor there."]


MARKS = [".", "!", "?", "…", "...", "?!", "‼", "⁇", "؟", "۔", "։", "።", "။", "។", "།"]
SHORT = ["Rain on the slates", "Wind in the wires", "Nobody at the door"]
QUIET = "It is quiet now."
THAI = ["เรือลำใหญ่ออกจากท่าตั้งแต่เช้ามืดก่อนที่ฝนจะตก", "ไม่มีใครเห็นมันกลับมาอีกเลยจนกระทั่งวันต่อมา"]
#: A text, and its sentences.
CUT: list[tuple[str, list[str]]] = [
    ("The lamp was red.The door was blue.", ["The lamp was red.", "The door was blue."]),
    *((f"Salt is white.{space}Rust is red.", ["Salt is white.", "Rust is red."])
      for space in ("  ", "\t", "\u00a0", "\u2003", " \n ")),
    *((f"The rope was wet{mark} The knot held{mark}", [f"The rope was wet{mark}", f"The knot held{mark}"])
      for mark in MARKS),
    (WRAPPED, WRAPPED_SENTENCES),
    (WRAPPED.replace("\n", "\r\n"), [one.replace("\n", "\r\n") for one in WRAPPED_SENTENCES]),
    (f"{WRAPPED}{QUIET}\n{WRAPPED}", [*WRAPPED_SENTENCES, QUIET, *WRAPPED_SENTENCES]),  # it ends early
    *((newline.join(SHORT), SHORT) for newline in ("\n", "\r\n", "\r")),  # short lines are meant
    *((f"no mark at the end{newline}{blank}{newline}nor here", ["no mark at the end", "nor here"])
      for newline in ("\n", "\r\n") for blank in ("", " ", "\t", "\u3000", "\u00a0 ")),
    ("The rope broke.\r\nThe boat drifted off.\r\n", ["The rope broke.", "The boat drifted off."]),
    ("    a = f(1). g\n    b = 2", ["a = f(1). g", "b = 2"]),
    (" ".join(THAI), THAI),  # ends at a space after about forty characters
    ("เรือออก ฝนตก คนกลับ", ["เรือออก ฝนตก คนกลับ"]),  # not after few
    ("The boat came. 船到了。نعم وصل. Нет!", ["The boat came.", "船到了。", "نعم وصل.", "Нет!"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), CUT)
def test_where_texts_are_cut(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected
