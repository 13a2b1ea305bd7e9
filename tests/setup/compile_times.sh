#!/bin/sh
# What compiling the tools took: by target, and the ten slowest calls of the compiler.
#
#   compile_times.sh BUILD [SECONDS]
#
# Who clones the course waits for this before the first ladder; it fails where the sum is above SECONDS. As ninja notes it:
# with no more jobs than cores, which is how ./ladder builds, these are about CPU-seconds. A compiler cache makes them less.
set -eu
log=$1/.ninja_log
[ -e "$log" ] || { echo "no $log: this build was not made by ninja" >&2; exit 1; }
most=${2:-0}

# The latest entry of each object of the tools: MILLISECONDS TARGET FILE
times=$(awk -F '\t' '
  !/^#/ && $4 ~ /^(simulator|grader)\/CMakeFiles\/.*\.o$/ {
    split($4, part, "/"); target = part[3]; sub(/\.dir$/, "", target)
    file = $4; sub(/.*\//, "", file); sub(/_cxx\.cxx\.o$/, "", file)
    took[$4] = ($2 - $1) " " target " " file
  }
  END { for (object in took) print took[object] }' "$log" | sort -rn)
echo "$times" | awk '{ sum[$2] += $1; n[$2]++ }
  END { for (t in sum) printf "%7.1f s  %-20s %d calls\n", sum[t] / 1000, t, n[t] }' | sort -rn
echo "the slowest:"
echo "$times" | head -n 10 | awk '{ printf "%7.1f s  %s: %s\n", $1 / 1000, $2, $3 }'
echo "$times" | awk -v most="$most" '{ all += $1 }
  END {
    printf "%7.1f s  in all\n", all / 1000
    if (most > 0 && all / 1000 > most) { printf "that is above the %d s that a first build may take\n", most; exit 1 }
  }'
