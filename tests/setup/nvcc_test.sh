#!/bin/sh
# cmake/nvcc.sh makes what nvcc makes, and says what nvcc says, by its plan and where that is none it knows.
#
#   nvcc_test.sh SOURCE NVCC FOLDER SHAKE
set -eu
source=$1 nvcc=$2 folder=$3 shake=$4
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
failed=0
fail() { echo "FAILED: $*"; failed=1; }

fast='-gencode arch=compute_90,code=compute_90 --no-compress -lineinfo -shared -cudart none -O3 -std=c++17 -Xcompiler -fPIC'
check='-gencode arch=compute_90,code=compute_90 -G -Xcompiler -U__CUDACC_DEBUG__ -w -ptx -O3 -std=c++17 -Xcompiler -fPIC'

# both COMPILER FILE: its two builds; what was said is in FILE.said. @return the status
both() {
  rm -f "$2.so" "$2.ptx"
  # shellcheck disable=SC2086  # options
  sh "$source/cmake/nvcc.sh" "$folder/headers/" --shake "$shake" "$1" $fast "$2.cu" -MD -MT "$2.so" -MF "$2.d" -o "$2.so" \
    --check "$1" $check "$2.cu" -o "$2.ptx" >"$2.said" 2>&1
}

cat >right.cu <<'CU'
#include "right.h"
namespace {
__global__ void kernel(float* p) { p[threadIdx.x] = kValue; }
}  // namespace
void launch(float* p) { kernel<<<1, 32>>>(p); }
CU
echo 'constexpr float kValue = 2;' >right.h
for turn in first second; do  # the second with the precompiled header of the first
  both "$nvcc" right || { fail "the $turn time"; cat right.said; }
  for product in right.so right.ptx; do [ -s $product ] || fail "no $product the $turn time"; done
  [ ! -s right.said ] || fail "nothing is to be said of a right file the $turn time"
  grep -q 'right\.h' right.d || fail "no dependency on right.h"
done
[ -n "$(find headers -name '*.gch' 2>/dev/null)" ] || echo "note: this host compiler has no precompiled headers here"
# shellcheck disable=SC2086
"$nvcc" $check right.cu -o plain.ptx
kernels() { grep -c '\.entry' "$1"; }
[ "$(kernels plain.ptx)" = "$(kernels right.ptx)" ] || fail "other kernels than nvcc's"
[ "$(grep -o '_GLOBAL__N[_0-9a-zA-Z]*6kernelEPf' right.ptx | head -n 1)" = \
  "$(strings -a right.so | grep -o '_GLOBAL__N[_0-9a-zA-Z]*6kernelEPf' | head -n 1)" ] ||
  fail "the builds have different names for a kernel"

# Headers of the library, whose macros are not warned of.
cat >special.cu <<'CU'
#include <algorithm>
#include <cuda_runtime.h>
__global__ void kernel(float* p, const float* q) { atomicAdd(p, __ldg(q)); }
int launch(float* p) {
  kernel<<<1, 32>>>(p, p);
  return std::max(1, __LINE__);
}
CU
both "$nvcc" special || { fail "special functions"; cat special.said; }
[ ! -s special.said ] || { fail "said of special functions"; cat special.said; }
# shellcheck disable=SC2086
"$nvcc" $check special.cu -o plain.ptx
without_names() { sed -E 's/[0-9]+_INTERNAL_[0-9a-zA-Z_]+/NAME/g; /^\.b8 /d' "$1"; }  # the second: names as bytes
[ "$(without_names plain.ptx)" = "$(without_names special.ptx)" ] || fail "other PTX than nvcc's"

# Large headers of the toolkit, of which little is read; and where what is left is refused, the whole is.
cat >large.cu <<'CU'
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
namespace cg = cooperative_groups;
__global__ void kernel(float* p, const __nv_bfloat162* q) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const __nv_bfloat162 sum = __hadd2(q[0], q[1]) * q[2];
  p[threadIdx.x] = cg::reduce(warp, p[threadIdx.x] + __low2float(sum), cg::plus<float>());
}
void launch(float* p, const __nv_bfloat162* q) { kernel<<<1, 32>>>(p, q); }
CU
# shellcheck disable=SC2086
"$nvcc" $check large.cu -o plain.ptx
# The counter of files, and variables of headers that nobody reads, are others.
code_of() { without_names "$1" | sed '/^[[:space:]]*\.section/,$d' | grep -vE '^[[:space:]]*\.(file|loc)|^\.global'; }
printf '#!/bin/sh\necho refuse this; cat\n' >spoils
printf '#!/bin/sh\nexit 1\n' >fails
chmod +x spoils fails
good=$shake
for shake in "$good" ./spoils ./fails ./missing; do
  both "$nvcc" large || { fail "large headers with $shake"; cat large.said; }
  [ ! -s large.said ] || { fail "said of large headers with $shake"; cat large.said; }
  [ "$(code_of plain.ptx)" = "$(code_of large.ptx)" ] || fail "other PTX than nvcc's with $shake"
done
shake=$good

# An object, as `ladder sim` makes them.
sh "$source/cmake/nvcc.sh" "$folder/headers/" --shake "$shake" --any "$nvcc" \
  -gencode arch=compute_90,code=compute_90 -O3 -g -c large.cu -MMD -MF object.d -o object.o -MT object.o \
  --check "$nvcc" -arch=compute_90 -G -w -O3 -g -ptx large.cu -o object.ptx || fail "an object"
[ -s object.ptx ] || fail "no PTX of the object"
nm object.o | grep -q launch || fail "what is in the object"
grep -q 'large\.cu' object.d || fail "an object's dependencies"
grep -q '/stdio\.h' object.d && fail "with -MMD headers of the system are none"

# Headers that were changed since are read again.
kept=$(find headers -name headers -type f | head -n 1)
touch -d 2000-01-01 "$kept"
for name in right special; do both "$nvcc" $name || fail "$name.cu after a change of headers"; done
[ -n "$(find "$kept" -newer special.cu)" ] || fail "changed headers are not read"

# What is refused, and how: as nvcc refuses it.
echo '#include "missing.h"' >include.cu
echo '__global__ void kernel(float* p) { p[0] = q; }' >name.cu
echo 'void host(); __global__ void kernel() { int unused; host(); }' >device.cu
echo '__global__ void kernel(int* p) { asm("bogus.u32 %0, %1;" : "=r"(*p) : "r"(1)); }' >ptx.cu
echo 'void f() { asm("no such instruction"); } __global__ void kernel() {}' >host.cu
for name in include name device ptx host; do
  # shellcheck disable=SC2086
  "$nvcc" $fast $name.cu -o plain.so >plain.said 2>&1 && fail "nvcc takes $name.cu"
  both "$nvcc" $name && fail "$name.cu is taken"
  [ ! -e $name.so ] || fail "there is a module of $name.cu"
  for said in plain.said $name.said; do sed -i -E 's#/tmp/[^ ]*/([^/ ]*)#\1#g; s#tmpxft[-_0-9a-f]*_##g' "$said"; done
  [ "$(grep -c error plain.said)" = "$(grep -c error $name.said)" ] || { fail "of $name.cu is said"; cat $name.said; }
  [ "$(grep -m1 'rror' plain.said | sed 's/.*rror//')" = "$(grep -m1 'rror' $name.said | sed 's/.*rror//')" ] ||
    { fail "of $name.cu is said first"; cat $name.said; }
done

# Only the check build still has it.
echo '__global__ void kernel() { int x; asm("bogus.u32 %0, %1;" : "=r"(x) : "r"(1)); }' >dead.cu
both "$nvcc" dead && fail "dead.cu is taken"
grep -qx 'the check build is refused' dead.said || fail "it is not said that the check build is refused"

# A compiler without a plan; and one that makes two programs.
# shellcheck disable=SC2016  # for those scripts to expand
printf '#!/bin/sh\nfor w; do [ "$w" != --dryrun ] || exit 1; done\nexec "%s" "$@"\n' "$nvcc" >planless
# shellcheck disable=SC2016
printf '#!/bin/sh\nfor w; do [ "$w" != --dryrun ] || exit 1; [ "$w" != -ptx ] || set -- -DOTHER "$@"; done\nexec "%s" "$@"\n' \
  "$nvcc" >two_programs
chmod +x planless two_programs
both ./planless right || { fail "without a plan"; cat right.said; }
for product in right.so right.ptx; do [ -s $product ] || fail "no $product without a plan"; done
printf '#ifdef OTHER\n__global__ void other() {}\n#endif\n__global__ void kernel() {}\n' >two.cu
both ./two_programs two && fail "two programs are taken"
grep -qx 'the check build would be another program' two.said || fail "it is not said that there are two programs"
[ -z "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'ladder-nvcc.*' -newer two.cu -user "$(id -u)" 2>/dev/null)" ] ||
  echo "note: another call keeps its files, or this one left some"
exit "$failed"
