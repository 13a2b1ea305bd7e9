#!/bin/bash
# Tries a package on a bare machine, where packages.sh starts this: what works without a compiler, what it says of one that is
# missing, and what works with it. Fails where anything is not as it should be.
#
#   try_package.sh tarball|deb|wheel
set -eu
kind=$1
export DEBIAN_FRONTEND=noninteractive
cd /tmp
mkdir -p /usr/share/man/man1
rm -rf /home/ladder # the sources: nothing may need them

say() { printf '%4d s  %s\n' "$SECONDS" "$*"; }
fail() { printf 'NOT OK: %s\n' "$*"; exit 1; }
# expect STATUS PATTERN COMMAND...
expect() {
  local wanted=$1 pattern=$2 status=0 began=$SECONDS out
  shift 2
  out=$("$@" 2>&1) || status=$?
  [ "$status" = "$wanted" ] || fail "$* ended with $status and not $wanted: $out"
  grep -q -- "$pattern" <<<"$out" || fail "$* did not say \"$pattern\": $out"
  say "$* (took $((SECONDS - began)) s)"
}
install() { apt-get -qq install -y --no-install-recommends "$@" >/dev/null 2>&1 || fail "apt-get install $*"; }

cat >good.cu <<'CUDA'
#include <cstdio>
__global__ void twice(int* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}
int main() {
  int *x, sum = 0;
  cudaMallocManaged(&x, 100 * sizeof(int));
  for (int i = 0; i < 100; ++i) x[i] = i;
  twice<<<4, 32>>>(x, 100);
  if (cudaError_t error = cudaDeviceSynchronize()) return std::printf("%s\n", cudaGetErrorString(error));
  for (int i = 0; i < 100; ++i) sum += x[i];
  std::printf("sum %d\n", sum);
  cudaFree(x);
}
CUDA
sed 's/if (i < n) //' good.cu >wrong.cu

apt-get -qq update
case $kind in
  wheel) install python3-venv ca-certificates ;;
esac
say "begin"
case $kind in
  tarball)
    mkdir -p /opt/first
    tar -C /opt/first --strip-components 1 -xf /packages/cuda-ladder-*.tar.gz
    mv /opt/first /opt/second # it may lie anywhere
    prefix=/opt/second
    PATH=$prefix/bin:$PATH ;;
  deb)
    apt-get -qq install -y --no-install-recommends /packages/cuda-ladder-*.deb >/dev/null || fail "the .deb"
    prefix=/usr ;;
  wheel)
    python3 -m venv /opt/venv
    PATH=/opt/venv/bin:$PATH
    pip --quiet --disable-pip-version-check install /packages/cuda_ladder-*.whl || fail "the wheel"
    prefix=$(echo /opt/venv/lib/python3*/site-packages/cuda_ladder) ;;
esac
say "installed"

expect 0 '14 xor' ladder demo
expect 0 'ladder init cuda-ladder' ladder
expect 2 'no folder of yours' ladder run 01.1
expect 3 'there is no C++ compiler here' ladder sim good.cu
install g++
[ "$kind" = wheel ] || install python3-pip ca-certificates
say "g++ is here"
if [ "$kind" != wheel ]; then
  expect 3 'ladder setup. brings it' ladder sim good.cu
  expect 0 'ready. Next: ladder init' ladder setup
fi
expect 0 'All that is needed is here' ladder doctor
expect 0 '^sum 9900' ladder sim good.cu
expect 3 'out-of-bounds' ladder sim wrong.cu

expect 0 'cd /tmp/mine' ladder init mine
cd mine
expect 1 'TODO(1)' ./ladder run 05.1
cp solutions/05_transpose/1_naive.cu lessons/05_transpose/1_naive.cu
expect 0 'passed' ./ladder run 05.1
sed -i 's/col < cols/col <= cols/' lessons/05_transpose/1_naive.cu
expect 1 'out-of-bounds' ./ladder run 05.1
echo 'int x = ;' >>lessons/05_transpose/1_naive.cu
expect 1 'expected an expression' ./ladder run 05.1
expect 0 'was kept' ./ladder reset 05.1
expect 0 'Hint 1' ./ladder hint 05.1
expect 0 'sectors' ./ladder lens 05.1 --solution
expect 0 'All that is needed is here' ./ladder doctor
expect 2 'needs a clone' ./ladder grade . --out results
cd ..
echo mine >mine/lessons/05_transpose/1_naive.cu
expect 0 'cd /tmp/mine' ladder init mine
[ "$(cat mine/lessons/05_transpose/1_naive.cu)" = mine ] || fail "ladder init has overwritten a rung"

if grep -rl /home/ladder "$prefix/bin/ladder" "$prefix/lib/cuda-ladder" "$prefix/share/cuda-ladder"; then
  fail "these files name the folder that they were made in"
fi
say "no file names the folder that it was made in"
if [ "$kind" != wheel ]; then
  for file in share/man/man1/ladder.1 share/bash-completion/completions/ladder share/zsh/site-functions/_ladder \
      share/fish/vendor_completions.d/ladder.fish; do
    [ -e "$prefix/$file" ] || [ -e "$prefix/$file.gz" ] || fail "there is no $file"
  done
fi
say "$kind: all is as it should be"
