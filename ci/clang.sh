#!/usr/bin/env bash
# clang++ with LLVM's standard library: a build with warnings as errors, and the tests of the kernels. With GNU's library
# ci/fuzz.sh compiles the kernels by clang++.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=.venv-clang
python3 -m venv "$venv"
"$venv/bin/pip" install -q '.[test]' -C build-dir=build/clang -C cmake.define.CMAKE_CXX_COMPILER=clang++ \
  -C cmake.define.TERSELY_WERROR=ON -C cmake.define.CMAKE_CXX_FLAGS=-stdlib=libc++
"$venv/bin/pytest" -n 0 -p no:cacheprovider tests/kernels
