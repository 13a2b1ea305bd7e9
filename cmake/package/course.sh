#!/bin/sh
# What a package has below share/cuda-ladder: the course as data, and what makes a student's folder of it. Rungs are made
# anew from their solutions, by dropping the marked regions as `ladder dev sync` does.
#
#   course.sh SOURCE FOLDER
set -eu
source=$1 to=$2
rm -rf "$to"
mkdir -p "$to/cmake/setup" "$to/docs"
cd "$source"
for lesson in lessons/[0-9][0-9]_*; do
  mkdir -p "$to/$lesson" "$to/solutions/${lesson#lessons/}"
  for file in "$lesson"/*; do
    case $file in
      *.cu | */baselines) ;;
      *) cp -r "$file" "$to/$lesson/" ;;
    esac
  done
  for file in "solutions/${lesson#lessons/}"/*.cu; do
    cp "$file" "$to/$file"
    awk '/^[[:space:]]*\/\/ BEGIN SOLUTION/ { inside = 1 } !inside { print } /^[[:space:]]*\/\/ END SOLUTION/ { inside = 0 }' \
      "$file" >"$to/$lesson/${file##*/}"
  done
done
cp -r common "$to/"
cp docs/student.md docs/trust.md "$to/docs/"
cp docs/edition/package.md "$to/README.md"
cp LICENSE THIRD_PARTY.md CHANGELOG.md "$to/"
cp cmake/nvcc.sh "$to/cmake/"
for file in home.sh init.sh installed.sh steps.sh progress.sh causes.sh packages.sh cuda.sh; do cp "cmake/setup/$file" "$to/cmake/setup/"; done
cp cmake/package/ladder "$to/ladder"
find "$to" -type d -exec chmod 755 {} + -o -type f -exec chmod 644 {} +
chmod 755 "$to/ladder" "$to/cmake/nvcc.sh" "$to/cmake/setup/init.sh" "$to/cmake/setup/installed.sh"
