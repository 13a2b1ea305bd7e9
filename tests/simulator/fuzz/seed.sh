#!/bin/bash
# One kernel as seeds of the fuzzers: its PTX, and a fat binary with it. Usage: seed.sh KERNEL PTX FATBIN NVCC OPTIONS...
# Which options vary by file, so that compressed and plain, optimised and unoptimised code all occur.
set -eu
kernel=$1 ptx=$2 fatbin=$3
shift 3
mkdir -p "$(dirname "$ptx")" "$(dirname "$fatbin")"
turn=$(($(cksum <"$kernel" | cut -d' ' -f1) % 3))
level=(-lineinfo -G -lineinfo)
packing=(--no-compress --compress-mode=size --compress-mode=speed)
"$@" -arch=compute_80 "${level[turn]}" -ptx "$kernel" -o "$ptx"
"$@" -arch=compute_80 "${packing[turn]}" -fatbin "$kernel" -o "$fatbin"
