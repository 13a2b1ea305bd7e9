# nvcc: found, or installed from its PyPI wheels into .ladder/cuda.
# shellcheck shell=sh disable=SC2034,SC2154  # progress: read by steps.sh; root, state: set by ./ladder

# One release of the toolkit. Only the compiler, its headers and CUB are fetched: modules link no CUDA library.
cuda_wheels="nvidia-cuda-nvcc==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-nvvm==13.0.88
             nvidia-cuda-runtime==13.0.96 nvidia-cuda-cccl==13.0.85"

nvcc_candidates() {
  printf '%s\n' "${CUDA_HOME:+$CUDA_HOME/bin/nvcc}" "$(command -v nvcc)" /usr/local/cuda/bin/nvcc \
    /usr/local/cuda-*/bin/nvcc /opt/cuda*/bin/nvcc "$state/cuda/bin/nvcc"
}

# The release of an nvcc, 13.0 for example, or nothing if it does not run.
nvcc_version() { "$1" --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\).*/\1/p'; }

# Prints the path of an nvcc that is new enough, or nothing.
find_nvcc() {
  nvcc_candidates | while IFS= read -r candidate; do
    [ -x "$candidate" ] || continue
    version=$(nvcc_version "$candidate")
    ! at_least 12.4 "${version:-0}" || { printf '%s\n' "$candidate"; break; }
  done
}

# Says which nvcc the user might expect to be used and is not: that of CUDA_HOME, and the first on PATH.
tell_passed_over() {  # the nvcc that is used, or nothing
  instead=${1:+"; using $1 ($(nvcc_version "$1"))"}
  if [ -n "${CUDA_HOME:-}" ] && [ ! -x "$CUDA_HOME/bin/nvcc" ]; then
    say "CUDA_HOME is $CUDA_HOME, but there is no bin/nvcc in it$instead. To be rid of this: unset CUDA_HOME"
  fi
  { [ -z "${CUDA_HOME:-}" ] || printf '%s\n' "$CUDA_HOME/bin/nvcc"; command -v nvcc; } | while IFS= read -r candidate; do
    [ -x "$candidate" ] || continue
    [ "$candidate" != "$1" ] || break
    version=$(nvcc_version "$candidate")
    if [ -z "$version" ]; then
      say "$candidate does not run$instead"
    elif ! at_least 12.4 "$version"; then
      say "$candidate is CUDA $version, and 12.4 is the oldest that will do$instead"
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
  nvcc=$(find_nvcc)
  tell_passed_over "$nvcc"
  [ -z "$nvcc" ] || return 0
  need_room "$state" 1000 "the CUDA compiler"
  progress=wheels_progress
  step "installing the CUDA 13.0 compiler from PyPI into .ladder/cuda (about 300 MB)" fetch_cuda
  nvcc=$(find_nvcc)
  [ -n "$nvcc" ] || fail "the installed nvcc does not run; see $log"
}

fetch_cuda() {
  target=$state/cuda.partial
  rm -rf "$target" "$state/pip.partial"
  mkdir -p "$state/pip.partial" || return
  # Debian's pip trusts the system's certificates; unpacked packages have theirs in pieces.
  if [ -n "${SSL_CERT_FILE:-}" ]; then
    export PIP_CERT="${PIP_CERT:-$SSL_CERT_FILE}"
  elif [ ! -e /etc/ssl/certs/ca-certificates.crt ] && [ -d "$unpacked/usr/share/ca-certificates/mozilla" ]; then
    cat "$unpacked"/usr/share/ca-certificates/mozilla/*.crt >"$state/certificates.crt"
    export PIP_CERT="${PIP_CERT:-$state/certificates.crt}"
  fi
  # Its temporary files lie here, where there is room for them, and not in /tmp, which may be small.
  # shellcheck disable=SC2086  # one word per wheel
  TMPDIR=$state/pip.partial pip install --no-deps --no-cache-dir --disable-pip-version-check --target "$target" $cuda_wheels ||
    return
  rm -rf "$state/cuda" "$state/pip.partial"
  mv "$target/nvidia/cu13" "$state/cuda"
  rm -rf "$target"
}
