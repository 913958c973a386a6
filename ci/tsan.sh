#!/usr/bin/env bash
# ThreadSanitizer over the kernels that start threads, called from several threads at once (C++ only: Python
# itself is not built for it). A race fails and is printed.
set -euo pipefail
cd "$(dirname "$0")/.."

build=build/tsan
python3 -m venv .venv-tsan
.venv-tsan/bin/pip install -q cmake ninja 'pybind11>=3.1'
PATH="$PWD/.venv-tsan/bin:$PATH"
export CXX=g++
flags="-fsanitize=thread -g -O1"
cmake -S . -B "$build" -G Ninja --log-level=WARNING -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS="$flags" \
  -Dpybind11_DIR="$(python3 -m pybind11 --cmakedir)" >/dev/null
cmake --build "$build" --target tersely_kernels -- --quiet
# shellcheck disable=SC2086
"$CXX" $flags -std=c++20 -Wall -Wextra -Icsrc -Itests/fuzz tests/sanitizers/races.cpp \
  "$build/libtersely_kernels.a" -o "$build/races"

# The runtime of older compilers does not start where the kernel spreads memory at random: -R asks it not to.
run=()
if setarch "$(uname -m)" -R true 2>/dev/null; then run=(setarch "$(uname -m)" -R); fi
TSAN_OPTIONS="halt_on_error=1 second_deadlock_stack=1" timeout 300 "${run[@]}" "$build/races"
