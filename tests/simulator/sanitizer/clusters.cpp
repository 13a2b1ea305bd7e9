// Races between the blocks of a cluster, and shared memory of blocks that have not started or may have left.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "simulator/report/wording/words.h"
#include "tests/simulator/sanitizer/support.h"

using Catch::Matchers::ContainsSubstring;
using findings_test::kernel;
using findings_test::line;

namespace {

const std::string kSync =
    "barrier.cluster.arrive.release.aligned;\n  barrier.cluster.wait.acquire.aligned;\n";

/// %r0 is the block's rank, %r1 the address of the other block's s[%t]; %g is apart for each block.
const std::string kPeer = R"(
  mov.u32 %r0, %cluster_ctarank;
  xor.b32 %r2, %r0, 1;
  mapa.shared::cluster.u32 %r1, %s, %r2;
  mad.wide.u32 %g, %r0, 1024, %g;
)";

/// What is found in one cluster of two blocks.
std::vector<sim::Finding> examine(const std::string& body, unsigned threads) {
  const std::string ptx = kernel(body);
  sim::test::Device device(ptx);
  const std::uint64_t buffer = device.upload(std::vector<int>(1024));
  sim::exec::Launch launch;
  launch.grid = {2, 1, 1};
  launch.cluster = {2, 1, 1};
  launch.block = {threads, 1, 1};
  launch.instruction_limit = 100'000;
  launch.params = std::as_bytes(std::span(&buffer, 1));
  const auto subject = sim::sanitizer::prepare(device.module().kernel("k"));
  return sim::sanitizer::examine(*subject, launch, device.space()).findings;
}

}  // namespace

TEST_CASE("values that are handed over behind the cluster's barrier race with nothing") {
  const auto found = examine(kPeer + line(11) + "st.shared.u32 [%s], %t;" + line(12) + kSync + line(13) +
                                 "ld.shared::cluster.u32 %r3, [%r1];" + line(14) + kSync + line(15) +
                                 "st.shared.u32 [%s], 0;" + line(16) + kSync + line(17) +
                                 "ld.shared::cluster.u32 %r4, [%r1];" + line(18) + kSync +
                                 "add.u32 %r3, %r3, %r4; st.global.u32 [%g], %r3;",
                             64);
  for (const auto& f : found) UNSCOPED_INFO(sim::sentence(f));
  CHECK(found.empty());
}

TEST_CASE("a read of another block's shared memory that no barrier orders with its store is a race") {
  const auto found = examine(kPeer + line(10) + kSync + line(11) + "st.shared.u32 [%s], %t;" + line(12) +
                                 "bar.sync 0;" + line(13) + "ld.shared::cluster.u32 %r3, [%r1];" + line(14) +
                                 "st.global.u32 [%g], %r3;" + line(15) + kSync,
                             64);
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == sim::FindingKind::race);
  CHECK(found[0].space == sim::MemorySpace::shared);
  CHECK(((found[0].line == 13 && found[0].other->line == 11) ||
         (found[0].line == 11 && found[0].other->line == 13)));
  CHECK(found[0].block != found[0].other->block);
  CHECK_THAT(sim::sentence(found[0]), ContainsSubstring("nothing orders the two blocks"));
  CHECK(found[0].cure.kind == sim::Cure::cluster_barrier);
}

TEST_CASE("an owner that overwrites what other blocks may still read is told, whoever was first") {
  const auto found = examine(kPeer + line(11) + "st.shared.u32 [%s], %t;" + line(12) + kSync + line(13) +
                                 "ld.shared::cluster.u32 %r3, [%r1]; st.global.u32 [%g], %r3;" + line(14) +
                                 "st.shared.u32 [%s], 7;" + line(15) + kSync,
                             64);
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == sim::FindingKind::race);
  CHECK(((found[0].line == 14 && found[0].other->line == 13) ||
         (found[0].line == 13 && found[0].other->line == 14)));
}

TEST_CASE("an arrival that is relaxed hands nothing over") {
  const auto found =
      examine(kPeer + line(10) + kSync + line(11) + "st.shared.u32 [%s], %t;" + line(12) +
                  "barrier.cluster.arrive.relaxed; barrier.cluster.wait;" + line(13) +
                  "ld.shared::cluster.u32 %r3, [%r1]; st.global.u32 [%g], %r3;" + line(14) + kSync,
              32);
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == sim::FindingKind::race);
}

TEST_CASE("what is written between arrival and wait is not ordered by that turn") {
  const auto found =
      examine(kPeer + line(10) + kSync + line(11) + "barrier.cluster.arrive;" + line(12) +
                  "st.shared.u32 [%s], %t;" + line(13) + "barrier.cluster.wait;" + line(14) +
                  "ld.shared::cluster.u32 %r3, [%r1]; st.global.u32 [%g], %r3;" + line(15) + kSync,
              32);
  REQUIRE(found.size() == 1);
  CHECK(((found[0].line == 14 && found[0].other->line == 12) ||
         (found[0].line == 12 && found[0].other->line == 14)));
}

TEST_CASE("an access before the other block is known to have started is told") {
  const auto found = examine(kPeer + line(11) + "st.shared::cluster.u32 [%r1], %t;" + line(12) + kSync +
                                 line(13) + "ld.shared.u32 %r3, [%s]; st.global.u32 [%g], %r3;",
                             32);
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == sim::FindingKind::race);
  CHECK(found[0].line == 11);
  CHECK(found[0].cure.kind == sim::Cure::cluster_barrier_at_start);
  CHECK_THAT(sim::sentence(found[0]), ContainsSubstring("has not waited for that block to start"));
}

TEST_CASE("a block that may leave before others have read its shared memory is told, whatever the order") {
  const auto found = examine(kPeer + line(11) + "st.shared.u32 [%s], %t;" + line(12) + kSync + line(13) +
                                 "ld.shared::cluster.u32 %r3, [%r1]; st.global.u32 [%g], %r3;",
                             32);
  REQUIRE(!found.empty());
  for (const auto& f : found) {
    CHECK(f.kind == sim::FindingKind::use_after_free);
    CHECK(f.line == 13);
    CHECK(f.cure.kind == sim::Cure::cluster_barrier_at_end);
  }
}
