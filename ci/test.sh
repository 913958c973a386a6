#!/usr/bin/env bash
# The README's test command, word for word (tests/codebase/test_readme.py compares them).
set -euo pipefail
cd "$(dirname "$0")/.."

python3 -m venv .venv && .venv/bin/pip install '.[test]' && .venv/bin/pytest
