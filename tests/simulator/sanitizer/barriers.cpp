// Barriers, masks, asynchronous copies and matrices: who has to wait for whom.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "simulator/report/wording/words.h"
#include "tests/simulator/sanitizer/support.h"

using namespace findings_test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("a return before a barrier is told with the line of the return") {
  const auto found =
      examine(kernel(line(20) + "setp.eq.u32 %p1, %t, 5; @%p1 ret;" + line(25) + "bar.sync 0;"), 1, 64);
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == sim::FindingKind::barrier);
  CHECK(found[0].line == 25);
  REQUIRE(found[0].other);
  CHECK(found[0].other->access == sim::AccessKind::exit);
  CHECK(found[0].other->line == 20);
  CHECK(found[0].other->thread == sim::Index3{5, 0, 0});
  CHECK_THAT(sim::sentence(found[0]), ContainsSubstring("returned"));
  CHECK_THAT(to_string(found[0].cure), ContainsSubstring("no return"));
}

TEST_CASE("threads that go round a barrier are not said to have returned before it") {
  const auto found = examine(kernel(line(20) + "setp.ge.u32 %p1, %t, 32; @%p1 bra END;" + line(21) +
                                    "bar.sync 0;" + line(30) + "END:"),
                             1, 64);
  REQUIRE(found.size() == 1);
  CHECK(found[0].line == 21);
  REQUIRE(found[0].other);
  CHECK(found[0].other->line == 30);
  CHECK_THAT(sim::sentence(found[0]), ContainsSubstring("go round it"));
  CHECK_THAT(to_string(found[0].cure), ContainsSubstring("outside the branch"));
}

TEST_CASE("of two places of one barrier each is told with a thread that waits there") {
  const auto found = examine(kernel(line(20) + "setp.ge.u32 %p1, %t, 32; @%p1 bra ELSE;" + line(21) +
                                    "bar.sync 0; bra END;\nELSE:" + line(23) + "bar.sync 0;\nEND:"),
                             1, 64);
  REQUIRE(found.size() == 1);
  REQUIRE(found[0].other);
  CHECK(found[0].line == 23);
  CHECK(found[0].thread == sim::Index3{32, 0, 0});
  CHECK(found[0].other->line == 21);
  CHECK(found[0].other->thread == sim::Index3{0, 0, 0});
  CHECK(found[0].other->file == found[0].file);
}

TEST_CASE("a full mask within a branch: the branch is named, not a return") {
  const std::string shuffle = "shfl.sync.idx.b32 %r1, %t, 0, 0x1f, 0xffffffff;";
  const auto branch = examine(
      kernel(line(20) + "setp.ge.u32 %p1, %t, 20; @%p1 bra END;" + line(21) + shuffle + line(30) + "END:"), 1,
      32);
  REQUIRE(branch.size() == 1);
  CHECK(branch[0].kind == sim::FindingKind::mask);
  CHECK(branch[0].line == 21);
  CHECK_THAT(sim::sentence(branch[0]), ContainsSubstring("do not come here"));
  CHECK_THAT(to_string(branch[0].cure), ContainsSubstring("outside the branch"));
  const auto gone =
      examine(kernel(line(20) + "setp.ge.u32 %p1, %t, 20; @%p1 ret;" + line(21) + shuffle + line(30)), 1, 32);
  REQUIRE(gone.size() == 1);
  CHECK_THAT(sim::sentence(gone[0]), ContainsSubstring("returned before, at line 20"));
}

TEST_CASE("lanes that return by their threadIdx.y: the block's shape is told") {
  const std::string shuffle = "\nshfl.sync.bfly.b32 %r2, %t, 1, 31, 0xffffffff;";
  const std::string body = kernel(line(20) + "mov.u32 %r1, %tid.y; setp.gt.u32 %p1, %r1, 0; @%p1 ret;" +
                                  line(21) + shuffle + line(30));
  const auto turned = examine_shaped(body, 1, {8, 32, 1});
  REQUIRE_FALSE(turned.empty());
  CHECK(turned[0].cure.kind == sim::Cure::warp_in_one_row);
  CHECK_THAT(sim::sentence(turned[0]), ContainsSubstring("The block is 8 x 32 x 1, so a warp has 4 values"));
  CHECK(examine_shaped(body, 1, {32, 8, 1}).empty());
}

namespace {

/// Each thread copies a word of the buffer into s; then it reads its own word.
std::string copied(const std::string& wait) {
  return kernel(line(20) + "cp.async.ca.shared.global [%s], [%g], 4; cp.async.commit_group;" + wait +
                line(24) + "ld.shared.u32 %r1, [%s]; st.global.u32 [%g], %r1;");
}

}  // namespace

TEST_CASE("an asynchronous copy is there when its own thread has waited for it, not before") {
  CHECK(examine(copied("\ncp.async.wait_group 0;"), 1, 32).empty());
  CHECK(examine(copied("\ncp.async.wait_all;"), 1, 32).empty());
  for (const char* wait : {"", "\nbar.sync 0;", "\ncp.async.wait_group 1;"}) {
    INFO(wait);
    const auto found = examine(copied(wait), 1, 32);
    REQUIRE_FALSE(found.empty());
    CHECK(found[0].kind == sim::FindingKind::race);
    CHECK(found[0].line == 24);
    REQUIRE(found[0].other);
    CHECK(found[0].other->line == 20);
    CHECK_THAT(to_string(found[0].cure), ContainsSubstring("wait"));
  }
}

TEST_CASE("a copy that was waited for is the thread's own until a barrier") {
  const auto neighbours = [](const char* barrier) {
    return kernel(line(20) + "cp.async.ca.shared.global [%s], [%g], 4; cp.async.wait_all;" + barrier +
                  line(24) +
                  "xor.b32 %r2, %t, 32; shl.b32 %r2, %r2, 2; mov.u32 %r3, s; add.u32 %r3, %r3, %r2; "
                  "ld.shared.u32 %r1, [%r3];");
  };
  CHECK(examine(neighbours("\nbar.sync 0;"), 1, 64).empty());
  CHECK_FALSE(examine(neighbours(""), 1, 64).empty());
}

TEST_CASE("a matrix is stored by all lanes: reading its tile needs a barrier of the warp") {
  const auto tile = [](const char* barrier) {
    return kernel(
        "\n.reg .b32 %f<8>; mov.u32 %r3, s; mov.u32 %f0, 0; mov.u32 %f1, 0; mov.u32 %f2, 0; "
        "mov.u32 %f3, 0; mov.u32 %f4, 0; mov.u32 %f5, 0; mov.u32 %f6, 0; mov.u32 %f7, 0;" +
        line(20) +
        "wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%r3], {%f0, %f1, %f2, %f3, %f4, %f5, "
        "%f6, %f7}, 16;" +
        barrier + line(22) + "ld.shared.u32 %r1, [%s]; st.global.u32 [%g], %r1;");
  };
  CHECK(examine(tile("\nbar.warp.sync 0xffffffff;"), 1, 32).empty());
  const auto found = examine(tile(""), 1, 32);
  REQUIRE_FALSE(found.empty());
  CHECK(found[0].kind == sim::FindingKind::race);
  CHECK(found[0].line == 22);
  CHECK(found[0].other->line == 20);
}

TEST_CASE("what a whole block shares is mended by a barrier of the block") {
  // Thread 0 writes a word that all of them read.
  const auto found = examine(kernel(line(20) +
                                    "mov.u32 %r3, s; setp.ne.u32 %p1, %t, 0; @%p1 bra READ; "
                                    "st.shared.u32 [%r3], %t;" +
                                    line(21) + "READ: ld.shared.u32 %r1, [%r3];"),
                             1, 96);
  REQUIRE_FALSE(found.empty());
  for (const auto& f : found)
    if (f.kind == sim::FindingKind::race) CHECK_THAT(to_string(f.cure), ContainsSubstring("__syncthreads()"));
  CHECK(found.size() == 1);
}
