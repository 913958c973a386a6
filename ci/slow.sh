#!/usr/bin/env bash
# The slow tests, on two processes, in the environment of ci/test.sh. A test that hangs is interrupted, so that pytest says which.
set -euo pipefail
cd "$(dirname "$0")/.."

timeout --signal=INT --kill-after=30 20m .venv/bin/pytest -n 2 --slow -m slow
