"""The page in a real browser: text stays text, the map is true, it opens fast and a keyboard is enough.

Skipped without Chromium and playwright: `apt-get install chromium`, `pip install playwright`.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tersely
from read_page import ATTACKS, forged
from tersely.report import write_html

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = [pytest.mark.slow, pytest.mark.skipif(BROWSER is None, reason="Chromium is not installed")]

INCIDENT = Path(__file__).parents[2] / "examples" / "incident.md"
QUERY = "Which pool signed with the old key, and why?"
WORDS = [
    f"{first}{last}"
    for first in ["b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t"]
    for last in ["an", "eil", "or", "ust", "ymp", "alt"]
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield browser
        browser.close()


def open_page(browser: Any, path: Path, width: int = 1400, scheme: str = "light") -> tuple[Any, list[str]]:
    """The page, and a list of what the browser complains about."""
    page = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme).new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda asked: said.append(asked.url) if asked.url != path.as_uri() else None)
    page.goto(path.as_uri())
    page.wait_for_function("document.getElementById('view').style.width !== ''")
    return page, said


TAGS = (
    "a abbr article b bdi body button dd details div dl dt h1 h2 h3 head header html i input kbd label li "
    "main mark meta nav noscript output p q rect script section span style summary svg table tbody td "
    "th thead title tr ul"
)
MARKUP = """() => [...document.querySelectorAll("*")].map(one =>
    [one.localName, Object.fromEntries([...one.attributes].map(given => [given.name, given.value]))])"""
TEXTS = """(look) => [...document.querySelectorAll(look)].map(one => {
    const copy = one.cloneNode(true);
    for (const said of copy.querySelectorAll(".x")) said.remove();
    return copy.textContent;
})"""


def check_safe(page: Any) -> None:
    """Nothing but the tags and attributes that the page's own script makes; links stay on the page."""
    markup = page.evaluate(MARKUP)
    assert {tag for tag, _ in markup} <= set(TAGS.split())
    for tag, given in markup:
        assert not [name for name in given if name.startswith("on") or name in ("src", "srcset")]
        assert "style" not in given or given.get("id", tag) in ("view", "pin", "html")  # by the script
    ids = [given["id"] for _, given in markup if "id" in given]
    assert len(ids) == len(set(ids))
    assert {given["href"] for _, given in markup if "href" in given} <= {f"#{name}" for name in ids}


def shown(text: str) -> str:
    """A text as the page shows it: control characters as their pictures."""
    return "".join(
        chr(0x2400 + ord(c)) if ord(c) < 32 and c not in "\t\n\r" else "\u2421" if c == "\x7f" else c
        for c in text
    )


def value(page: Any, name: str) -> str:
    return str(page.evaluate(f"(e => e.value ?? e.textContent)(document.getElementById('{name}'))"))


@pytest.fixture(scope="module")
def incident(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, tersely.Compressed]:
    document = tersely.Document(INCIDENT.read_text(encoding="utf-8"), id=INCIDENT.name)
    result = tersely.compress(document, QUERY, budget=160)
    path = tmp_path_factory.mktemp("page") / "page.html"
    write_html(result, path, QUERY)
    return path, result


def megabyte() -> str:
    chance = random.Random(7)
    paragraphs = []
    size = 0
    while size < 1_000_000:
        sentences = [" ".join(chance.choices(WORDS, k=chance.randint(6, 18))) for _ in range(5)]
        paragraphs.append("".join(f"{one.capitalize()} {chance.randint(1, 9999)}. " for one in sentences))
        size += len(paragraphs[-1]) + 2
    return "\n\n".join(paragraphs)


@pytest.mark.seconds
def test_a_megabyte_opens_with_its_map_within_a_second(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "large.html"
    write_html(tersely.compress(megabyte(), "ban keil gor", ratio=0.1), path, "ban keil gor")
    painted = []
    for _ in range(3):
        page, said = open_page(browser, path)
        paint = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
        painted.append(page.evaluate(paint))  # the map is above the texts, and so in the first paint
        box = page.locator("#map svg").bounding_box()
        assert box["width"] > 1000 and box["y"] + box["height"] < 844
        assert page.locator("#only").is_checked() and not said
        page.context.close()
    assert min(painted) < 1000, painted


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 390, 1400])
def test_no_sideways_scroll(
    browser: Any, incident: tuple[Path, tersely.Compressed], width: int, scheme: str
) -> None:
    page, said = open_page(browser, incident[0], width, scheme)
    for _ in range(3):
        page.keyboard.press("n")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert not said


def test_everything_is_done_with_a_keyboard(browser: Any, incident: tuple[Path, tersely.Compressed]) -> None:
    path, _ = incident
    page, said = open_page(browser, path)
    page.keyboard.press("n")
    page.keyboard.press("n")
    assert value(page, "where") == "2 of 3"
    assert value(page, "said").startswith("Kept: worth most for its tokens (")
    assert page.evaluate("document.activeElement.id") == "s1"
    page.keyboard.press("Enter")  # to the other column
    assert page.evaluate("document.activeElement.dataset.s") == "1"
    page.keyboard.press("p")
    assert value(page, "where") == "1 of 3"
    page.keyboard.press("d")
    assert value(page, "said").startswith("Dropped: ")
    page.keyboard.press("Escape")
    assert page.locator("#why").is_hidden()
    page.keyboard.press("o")
    assert page.locator("#only").is_checked()
    hidden = page.locator(".d > span").first
    assert hidden.is_hidden()
    page.keyboard.press("/")
    page.keyboard.type("COFFEE")
    assert value(page, "found") == "1, 0 kept"
    page.keyboard.press("Enter")
    assert page.locator(".d.open").inner_text().endswith("there will be coffee.")
    page.keyboard.press("Escape")
    page.locator("#map").focus()
    page.keyboard.press("End")
    assert value(page, "where") == "3 of 3"
    assert page.evaluate("document.activeElement.id") == "map"
    assert not said


def test_a_click_goes_there_and_a_tap_says_why(
    browser: Any, incident: tuple[Path, tersely.Compressed]
) -> None:
    path, result = incident
    page, said = open_page(browser, path, 390)
    box = page.locator("#map").bounding_box()
    kept = result.kept[-2]
    share = (kept.start + kept.end) / 2 / len(result.documents[0].text)
    page.mouse.click(box["x"] + share * box["width"], box["y"] + box["height"] / 2)
    lit = page.locator("#column .here")
    assert result.expand(kept).split()[0] in lit.inner_text()
    place = lit.bounding_box()
    assert 0 <= place["y"] < 844
    assert not said
    page, said = open_page(browser, incident[0], 390)
    page.locator("#column .d").first.click()
    assert value(page, "said").startswith("Dropped: no tokens left for it")
    page.locator("[data-s]").first.click()
    assert value(page, "said").startswith("Kept: ")
    page.locator("#close").click()
    assert page.locator("#why").is_hidden()
    assert not said


@pytest.mark.parametrize(
    "attack", [*ATTACKS, "one.\r\n\r\ntwo.\rthree.\n", "a\x85b\u2028c\x0bd\x00e \U0001f6a2"]
)
def test_nothing_that_a_caller_gives_becomes_markup(browser: Any, tmp_path: Path, attack: str) -> None:
    made = forged(attack)
    write_html(made, tmp_path / "page.html", f"ferry {attack}")
    page, said = open_page(browser, tmp_path / "page.html")
    check_safe(page)
    assert page.evaluate(TEXTS, ".text:not(.result)") == [shown(one.text) for one in made.documents]
    assert page.evaluate(TEXTS, ".result") == [shown(made.text)]
    assert not said
    page.context.close()


def naive(places: list[list[int]], total: int) -> list[int]:
    """How full each of 720 columns is in eighths, one character at a time; 1 for a trace."""
    covered = [0.0] * 720
    for character in (character for place in places for character in range(*place)):
        start, end = 720 * character / total, 720 * (character + 1) / total
        for column in range(int(start), min(int(end) + 1, 720)):
            covered[column] += max(min(end, column + 1) - max(start, column), 0.0)
    return [max(1, min(8, round(8 * share))) if share > 1e-7 else 0 for share in covered]


def test_a_column_of_the_map_is_as_high_as_it_is_full(
    browser: Any, incident: tuple[Path, tersely.Compressed]
) -> None:
    path, result = incident
    page, _ = open_page(browser, path)
    total = len(result.documents[0].text)
    chance = random.Random(3)
    for _ in range(40):
        cuts = sorted(chance.sample(range(total + 1), 2 * chance.randint(1, 30)))
        places = [list(pair) for pair in zip(cuts[::2], cuts[1::2], strict=True)]
        ours, theirs = page.evaluate("(places) => levels(places)", places), naive(places, total)
        differ = [abs(one - other) for one, other in zip(ours, theirs, strict=True) if one != other]
        assert max(differ, default=0) <= 1 and len(differ) <= len(cuts)  # halves round either way
    assert page.evaluate("levels([[5, 5.0001]])").count(1) == 1  # however little there is, it is seen
    drawn = page.locator("#map rect.in").evaluate_all(
        "all => all.map(one => [one.x.baseVal.value, one.width.baseVal.value])"
    )
    places = page.evaluate("data.map.places")
    expected = [(720 * start / total, 720 * (end - start) / total) for start, end in places]
    assert [x for x, _ in drawn] == pytest.approx([x for x, _ in expected], abs=0.01)
    assert [width for _, width in drawn] == pytest.approx([width for _, width in expected], abs=0.01)
    assert page.locator("#map rect.hit").count() > 3
    page.context.close()


def test_a_map_of_very_many_pieces_and_of_nothing(browser: Any, tmp_path: Path) -> None:
    text = " ".join(f"Boat {n} is {'late' if n % 2 else 'on time'}." for n in range(6000))
    result = tersely.compress([text, "Otters."], "late", ratio=0.3)
    assert len(result.kept) > 1000
    for number, made in enumerate((result, tersely.compress(["", " \n "], budget=4))):
        write_html(made, tmp_path / "page.html", "late")
        page, said = open_page(browser, tmp_path / "page.html")
        check_safe(page)
        assert page.locator("#map rect").count() < 3 * 720 and not said
        heights = page.locator("#map rect.in").evaluate_all("all => all.map(one => one.height.baseVal.value)")
        assert set(heights) <= {4 * n for n in range(1, 9)} and bool(heights) is not bool(number)
        page.context.close()
