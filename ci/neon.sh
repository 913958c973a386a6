#!/usr/bin/env bash
# The NEON kernels compile without a warning and give the scalar kernels' bits (in an emulator, without an ARM machine).
set -euo pipefail
cd "$(dirname "$0")/.."

build=build/neon
mkdir -p "$build"
compile=(aarch64-linux-gnu-g++ -std=c++20 -O3 -Wall -Wextra -Wshadow -Wconversion -Werror -ffp-contract=off -Icsrc -static)
"${compile[@]}" tests/cross/same_bits.cpp csrc/simd/dot_neon.cpp csrc/simd/dot_scalar.cpp -o "$build/same_bits"
timeout 120 qemu-aarch64-static "$build/same_bits"
