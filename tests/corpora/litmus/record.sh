#!/bin/bash
# The stress run of all shapes on a GPU, and what is kept of it.
#   record.sh run OUT [SECONDS]    on a machine with a GPU and nvcc: writes OUT/litmus.txt; SECONDS for each shape (1.3)
#   record.sh keep OUT/litmus.txt  makes recorded.json of it, beside this file
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

run() {
  local out=$1 seconds=${2:-1.3} work file
  work=$(mktemp -d)
  mkdir -p "$out"
  {
    date -u +date=%F
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | sed 's/^/gpu=/'
    nvcc --version | tail -1 | sed 's/^/nvcc=/'
  } >"$out/litmus.txt"
  for file in "$here"/*.cu; do
    nvcc -std=c++20 -O3 -arch=native -w -DLITMUS_STRESS "$file" -o "$work/$(basename "$file" .cu)" &
  done
  wait
  for file in "$work"/*; do "$file" "$seconds" >>"$out/litmus.txt"; done
  rm -rf "$work"
}

# Lines such as "mp_weak x=1 y=1 z=0 r=0,0,0,0 count=17" and "mp_weak launches=9 runs=17 no error".
keep() {
  awk -F'[ =]' '
    /^date=/ { date = $2 }
    /^gpu=/ { sub(/^gpu=/, ""); gpu = $0 }
    /^nvcc=/ { sub(/^nvcc=/, ""); nvcc = $0 }
    / count=/ {
      states[$1] = states[$1] (states[$1] == "" ? "" : ",\n") sprintf("        {\"x\": %d, \"y\": %d, \"z\": %d, \"r\": [%s], \"count\": %d}", $3, $5, $7, $9, $11)
    }
    / launches=/ {
      if ($0 !~ / no error$/) { print "not kept: " $0 > "/dev/stderr"; next }
      order[++n] = $1; runs[$1] = $5
    }
    END {
      printf "{\n  \"date\": \"%s\",\n  \"gpu\": \"%s\",\n  \"nvcc\": \"%s\",\n  \"shapes\": {\n", date, gpu, nvcc
      for (i = 1; i <= n; ++i)
        printf "    \"%s\": {\n      \"runs\": %d,\n      \"states\": [\n%s\n      ]\n    }%s\n", order[i], runs[order[i]], states[order[i]], i < n ? "," : ""
      print "  }\n}"
    }' "$1" >"$here/recorded.json"
}

case ${1:-} in
  run | keep) "$@" ;;
  *) sed -n '2,4p' "$0" >&2; exit 2 ;;
esac
