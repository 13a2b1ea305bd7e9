// Shared memory that products of a warpgroup (wgmma) read: stored the ordinary way, copied, and overwritten.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "simulator/report/wording/words.h"
#include "tests/simulator/sanitizer/support.h"

using Catch::Matchers::ContainsSubstring;
using findings_test::line;

namespace {

/// As findings_test::kernel, with accumulators %d0 to %d3, a descriptor %x of s, an mbarrier for one arrival,
/// and %p0: not of the first warpgroup, %p1: not thread 0.
std::vector<sim::Finding> found_of_factors(const std::string& body, unsigned threads = 128) {
  std::string text = findings_test::kernel(
      ".reg .f32 %d<4>; .reg .b64 %x, %w; .reg .pred %one, %q; .shared .align 8 .b64 ready;\n"
      "mov.b64 %x, 0x0000000800000000; setp.eq.u32 %one, %t, %t; setp.ge.u32 %p0, %t, 128;\n"
      "setp.ne.u32 %p1, %t, 0; @%p1 bra begun; mbarrier.init.shared.b64 [ready], 1;\nbegun: bar.sync 0;\n"
      "mov.f32 %d0, 0f00000000; mov.f32 %d1, %d0; mov.f32 %d2, %d0; mov.f32 %d3, %d0;\n" +
      body);
  text.replace(text.find(".target sm_90"), 13, ".target sm_90a");
  text.replace(text.find(".align 4 .b8 s"), 14, ".align 128 .b8 s");
  return findings_test::examine(text, 1, threads);
}

const std::string kBarrier = "bar.sync 0;", kProxyFence = "fence.proxy.async.shared::cta;",
                  kWait = "wgmma.wait_group.sync.aligned 0;";

std::string fill_at(int at, const std::string& value) {
  return line(at) + "st.shared.u32 [%s], " + value + "; st.shared.u32 [%s+512], " + value + ";";
}
/// A group of one product at line 20, by the first warpgroup; what others do follows behind.
std::string multiply(const std::string& wait) {
  return line(20) +
         "@%p0 bra others; wgmma.fence.sync.aligned; "
         "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, %x, %x, %one, 1, 1, 0, 0; "
         "wgmma.commit_group.sync.aligned;" +
         wait + "\nothers:\n";
}
/// Thread 0 orders a copy of 1024 bytes to s, at line 11.
std::string load_factor(const std::string& label) {
  return "@%p1 bra " + label + ";\nmbarrier.arrive.expect_tx.shared.b64 %w, [ready], 1024;" + line(11) +
         "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%b], 1024, [ready];\n" +
         label + ":\n";
}
std::string wait_for_factor(const std::string& parity) {
  return "w" + parity + ": mbarrier.try_wait.parity.shared.b64 %q, [ready], " + parity + "; @!%q bra w" +
         parity + ";\n";
}

void no_factor_finding(const std::vector<sim::Finding>& found) {
  for (const auto& f : found) UNSCOPED_INFO(sim::sentence(f));
  CHECK(found.empty());
}

void one_factor_finding(const std::vector<sim::Finding>& found, int at, int other, sim::Cure::Kind cure) {
  for (const auto& f : found) UNSCOPED_INFO(sim::sentence(f));
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == sim::FindingKind::race);
  CHECK(found[0].space == sim::MemorySpace::shared);
  CHECK(found[0].line == at);
  REQUIRE(found[0].other);
  CHECK(found[0].other->line == other);
  CHECK(found[0].cure.kind == cure);
}

}  // namespace

TEST_CASE(
    "ordinary stores that a wgmma reads need a fence between the proxies, on either side of the barrier") {
  no_factor_finding(found_of_factors(fill_at(15, "0") + kProxyFence + kBarrier + multiply(kWait)));
  no_factor_finding(found_of_factors(fill_at(15, "0") + kBarrier + kProxyFence + multiply(kWait)));
  const auto found = found_of_factors(fill_at(15, "0") + kBarrier + multiply(kWait));
  one_factor_finding(found, 20, 15, sim::Cure::proxy_fence);
  CHECK_THAT(sim::sentence(found[0]), ContainsSubstring("no fence.proxy.async lies between"));
  one_factor_finding(found_of_factors(kProxyFence + fill_at(15, "0") + kBarrier + multiply(kWait)), 20, 15,
                     sim::Cure::proxy_fence);
}

TEST_CASE("ordinary stores of other warps that a wgmma reads need a barrier") {
  one_factor_finding(found_of_factors(fill_at(15, "0") + kProxyFence + multiply(kWait)), 20, 15,
                     sim::Cure::phase_or_block_barrier);
}

TEST_CASE("shared memory that a wgmma may still read is not to be overwritten") {
  const std::string ready = fill_at(15, "0") + kProxyFence + kBarrier;
  no_factor_finding(found_of_factors(ready + multiply(kWait) + kBarrier + fill_at(30, "1")));
  const auto found = found_of_factors(ready + multiply("") + kBarrier + fill_at(30, "1") + kWait);
  one_factor_finding(found, 30, 20, sim::Cure::wait_for_products_and_barrier);
  CHECK_THAT(sim::sentence(found[0]), ContainsSubstring("the wgmma at line 20 may still be reading it") &&
                                          ContainsSubstring("its group has not been waited for"));
  // By threads that do not multiply, with a barrier and without.
  const std::string all = line(15) + "st.shared.u32 [%s], 0;" + kProxyFence + kBarrier;
  const std::string others = "@!%p0 bra over; sub.u32 %s, %s, 512;" + fill_at(30, "1") + "\nover:\n";
  no_factor_finding(found_of_factors(all + multiply(kWait) + kBarrier + others, 256));
  // Which of the two comes first here is the schedule's.
  const auto unordered = found_of_factors(all + multiply(kWait) + others, 256);
  REQUIRE(unordered.size() == 1);
  CHECK(unordered[0].kind == sim::FindingKind::race);
  CHECK(unordered[0].line + unordered[0].other->line == 30 + 20);
}

TEST_CASE("a bulk copy that a wgmma reads has to be waited for, and may not overwrite what one reads") {
  no_factor_finding(found_of_factors(load_factor("first") + wait_for_factor("0") + multiply(kWait)));
  one_factor_finding(
      found_of_factors(load_factor("first") + kBarrier + multiply(kWait) + wait_for_factor("0")), 20, 11,
      sim::Cure::wait_for_phase);
  no_factor_finding(found_of_factors(load_factor("first") + wait_for_factor("0") + multiply(kWait) +
                                     kBarrier + load_factor("second") + wait_for_factor("1")));
  one_factor_finding(found_of_factors(load_factor("first") + wait_for_factor("0") + multiply("") + kBarrier +
                                      load_factor("second") + wait_for_factor("1") + kWait),
                     11, 20, sim::Cure::wait_for_products_and_barrier);
}

TEST_CASE("the arrival of one thread behind its warp's wait frees what the warpgroup has read") {
  // A producer in the second warpgroup waits for thread 0, which has waited for the product.
  const std::string all = line(15) + "st.shared.u32 [%s], 0;" + kProxyFence + kBarrier;
  const std::string arrive = "@%p1 bra arrived; mbarrier.arrive.shared.b64 %w, [ready];\narrived:\n";
  const std::string producer =
      "@!%p0 bra over; sub.u32 %s, %s, 512;\n" + wait_for_factor("0") + fill_at(30, "1") + "\nover:\n";
  no_factor_finding(found_of_factors(all + multiply(kWait) + arrive + producer, 256));
  one_factor_finding(found_of_factors(all + arrive + multiply(kWait) + producer, 256), 30, 20,
                     sim::Cure::barrier_behind_products);
}

TEST_CASE("sums that nobody wrote matter to a product that adds to them, and to no other") {
  const auto found = [](const std::string& scale) {
    return found_of_factors(
        fill_at(10, "0") + kProxyFence + kBarrier + line(19) +
        ".shared .b32 unwritten; ld.shared.f32 %d0, [unwritten];" + line(20) +
        "setp.ne.u32 %q, %t, %t; wgmma.fence.sync.aligned; "
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, %x, %x, " +
        scale + ", 1, 1, 0, 0; wgmma.commit_group.sync.aligned; " + kWait + line(21) +
        "st.global.f32 [%g], %d0;");
  };
  no_factor_finding(found("%q"));
  const auto added = found("%one");
  REQUIRE(added.size() == 1);
  CHECK(added[0].kind == sim::FindingKind::uninitialized);
  CHECK(added[0].line == 19);
}
