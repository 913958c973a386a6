#!/usr/bin/env bash
# The report page in a real browser (Debian's chromium, driven by playwright).
set -euo pipefail
cd "$(dirname "$0")/.."

python3 -m venv .venv-browser
.venv-browser/bin/pip install -q . pytest hypothesis playwright -C build-dir=build/wheel
.venv-browser/bin/pytest --slow -p no:cacheprovider tests/report/test_in_browser.py
