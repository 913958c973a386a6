#!/usr/bin/env bash
# The whole suite again with the slow tests, in the environment that ci/test.sh made.
set -euo pipefail
cd "$(dirname "$0")/.."

.venv/bin/pytest --slow
