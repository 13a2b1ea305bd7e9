#!/bin/sh
# Runs nvcc and notes which text the device compiler read: the digest of what the preprocessor made of the source.
#
#   nvcc_noted.sh NOTE NVCC ARGUMENT...
#
# A rung's check build has to be the same program as its fast build, else findings are looked for in something else.
# `ladder grade` runs this in the compiler's cell as well.
note=$1
shift
export SOURCE_DATE_EPOCH=0  # __DATE__ and __TIME__ are the same in both builds
kept=$(mktemp -d "${TMPDIR:-/tmp}/ladder-nvcc.XXXXXX") || exit 125
trap 'rm -rf "$kept"' EXIT
"$@" -keep -keep-dir "$kept" || exit
cat "$kept"/*.cpp1.ii | sha256sum >"$note"
