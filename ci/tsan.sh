#!/usr/bin/env bash
# ThreadSanitizer over the kernels that start threads, called from several threads at once (C++ only: Python
# itself is not built for it). A race fails and is printed.
# minutes: 12
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=ci/shared.sh
source ci/shared.sh
flags="-fsanitize=thread -g1 -O1"
build_kernels tsan -DCMAKE_CXX_COMPILER=g++ -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS="$flags"
# shellcheck disable=SC2086
g++ $flags -std=c++20 -Wall -Wextra -Icsrc -Itests/fuzz tests/sanitizers/races.cpp \
  "$build/libtersely_kernels.a" -o "$build/races"

# The runtime of older compilers does not start where the kernel spreads memory at random: -R asks it not to.
run=()
if setarch "$(uname -m)" -R true 2>/dev/null; then run=(setarch "$(uname -m)" -R); fi
TSAN_OPTIONS="halt_on_error=1 second_deadlock_stack=1" timeout 300 "${run[@]}" "$build/races"
