// Bulk copies into shared memory, and the mbarrier that counts their bytes.
#include <catch2/catch_test_macros.hpp>
#include <numeric>

#include "tests/simulator/engine/exec_support.h"

using sim::test::Device;
using sim::test::kernel_text;

namespace {

/// One warp; its first lane copies 512 bytes at most, and all read four words each.
std::string bulk(const std::string& copy) {
  std::string text = kernel_text(".param .u64 out, .param .u64 in, .param .u32 bytes", R"(
  .reg .pred %p, %q;
  .reg .b32 %t, %a, %n, %s, %v<4>;
  .reg .b64 %o, %i, %w, %c;
  .shared .align 128 .b8 tile[640];
  .shared .align 8 .b64 ready;
  ld.param.u64 %o, [out];
  ld.param.u64 %i, [in];
  ld.param.u32 %n, [bytes];
  mov.u64 %c, 0;
  mov.u32 %t, %tid.x;
  mov.u32 %s, tile;
  setp.ne.u32 %p, %t, 0;
  @%p bra begun;
  mbarrier.init.shared.b64 [ready], 1;
  mbarrier.arrive.expect_tx.shared.b64 %w, [ready], %n;
  )" + copy + R"(
begun:
  bar.warp.sync -1;
waiting:
  mbarrier.try_wait.parity.shared.b64 %q, [ready], 0;
  @!%q bra waiting;
  mad.lo.u32 %a, %t, 16, %s;
  ld.shared.v4.u32 {%v0, %v1, %v2, %v3}, [%a + 16];
  mad.wide.u32 %o, %t, 16, %o;
  st.global.v4.u32 [%o], {%v0, %v1, %v2, %v3};
  ret;)");
  return text;
}

const char kCopy[] = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes";

std::vector<unsigned> copied(const std::string& copy, unsigned bytes) {
  Device device(bulk(copy));
  device.shape.block = {32, 1, 1};
  std::vector<unsigned> numbers(160);
  std::iota(numbers.begin(), numbers.end(), 1000u);
  const auto in = device.upload(numbers);
  const auto out = device.upload(std::vector<unsigned>(128, 77));
  device.run("k", out, in, bytes);
  return device.download<unsigned>(out, 128);
}

}  // namespace

TEST_CASE(
    "a bulk copy brings its bytes to the displaced addresses, and its mbarrier's phase ends with them") {
  for (const std::string copy :
       {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile + 16], [%i + 32], %n, "
        "[ready];",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%s + 16], [%i + 32], 512, [ready "
        "+ 0];",
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%s + 16], [%i + 32], %n, [ready];",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%s + 16], [%i + "
        "32], "
        "%n, [ready], %c;",
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint [%s + 16], [%i + 32], "
        "%n, "
        "[ready], %c;"}) {
    INFO(copy);
    const auto got = copied(copy, 512);
    for (unsigned k = 0; k < 128; ++k) CHECK(got[k] == 1008 + k);
  }
}

TEST_CASE("a bulk copy that is not in pieces of 16 bytes is told") {
  for (const unsigned bytes : {8u, 500u}) {
    try {
      copied(std::string(kCopy) + " [%s + 16], [%i], %n, [ready];", bytes);
      FAIL("nothing was told of " << bytes << " bytes");
    } catch (const sim::exec::Fault& fault) {
      CHECK(fault.finding.kind == sim::FindingKind::misaligned);
    }
  }
  for (const char* where : {"[%s + 8], [%i]", "[%s + 16], [%i + 4]"}) {
    try {
      copied(std::string(kCopy) + " " + where + ", %n, [ready];", 512);
      FAIL("nothing was told of " << where);
    } catch (const sim::exec::Fault& fault) {
      CHECK(fault.finding.kind == sim::FindingKind::misaligned);
    }
  }
}

TEST_CASE("a bulk copy past the end of its array is out of bounds") {
  try {
    copied(std::string(kCopy) + " [%s + 16], [%i + 256], %n, [ready];", 512);
    FAIL("nothing was told");
  } catch (const sim::exec::Fault& fault) {
    CHECK(fault.finding.kind == sim::FindingKind::out_of_bounds);
    CHECK(fault.finding.space == sim::MemorySpace::global);
  }
}
