#!/bin/sh
# Tries .devcontainer: starts its image by podman, runs its onCreateCommand in a clone of this checkout's HEAD, and then the
# README's first command. Needs root, podman and the network; where no debian:12 can be pulled, debootstrap makes one.
# Not part of ctest; .ci/matrix calls it.
#
#   tests/setup/container.sh FOLDER [COMMAND]     COMMAND instead of ./ladder demo
#
# LADDER_PODMAN is what to call instead of podman, LADDER_PODMAN_RUN further options for `podman run`.
set -eu

folder=${1:?usage: container.sh FOLDER [command]}
command=${2:-./ladder demo}
source=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)
podman=${LADDER_PODMAN:-podman}
settings=$source/.devcontainer/devcontainer.json
image=$(sed -n 's/.*"image": "\(.*\)",/\1/p' "$settings")
create=$(sed -n 's/.*"onCreateCommand": "\(.*\)",/\1/p' "$settings")
if [ -z "$image" ] || [ -z "$create" ]; then
  echo "no image or onCreateCommand in $settings" >&2
  exit 1
fi

mkdir -p "$folder"
if ! $podman image exists "$image" && ! $podman pull -q "$image" 2>/dev/null; then
  [ -e "$folder/base/etc/debian_version" ] || debootstrap --variant=minbase bookworm "$folder/base"
  tar -C "$folder/base" -c . | $podman import -q - "$image"
fi
rm -rf "$folder/checkout"
git clone -q --no-hardlinks "$source" "$folder/checkout"

# How this machine reaches the network: proxies, pip's settings, certificates.
set --
for name in http_proxy https_proxy no_proxy PIP_INDEX_URL PIP_DEFAULT_TIMEOUT; do
  eval "value=\${$name:-}"
  [ -z "$value" ] || set -- "$@" -e "$name=$value"
done
if [ -e /etc/ssl/certs/ca-certificates.crt ]; then
  set -- "$@" -v /etc/ssl/certs/ca-certificates.crt:/certificates.crt:ro -e PIP_CERT=/certificates.crt
fi
# shellcheck disable=SC2086  # options, one word each
exec $podman run --rm --network=host "$@" ${LADDER_PODMAN_RUN:-} -v "$folder/checkout:/workspaces/ladder" \
  -w /workspaces/ladder "$image" sh -c "$create && $command"
