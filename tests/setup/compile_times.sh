#!/bin/sh
# What compiling the tools took: by target, and the ten slowest calls of the compiler.
#
#   compile_times.sh BUILD                      of a build that ninja made, by the clock
#   compile_times.sh --first BUILD [LIMIT]      compiles what a first ladder needs, and nothing else, anew in the folder BUILD
#
# Who clones the course waits for the second before the first ladder; it fails where the compilers took more than LIMIT
# times the CPU time of one file, one_file.cxx, on the same machine: seconds alone are twice as many on a slow machine,
# or beside a neighbour that shares its cores. The clock's seconds are about as many where there are no more jobs than
# cores, which is how ./ladder builds, and the machine has nothing else to do. A compiler cache makes them less; there is
# none with --first.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd -P)
first=''
if [ "$1" = --first ]; then
  first=yes
  shift
fi
log=$1/.ninja_log
most=${2:-0}

if [ -n "$first" ]; then
  rm -rf "$1"
  cmake -S "$root" -B "$1" -G Ninja -DLADDER_BUILD_TESTS=OFF -DCMAKE_CXX_COMPILER_LAUNCHER= >/dev/null
  CCACHE_DISABLE=1 cmake --build "$1" --target first_tools --parallel "${LADDER_JOBS:-$(nproc)}" >"$1/said" 2>&1 ||
    { cat "$1/said"; exit 1; }
fi
[ -e "$log" ] || { echo "no $log: this build was not made by ninja" >&2; exit 1; }

# The latest entry of each object of the tools, and of each precompiled header: MILLISECONDS TARGET FILE
entries=$(awk -F '\t' '
  !/^#/ && $4 ~ /^(simulator|grader)\/CMakeFiles\/.*\.(o|gch)$/ {
    split($4, part, "/"); target = part[3]; sub(/\.dir$/, "", target)
    file = $4; sub(/.*\//, "", file); sub(/_cxx\.cxx\.o$/, "", file)
    took[$4] = ($2 - $1) " " target " " file
  }
  END { for (object in took) print took[object] }' "$log" | sort -rn)
echo "$entries" | awk '{ sum[$2] += $1; n[$2]++ }
  END { for (t in sum) printf "%7.1f s  %-20s %d calls\n", sum[t] / 1000, t, n[t] }' | sort -rn
echo "the slowest:"
echo "$entries" | head -n 10 | awk '{ printf "%7.1f s  %s: %s\n", $1 / 1000, $2, $3 }'
echo "$entries" | awk '{ all += $1 } END { printf "%7.1f s  in all\n", all / 1000 }'
[ -n "$first" ] || exit 0

# What this shell has waited for so far, user and system time: the last line of `times`, "1m2.3s 0m4.5s".
times >"$1/times"  # not in a pipe, whose shell would have waited for nothing
# The file as often at once as the build had jobs: of two that share a core each takes longer.
jobs=${LADDER_JOBS:-$(nproc)}
for again in 1 2 3; do
  job=0
  while [ "$job" -lt "$jobs" ]; do
    job=$((job + 1))
    CCACHE_DISABLE=1 c++ -std=c++20 -O1 -fPIC -c "$root/tests/setup/one_file.cxx" -o "$1/reference.$job.o" &
  done
  wait
  times >"$1/times.$again"
done
awk -v most="$most" -v jobs="$jobs" '
  function seconds(text, part) { split(text, part, "m"); return part[1] * 60 + part[2] }
  FNR % 2 == 0 { cpu[n++] = seconds($1) + seconds($2) }
  END {
    reference = cpu[1] - cpu[0]
    for (i = 2; i < n; i++) if (cpu[i] - cpu[i - 1] < reference) reference = cpu[i] - cpu[i - 1]
    reference /= jobs
    printf "%7.1f s  of CPU time, configuring and linking included: %.0f times that of one file (%.2f s)\n",
           cpu[0], cpu[0] / reference, reference
    if (most > 0 && cpu[0] > most * reference) {
      printf "that is above the %d times that a first build may take\n", most
      exit 1
    }
  }' "$1/times" "$1"/times.1 "$1"/times.2 "$1"/times.3
