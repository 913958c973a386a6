#!/usr/bin/env bash
# The report page in a real browser (Debian's chromium, driven by playwright).
# inputs: python/tersely/report tests/report tests/conftest.py tests/support
# tools: chromium
# minutes: 5
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=ci/shared.sh
source ci/shared.sh
with_tests
.venv/bin/pip install -q --upgrade --target build/browser playwright
PYTHONPATH=build/browser .venv/bin/pytest --slow -p no:cacheprovider tests/report/test_in_browser.py
