#!/usr/bin/env bash
# No input makes anything slower than linear: the tests marked growth, which count instructions at doubled sizes
# (tests/support/growth.py says how), those of all doors beside the others and in the environment of ci/test.sh.
# inputs: csrc python tests CMakeLists.txt
# tools: valgrind
# minutes: 31
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=ci/shared.sh
source ci/shared.sh
with_tests
build=build/growth
rm -rf "$build"
mkdir -p "$build"
count() { # NAME TESTS...
  TERSELY_COUNTS="$build/$1" timeout --signal=INT --kill-after=30 30m valgrind -q --tool=callgrind --dump-before=getppid \
    --dump-line=no --callgrind-out-file="$build/$1" \
    .venv/bin/python -m pytest --growth -o faulthandler_timeout=1200 -p no:cacheprovider -p no:xdist "${@:2}"
}
files=$(grep -rl 'mark\.growth' tests --include='test_*.py')  # reading the others under Valgrind would take long
doors=tests/engine/test_growth.py  # more than half of the tests
# shellcheck disable=SC2046  # one argument a file
count others $(grep -v "^$doors$" <<<"$files") &
others=$!
trap 'kill "$others" 2>/dev/null || true' EXIT
count doors "$doors"
wait "$others"
