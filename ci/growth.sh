#!/usr/bin/env bash
# No input makes anything slower than linear: the tests marked growth, which count instructions at doubled sizes
# (tests/support/growth.py says how), in two halves side by side and in the environment of ci/test.sh.
set -euo pipefail
cd "$(dirname "$0")/.."

build=build/growth
rm -rf "$build"
mkdir -p "$build"
count() { # NAME TESTS...
  TERSELY_COUNTS="$build/$1" timeout --signal=INT --kill-after=30 30m valgrind -q --tool=callgrind --dump-before=getppid \
    --dump-line=no --callgrind-out-file="$build/$1" \
    .venv/bin/python -m pytest --growth -o faulthandler_timeout=1200 -p no:cacheprovider -p no:xdist "${@:2}"
}
files=$(grep -rl 'mark\.growth' tests --include='test_*.py')  # reading the others under Valgrind would take long
first='^tests/\(content\|kernels\)/'
# shellcheck disable=SC2046  # one argument a file
count content $(grep "$first" <<<"$files") &
half=$!
trap 'kill "$half" 2>/dev/null || true' EXIT
# shellcheck disable=SC2046
count others $(grep -v "$first" <<<"$files")
wait "$half"
