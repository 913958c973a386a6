#!/usr/bin/env bash
# The tests of the kernels, of content types and of the engine over an extension built with AddressSanitizer and
# UndefinedBehaviorSanitizer: what the other tests call from outside, with other input than theirs.
# Python itself leaks at exit, so leaks are looked for by the fuzz targets (ci/fuzz.sh), which are C++ only.
# minutes: 30
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=ci/shared.sh
source ci/shared.sh
with_tests
build_package install --upgrade --target build/sanitize/package -C build-dir=build/sanitize \
  -C cmake.build-type=RelWithDebInfo -C install.strip=false -C cmake.define.TERSELY_SANITIZE=ON

# The runtimes must be loaded first, and libstdc++ with them, or ASan misses its exceptions. PYTHONMALLOC
# lets ASan see where a Python string ends. Capturing no more than sys.stderr leaves reports to be seen.
# Tests that fork beside threads are passed over (tests/support/other_threads.py).
runtimes=$(for name in asan ubsan stdc++; do g++ -print-file-name="lib$name.so"; done)
env PYTHONPATH=build/sanitize/package LD_PRELOAD="${runtimes//$'\n'/ }" PYTHONMALLOC=malloc \
  ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 \
  .venv/bin/pytest -n 2 -p no:cacheprovider --capture=sys tests/{kernels,content,engine}
