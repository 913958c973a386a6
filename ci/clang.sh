#!/usr/bin/env bash
# clang++ with LLVM's standard library: a build with warnings as errors, and the tests of the kernels. With GNU's library
# ci/fuzz.sh compiles the kernels by clang++.
# inputs: csrc CMakeLists.txt pyproject.toml tests/kernels
# tools: clang++
# minutes: 10
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=ci/shared.sh
source ci/shared.sh
with_tests
build_package install --upgrade --target build/clang/package -C build-dir=build/clang -C cmake.define.CMAKE_CXX_COMPILER=clang++ \
  -C cmake.define.TERSELY_WERROR=ON -C cmake.define.CMAKE_CXX_FLAGS=-stdlib=libc++
PYTHONPATH=build/clang/package .venv/bin/pytest -n 0 -p no:cacheprovider tests/kernels
