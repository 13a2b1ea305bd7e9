#!/bin/sh
# The last step of `cmake --install`: the course as data, completions, and modules without the path they were compiled in.
#
#   install.sh SOURCE PREFIX
set -eu
source=$1 prefix=$2
sh "$source/cmake/package/course.sh" "$source" "$prefix/share/cuda-ladder"

# As many slashes as the path has letters, so that nothing in the file moves.
slashes=$(printf '%s' "$source" | tr -c / / )
for file in "$prefix"/lib/cuda-ladder/modules/*/*.solution.*; do
  [ ! -f "$file" ] || LC_ALL=C sed -i "s|$source|$slashes|g" "$file"
done

write_completion() {
  mkdir -p "$prefix/$2"
  "$prefix/bin/ladder" completion "$1" >"$prefix/$2/$3"
}
write_completion bash share/bash-completion/completions ladder
write_completion zsh share/zsh/site-functions _ladder
write_completion fish share/fish/vendor_completions.d ladder.fish
# A file in zsh's folder is named by its first line.
sed -i '1s/^/#compdef ladder\n/' "$prefix/share/zsh/site-functions/_ladder"
