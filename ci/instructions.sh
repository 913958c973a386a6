#!/usr/bin/env bash
# Instruction counts of the main kernels against the recorded ones; arguments go to the comparison (--record).
set -euo pipefail
cd "$(dirname "$0")/.."

build=build/instructions
python3 -m venv .venv-instructions
.venv-instructions/bin/pip install -q cmake ninja 'pybind11>=3.1'
PATH="$PWD/.venv-instructions/bin:$PATH"
export CXX=g++
cmake -S . -B "$build" -G Ninja --log-level=WARNING -DCMAKE_BUILD_TYPE=Release \
  -Dpybind11_DIR="$(python3 -m pybind11 --cmakedir)" >/dev/null
cmake --build "$build" --target tersely_kernels -- --quiet
"$CXX" -std=c++20 -O2 -g -Wall -Wextra -Icsrc benchmarks/instructions/workloads.cpp "$build/libtersely_kernels.a" \
  -pthread -o "$build/workloads"
python3 -m benchmarks.instructions "$build/workloads" --compiler "g++ $("$CXX" -dumpfullversion)" "$@"
