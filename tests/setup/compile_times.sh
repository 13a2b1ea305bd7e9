#!/bin/sh
# What compiling the tools took: by target, and the ten slowest calls of the compiler.
#
#   compile_times.sh BUILD                      of a build that ninja made, by the clock
#   compile_times.sh --first BUILD [SECONDS]    compiles what a first ladder needs, and nothing else, anew in the folder BUILD
#
# Who clones the course waits for the second before the first ladder; it fails where the compilers took more than SECONDS
# of CPU time. The clock's seconds are about as many where there are no more jobs than cores, which is how ./ladder
# builds, and the machine has nothing else to do. A compiler cache makes them less; there is none with --first.
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

# User and system time of all that this shell has waited for: the last line of `times`, "1m2.3s 0m4.5s".
times >"$1/times"  # not in a pipe, whose shell would have waited for nothing
awk -v most="$most" '
  function seconds(text, part) { split(text, part, "m"); return part[1] * 60 + part[2] }
  END {
    cpu = seconds($1) + seconds($2)
    printf "%7.1f s  of CPU time, configuring and linking included\n", cpu
    if (most > 0 && cpu > most) { printf "that is above the %d s that a first build may take\n", most; exit 1 }
  }' "$1/times"
