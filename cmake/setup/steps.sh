# Messages, timed steps and the lock; sourced by ./ladder.
# shellcheck shell=sh disable=SC2154  # root, state, build: set by ./ladder

log=$state/setup.log

say() { printf 'ladder: %s\n' "$*" >&2; }

fail() {
  say "$1"
  shift
  for line in "$@"; do printf '        %s\n' "$line" >&2; done
  exit 3  # as in `ladder`: trouble with the environment, not with the work of a student
}

# step "what is done" command...: runs the command with its output in the log, and says how long it took.
step() {
  what=$1
  shift
  began=$(date +%s)
  printf 'ladder: %s ... ' "$what" >&2
  printf '\n== %s\n' "$what" >>"$log"
  if "$@" >>"$log" 2>&1; then
    printf '%s s\n' "$(($(date +%s) - began))" >&2
  else
    printf 'failed\n' >&2
    tail -n 25 "$log" >&2
    fail "this step failed: $what. The whole log: $log"
  fi
}

# Two calls in one checkout take turns. The kernel frees the lock when its holder ends, however that happens.
take_lock() {
  mkdir -p "$state"
  exec 9>"$state/lock"
  command -v flock >/dev/null || return 0
  if ! flock -n 9; then
    say "another ./ladder is at work in this checkout; waiting for it"
    flock 9
  fi
}

drop_lock() { exec 9>&-; }

# Work in progress is made under names that end in .partial and renamed when complete, so that nothing half done is used.
trap 'say "interrupted; call it again to go on"; rm -rf "$state"/*.partial; exit 130' INT TERM
