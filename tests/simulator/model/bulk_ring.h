// A ring of bulk copies: the kernel whose clocks measure_async.cu measured on an H100.
#pragma once

#include "tests/simulator/engine/exec_support.h"

namespace sim::test {

/// One thread copies count times, in a ring of stages that it waits for in order.
/// @param trace  see exec::Launch
inline exec::LaunchResult copies(unsigned bytes, unsigned stages, unsigned count, bool trace = false) {
  Device device(
      kernel_text(".param .u64 in, .param .u32 bytes, .param .u32 stages, "
                  ".param .u32 count",
                  R"(
  .reg .pred %p, %q;
  .reg .b32 %i, %n, %s, %c, %at, %b, %parity, %last;
  .reg .b64 %in, %w;
  .shared .align 128 .b8 tile[32768];
  .shared .align 8 .b8 full[128];
  ld.param.u64 %in, [in];
  ld.param.u32 %n, [bytes];
  ld.param.u32 %s, [stages];
  ld.param.u32 %c, [count];
  mov.u32 %b, full;
  mov.u32 %at, tile;
  mov.u32 %i, 0;
init:
  mbarrier.init.shared.b64 [%b], 1;
  add.u32 %b, %b, 8;
  add.u32 %i, %i, 1;
  setp.lt.u32 %p, %i, %s;
  @%p bra init;
  mov.u32 %b, full;
  mov.u32 %i, 0;
first:
  mbarrier.arrive.expect_tx.shared.b64 %w, [%b], %n;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%at], [%in], %n, [%b];
  add.u32 %b, %b, 8;
  add.u32 %i, %i, 1;
  setp.lt.u32 %p, %i, %s;
  @%p bra first;
  mov.u32 %b, full;
  mov.u32 %i, 0;
  mov.u32 %last, 0;
  mov.u32 %parity, 0;
again:
  mbarrier.try_wait.parity.shared.b64 %q, [%b], %parity;
  @!%q bra again;
  mbarrier.arrive.expect_tx.shared.b64 %w, [%b], %n;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%at], [%in], %n, [%b];
  add.u32 %b, %b, 8;
  add.u32 %last, %last, 1;
  setp.eq.u32 %p, %last, %s;
  @%p xor.b32 %parity, %parity, 1;
  @%p mov.u32 %b, full;
  @%p mov.u32 %last, 0;
  add.u32 %i, %i, 1;
  setp.lt.u32 %p, %i, %c;
  @%p bra again;
  ret;)"));
  device.shape.trace = trace;
  const auto in = device.upload(std::vector<unsigned char>(32768));
  return device.run("k", in, bytes, stages, count);
}

}  // namespace sim::test
