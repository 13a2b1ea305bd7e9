#!/bin/sh
# Tries ./ladder on a bare Debian 12: makes a minimal system in a folder, clones this checkout's HEAD into it, and times
# the two commands of the README there. Needs root, debootstrap and the network; not part of ctest.
#
#   tests/setup/chroot.sh FOLDER root        as root, who may install packages
#   tests/setup/chroot.sh FOLDER user        as an ordinary user without sudo: packages are unpacked
#   tests/setup/chroot.sh FOLDER root 'CMD'  another command than the two
#
# The minimal system itself is kept in FOLDER/base and reused; FOLDER/run is made afresh from it each time.
# shellcheck disable=SC2016  # apt-get fills in its own $(NAME)
set -eu

folder=${1:?usage: chroot.sh FOLDER root|user [command]}
who=${2:-root}
commands=${3:-'time ./ladder demo && time ./ladder test'}
source=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)
mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 2>/dev/null | awk '$2 == "bookworm" { print $1; exit }')

if [ ! -e "$folder/base/etc/debian_version" ]; then
  mkdir -p "$folder"
  rm -rf "$folder/base.partial"
  debootstrap --variant=minbase bookworm "$folder/base.partial" ${mirror:+"$mirror"}
  mv "$folder/base.partial" "$folder/base"
fi

run=$folder/run
leave() {
  for mount in dev/pts dev proc; do
    if mountpoint -q "$run/$mount"; then umount -l "$run/$mount"; fi
  done
}
leave
rm -rf "$run"
cp -a "$folder/base" "$run"
trap leave EXIT
trap 'exit 130' INT TERM
mount -t proc proc "$run/proc"
mount --bind /dev "$run/dev"
mount --bind /dev/pts "$run/dev/pts"  # some tests open a terminal

# How this machine reaches the network: name server, proxies, certificates, pip's settings.
cp /etc/resolv.conf /etc/hosts "$run/etc/"
[ ! -e /etc/pip.conf ] || cp /etc/pip.conf "$run/etc/"
if [ -e /etc/ssl/certs/ca-certificates.crt ]; then
  mkdir -p "$run/usr/local/share/ca-certificates"
  cp /etc/ssl/certs/ca-certificates.crt "$run/usr/local/share/ca-certificates/this-machine.crt"
fi
settings=$(env | grep -iE '^(https?_proxy|no_proxy|PIP_INDEX_URL|PIP_EXTRA_INDEX_URL|PIP_DEFAULT_TIMEOUT)=' || :)
certificates=/usr/local/share/ca-certificates/this-machine.crt

git clone -q --no-hardlinks "$source" "$run/home/ladder"
if [ "$who" = user ]; then
  chroot "$run" useradd -m student
  chroot "$run" chown -R student /home/ladder
  set -- setpriv --reuid student --regid student --init-groups
else
  set --
fi
# shellcheck disable=SC2086  # one word per setting
chroot "$run" env -i HOME=/tmp TERM=dumb PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  PIP_CERT="$certificates" $settings "$@" bash -c "cd /home/ladder && $commands"
