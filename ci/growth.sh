#!/usr/bin/env bash
# No input makes anything slower than linear: the tests marked growth, which measure work at doubled sizes
# (tests/support/growth.py says how): kernels by instructions in a native program, calls from Python by CPU time.
# inputs: csrc python tests CMakeLists.txt
# tools: g++ valgrind
# minutes: 20
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=ci/shared.sh
source ci/shared.sh
with_tests
build_kernels growth -DCMAKE_CXX_COMPILER=g++ -DCMAKE_BUILD_TYPE=Release
g++ -std=c++20 -O2 -Wall -Wextra -Icsrc tests/growth/kernels.cpp "$build/libtersely_kernels.a" -pthread -o "$build/kernels"

rm -f "$build"/kernels.counts*
files=$(grep -rl 'mark\.growth' tests --include='test_*.py')
export TERSELY_COUNTS=$build/kernels.counts TERSELY_COUNTER=$build/kernels
# shellcheck disable=SC2086  # one argument a file
.venv/bin/pytest -p no:cacheprovider -n 2 --growth=python $files
# shellcheck disable=SC2086
.venv/bin/pytest -p no:cacheprovider -n 0 --growth=kernel $files
