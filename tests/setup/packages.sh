#!/bin/sh
# Builds the packages in a bare Debian 12 and tries each in another: the tarball, the .deb and the wheel. Needs root,
# debootstrap and the network; .ci/run packages calls it.
#
#   tests/setup/packages.sh FOLDER [tarball|deb|wheel ...]
#
# LADDER_PACKAGES names a folder of packages to try instead of building them.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
folder=${1:?usage: packages.sh FOLDER [tarball|deb|wheel ...]}
shift
[ $# -gt 0 ] || set -- tarball deb wheel

if [ -n "${LADDER_PACKAGES:-}" ]; then
  "$here/chroot.sh" "$folder" root :
else
  "$here/chroot.sh" "$folder" root './ladder setup --deps && time cmake/package/build.sh'
  LADDER_PACKAGES=$folder/run/home/ladder/build-package/packages
fi
rm -rf "$folder/base/packages"
cp -r "$LADDER_PACKAGES" "$folder/base/packages"
for kind in "$@"; do
  echo "=== $kind"
  "$here/chroot.sh" "$folder" root "cp tests/setup/try_package.sh /tmp && exec bash /tmp/try_package.sh $kind"
done
