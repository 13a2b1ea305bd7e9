#!/bin/sh
# verdicts.sh [BEFORE]: the verdicts, as Markdown on stdout, of the rungs that a push brought.
#
# BEFORE is the commit that the forge had until then. Where it has none that is known here, as of a new branch, every rung
# that differs from its skeleton is looked at. Ends with 1 where a rung failed.
set -u
cd "$(dirname "$0")/../../.." || exit 3
before=${1:-}
longest=${LADDER_RUNG_SECONDS:-600}  # of one rung, its build included: a kernel that never ends costs nobody's minutes

if [ -n "$before" ] && git cat-file -e "$before^{commit}" 2>/dev/null; then
  files=$(git diff --name-only --diff-filter=d "$before" HEAD -- 'lessons/*/*.cu')
else
  files=$(for file in lessons/*/[0-9]*_*.cu; do
    cmp -s "$file" "skeletons/${file#lessons/}" || echo "$file"
  done)
fi
rungs=$(printf '%s\n' "$files" | sed -n 's#^lessons/\([0-9]*\)_[^/]*/\([0-9]*\)_[^/]*\.cu$#\1.\2#p' | sort -t. -k1,1n -k2,2n)

echo '## CUDA Ladder'
echo
[ -n "$rungs" ] || { echo 'No rung changed.'; exit 0; }
echo 'On the simulator; times are modelled.'
worst=0
for rung in $rungs; do
  said=$(timeout "$longest" ./ladder --color never run "$rung" --device sim 2>&1)
  code=$?
  [ "$code" = 0 ] || worst=1
  [ "$code" != 124 ] || said="✗ $rung had no verdict after $longest s"
  # The line with the verdict's mark, without the file's name; the set-up speaks before it.
  first=$(printf '%s\n' "$said" | grep -m 1 '^\(✓\|✗\|◐\|–\)' | sed 's/  *lessons\/.*//; s/&/\&amp;/g; s/</\&lt;/g')
  [ "$code" = 0 ] && open='' || open=' open'
  printf '\n<details%s><summary>%s</summary>\n\n' "$open" "${first:-$rung has no verdict}"
  printf '%s\n' "$said" | tail -n 80 | sed 's/^/    /'
  printf '\n</details>\n'
done
exit "$worst"
