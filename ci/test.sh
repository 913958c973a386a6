#!/usr/bin/env bash
# The README's test command, word for word (tests/codebase/test_readme.py compares them). What ci/wheel.sh compiled comes from the
# compiler's cache: it is asked for with the same flags and the same headers.
# minutes: 20
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=ci/shared.sh
source ci/shared.sh
if headers=$(.venv-tools/bin/python -m pybind11 --cmakedir 2>/dev/null); then
  export CMAKE_ARGS="-DTERSELY_WERROR=ON -Dpybind11_DIR=$headers"
fi
rm -f .venv/wheel

python3 -m venv .venv && .venv/bin/pip install '.[test]' && .venv/bin/pytest
