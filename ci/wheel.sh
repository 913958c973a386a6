#!/usr/bin/env bash
# One Release build, warnings being errors: the wheel that the other parts install.
# minutes: 15
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=ci/shared.sh
source ci/shared.sh
with_tests
python3 ci/check_wheel.py "$wheel"
printf '%s\n' "$(basename "$wheel")"
