# Sourced: the kernels alone, as a static library, with g++ and tools of their own.
# build_kernels NAME [CMAKE ARGUMENT...] sets $build, its directory, and $CXX.
build_kernels() {
  build=build/$1
  python3 -m venv ".venv-$1"
  ".venv-$1/bin/pip" install -q cmake ninja 'pybind11>=3.1'
  PATH="$PWD/.venv-$1/bin:$PATH"
  export CXX=g++
  cmake -S . -B "$build" -G Ninja --log-level=WARNING "${@:2}" \
    -Dpybind11_DIR="$(python3 -m pybind11 --cmakedir)" >/dev/null
  cmake --build "$build" --target tersely_kernels -- --quiet
}
