# Sourced: the kernels alone, as a static library, with g++ and tools of their own.
# build_kernels NAME [CMAKE ARGUMENT...] sets $build, its directory, and $CXX.
build_kernels() {
  build=build/$1
  python3 -m venv ".venv-$1"
  ".venv-$1/bin/pip" install -q cmake ninja
  PATH="$PWD/.venv-$1/bin:$PATH"
  export CXX=g++
  cmake -S . -B "$build" -G Ninja --log-level=WARNING -DTERSELY_KERNELS_ONLY=ON "${@:2}" >/dev/null
  cmake --build "$build" -- --quiet
}
