"""Take the picture of the report page that the README shows, by Chromium without a window.

    python tools/make_report_picture.py docs/images/report.png     # apt-get install chromium

The page is of `examples/incident.md`, cut to 160 tokens for a question.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
from pathlib import Path

import tersely
from tersely.report import write_html

_SOURCE = Path(__file__).parents[1] / "examples" / "incident.md"
_QUERY = "Which pool signed with the old key, and why?"
_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_SIZE = (1280, 900)  # pixels


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("picture", type=Path, help="a PNG file")
    picture = parser.parse_args().picture.resolve()
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if browser is None:
        parser.error(f"needs one of {', '.join(_BROWSERS)}")
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "report.html")
        document = tersely.Document(_SOURCE.read_text(encoding="utf-8"), id=_SOURCE.name)
        write_html(tersely.compress(document, _QUERY, budget=160), page, _QUERY)
        take_picture(browser, page, picture)


def take_picture(browser: str, page: Path, picture: Path) -> None:
    """Draw a page into a PNG file, in its light colours. Raises CalledProcessError."""
    width, height = _SIZE
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    command += [
        f"--user-data-dir={page.parent}",
        f"--window-size={width},{height}",
        f"--screenshot={picture}",
    ]
    subprocess.run([*command, page.as_uri()], check=True, capture_output=True, timeout=120)


if __name__ == "__main__":
    main()
