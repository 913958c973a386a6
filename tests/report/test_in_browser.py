"""The page in a real browser: it opens fast, has no sideways scroll, and needs nothing but a keyboard.

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
from tersely.report import write_comparison, write_html

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
    browser: Any, incident: tuple[Path, tersely.Compressed], tmp_path: Path, width: int, scheme: str
) -> None:
    path, result = incident
    other = tersely.compress(result.documents[0], QUERY, budget=320)
    write_comparison(result, other, tmp_path / "two.html", QUERY)
    for one in (path, tmp_path / "two.html"):
        page, said = open_page(browser, one, width, scheme)
        for _ in range(3):
            page.keyboard.press("n")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert not said
        page.context.close()


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


def test_a_click_on_the_map_goes_there(browser: Any, incident: tuple[Path, tersely.Compressed]) -> None:
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


def test_a_tap_says_why(browser: Any, incident: tuple[Path, tersely.Compressed]) -> None:
    page, said = open_page(browser, incident[0], 390)
    page.locator("#column .d").first.click()
    assert value(page, "said").startswith("Dropped: no tokens left for it")
    page.locator("[data-s]").first.click()
    assert value(page, "said").startswith("Kept: ")
    page.locator("#close").click()
    assert page.locator("#why").is_hidden()
    assert not said
