#!/usr/bin/env bash
# The kernels for other systems, compiled by zig, whose C++ library is LLVM's. Where an emulator is there, they also read what
# ci/fuzz.sh found.
# inputs: csrc CMakeLists.txt tests/cross tests/fuzz
# tools: clang++ qemu-aarch64-static
# minutes: 30
set -euo pipefail
cd "$(dirname "$0")/.."

root=$PWD/build/cross
# shellcheck source=ci/shared.sh
source ci/shared.sh
with_tools ziglang==0.17.1

# TARGET SYSTEM PROCESSOR FLAGS [CMAKE ARGUMENT...]: compiles the kernels; $root/TARGET-c++ compiles more.
kernels() {
  mkdir -p "$root"
  local tool zig=("$PWD/.venv-tools/bin/python" -m ziglang)
  for tool in ar ranlib; do
    printf '#!/bin/sh\nexec %s %s "$@"\n' "${zig[*]@Q}" "$tool" >"$root/$1-$tool"
  done
  # zig takes what stands after -march= for the name of a processor, and says by itself that a header gets precompiled.
  printf '#!/usr/bin/env bash\nset -- "${@/#-march=armv8.2-a/-mcpu=generic+v8_2a}"\nexec %s c++ -target %s "${@/#-emit-pch/-Wall}"\n' \
    "${zig[*]@Q}" "$1" >"$root/$1-c++"
  chmod +x "$root/$1"-*
  cmake -S . -B "$root/$1" -G Ninja --log-level=WARNING -DTERSELY_KERNELS_ONLY=ON -DTERSELY_PRECOMPILE=ON \
    -DTERSELY_WERROR=ON -DCMAKE_CXX_COMPILER_LAUNCHER= -DCMAKE_CXX_FLAGS="$4" -DCMAKE_SYSTEM_NAME="$2" -DCMAKE_SYSTEM_PROCESSOR="$3" \
    -DCMAKE_CXX_COMPILER="$root/$1-c++" -DCMAKE_AR="$root/$1-ar" -DCMAKE_RANLIB="$root/$1-ranlib" \
    "${@:5}" >/dev/null
  cmake --build "$root/$1" -- --quiet
  printf '%s: compiled\n' "$1"
}

# TARGET COMMAND...: runs the fuzz targets' checks over inputs, by the command (an emulator).
replay() {
  local source target inputs built=$root/$1
  install -D "$(clang++ -print-resource-dir)/include/fuzzer/FuzzedDataProvider.h" -t "$root/include/fuzzer"
  for source in tests/fuzz/*.cpp; do
    target=$(basename "$source" .cpp)
    "$root/$1-c++" -std=c++20 -O1 -Icsrc -Itests/fuzz "-I$root/include" -static "$source" tests/cross/replay.cpp \
      "$built/libtersely_kernels.a" -o "$built/$target"
    mapfile -t inputs < <(find README.md tests/fuzz "build/fuzz/corpus/$target" -type f 2>/dev/null | sort | head -n 300)
    timeout 300 "${@:2}" "$built/$target" "${inputs[@]}"
  done
}

kernels aarch64-linux-musl Linux aarch64 -O1
replay aarch64-linux-musl qemu-aarch64-static
# What does not run is compiled as quickly as can be, and nothing is linked: zig would compile its C++ library first.
for system in 'x86_64-windows-gnu Windows AMD64' 'aarch64-macos Darwin arm64'; do
  # shellcheck disable=SC2086  # three arguments
  kernels $system '-O0 -fno-sanitize=undefined' -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY -DCMAKE_CXX_COMPILER_ID_TEST_FLAGS_FIRST=-c
done
