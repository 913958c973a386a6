#!/usr/bin/env bash
# The wheel: what is in it, what it needs, and that it works outside the checkout.
set -euo pipefail
cd "$(dirname "$0")/.."

rm -rf build/wheels
python3 -m pip wheel -q --no-deps -w build/wheels . -C build-dir=build/wheel
wheel=$(realpath build/wheels/tersely-*.whl)
python3 ci/check_wheel.py "$wheel"

bare=$(mktemp -d)
trap 'rm -rf "$bare"' EXIT
python3 -m venv "$bare/venv"
"$bare/venv/bin/pip" install -q "$wheel"
(
  cd "$bare"
  venv/bin/tersely --version
  venv/bin/python - <<'PYTHON'
import tersely

text = "The relay failed at 10:30. It rained all day. The relay was replaced by model RX-7. " * 20
result = tersely.compress(text, "Which model replaced the relay?", budget=40)
assert result.tokens <= 40 and "RX-7" in result.text, result.text
assert not result.receipt.warnings, result.receipt.warnings  # the embedder inside was found
PYTHON
)

# From source with a compiler only: cmake and ninja come from the package index by themselves.
python3 -m venv "$bare/source"
mkdir "$bare/bin"
ln -s /usr/bin/* "$bare/bin/"
rm -f "$bare"/bin/{cmake,ctest,make,ninja,ninja-build}
clean=(env -i PATH="$bare/source/bin:$bare/bin" HOME="$HOME")
"${clean[@]}" pip --disable-pip-version-check install -q . -C build-dir="$bare/build"
(cd "$bare" && "${clean[@]}" python -c 'import tersely; print(tersely.compress("It works.", budget=9).text)')
