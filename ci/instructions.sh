#!/usr/bin/env bash
# Instruction counts of the main kernels against the recorded ones; arguments go to the comparison (--record).
# inputs: csrc CMakeLists.txt benchmarks/instructions
# tools: g++ valgrind
# minutes: 8
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=ci/shared.sh
source ci/shared.sh
build_kernels instructions -DCMAKE_CXX_COMPILER=g++ -DCMAKE_BUILD_TYPE=Release
g++ -std=c++20 -O2 -g -Wall -Wextra -Icsrc benchmarks/instructions/workloads.cpp "$build/libtersely_kernels.a" \
  -pthread -o "$build/workloads"
python3 -m benchmarks.instructions "$build/workloads" --compiler "g++ $(g++ -dumpfullversion)" "$@"
