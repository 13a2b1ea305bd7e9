# The line of a step that runs: what is done, a bar, the time left. Drawn on a terminal only; sourced by ./ladder.
# shellcheck shell=sh disable=SC2154  # state, build, log: set by ./ladder and steps.sh

# Is there a terminal that can draw a line again?
draws() { [ -t 2 ] && [ "${TERM:-dumb}" != dumb ]; }

# draw "what is done" PERMILLE SECONDS: PERMILLE is empty where nobody knows how far it is.
draw() {
  columns=$(stty size <&2 2>/dev/null | cut -d ' ' -f 2)
  case ${LC_ALL:-${LC_CTYPE:-${LANG:-}}} in *[Uu][Tt][Ff]*) blocks='█░' ;; *) blocks='#.' ;; esac
  colour=yes
  [ -z "${NO_COLOR:-}" ] || colour=
  line=$(awk -v what="$1" -v done="$2" -v seconds="$3" -v columns="${columns:-80}" -v blocks="$blocks" -v colour="$colour" '
    function clock(s) { return sprintf("%d:%02d", s / 60, s % 60) }
    function of(n, s, i, all) { for (i = 0; i < n; ++i) all = all s; return all }
    BEGIN {
      half = length(blocks) / 2  # mawk counts bytes, gawk characters
      full = substr(blocks, 1, half); empty = substr(blocks, half + 1)
      if (columns < 20) columns = 80
      if (done == "") { bar = ""; width = 0; end = "  " clock(seconds) }
      else {
        width = columns > 100 ? 24 : 12
        n = int(done * width / 1000)
        bar = "  " (colour ? "\033[32m" : "") of(n, full) (colour ? "\033[0m" : "") of(width - n, empty)
        end = sprintf(" %3d %%", done / 10)
        if (done >= 30 && seconds >= 5) end = end "  " clock(seconds * (1000 - done) / done) " left"
        width += 2
      }
      room = columns - 1 - length("ladder: ") - width - length(end)
      if (length(what) > room) what = substr(what, 1, room > 3 ? room - 3 : 0) "..."
      printf "ladder: %s%s%s", what, bar, end
    }')
  printf '\r\033[K%s' "$line" >&2
}

# In the background of a step, which is this process's parent: draws until it is ended, or the parent is gone.
keep_drawing() {
  trap - INT TERM
  while kill -0 $$ 2>/dev/null; do
    draw "$what" "$(${progress:-:} 2>/dev/null)" "$(($(date +%s) - began))"
    sleep 0.5
  done
}

# What the step's command has written so far.
step_output() { tail -c "+$log_from" "$log"; }

# --- How far a step is, in thousandths: what `progress` can be set to before it.

# apt-get says it on a descriptor of its own: first the downloads, then the packages.
packages_progress() {
  tail -n 1 "$state/apt.partial" | awk -F : '/^dlstatus/ { print int($3 * 5) } /^pmstatus/ { print 500 + int($3 * 5) }'
}

# pip (of Debian 12) says nothing; the wheels take so many kB while they are fetched, and as many as that again unpacked.
wheels_kb=1000000
wheels_progress() {
  du -sk "$state/cuda.partial" "$state/pip.partial" 2>/dev/null |
    awk -v all="$wheels_kb" '{ sum += $1 } END { print sum < all ? int(sum * 1000 / all) : 999 }'
}

# ninja's lines, "[3/27] Building CXX object x.o", each with a weight: a compilation counts as its sources are long.
# A tool that only counts, make for one, is taken at its word.
build_progress() {
  step_output | awk -v weights="$state/weights.partial" '
    BEGIN { while ((getline line < weights) > 0) { w = line + 0; sub(/^[0-9]+ /, "", line); weight[line] = w; all += w } }
    /^\[[0-9]+\/[0-9]+\] / { split(substr($1, 2), n, "[/\\]]"); part = n[1] / n[2]; sub(/^[^ ]+ /, ""); sum += weight[$0] }
    /^\[ *[0-9]+%\] / { sub(/^\[ */, ""); part = $0 / 100 }
    END { if (all > 0 && sum > 0) part = sum / all; print int(part * 999) }'
}

# weigh_build TARGET...: the weights of what ninja is going to do.
weigh_build() {
  rm -f "$state/weights.partial"
  [ -e "$build/build.ninja" ] && command -v ninja >/dev/null || return 0
  ninja -C "$build" -n "$@" 2>/dev/null | sed -n 's/^\[[0-9]*\/[0-9]*\] //p' | while IFS= read -r edge; do
    weight=1000
    case $edge in
      "Building "*/Unity/*.o)
        source=$build/${edge##* }
        weight=$(sed -n 's/^#include "\(.*\)"/\1/p' "${source%.o}" 2>/dev/null | tr '\n' '\0' | xargs -0 cat 2>/dev/null | wc -c) ;;
      "Building "*) weight=6000 ;;
      nvcc*) weight=4000 ;;
    esac
    printf '%s %s\n' "$((weight + 1))" "$edge"
  done >"$state/weights.partial"
}
