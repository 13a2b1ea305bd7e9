# Configuring, building, testing; sourced by ./ladder.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154  # progress: read by steps.sh; root, state, build, up_to_date, want_tests, want_grade, want_page, nvcc: set by ./ladder and cuda.sh

# What the set-up was made for; when it changes (another checkout path, other pins), it is looked through again.
identity() {
  printf '%s\n' "$root" "${CUDA_HOME:-}"
  cksum "$root"/cmake/setup/packages.sh "$root"/cmake/setup/cuda.sh
}

set_up() {
  [ ! -e "$state/env" ] || . "$state/env"
  nvcc=$(find_nvcc)
  if [ -n "$nvcc" ] && [ "$(cat "$state/ready" 2>/dev/null)" = "$(identity)" ] &&
     { [ -z "$want_tests" ] || catch2_works || ! command -v apt-get >/dev/null; } &&
     { [ -z "$want_grade" ] || [ -z "$(missing_for_grading)" ] || ! command -v apt-get >/dev/null; } &&
     { [ -z "$want_page" ] || [ -z "$(missing_for_page)" ] || ! command -v apt-get >/dev/null; }; then
    return
  fi
  began_all=$(date +%s)
  say "setting up in $root (this happens once)"
  install_packages
  install_cuda
  identity >"$state/ready.partial"
  mv "$state/ready.partial" "$state/ready"
  say "set-up done in $(($(date +%s) - began_all)) s"
}

# MB of memory that may still be used: what the machine has free, or less where a control group has a limit.
free_memory_mb() {
  {
    awk '/^MemAvailable/ { printf "%.0f\n", $2 / 1024 }' /proc/meminfo
    for group in /sys/fs/cgroup /sys/fs/cgroup/memory; do
      for names in memory.max:memory.current memory.limit_in_bytes:memory.usage_in_bytes; do
        [ ! -r "$group/${names%:*}" ] || cat "$group/${names%:*}" "$group/${names#*:}"
      done 2>/dev/null | awk 'NR == 1 { most = $1 } NR == 2 && most + 0 > 0 { printf "%.0f\n", (most - $1) / 1048576 }'
    done
  } 2>/dev/null | sort -n | head -n 1
}

# As many jobs as cores, but not more than one per GB of free memory.
jobs() {
  cores=$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)
  memory=$(free_memory_mb)
  memory=$((${memory:-999999} / 1024))
  [ "$memory" -ge 1 ] || memory=1
  [ "$memory" -ge "$cores" ] && printf '%s' "$cores" || printf '%s' "$memory"
}

tell_short_memory() {
  memory=$(free_memory_mb)
  [ -n "$memory" ] && [ -z "${LADDER_JOBS:-}" ] || return 0
  if [ "$memory" -lt 900 ]; then
    say "only $memory MB of memory are free, and compiling takes about 900: close what needs much, or it may be ended half way"
  elif [ "$(jobs)" -lt "$(nproc 2>/dev/null || echo 1)" ]; then
    say "$memory MB of memory are free: compiling $(jobs) at once, though there are $(nproc) cores"
  fi
}

configure() {
  set -- -S "$root" -B "$build" -DLADDER_NVCC="$nvcc" -DLADDER_BUILD_TESTS="$1"
  if ! grep -qx "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build/CMakeCache.txt" 2>/dev/null; then
    set -- --fresh "$@"  # a new build folder, or one whose checkout was moved
    ! command -v ninja >/dev/null || set -- "$@" -G Ninja
    ! command -v ccache >/dev/null || set -- "$@" -DCMAKE_CXX_COMPILER_LAUNCHER=ccache
  fi
  cmake "$@" ${LADDER_WERROR:+-DLADDER_WERROR=$LADDER_WERROR}  # as CI builds
}

configured() {  # for tests and grading, if they are wanted, and with the nvcc that was found
  [ -e "$build/build.ninja" ] || [ -e "$build/Makefile" ] || return 1
  grep -qx "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build/CMakeCache.txt" || return 1
  grep -qx "LADDER_NVCC:FILEPATH=$nvcc" "$build/CMakeCache.txt" || return 1
  [ -z "$want_grade" ] || grep -q '"grades": true' "$build/toolchain.json" || return 1
  [ -z "$want_page" ] || grep -q '"serves": true' "$build/toolchain.json" || return 1
  [ -z "$want_tests" ] || grep -q '^LADDER_BUILD_TESTS:BOOL=ON' "$build/CMakeCache.txt"
}

# build_targets "what they are" TARGET...
build_targets() {
  what_is_built=$1
  shift
  tests=OFF
  [ -z "$want_tests" ] || tests=ON
  configured || step "configuring" configure "$tests"
  : >"$build/$up_to_date.partial"  # as old as the start of the build: what changes while it runs is built next time
  if [ -e "$build/$up_to_date" ]; then
    what_is_built="what changed of $what_is_built"
  elif [ -e "$build/.first-up-to-date" ]; then
    what_is_built="the other commands (this happens once)"
  fi
  exec 8>"$build/.lock"  # `ladder watch` in another window builds here, too
  if command -v flock >/dev/null && ! flock -n 8; then
    say "ladder watch or run is building in another window; waiting for it"
    flock 8
  fi
  need_room "$build" 300 "the build"
  tell_short_memory
  weigh_build "$@"
  progress=build_progress
  step "building $what_is_built" cmake --build "$build" --target "$@" --parallel "${LADDER_JOBS:-$(jobs)}"
  exec 8>&-
  mv "$build/$up_to_date.partial" "$build/$up_to_date"
}

# Runs the suite and ends with one line that says how it went. What a test lacks here, such as a terminal or a sandbox, it
# says itself; it is skipped then, and counts as neither.
run_tests() {
  results=$state/tests.partial
  # What is said is compared with the English words, whoever runs them.
  { LADDER_LANG=C ctest --test-dir "$build" --output-on-failure --parallel "${LADDER_JOBS:-$(jobs)}" "$@" && echo ok >"$results.ok"; } 2>&1 |
    tee "$results"
  failed=$(sed -n 's/.*tests passed, \([0-9]*\) tests failed out of.*/\1/p' "$results")
  total=$(sed -n 's/.*tests failed out of \([0-9]*\).*/\1/p' "$results")
  skipped=$(grep -c '^[[:space:]]*[0-9]* - .*(Skipped)$' "$results" || :)
  status=1
  [ ! -e "$results.ok" ] || status=0
  rm -f "$results" "$results.ok"
  printf '%s passed, %s failed, %s skipped\n' "$((${total:-0} - ${failed:-0} - skipped))" "${failed:-0}" "$skipped"
  [ "${total:-0}" -gt 0 ] || fail "no test was run"
  exit "$status"
}
