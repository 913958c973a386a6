#!/usr/bin/env bash
# The NEON kernels compile without a warning and give the scalar kernels' bits, pairs and clusters (in an emulator, without
# an ARM machine).
# minutes: 8
set -euo pipefail
cd "$(dirname "$0")/.."

build=build/neon
mkdir -p "$build"
compile=(aarch64-linux-gnu-g++ -std=c++20 -O3 -Wall -Wextra -Wshadow -Wconversion -Werror -ffp-contract=off -Icsrc -static)
"${compile[@]}" tests/cross/same_bits.cpp csrc/simd/dot_neon.cpp csrc/simd/dot_scalar.cpp -o "$build/same_bits"
timeout 120 qemu-aarch64-static "$build/same_bits"

"${compile[@]}" -march=armv8.2-a+dotprod -c csrc/simd/screen_neon_dotprod.cpp -o "$build/screen.o"
"${compile[@]}" -DTERSELY_NEON tests/cross/same_pairs.cpp csrc/kernels/{parallel,similarity/*,cluster/*,lexical/agreement}.cpp \
  csrc/simd/{dispatch,dot_neon,dot_scalar,bytes_scalar,codes_scalar,trees_scalar}.cpp "$build/screen.o" -o "$build/same_pairs"
for isa in scalar neon neondot; do
  found=$(TERSELY_ISA=$isa timeout 300 qemu-aarch64-static "$build/same_pairs")
  test "$found" = "${expected:=$found}" || { printf '%s: other pairs than scalar\n' "$isa"; exit 1; }
done
printf 'pairs and clusters of neondot, neon and scalar: the same\n'
