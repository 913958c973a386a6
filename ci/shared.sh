# Sourced by the scripts of ci/, in the repository's root: what they share is made once, by whoever comes first.
# shellcheck shell=bash
unset PYTHONDONTWRITEBYTECODE # what runs often is compiled once
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_COMPILE=1 CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
if command -v ccache >/dev/null; then export CMAKE_CXX_COMPILER_LAUNCHER=ccache; fi

# digest PATH...: of the contents of the files there that git does not ignore, wherever the checkout lies.
digest() {
  git ls-files -z --cached --others --exclude-standard --deduplicate -- "$@" | sort -z |
    { xargs -0r sha256sum 2>/dev/null || true; } | # of files that were deleted there is none
    sha256sum | cut -d' ' -f1
}

# alone NAME COMMAND...: of parts that run side by side, one at a time.
alone() {
  mkdir -p build
  (flock 9 && "${@:2}") 9>"build/$1.lock"
}

# fill ENVIRONMENT REQUIREMENT...
fill() {
  [ -x "$1/bin/pip" ] || python3 -m venv "$1"
  "$1/bin/pip" install -q "${@:2}"
}

# with_tools REQUIREMENT...: the environment of what builds and checks (.venv-tools), with these in it. What builds the package is in
# it, too, at the same place for all parts: they share what is compiled.
with_tools() {
  alone tools fill .venv-tools cmake ninja 'scikit-build-core>=1.1' 'pybind11>=3.1' "$@"
  PATH="$PWD/.venv-tools/bin:$PATH"
}

# with_wheel: one Release build of these sources, warnings being errors; sets $wheel.
with_wheel() {
  local made
  made=build/wheel/$(digest csrc python CMakeLists.txt pyproject.toml README.md LICENSE)
  with_tools
  alone wheel make_wheel "$made"
  wheel=$(realpath "$made"/tersely-*.whl)
}
make_wheel() {
  if compgen -G "$1/tersely-*.whl" >/dev/null; then return; fi
  rm -rf build/wheel
  build_package wheel -w "$1" -C cmake.define.TERSELY_WERROR=ON
}

# build_package OPTION...: pip, on these sources, with the tools of .venv-tools.
build_package() {
  .venv-tools/bin/pip "$1" -q --no-deps --no-build-isolation . "${@:2}"
}

# install_wheel ENVIRONMENT EXTRA: the wheel of these sources, where it is not installed yet.
install_wheel() {
  fill "$1" "${wheel}[$2]"
  if [ "$(cat "$1/wheel" 2>/dev/null)" != "$wheel" ]; then
    "$1/bin/pip" install -q --no-deps --force-reinstall "$wheel"
    printf '%s\n' "$wheel" >"$1/wheel"
  fi
}

# with_tests: the environment of ci/test.sh (.venv), made from the wheel.
with_tests() {
  with_wheel
  alone tests install_wheel .venv test
}

# build_kernels NAME [CMAKE ARGUMENT...]: the kernels alone, as a static library; sets $build, its directory.
build_kernels() {
  build=build/$1
  with_tools
  cmake -S . -B "$build" -G Ninja --log-level=WARNING -DTERSELY_KERNELS_ONLY=ON -DTERSELY_WERROR=ON "${@:2}" >/dev/null
  cmake --build "$build" -- --quiet
}
