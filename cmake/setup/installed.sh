#!/bin/sh
# `ladder setup` of a package: brings the CUDA compiler where there is none, for this user alone.
#
#   installed.sh COURSE STATE
# shellcheck disable=SC2034  # read by what is sourced
set -eu
root=$1 state=$2 build=$2/build no_root='' want_tests='' want_grade=''
mkdir -p "$state"
. "$root/cmake/setup/steps.sh"
. "$root/cmake/setup/progress.sh"
. "$root/cmake/setup/causes.sh"
. "$root/cmake/setup/packages.sh"
. "$root/cmake/setup/cuda.sh"

take_lock
nvcc=$(find_nvcc)
if [ -z "$nvcc" ]; then
  pip --version >/dev/null 2>&1 ||
    fail "Python 3 with pip is missing, which fetches the CUDA compiler (Debian, Ubuntu: apt install python3-pip)" \
      "With a CUDA toolkit of your own, CUDA_HOME names it."
  install_cuda
fi
say "the CUDA compiler: $nvcc"
command -v g++ >/dev/null || fail "g++ is missing, which nvcc needs for the host's side of a program" \
  "Debian, Ubuntu: apt install g++. Fedora, RHEL: dnf install gcc-c++. On a cluster: module load gcc."
say "ready. Next: ladder init cuda-ladder"
