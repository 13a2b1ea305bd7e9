#!/bin/sh
# install_test.sh BUILD FOLDER: `cmake --install` of a build, moved elsewhere, runs a finished rung and makes a student's folder.
set -eu
build=$1 folder=$2
rm -rf "$folder"
mkdir -p "$folder/home"
cmake --install "$build" --prefix "$folder/first" >"$folder/log" || { cat "$folder/log"; exit 1; }
mv "$folder/first" "$folder/second"
ladder() { env -u LADDER_ROOT -u LADDER_BUILD_DIR HOME="$folder/home" XDG_CACHE_HOME="$folder/home/cache" "$folder/second/bin/ladder" "$@"; }
cd "$folder/home"

said=$(ladder run 09.12 --solution --device sim --check-only --quick) || { echo "$said"; exit 1; }
echo "$said"
case $said in *passed*) ;; *) echo "the rung did not pass"; exit 1 ;; esac

ladder init mine
for skeleton in "$folder/second/share/cuda-ladder"/lessons/*/[0-9]*_*.cu; do
  own=mine/${skeleton#"$folder/second/share/cuda-ladder/"}
  cmp "$skeleton" "$own"
  ! grep -q 'BEGIN SOLUTION' "$own" || { echo "$own holds its solution"; exit 1; }
done
for file in share/man/man1/ladder.1 share/bash-completion/completions/ladder share/zsh/site-functions/_ladder \
    share/fish/vendor_completions.d/ladder.fish; do
  [ -s "$folder/second/$file" ] || { echo "there is no $file"; exit 1; }
done
