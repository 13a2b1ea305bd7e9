#!/bin/bash
# What a student waits for: from a saved rung to its verdict, beside one plain call of nvcc on the same file.
#
#   verdict_times.sh [-b BUILD] [-n TIMES] [-w COMMAND] [-v LIMIT] [RUNG...]
#
#   RUNG   as 05 or 05.3; without any, all. Solutions are judged, each built anew: the file is touched, nothing is cached.
#   -n     each is measured so often, plain call and verdict in turns, and the medians are told (3)
#   -w     what both are started with: "chrt -r 1", as root, keeps other programs of the machine out of the figures
#   -v     fails if a rung takes more than so many times its plain call
#
# A line a rung: seconds of the plain call, seconds to the verdict, their ratio, and the verdict by an empty kernel's call.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${LADDER_BUILD_DIR:-$root/build}
times=3
with=()
limit=0
while getopts b:n:w:v: option; do
  case $option in
    b) build=$(cd "$OPTARG" && pwd) ;;
    n) times=$OPTARG ;;
    w) read -ra with <<<"$OPTARG" ;;
    v) limit=$OPTARG ;;
    *) sed -n '4,9s/^# *//p' "$0" >&2; exit 2 ;;
  esac
done
shift $((OPTIND - 1))
export LADDER_ROOT=$root LADDER_BUILD_DIR=$build
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
nvcc=$(sed -n 's/^ *"nvcc": "\(.*\)",$/\1/p' "$build/toolchain.json")
host=$(sed -n 's/^ *"host_compiler": "\(.*\)",$/\1/p' "$build/toolchain.json")

# took COMMAND...: its seconds, of the wall clock
took() {
  local begin=$EPOCHREALTIME end
  "${with[@]}" "$@" >"$here/said" 2>&1 || { cat "$here/said" >&2; return 1; }
  end=$EPOCHREALTIME
  echo "$begin $end" | awk '{ printf "%.3f\n", $2 - $1 }'
}

# plain SOURCE ARCH LESSON
plain() {
  took "$nvcc" -c -std=c++17 "-arch=sm_$2" -ccbin "$host" "-I$root" "-I$3" "$1" -o "$here/plain.o"
}

median() { sort -n "$1" | awk '{ x[NR] = $1 } END { print NR % 2 ? x[(NR + 1) / 2] : (x[NR / 2] + x[NR / 2 + 1]) / 2 }'; }

wanted() {  # RUNG, of the command line's
  [ "${#chosen[@]}" -gt 0 ] || return 0
  local one
  for one in "${chosen[@]}"; do
    case $1 in "$one" | "$one".*) return 0 ;; esac
  done
  return 1
}

chosen=("$@")
echo '__global__ void empty() {}' >"$here/empty.cu"
for ((i = 0; i < times; ++i)); do plain "$here/empty.cu" 90 "$here"; done >"$here/empty"
empty=$(median "$here/empty")
echo "an empty kernel: $empty s"
echo "rung                                   plain  verdict    ratio  of an empty kernel"
for source in "$root"/solutions/[0-9]*/[0-9]*_*.cu; do
  lesson=$(basename "${source%/*}") name=$(basename "$source" .cu)
  id=${lesson%%_*}.${name%%_*}
  wanted "$id" || continue
  target=${lesson#*_}_${name}_solution
  arch=$(ninja -C "$build" -t commands "$target" | sed -n 's/.*arch=compute_\([0-9]*a\?\),.*/\1/p' | head -n 1)
  ninja -C "$build" "${lesson#*_}_lesson" >"$here/said" || { cat "$here/said" >&2; exit 1; }  # once, not at a save
  rm -f "$here/plain" "$here/verdict"
  for ((i = 0; i < times; ++i)); do
    plain "$source" "$arch" "$root/lessons/$lesson" >>"$here/plain"
    touch "$source"
    took "$build/bin/ladder" run "$id" --solution --device sim >>"$here/verdict"
  done
  echo "$id $name $(median "$here/plain") $(median "$here/verdict") $empty" | tee -a "$here/all" | awk '
    { printf "%-35s %8.2f %8.2f %8.2f %8.2f\n", $1 " " $2, $3, $4, $4 / $3, $4 / $5 }'
done
[ -e "$here/all" ] || { echo "no such rung" >&2; exit 2; }
awk -v limit="$limit" '
  { ratio[NR] = $4 / $3; of_empty[NR] = $4 / $5; name[NR] = $1 " " $2 }
  END {
    for (i = 1; i <= NR; ++i) {
      if (ratio[i] > ratio[worst] + 0) worst = i
      if (ratio[i] > 1.2) above = above "\n  " name[i] sprintf("  %.2f", ratio[i])
      if (of_empty[i] > 2.5) long = long "\n  " name[i] sprintf("  %.2f", of_empty[i])
      if (limit > 0 && ratio[i] > limit) failed = failed "\n  " name[i] sprintf("  %.2f", ratio[i])
      sorted[i] = ratio[i]
    }
    for (i = 2; i <= NR; ++i) for (j = i; j > 1 && sorted[j] < sorted[j - 1]; --j) {
      x = sorted[j]; sorted[j] = sorted[j - 1]; sorted[j - 1] = x }
    printf "%d rungs: a median of %.2f plain calls, at worst %.2f (%s)\n",
      NR, NR % 2 ? sorted[(NR + 1) / 2] : (sorted[NR / 2] + sorted[NR / 2 + 1]) / 2, ratio[worst], name[worst]
    print "above 1.2:" above
    print "above 2.5 empty kernels:" long
    if (failed) { print "above the limit of " limit ":" failed; exit 1 }
  }' "$here/all"
