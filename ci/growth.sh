#!/usr/bin/env bash
# No input makes anything slower than linear: the tests marked growth, which count instructions at doubled sizes
# (tests/support/growth.py says how). Kernels are counted in a native program, doors with their Python, in two processes.
# inputs: csrc python tests CMakeLists.txt
# tools: g++ valgrind
# minutes: 45
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=ci/shared.sh
source ci/shared.sh
with_tests
build_kernels growth -DCMAKE_CXX_COMPILER=g++ -DCMAKE_BUILD_TYPE=Release
g++ -std=c++20 -O2 -Wall -Wextra -Icsrc tests/growth/kernels.cpp "$build/libtersely_kernels.a" -pthread -o "$build/kernels"
g++ -O2 -Wall -Wextra -shared -fPIC tests/growth/count.cpp -o "$build/count.so"

rm -f "$build"/*.counts*
options=(-o faulthandler_timeout=1200 -p no:cacheprovider -p no:xdist)
# NAME TESTS...: with the interpreter under Valgrind, which counts from the first test on.
doors() {
  TERSELY_COUNTS="$build/$1.counts" TERSELY_COUNTER="$build/count.so" timeout --signal=INT --kill-after=30 43m \
    valgrind -q --tool=callgrind --instr-atstart=no --dump-line=no --callgrind-out-file="$build/$1.counts" \
    .venv/bin/python -m pytest --growth=python "${options[@]}" "${@:2}"
}
files=$(grep -rl 'mark\.growth' tests --include='test_*.py') # to import the others under Valgrind would take long
most=tests/engine/test_growth.py                             # half of what there is
# shellcheck disable=SC2086  # one argument a file
doors others ${files//$most/} &
others=$!
trap 'kill "$others" 2>/dev/null || true' EXIT
# shellcheck disable=SC2086
TERSELY_COUNTS=$build/kernels.counts TERSELY_COUNTER=$build/kernels .venv/bin/python -m pytest --growth=kernel "${options[@]}" $files
doors most "$most"
wait "$others"
