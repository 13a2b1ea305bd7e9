#!/bin/bash
# Runs every program of the corpus by itself and under the four tools of compute-sanitizer. Needs a GPU.
#
#   record_sanitizer.sh OUT [PARALLEL [FILE...]]      such as defective/memory_model; without FILE, all of them
#
# First round: as the tools' manual says, built with -lineinfo, the tools' own defaults. Second round, for defective
# programs that no tool has found: built with -G, and with padding between allocations.
# OUT/logs/ROUND/DIR.FILE.CASE.TOOL.log holds what each said and, in its last line, the exit status.
# `summarise.sh OUT/logs > sanitizer.csv` makes the recorded data of them.
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=$(mkdir -p "$1" && cd "$1" && pwd)
parallel=${2:-8}
shift $(($# < 2 ? $# : 2))
seconds=12 # a program that takes longer hangs
mkdir -p "$out"/bin/{1,2} "$out"/logs/{1,2}

compile() { # ROUND FILE
  local flags=(-O3 -lineinfo) arch
  [ "$1" = 2 ] && flags=(-G)
  arch=$(sed -n '1s|^// arch: ||p' "$here/$2.cu")
  # Not -arch=sm_90a, which compiles for compute_90 as well, and that has no wgmma.
  if [ -n "$arch" ]; then flags+=(-gencode "arch=compute_$arch,code=sm_$arch"); else flags+=(-arch=native); fi
  nvcc -std=c++17 "${flags[@]}" -g "$here/$2.cu" -o "$out/bin/$1/${2//\//.}" 2>/dev/null || echo "does not compile: $2"
}

run_one() { # ROUND NAME CASE TOOL
  local tool=()
  case $4 in
    plain) ;;
    memcheck) tool=(compute-sanitizer --tool memcheck --leak-check full) ;;
    *) tool=(compute-sanitizer --tool "$4") ;;
  esac
  [ "$1$4" = 2memcheck ] && tool+=(--padding 256)
  [ "$4" != plain ] && tool+=(--print-limit 20 --error-exitcode 99)
  local log="$out/logs/$1/$2.$3.$4.log"
  ulimit -c 0 -t $((2 * seconds))
  timeout -s KILL $seconds "${tool[@]}" "$out/bin/$1/$2" "$3" >"$log" 2>&1
  echo "exit $?" >>"$log"
}

round() { # ROUND, on input lines NAME CASE TOOL
  # shellcheck disable=SC2016  # that shell's own arguments
  xargs -P "$parallel" -L 1 bash -c 'run_one "$0" "$@" 2>/dev/null' "$1"
}

export -f compile run_one
export here out seconds

# Programs that may hang come last, so that they slow down nothing else.
[ $# -gt 0 ] || mapfile -t all < <(cd "$here" && ls correct/*.cu defective/*.cu)
mapfile -t files < <(printf '%s\n' "${@:-${all[@]}}" | sed 's/\.cu$//' |
  awk '{print /barrier|mask|hang/ && /defective/ ? 1 : 0, $0}' | sort -s -k1,1n | cut -d' ' -f2)
printf '%s\n' "${files[@]}" | xargs -P "$parallel" -I{} bash -c 'compile 1 {}'
for file in "${files[@]}"; do
  name=${file//\//.}
  for program in $("$out/bin/1/$name"); do
    for tool in plain memcheck racecheck initcheck synccheck; do echo "$name $program $tool"; done
  done
done >"$out/list.txt"
round 1 <"$out/list.txt"

grep '^defective' "$out/list.txt" | while read -r name program tool; do
  grep -qs '^exit 99$' "$out/logs/1/$name.$program".*.log || echo "$name $program $tool"
done >"$out/second.txt"
cut -d' ' -f1 "$out/second.txt" | sort -u | sed 's/\./\//' | xargs -P "$parallel" -I{} bash -c 'compile 2 {}'
grep -v ' plain$' "$out/second.txt" | round 2
wc -l "$out/list.txt" "$out/second.txt"
