// A kernel whose warps have roles: warp 1 copies into a ring of two stages, warp 0 waits, adds and frees.
#pragma once

#include "tests/simulator/engine/exec_support.h"

namespace sim::test {

inline exec::LaunchResult run_roles(unsigned turns, bool trace = true) {
  Device device(kernel_text(".param .u64 in, .param .u32 turns", R"(
  .reg .pred %p, %q;
  .reg .b32 %t, %k, %n, %s, %at, %full, %empty, %parity, %v;
  .reg .b64 %in, %w;
  .shared .align 128 .b8 tile[2048];
  .shared .align 8 .b64 full[2];
  .shared .align 8 .b64 empty[2];
  ld.param.u64 %in, [in];
  ld.param.u32 %n, [turns];
  mov.u32 %t, %tid.x;
  setp.ne.u32 %p, %t, 0;
  @%p bra begun;
  mbarrier.init.shared.b64 [full], 1;
  mbarrier.init.shared.b64 [full+8], 1;
  mbarrier.init.shared.b64 [empty], 32;
  mbarrier.init.shared.b64 [empty+8], 32;
begun:
  bar.sync 0;
  mov.u32 %k, 0;
  setp.lt.u32 %p, %t, 32;
  @%p bra consume;
  setp.ne.u32 %p, %t, 32;
  @%p bra done;
produce:
  and.b32 %s, %k, 1;
  shl.b32 %at, %s, 10;
  mov.u32 %v, tile;
  add.u32 %at, %at, %v;
  shl.b32 %s, %s, 3;
  mov.u32 %full, full;
  add.u32 %full, %full, %s;
  mov.u32 %empty, empty;
  add.u32 %empty, %empty, %s;
  shr.u32 %parity, %k, 1;
  and.b32 %parity, %parity, 1;
  xor.b32 %parity, %parity, 1;
free:
  mbarrier.try_wait.parity.shared.b64 %q, [%empty], %parity;
  @!%q bra free;
  mbarrier.arrive.expect_tx.shared.b64 %w, [%full], 1024;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%at], [%in], 1024, [%full];
  add.u32 %k, %k, 1;
  setp.lt.u32 %p, %k, %n;
  @%p bra produce;
  bra done;
consume:
  and.b32 %s, %k, 1;
  shl.b32 %s, %s, 3;
  mov.u32 %full, full;
  add.u32 %full, %full, %s;
  mov.u32 %empty, empty;
  add.u32 %empty, %empty, %s;
  shr.u32 %parity, %k, 1;
  and.b32 %parity, %parity, 1;
come:
  mbarrier.try_wait.parity.shared.b64 %q, [%full], %parity;
  @!%q bra come;
  ld.shared.u32 %v, [tile];
  mbarrier.arrive.shared.b64 %w, [%empty];
  add.u32 %k, %k, 1;
  setp.lt.u32 %p, %k, %n;
  @%p bra consume;
done:
  ret;)"));
  device.shape.block = {64, 1, 1};
  device.shape.trace = trace;
  const auto in = device.upload(std::vector<unsigned char>(1024));
  return device.run("k", in, turns);
}

}  // namespace sim::test
