#!/usr/bin/env bash
# The tests marked slow, and those that bound a time, on two processes. A test that hangs is interrupted, so that pytest says which.
# inputs: csrc python tests docs examples benchmarks README.md pyproject.toml CMakeLists.txt
# minutes: 26
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=ci/shared.sh
source ci/shared.sh
with_tests
timeout --signal=INT --kill-after=30 25m .venv/bin/pytest -n 2 --slow -m 'slow or seconds'
