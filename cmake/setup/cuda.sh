# nvcc: found, or installed from its PyPI wheels into .ladder/cuda.
# shellcheck shell=sh disable=SC2154  # root, state: set by ./ladder

# One release of the toolkit. Only the compiler, its headers and CUB are fetched: modules link no CUDA library.
cuda_wheels="nvidia-cuda-nvcc==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-nvvm==13.0.88
             nvidia-cuda-runtime==13.0.96 nvidia-cuda-cccl==13.0.85"

# Prints the path of an nvcc that is new enough, or nothing.
find_nvcc() {
  for candidate in "${CUDA_HOME:+$CUDA_HOME/bin/nvcc}" "$(command -v nvcc)" /usr/local/cuda/bin/nvcc \
      /usr/local/cuda-*/bin/nvcc /opt/cuda*/bin/nvcc "$state/cuda/bin/nvcc"; do
    [ -x "$candidate" ] || continue
    version=$("$candidate" --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')
    if at_least 12.4 "${version:-0}"; then
      printf '%s\n' "$candidate"
      return
    fi
  done
}

# The system's pip, or an unpacked one, which must be told where its Python lies.
pip() {
  if [ -x "$unpacked/usr/bin/python3" ]; then
    PYTHONHOME=$unpacked/usr PYTHONPATH=$unpacked/usr/lib/python3/dist-packages "$unpacked/usr/bin/python3" -m pip "$@"
  elif [ -d "$unpacked/usr/lib/python3/dist-packages/pip" ]; then
    PYTHONPATH=$unpacked/usr/lib/python3/dist-packages python3 -m pip "$@"
  else
    python3 -m pip "$@"
  fi
}

install_cuda() {
  if [ -n "${CUDA_HOME:-}" ] && [ ! -x "$CUDA_HOME/bin/nvcc" ]; then
    say "CUDA_HOME is $CUDA_HOME, but there is no bin/nvcc in it; looking elsewhere"
  fi
  nvcc=$(find_nvcc)
  [ -z "$nvcc" ] || return 0
  step "installing the CUDA 13.0 compiler from PyPI into .ladder/cuda (about 300 MB)" fetch_cuda
  nvcc=$(find_nvcc)
  [ -n "$nvcc" ] || fail "the installed nvcc does not run; see $log"
}

fetch_cuda() {
  target=$state/cuda.partial
  rm -rf "$target"
  # Debian's pip trusts the system's certificates; unpacked packages have theirs in pieces.
  if [ ! -e /etc/ssl/certs/ca-certificates.crt ] && [ -d "$unpacked/usr/share/ca-certificates/mozilla" ]; then
    cat "$unpacked"/usr/share/ca-certificates/mozilla/*.crt >"$state/certificates.crt"
    export PIP_CERT="${PIP_CERT:-$state/certificates.crt}"
  fi
  # shellcheck disable=SC2086  # one word per wheel
  pip install --no-deps --no-cache-dir --disable-pip-version-check --target "$target" $cuda_wheels || return
  rm -rf "$state/cuda"
  mv "$target/nvidia/cu13" "$state/cuda"
  rm -rf "$target"
}
