# A course that is installed once for all users of a machine; sourced by ./ladder. Each has a folder of their own that is
# laid out as a checkout: links to the course, but for the rungs, which are copies, and for build/ and .ladder/.
# shellcheck shell=sh disable=SC2154  # root: set by ./ladder

# Whether it is to be used: somebody asked for it, the course cannot be written, or this is such a folder already.
wants_home() { [ -n "${LADDER_HOME:-}" ] || [ ! -w "$root" ] || [ -e "$root/.ladder/course" ]; }

# Sets root to the user's own folder, made or brought up to date.
use_home() {
  if [ -e "$root/.ladder/course" ]; then
    course=$(cat "$root/.ladder/course")
    home=$root
  else
    course=$root
    home=${LADDER_HOME:-${HOME:-}/cuda-ladder}
  fi
  case $home in /*) ;; *) home=$PWD/$home ;; esac
  [ -d "$course/lessons" ] || home_fail "the course that $home was made from is not in $course any more"
  [ "$(cd "$home" 2>/dev/null && pwd -P)" != "$course" ] || return 0
  [ -e "$home/.ladder/course" ] || [ -z "$(ls -A "$home" 2>/dev/null)" ] ||
    home_fail "$home has other things in it; name a folder for the course's work in LADDER_HOME"
  if [ ! -e "$home/.ladder/course" ]; then
    mkdir -p "$home/.ladder" "$home/lessons" 2>/dev/null || home_fail "cannot make $home; name a folder for your work in LADDER_HOME"
    printf 'ladder: the course in %s is for everybody; your own files are in %s\n' "$course" "$home" >&2
  fi
  [ -w "$home" ] || home_fail "$home cannot be written; name a folder for your work in LADDER_HOME"
  moved=
  if [ "$(cat "$home/.ladder/course" 2>/dev/null)" != "$course" ]; then
    moved=yes
    printf '%s\n' "$course" >"$home/.ladder/course.partial"
    mv "$home/.ladder/course.partial" "$home/.ladder/course"
  fi
  for entry in "$course"/* "$course"/.clangd "$course"/.vscode "$course"/.clang-format; do
    case ${entry##*/} in lessons | build | build-* | "*") ;; *) home_link "$entry" "$home/${entry##*/}" ;; esac
  done
  for entry in cuda root; do home_link "$course/.ladder/$entry" "$home/.ladder/$entry"; done
  [ -e "$home/.ladder/env" ] || [ ! -e "$course/.ladder/env" ] || printf ". '%s'\n" "$course/.ladder/env" >"$home/.ladder/env"
  for entry in "$course"/lessons/*; do
    if [ -d "$entry" ]; then home_lesson "$entry" "$home/lessons/${entry##*/}"; else home_link "$entry" "$home/lessons/${entry##*/}"; fi
  done
  home_put_away
  root=$home
}

home_fail() { printf 'ladder: %s\n' "$1" >&2; exit 3; }

# home_link COURSE'S OWN: what a user has put there instead stays.
home_link() {
  [ -e "$1" ] || return 0
  if [ -L "$2" ] && { [ -n "$moved" ] || [ ! -e "$2" ]; }; then rm -f "$2"; fi
  [ -e "$2" ] || ln -s "$1" "$2"
}

# home_lesson COURSE'S OWN: rungs are copied once, and never again.
home_lesson() {
  [ -d "$2" ] || mkdir -p "$2"
  for file in "$1"/*; do
    own=$2/${file##*/}
    case $file in
      *.cu)
        [ -e "$own" ] || [ ! -e "$file" ] || { cp "$file" "$own.partial" && chmod u+w "$own.partial" && mv "$own.partial" "$own"; } ;;
      *) home_link "$file" "$own" ;;
    esac
  done
}

# Lessons that the course has no more, or under another name, are kept where nothing looks for lessons.
home_put_away() {
  for entry in "$home"/lessons/*/; do
    entry=${entry%/}
    if [ ! -L "$entry/lesson.toml" ] || [ -e "$entry/lesson.toml" ]; then continue; fi
    mkdir -p "$home/.ladder/former"
    mv "$entry" "$home/.ladder/former/${entry##*/}.$(date +%s)"
  done
}
