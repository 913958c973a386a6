#!/usr/bin/env bash
# clang++, with GNU's standard library and with LLVM's: builds with warnings as errors, and the tests of the kernels with
# the latter. With the former ci/fuzz.sh runs them.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=.venv-clang
python3 -m venv "$venv"
for library in libstdc++ libc++; do
  build=(-C "build-dir=build/clang-$library" -C cmake.define.CMAKE_CXX_COMPILER=clang++ -C cmake.define.TERSELY_WERROR=ON
    -C "cmake.define.CMAKE_CXX_FLAGS=-stdlib=$library")
  "$venv/bin/pip" install -q '.[test]' "${build[@]}"
done
"$venv/bin/pytest" -n 0 -p no:cacheprovider tests/kernels
