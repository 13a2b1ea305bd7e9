#!/bin/bash
# Runs every solution under the four tools of compute-sanitizer, and says of which a tool has something to tell.
# Needs a GPU, and a build with runner-gpu and the solutions.
#
#   tests/sanitizers/solutions.sh BUILD [PARALLEL [LESSON...]]
#
# The tool stands around the judge and follows it into the rung's process, which gets the time to end by itself: what
# the tool has to say of it comes at the end. A run counts as silent if the rung passed, the summary is there, and it
# and nothing else was said. Exit status 1 if one was not silent; its log stays. Racecheck takes up to four minutes.
set -u
if [ ! -x "${1:-}/bin/runner-gpu" ] || ! command -v compute-sanitizer >/dev/null; then
  echo "usage: $0 BUILD [PARALLEL [LESSON...]], with a runner-gpu in BUILD/bin and compute-sanitizer on PATH" >&2
  exit 2
fi
build=$(cd "$1" && pwd)
parallel=${2:-8}
shift $(($# < 2 ? $# : 2))
logs=$(mktemp -d)
seconds=900 # of which the slowest needs a third, with eight beside each other

run_one() { # LESSON RUNG TOOL
  local log=$logs/$1.$2.$3
  compute-sanitizer --tool "$3" --target-processes all --print-limit 5 --log-file "$log" \
    "$build/bin/runner-gpu" --lesson "$build/modules/$1/lesson.so" --lesson-name "$1" \
    --rung "$2=$build/modules/$1/$2.solution.so" --check-only --cases quick \
    --timeout $seconds --end-seconds 60 --memory-mb 200000 >"$log.out" 2>&1
  if grep -q '"outcome":"passed"' "$log.out" && grep -qE 'SUMMARY: 0 (errors|hazards)' "$log" &&
    ! grep -qvE 'COMPUTE-SANITIZER|SUMMARY: 0 (errors|hazards)' "$log"; then
    echo "silent $1 $2 $3"
    rm "$log" "$log.out"
  else
    echo "NOT SILENT $1 $2 $3: $log"
  fi
}
export -f run_one
export build logs seconds

cd "$build/modules" || exit 2
[ $# -gt 0 ] || set -- [0-9]*_*
for module in "${@/%//[0-9]*.solution.so}"; do
  for file in $module; do
    rung=${file##*/}
    for tool in racecheck memcheck synccheck initcheck; do echo "${file%%/*} ${rung%.solution.so} $tool"; done
  done
done | xargs -P "$parallel" -L 1 bash -c 'run_one "$@"' run_one | tee "$logs/all"
echo "$(grep -c ^silent "$logs/all") of $(wc -l <"$logs/all") runs silent"
! grep -q ^NOT "$logs/all" && rm -r "$logs"
