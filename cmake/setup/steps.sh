# Messages, timed steps and the lock; sourced by ./ladder.
# shellcheck shell=sh disable=SC2034,SC2154  # log_from: read by progress.sh; root, state, build: set by ./ladder

log=$state/setup.log

say() { printf 'ladder: %s\n' "$*" >&2; }

fail() {
  say "$1"
  shift
  for line in "$@"; do printf '        %s\n' "$line" >&2; done
  clean_up
  exit 3  # as in `ladder`: trouble with the environment, not with the work of a student
}

# step "what is done" command...: runs the command with its output in the log, and says how long it took; while it runs, on
# a terminal, how long it still takes. `progress`, set before it, says how far it is. What goes wrong is told in a sentence
# where its cause is known.
step() {
  what=$1
  shift
  began=$(date +%s)
  { printf '\n== %s\n' "$what" >>"$log"; } 2>/dev/null || cannot_write "$state"
  log_from=$(($(wc -c <"$log") + 1))
  drawer=
  if draws; then
    keep_drawing &
    drawer=$!
  else
    printf 'ladder: %s ... ' "$what" >&2
  fi
  status=0
  "$@" >>"$log" 2>&1 || status=$?
  stop_drawing
  progress=
  took="$(($(date +%s) - began)) s"
  [ "$status" -eq 0 ] || took=failed
  if draws; then printf 'ladder: %s  %s\n' "$what" "$took" >&2; else printf '%s\n' "$took" >&2; fi
  [ "$status" -eq 0 ] || step_failed
}

stop_drawing() {
  [ -n "${drawer:-}" ] || return 0
  kill -KILL "$drawer" 2>/dev/null || :  # a milder one is lost if the child has not begun yet
  wait "$drawer" 2>/dev/null || :
  drawer=
  printf '\r\033[K' >&2
}

step_failed() {
  if explain; then
    say "$cause"
    printf '%s\n' "$remedy" | while IFS= read -r line; do printf '        %s\n' "$line" >&2; done
    say "this step failed: $what. The whole log: $log"
  else
    step_output | tail -n 25 >&2
    say "this step failed: $what. The whole log: $log"
  fi
  clean_up
  exit 3
}

# Two calls in one checkout take turns. The kernel frees the lock when its holder ends, however that happens.
take_lock() {
  mkdir -p "$state" 2>/dev/null || cannot_write "$root"
  { : >>"$state/lock"; } 2>/dev/null || cannot_write "$state"
  exec 9>"$state/lock"
  command -v flock >/dev/null || return 0
  if ! flock -n 9; then
    say "another ./ladder is at work in this checkout; waiting for it"
    flock 9
  fi
}

drop_lock() { exec 9>&-; }

# Work in progress is made under names that end in .partial and renamed when complete, so that nothing half done is used.
clean_up() { rm -rf "$state"/*.partial; }

interrupted() {
  trap '' INT TERM
  stop_drawing
  draws || printf '\n' >&2
  say "interrupted; call it again to go on"
  clean_up
  exit 130
}
trap interrupted INT TERM
