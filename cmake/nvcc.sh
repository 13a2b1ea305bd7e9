#!/bin/sh
# Runs nvcc on one module, quicker, and notes which text the device compiler read.
#
#   nvcc.sh NOTE NVCC ARGUMENT...      NOTE: a file for the digest of what the preprocessor made of the source, or -
#
# The note: a rung's check build has to be the same program as its fast build, else findings are looked for in something
# else. `ladder grade` runs this in the compiler's cell as well.
#
# Quicker: with C++17 libstdc++'s <cmath>, which nvcc always includes, brings the special functions of mathematics (Bessel's
# and their like), and with them <limits> and half of <algorithm>. All of it goes through three front ends: a quarter of
# the time that a rung takes. A source that names nothing of std but integer types does without.
note=$1
shift
source=
for word; do
  case $word in *.cu) source=$word ;; esac
done
integers='(u?int(_fast|_least)?(8|16|32|64)|u?int(ptr|max)|size|ptrdiff)_t'
if ! sed -E "s/\bstd::$integers\b//g" "$source" | grep -qw std; then
  set -- "$@" -D_GLIBCXX_BITS_SPECFUN_H  # the guard of the header that has them
fi
[ "$note" != - ] || exec "$@"

export SOURCE_DATE_EPOCH=0  # __DATE__ and __TIME__ are the same in both builds
kept=$(mktemp -d "${TMPDIR:-/tmp}/ladder-nvcc.XXXXXX") || exit 125
trap 'rm -rf "$kept"' EXIT
"$@" -keep -keep-dir "$kept" || exit
cat "$kept"/*.cpp1.ii | sha256sum >"$note"
