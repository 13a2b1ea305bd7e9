#!/bin/sh
# Makes the packages: a tarball, a .deb and a wheel, of one build for all CPUs and the simulator again for newer ones.
#
#   cmake/package/build.sh [FOLDER]      build-package; the packages lie in FOLDER/packages
#
# Wants what ./ladder setup installs, and Python's pip for the stubs of an older C library (zig's wheel) and for packing the
# wheel. LADDER_GLIBC is that C library's version; "" links for this machine's own.
set -eu
source=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd -P)
folder=${1:-$source/build-package}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd -P)
glibc=${LADDER_GLIBC-2.28}
jobs=${LADDER_JOBS:-$(nproc)}
# shellcheck disable=SC1091  # written by the set-up, where there is something to say
[ ! -e "$source/.ladder/env" ] || . "$source/.ladder/env"

set -- -DLADDER_PACKAGE=ON -DCMAKE_BUILD_TYPE=Release ${LADDER_NVCC:+-DLADDER_NVCC="$LADDER_NVCC"}
if [ -n "$glibc" ]; then
  "$source/cmake/package/sysroot.sh" "$folder/sysroot" "$glibc"
  set -- "$@" -DLADDER_SYSROOT="$folder/sysroot"
fi
! command -v ninja >/dev/null || set -- "$@" -G Ninja
! command -v ccache >/dev/null || set -- "$@" -DCMAKE_CXX_COMPILER_LAUNCHER=ccache

# build VARIANT TARGET...
variants=
build() {
  variant=$1
  shift
  cmake --build "$folder/${variant:-all}" --parallel "$jobs" --target "$@"
}
case $(uname -m) in
  x86_64)
    for variant in x86-64-v3 x86-64-v4; do
      cmake -S "$source" -B "$folder/$variant" "$@" -DLADDER_VARIANT=$variant
      build $variant runner-sim sim_cudart
      variants="$variants${variants:+;}$folder/$variant"
    done ;;
esac
cmake -S "$source" -B "$folder/all" "$@" -DLADDER_VARIANT_BUILDS="$variants"
build '' packaged

rm -rf "$folder/packages"
mkdir -p "$folder/packages"
(cd "$folder/all" && cpack -B "$folder/packages")
rm -rf "$folder/packages/_CPack_Packages"
"$source/cmake/package/wheel.sh" "$folder/packages"/cuda-ladder-*.tar.gz "${glibc:-$(ldd --version | sed -n '1s/.* //p')}" "$folder/packages"
ls -l "$folder/packages"
