// Registers of products of a warpgroup (wgmma) that are used while the products are under way.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "simulator/report/wording/words.h"
#include "tests/simulator/sanitizer/support.h"

using Catch::Matchers::ContainsSubstring;
using findings_test::line;

namespace {

/// As findings_test::kernel for a warpgroup, with accumulators %d0 to %d3, all zero, a fragment %a0 to %a3,
/// and a descriptor %x of a matrix that all threads have written.
std::vector<sim::Finding> found_by(const std::string& body) {
  std::string text = findings_test::kernel(
      ".reg .f32 %d<4>, %e<4>, %f; .reg .b32 %a<4>; .reg .b64 %x; .reg .pred %one;\n"
      "st.shared.u32 [%s], 0; st.shared.u32 [%s+512], 0; fence.proxy.async; bar.sync 0;\n"
      "mov.b64 %x, 0x0000000800000000; setp.eq.u32 %one, %t, %t;\n"
      "cvt.rn.f32.u32 %f, %t; cvt.rzi.u32.f32 %a0, %f;"
      "mov.b32 %a1, 0; mov.b32 %a2, 0; mov.b32 %a3, 0;\n"
      "mov.f32 %d0, 0f00000000; mov.f32 %d1, 0f00000000; mov.f32 %d2, %d1; mov.f32 %d3, %d1;\n" +
      body);
  text.replace(text.find(".target sm_90"), 13, ".target sm_90a");
  return findings_test::examine(text, 1, 128);
}

const std::string kFence = "wgmma.fence.sync.aligned;\n", kCommit = "wgmma.commit_group.sync.aligned;\n",
                  kStore = "st.global.f32 [%g], %d1;\n";

/// The product at a line, of A in shared memory or in registers.
std::string product(int at, const std::string& sums = "%d0, %d1, %d2, %d3") {
  return line(at) + "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {" + sums +
         "}, %x, %x, %one, 1, 1, 0, 0;\n";
}
std::string product_of_registers(int at) {
  return line(at) +
         "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, {%a0, %a1, %a2, %a3}, %x, "
         "%one, 1, 1, 0;\n";
}
std::string wait_groups(int groups) {
  return "wgmma.wait_group.sync.aligned " + std::to_string(groups) + ";\n";
}

void one_finding_in(const std::vector<sim::Finding>& found, int at, int other, sim::Cure::Kind cure) {
  for (const auto& f : found) UNSCOPED_INFO(sim::sentence(f));
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == sim::FindingKind::race);
  CHECK(found[0].line == at);
  REQUIRE(found[0].other);
  CHECK(found[0].other->line == other);
  CHECK(found[0].cure.kind == cure);
}

void no_finding_in(const std::vector<sim::Finding>& found) {
  for (const auto& f : found) UNSCOPED_INFO(sim::sentence(f));
  CHECK(found.empty());
}

}  // namespace

TEST_CASE("accumulators that are read behind the wait for their group are no finding") {
  no_finding_in(found_by(kFence + product(20) + kCommit + wait_groups(0) + line(30) + kStore));
  no_finding_in(found_by(kFence + product(20) + product(21) + kCommit + wait_groups(0) + line(30) + kStore));
  // The second group, of other accumulators, may still be under way.
  no_finding_in(found_by("mov.f32 %e0, 0f00000000; mov.f32 %e1, %e0; mov.f32 %e2, %e0; mov.f32 %e3, %e0;" +
                         kFence + product(20) + kCommit + product(21, "%e0, %e1, %e2, %e3") + kCommit +
                         wait_groups(1) + line(30) + kStore + wait_groups(0)));
}

TEST_CASE("an accumulator that is read before the wait for its group is told with the product's line") {
  const auto found = found_by(kFence + product(20) + kCommit + line(30) + kStore + wait_groups(0));
  one_finding_in(found, 30, 20, sim::Cure::wait_for_products);
  CHECK_THAT(sim::sentence(found[0]), ContainsSubstring("reads a register at line 30") &&
                                          ContainsSubstring("its group has not been waited for") &&
                                          ContainsSubstring("C7517"));
  // One group too many is left under way.
  one_finding_in(
      found_by(kFence + product(20) + kCommit + wait_groups(1) + line(30) + kStore + wait_groups(0)), 30, 20,
      sim::Cure::wait_for_products);
  // Its group is not closed, so that the wait does not wait for it.
  one_finding_in(
      found_by(kFence + product(20) + wait_groups(0) + line(30) + kStore + kCommit + wait_groups(0)), 30, 20,
      sim::Cure::commit_and_wait_for_products);
}

TEST_CASE("an accumulator that is written before the wait is told, be it by a constant") {
  one_finding_in(
      found_by(kFence + product(20) + kCommit + line(30) + "mov.f32 %d2, 0f3F800000;" + wait_groups(0)), 30,
      20, sim::Cure::wait_for_products);
  one_finding_in(
      found_by(kFence + product(20) + kCommit + line(30) + "add.f32 %d2, %f, %f;" + wait_groups(0)), 30, 20,
      sim::Cure::wait_for_products);
}

TEST_CASE("a copy of an accumulator is the accumulator, wherever the compiler makes it") {
  no_finding_in(found_by(kFence + product(20) + kCommit + line(25) + "mov.f32 %e0, %d1;" + wait_groups(0) +
                         line(30) + "st.global.f32 [%g], %e0;"));
  one_finding_in(found_by(kFence + product(20) + kCommit + line(25) + "mov.f32 %e0, %d1;" + line(30) +
                          "st.global.f32 [%g], %e0;" + wait_groups(0)),
                 30, 20, sim::Cure::wait_for_products);
}

TEST_CASE("a register whose accumulator the compiler has copied is free to be written") {
  no_finding_in(found_by(kFence + product(20) + kCommit + line(25) +
                         "mov.f32 %e0, %d1; mov.f32 %d1, 0f00000000;" + wait_groups(0) + line(30) +
                         "st.global.f32 [%g], %e0;"));
}

TEST_CASE("a fragment of A may not be overwritten before the wait, and may be read") {
  one_finding_in(found_by(kFence + product_of_registers(20) + kCommit + line(30) + "add.u32 %a0, %t, 1;" +
                          wait_groups(0)),
                 30, 20, sim::Cure::wait_for_products);
  no_finding_in(found_by(kFence + product_of_registers(20) + kCommit + line(30) + "st.global.u32 [%g], %a0;" +
                         wait_groups(0) + "add.u32 %a0, %t, 1;"));
}

TEST_CASE("registers that are written before a product want a wgmma.fence between") {
  const auto found = found_by(line(15) + "add.f32 %d2, %f, %f;" + product(20) + kCommit + wait_groups(0));
  one_finding_in(found, 15, 20, sim::Cure::fence_registers);
  CHECK_THAT(sim::sentence(found[0]), ContainsSubstring("no wgmma.fence lies between"));
  // Between two groups as before the first.
  one_finding_in(found_by(kFence + product(20) + kCommit + wait_groups(0) + line(25) +
                          "add.f32 %d2, %d2, %f;" + product(26) + kCommit + wait_groups(0)),
                 25, 26, sim::Cure::fence_registers);
  no_finding_in(found_by(kFence + product(20) + kCommit + wait_groups(0) + line(25) +
                         "add.f32 %d2, %d2, %f;" + kFence + product(26) + kCommit + wait_groups(0)));
  one_finding_in(found_by(kFence + product(20) + kCommit + wait_groups(0) + line(25) + "add.u32 %a0, %t, 1;" +
                          product_of_registers(26) + kCommit + wait_groups(0)),
                 25, 26, sim::Cure::fence_registers);
  // Nobody has touched the accumulators since the last product.
  no_finding_in(
      found_by(kFence + product(20) + kCommit + wait_groups(0) + product(26) + kCommit + wait_groups(0)));
}

TEST_CASE("the first product of a warpgroup wants a wgmma.fence, also where nothing was written before") {
  const std::string nobody_wrote = product(20, "%e0, %e1, %e2, %e3") + kCommit + wait_groups(0);
  const auto found = found_by(nobody_wrote);
  for (const auto& f : found) UNSCOPED_INFO(sim::sentence(f));
  REQUIRE(found.size() == 1);
  CHECK(found[0].line == 20);
  CHECK(found[0].cure.kind == sim::Cure::fence_registers);
  CHECK_THAT(sim::sentence(found[0]), ContainsSubstring("no wgmma.fence comes before it"));
  no_finding_in(
      found_by(kFence + nobody_wrote + product(26, "%e0, %e1, %e2, %e3") + kCommit + wait_groups(0)));
}

TEST_CASE("what the compiler may have moved behind the fence is no finding, what stands there is") {
  no_finding_in(found_by(kFence + product(20) + kCommit + line(21) + kFence + wait_groups(0) + line(22) +
                         "mov.f32 %d2, 0f3F800000;" + product(23) + kCommit + wait_groups(0)));
  no_finding_in(found_by(line(18) + kFence + line(19) + "mov.f32 %d2, 0f3F800000;" + product(20) + kCommit +
                         wait_groups(0)));
  no_finding_in(found_by(line(18) + kFence + line(15) + "add.f32 %d2, %f, %f;" + product(20) + kCommit +
                         wait_groups(0)));
  one_finding_in(found_by(line(18) + kFence + line(19) + "add.f32 %d2, %f, %f;" + product(20) + kCommit +
                          wait_groups(0)),
                 19, 20, sim::Cure::fence_registers);
}

TEST_CASE("a product whose fragment is another one's accumulator waits for that one") {
  const std::string second = line(21) +
                             "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%e0, %e1, %e2, %e3}, {%d0, "
                             "%d1, %d2, %d3}, %x, %one, 1, "
                             "1, 0;\n";
  std::string clear;
  for (const char* e : {"%e0", "%e1", "%e2", "%e3"}) clear += std::string("mov.f32 ") + e + ", 0f00000000;";
  one_finding_in(found_by(clear + kFence + product(20) + kCommit + second + kCommit + wait_groups(0)), 21, 20,
                 sim::Cure::wait_for_products);
  no_finding_in(found_by(clear + kFence + product(20) + kCommit + wait_groups(0) + kFence + second + kCommit +
                         wait_groups(0)));
}

TEST_CASE("a build without optimisation, which copies accumulators to memory, is not looked at for them") {
  std::string text = findings_test::kernel(
      ".reg .f32 %d<4>; .reg .b64 %x;\nst.shared.u32 [%s], 0; fence.proxy.async; bar.sync 0;\n"
      "mov.b64 %x, 0x0000000800000000; mov.f32 %d0, 0f00000000; mov.f32 %d1, %d0; mov.f32 %d2, %d0; "
      "mov.f32 %d3, %d0;\n"
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, %x, %x, 0, 1, 1, 0, 0;\n" +
      kStore);
  text.replace(text.find(".target sm_90"), 13, ".target sm_90a, debug");
  no_finding_in(findings_test::examine(text, 1, 128));
}
