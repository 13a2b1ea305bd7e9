// Bulk copies that are read, overwritten or made too early.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "simulator/report/wording/words.h"
#include "tests/simulator/sanitizer/support.h"

using Catch::Matchers::ContainsSubstring;
using findings_test::line;

namespace {

/// As findings_test::kernel, with s aligned for bulk copies, an mbarrier for one arrival, and %p0: not thread
/// 0.
std::string bulk_kernel(const std::string& body) {
  return sim::test::kernel_text(".param .u64 p", R"(
  .reg .pred %p<8>, %q;
  .reg .b32 %r<16>, %t, %s;
  .reg .b64 %g, %b, %w;
  .shared .align 128 .b8 s[1024];
  .shared .align 8 .b64 ready;
  .loc 1 9 1
  ld.param.u64 %b, [p];
  mov.u32 %t, %tid.x;
  mad.wide.u32 %g, %t, 4, %b;
  mov.u32 %s, s;
  mad.lo.u32 %s, %t, 4, %s;
  setp.ne.u32 %p0, %t, 0;
  @%p0 bra begun;
  mbarrier.init.shared.b64 [ready], 1;
begun:
  bar.sync 0;
)" + body + "\n  ret;\n") +
         ".file 1 \"user.cu\"\n";
}

std::vector<sim::Finding> found_in(const std::string& body, unsigned threads = 64) {
  return findings_test::examine(bulk_kernel(body), 1, threads);
}

/// Thread 0 orders a copy of 256 bytes to s, at line 11; the label follows.
std::string load(const std::string& label, const std::string& order = "expect first") {
  const std::string expect = "mbarrier.arrive.expect_tx.shared.b64 %w, [ready], 256;\n",
                    copy = line(11) +
                           "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], "
                           "[%b+1024], 256, [ready];\n";
  return "@%p0 bra " + label + ";\n" + (order == "expect first" ? expect + copy : copy + expect) + label +
         ":\n";
}

std::string wait_for(const std::string& parity, const std::string& label = "w") {
  return label + ": mbarrier.try_wait.parity.shared.b64 %q, [ready], " + parity + "; @!%q bra " + label +
         ";\n";
}

const std::string kRead = "ld.shared.u32 %r3, [%s]; st.global.u32 [%g], %r3;\n";

/// All store to s at line 11, and thread 0 copies s to global memory at line 14.
std::string store_then_copy(const std::string& fence, const std::string& wait) {
  return line(11) + "st.shared.u32 [%s], %t;" + line(12) + fence + line(13) + "bar.sync 0;" + line(14) +
         "@%p0 bra made; cp.async.bulk.global.shared::cta.bulk_group [%b], [s], 256; "
         "cp.async.bulk.commit_group;" +
         line(15) + wait + "\nmade:\n";
}

}  // namespace

TEST_CASE("a bulk copy that all have waited for is read without a finding, whichever came first") {
  for (const std::string order : {"expect first", "copy first"}) {
    const auto found = found_in(load("ordered", order) + wait_for("0") + line(13) + kRead);
    for (const auto& f : found) UNSCOPED_INFO(sim::sentence(f));
    CHECK(found.empty());
  }
}

TEST_CASE("a bulk copy that is read behind a barrier of the block only is told") {
  const auto found =
      found_in(load("ordered") + line(12) + "bar.sync 0;" + line(13) + kRead + line(14) + wait_for("0"));
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == sim::FindingKind::race);
  CHECK(found[0].line == 13);
  REQUIRE(found[0].other);
  CHECK(found[0].other->line == 11);
  CHECK(found[0].cure.kind == sim::Cure::wait_for_phase);
}

TEST_CASE("one thread's wait serves the others behind a barrier, and not without") {
  const std::string one_waits = load("ordered") + "@%p0 bra past;\n" + wait_for("0") + "past:\n";
  CHECK(found_in(one_waits + line(12) + "bar.sync 0;" + line(13) + kRead).empty());
  const auto found = found_in(one_waits + line(13) + kRead);
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == sim::FindingKind::race);
}

TEST_CASE("a tile that is filled again while others may still read it is told") {
  const auto found = found_in(load("first") + wait_for("0") + line(13) + kRead + load("second") +
                              wait_for("1", "x") + line(14) + kRead);
  REQUIRE(!found.empty());
  // A warp that is late may also miss the first phase: the second has the same parity as the one before it.
  CHECK(std::any_of(found.begin(), found.end(),
                    [](const sim::Finding& f) { return f.kind == sim::FindingKind::race; }));
  CHECK(found_in(load("first") + wait_for("0") + line(13) + kRead + "bar.sync 0;\n" + load("second") +
                 wait_for("1", "x") + line(14) + kRead)
            .empty());
}

TEST_CASE("a wait for a phase before the copy's does not count") {
  // Parity 1 is over from the start.
  const auto found = found_in("setp.lt.u32 %p1, %t, 32; @%p1 bra producer;\n" + wait_for("1") + line(13) +
                              kRead + "bra over;\nproducer:\n" + load("ordered") + "over:\n");
  REQUIRE(!found.empty());
  CHECK(found[0].kind == sim::FindingKind::race);
}

TEST_CASE("ordinary stores that a bulk copy reads need a fence between the proxies") {
  const std::string wait = "cp.async.bulk.wait_group 0;";
  CHECK(found_in(store_then_copy("fence.proxy.async;", wait)).empty());
  CHECK(found_in(store_then_copy("fence.proxy.async.shared::cta;", wait)).empty());
  const auto found = found_in(store_then_copy("", wait));
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == sim::FindingKind::race);
  CHECK(found[0].line == 14);
  REQUIRE(found[0].other);
  CHECK(found[0].other->line == 11);
  CHECK(found[0].cure.kind == sim::Cure::proxy_fence);
  CHECK_THAT(sim::sentence(found[0]), ContainsSubstring("no fence.proxy.async lies between"));
  // The thread that copies may fence for all, behind the barrier.
  CHECK(found_in(line(11) +
                 "st.shared.u32 [%s], %t; bar.sync 0; @%p0 bra made; fence.proxy.async; "
                 "cp.async.bulk.global.shared::cta.bulk_group [%b], [s], 256; cp.async.bulk.commit_group; "
                 "cp.async.bulk.wait_group.read 0;\nmade:\n")
            .empty());
  // A fence before the stores does not help.
  CHECK(found_in("fence.proxy.async;" + store_then_copy("", wait)).size() == 1);
}

TEST_CASE("shared memory that a bulk copy may still read is not to be overwritten") {
  const std::string fence = "fence.proxy.async;", again = line(20) + "st.shared.u32 [%s], 7;";
  CHECK(found_in(store_then_copy(fence, "cp.async.bulk.wait_group.read 0;") + "bar.sync 0;" + again).empty());
  for (const std::string wait : {"", "cp.async.bulk.wait_group.read 1;"}) {
    const auto found = found_in(store_then_copy(fence, wait) + "bar.sync 0;" + again);
    REQUIRE(found.size() == 1);
    CHECK(found[0].kind == sim::FindingKind::race);
    CHECK(found[0].line == 20);
    CHECK(found[0].other->line == 14);
    CHECK(found[0].cure.kind == sim::Cure::wait_for_bulk_group);
    CHECK_THAT(sim::sentence(found[0]), ContainsSubstring("may still be reading it"));
  }
  // Waited for by its thread, and no barrier before the others' stores.
  const auto found = found_in(store_then_copy(fence, "cp.async.bulk.wait_group.read 0;") + again);
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == sim::FindingKind::race);
}

TEST_CASE("global memory that a bulk copy writes is there once the group has been waited for") {
  const std::string fence = "fence.proxy.async;",
                    read = line(20) + "ld.global.u32 %r3, [%g]; st.shared.u32 [%s], %r3;";
  CHECK(found_in(store_then_copy(fence, "cp.async.bulk.wait_group 0;") + "bar.sync 0;" + read).empty());
  const auto found =
      found_in(store_then_copy(fence, "cp.async.bulk.wait_group.read 0;") + "bar.sync 0;" + read);
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == sim::FindingKind::race);
  CHECK(found[0].space == sim::MemorySpace::global);
  CHECK(found[0].line == 20);
}
