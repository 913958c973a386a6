#!/usr/bin/env bash
# Instruction counts of the main kernels against the recorded ones; arguments go to the comparison (--record).
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=ci/kernels_build.sh
source ci/kernels_build.sh
build_kernels instructions -DCMAKE_BUILD_TYPE=Release
"$CXX" -std=c++20 -O2 -g -Wall -Wextra -Icsrc benchmarks/instructions/workloads.cpp "$build/libtersely_kernels.a" \
  -pthread -o "$build/workloads"
python3 -m benchmarks.instructions "$build/workloads" --compiler "g++ $("$CXX" -dumpfullversion)" "$@"
