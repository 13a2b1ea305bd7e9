// A block-wide reduction as nvcc emits it: parameters, a grid-stride loop, shared memory, barriers, shuffles.
#include <catch2/catch_test_macros.hpp>

#include "tests/simulator/engine/exec_support.h"

namespace {

// Each block of 64 threads adds the numbers it strides over; one atomic per block joins the sums.
const std::string kSum = sim::test::kernel_text(".param .u64 in, .param .u64 out, .param .u32 n", R"(
  .reg .pred %p<8>;
  .reg .b32 %r<30>;
  .reg .b64 %rd<8>;
  .shared .align 4 .b8 tile[256];
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  mov.u32 %r6, 0;
  mov.u32 %r7, %nctaid.x;
  mul.lo.s32 %r8, %r7, %r3;
  setp.ge.s32 %p1, %r5, %r1;
  @%p1 bra $done;
$loop:
  mul.wide.s32 %rd3, %r5, 4;
  add.s64 %rd4, %rd1, %rd3;
  ld.global.u32 %r9, [%rd4];
  add.s32 %r6, %r6, %r9;
  add.s32 %r5, %r5, %r8;
  setp.lt.s32 %p2, %r5, %r1;
  @%p2 bra $loop;
$done:
  shl.b32 %r10, %r4, 2;
  mov.u32 %r11, tile;
  add.s32 %r12, %r11, %r10;
  st.shared.u32 [%r12], %r6;
  bar.sync 0;
  setp.gt.u32 %p3, %r4, 31;
  @%p3 bra $end;
  ld.shared.u32 %r13, [%r12];
  ld.shared.u32 %r14, [%r12+128];
  add.s32 %r15, %r13, %r14;
  shfl.sync.down.b32 %r16|%p4, %r15, 16, 31, -1;
  add.s32 %r15, %r15, %r16;
  shfl.sync.down.b32 %r16|%p4, %r15, 8, 31, -1;
  add.s32 %r15, %r15, %r16;
  shfl.sync.down.b32 %r16|%p4, %r15, 4, 31, -1;
  add.s32 %r15, %r15, %r16;
  shfl.sync.down.b32 %r16|%p4, %r15, 2, 31, -1;
  add.s32 %r15, %r15, %r16;
  shfl.sync.down.b32 %r16|%p4, %r15, 1, 31, -1;
  add.s32 %r15, %r15, %r16;
  setp.ne.s32 %p5, %r4, 0;
  @%p5 bra $end;
  red.global.add.u32 [%rd2], %r15;
$end:
  ret;
)");

}  // namespace

TEST_CASE("a reduction over any number of elements, blocks and host threads gives the exact sum") {
  for (int n : {0, 1, 31, 32, 33, 63, 64, 1000, 4097}) {
    for (int host_threads : {1, 2, 3}) {
      sim::test::Device device(kSum);
      std::vector<int> values(std::size_t(n) + 1);
      int expected = 0;
      for (int i = 0; i < n; ++i) expected += values[std::size_t(i)] = i * 7 - 1000;
      const auto in = device.upload(values), out = device.upload(std::vector<int>{0});
      device.shape.grid = {5, 1, 1};
      device.shape.block = {64, 1, 1};
      device.shape.host_threads = host_threads;
      const auto result = device.run("k", in, out, n);
      CHECK(device.download<int>(out, 1)[0] == expected);
      CHECK(result.counters.barriers == 10);
      CHECK(result.counters.global_atomic_requests == 5);
    }
  }
}
