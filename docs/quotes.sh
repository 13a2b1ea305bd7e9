#!/bin/bash
# Makes what README.md quotes of the program's output and of the course's files, between the marks
# <!-- quote: begin NAME (by docs/quotes.sh) --> and <!-- quote: end -->.
#
#   quotes.sh [-b BUILD] [--check]
#
#   -b       a build folder that is up to date (build)
#   --check  changes nothing, and fails where a quote is another than what is made now. A modelled time, a factor or a share
#            may have moved by 3 %; words, lines and columns may not. Exit status 77: this compiler's code is not compared.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=${LADDER_BUILD_DIR:-$root/build}
check=
while [ $# -gt 0 ]; do
  case $1 in
    -b) build=$(cd "$2" && pwd); shift ;;
    --check) check=yes ;;
    *) sed -n '5,9s/^# *//p' "$0" >&2; exit 2 ;;
  esac
  shift
done
[ -x "$build/bin/ladder" ] || { echo "there is no $build/bin/ladder: ./ladder test builds it" >&2; exit 2; }
made_with=13.0  # another CUDA makes other code of the same source, and the model other times of that
cuda=$(sed -n 's/^ *"cuda_version": "\(.*\)",$/\1/p' "$build/toolchain.json")
[ "$cuda" = "$made_with" ] || { echo "README.md quotes what CUDA $made_with gives; this is CUDA $cuda"; exit 77; }

here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
export NO_COLOR=1 COLUMNS=80 TERM=dumb LC_ALL=C.UTF-8 LADDER_LANG=C
unset LADDER_SIM_GPU LADDER_HOME

# A student's folder, laid out as that of a package: the rungs of two lessons are copies, which may be wrong, and are built here.
mkdir -p "$here/bin" "$here/lib/cuda-ladder" "$here/mine/.ladder" "$here/mine/lessons" "$here/quotes"
cp "$build/bin/ladder" "$here/bin/"
ln -s "$build/toolchain.json" "$build/bin" "$build/modules" "$here/lib/cuda-ladder/"
ln -s "$root/cmake" "$root/common" "$root/solutions" "$here/mine/"
cp -r "$root/lessons/09_reduction" "$root/lessons/26_debugging" "$here/mine/lessons/"
echo "$root" >"$here/mine/.ladder/course"

# rung FILE FINISHED SED-EDIT: a finished file of the same lesson with one edit, as the student's
rung() {
  local finished
  finished=$root/solutions/$(dirname "$1")/$2
  sed "$3" "$finished" >"$here/mine/lessons/$1"
  ! cmp -s "$finished" "$here/mine/lessons/$1" || { echo "$finished has no place for the edit $3" >&2; exit 1; }
}

# finished ARGS..., mine ARGS...: what is typed, and what `ladder` answers; of the course as it is, and in the student's folder
finished() {
  printf '$ ./ladder %s\n' "$*"
  (cd "$root" && LADDER_ROOT=$root LADDER_BUILD_DIR=$build "$build/bin/ladder" "$@")
}
mine() {
  printf '$ ./ladder %s\n' "$*"
  local code=0
  (cd "$here/mine" && LADDER_ROOT=$PWD LADDER_BUILD_DIR=$here/build "$here/bin/ladder" "$@") || code=$?
  [ "$code" = 1 ] || { echo "ladder $* ends with $code: the rung is to fail, or to do without its idea" >&2; exit 1; }
}

# quote NAME LANGUAGE: stdin, as the block that stands between the marks
quote() { { echo "\`\`\`$2"; cat; echo '```'; } >"$here/quotes/$1"; }

finished demo --device sim | quote demo ''

# What `ladder dev record` made of measured.json.
{
  # shellcheck disable=SC2016  # a prompt
  echo '$ ./ladder run 09 --solution'
  awk '/^<!-- measured: end/ { exit } /^```/ { inside = !inside; next } inside && marked { print }
       /^<!-- measured: begin/ { marked = 1 }' "$root/lessons/09_reduction/README.md"
} | quote measured ''

# The first task of rung 4, as its skeleton has it.
awk '/BEGIN SOLUTION/ { exit } /TODO\(1\)/ { inside = 1 } inside' "$root/solutions/09_reduction/4_strided_index.cu" | quote todo cuda

# As it is handed out, wrong on purpose: no example here gives a task of the course away. Its first finding only.
mine run 26.1 --device sim --seed 1 | sed '/^  TODO(1) is still/d; /^$/,$d' | quote guard ''

# Faster than rung 3, whose % is gone, but the working threads stand as far apart.
rung 09_reduction/4_strided_index.cu 3_interleaved.cu 's/t % (2 \* stride) == 0/(t \& (2 * stride - 1)) == 0/'
mine run 09.4 --device sim --seed 1 | sed '/^  [0-9.]* .s modelled/,$d' | quote apart ''

# README.md with the quotes of now. A quote without marks, or marks without a quote, are an error.
awk -v quotes="$here/quotes" '
  /^<!-- quote: begin / {
    print; print ""; file = quotes "/" $4; skip = 1; lines = 0
    while ((getline line < file) > 0) { print line; ++lines }
    print ""
    if (lines == 0) { print "no quote is called " $4 > "/dev/stderr"; exit 1 }
  }
  /^<!-- quote: end/ { skip = 0 }
  !skip { print }
  END { if (skip) { print "README.md has a mark without its end" > "/dev/stderr"; exit 1 } }' "$root/README.md" >"$here/README.md"
for name in "$here"/quotes/*; do
  grep -q "^<!-- quote: begin ${name##*/} " "$root/README.md" || { echo "README.md has no mark for ${name##*/}" >&2; exit 1; }
done

if [ -z "$check" ]; then
  cmp -s "$here/README.md" "$root/README.md" || { cat "$here/README.md" >"$root/README.md"; echo "updated README.md"; }
  exit 0
fi

# Times, factors and shares, blanks before them included, become underlines of the same length: 9.9 % may become 11 %.
layout() { sed -E ':a; s/[0-9.](_* ?((ns|µs|ms|s)\b|%|×))/_\1/; ta; :b; s/ _/__/; tb' "$1"; }
figures() { grep -oE '[0-9.]+ ?((ns|µs|ms|s)\b|%|×)' "$1"; }
if ! diff -u <(layout "$root/README.md") <(layout "$here/README.md") >"$here/layout"; then
  diff -u --label README.md --label 'README.md as docs/quotes.sh makes it' "$root/README.md" "$here/README.md" || true
  exit 1
fi
paste <(figures "$root/README.md") <(figures "$here/README.md") | awk -F '\t' '
  { split($1, was, " "); split($2, is, " "); gap = is[1] - was[1]; if (gap < 0) gap = -gap
    if (gap > 0.03 * was[1] + 0.05) { print "README.md says " $1 ", now it is " $2; wrong = 1 } }
  END { exit wrong }'
