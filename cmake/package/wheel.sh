#!/bin/sh
# The wheel: the tarball's tree as a Python package, whose only Python is the start of `ladder` and its magic for notebooks.
# nvcc's wheels are what it depends on, at the versions that ./ladder fetches where a machine has no toolkit.
#
#   wheel.sh TARBALL GLIBC FOLDER
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
tarball=$1 glibc=$2 to=$3
work=$to/wheel.partial
rm -rf "$work"
mkdir -p "$work/tree/cuda_ladder" "$work/tools"
tar -C "$work/tree/cuda_ladder" --strip-components 1 -xf "$tarball"
rm -rf "$work/tree/cuda_ladder/share/man" "$work/tree/cuda_ladder/share/bash-completion" \
  "$work/tree/cuda_ladder/share/zsh" "$work/tree/cuda_ladder/share/fish"

cp "$here"/cuda_ladder/*.py "$work/tree/cuda_ladder/"

version=$(sed -n 's/.*"version": "\(.*\)".*/\1/p' "$work/tree/cuda_ladder/lib/cuda-ladder/toolchain.json")
info=$work/tree/cuda_ladder-$version.dist-info
mkdir "$info"
cp "$work/tree/cuda_ladder/share/cuda-ladder/LICENSE" "$info/"
printf '[console_scripts]\nladder = cuda_ladder:main\n' >"$info/entry_points.txt"
glibc_tag=$(printf '%s' "$glibc" | tr . _)
printf 'Wheel-Version: 1.0\nGenerator: cuda-ladder\nRoot-Is-Purelib: false\nTag: py3-none-manylinux_%s_%s\n' \
  "$glibc_tag" "$(uname -m)" >"$info/WHEEL"
{
  printf 'Metadata-Version: 2.1\nName: cuda-ladder\nVersion: %s\n' "$version"
  printf 'Summary: Learn CUDA C++ one rung at a time, with or without a GPU\nLicense: MIT\nRequires-Python: >=3.8\n'
  for wheel in $(sh -c ". '$here/../setup/cuda.sh'; echo \$cuda_wheels"); do printf 'Requires-Dist: %s\n' "$wheel"; done
  printf 'Description-Content-Type: text/markdown\n\n'
  cat "$here/../../docs/edition/wheel.md"
} >"$info/METADATA"

python3 -m pip install --quiet --no-deps --disable-pip-version-check --root-user-action=ignore --target "$work/tools" "wheel==0.45.1"
PYTHONPATH=$work/tools python3 -m wheel pack --dest-dir "$to" "$work/tree"
rm -rf "$work"
