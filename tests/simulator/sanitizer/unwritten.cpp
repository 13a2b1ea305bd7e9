// Values that nobody wrote, followed until they matter.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "simulator/report/wording/words.h"
#include "tests/simulator/sanitizer/support.h"

using namespace findings_test;
using Catch::Matchers::ContainsSubstring;

namespace {

/// s[%t] of the lower half of a block of 64 is copied to its upper half, which nobody has written.
const std::string kCopy =
    line(20) + "setp.lt.u32 %p1, %t, 32; ld.shared.u32 %r1, [%s+512]; @%p1 st.shared.u32 [%s], %r1;" +
    "\nbar.sync 0;";

}  // namespace

TEST_CASE("a value that nobody wrote may be copied within shared memory") {
  CHECK(examine(kernel(kCopy), 1, 64).empty());
  CHECK(examine(kernel(kCopy + line(22) + "ld.shared.u32 %r2, [%s];"), 1, 64).empty());
}

TEST_CASE("what is made of it and stored in global memory is told at the read that brought it in") {
  for (const char* use : {"add.u32 %r2, %r2, 1; st.global.u32 [%g], %r2;", "st.global.u32 [%g], %r2;",
                          "setp.eq.u32 %p2, %r2, 0; @%p2 bra END; mov.u32 %r3, 0; END:",
                          "atom.global.add.u32 %r3, [%b], %r2;"}) {
    INFO(use);
    const auto found =
        examine(kernel(kCopy + line(22) + "setp.ge.u32 %p3, %t, 32; @%p3 ret; ld.shared.u32 %r2, [%s];" +
                       line(23) + use),
                1, 64);
    REQUIRE(found.size() == 1);
    CHECK(found[0].kind == sim::FindingKind::uninitialized);
    CHECK(found[0].space == sim::MemorySpace::shared);
    CHECK(found[0].line == 20);
    CHECK_THAT(sim::sentence(found[0]), ContainsSubstring("at line 23 the value"));
  }
}

TEST_CASE("a sum of unwritten values stays one, however often it goes through shared memory") {
  const auto found =
      examine(kernel(kCopy + line(22) +
                     "setp.ge.u32 %p3, %t, 32; @%p3 ret; ld.shared.u32 %r2, [%s]; add.u32 %r2, %r2, 7; "
                     "st.shared.u32 [%s], %r2; bar.warp.sync 0xffffffff; ld.shared.u32 %r4, [%s];" +
                     line(25) + "st.global.u32 [%g], %r4;"),
              1, 64);
  REQUIRE(found.size() == 1);
  CHECK(found[0].line == 20);
}

TEST_CASE("a word that was tainted is not so any more when something was stored there") {
  CHECK(examine(kernel(kCopy + line(22) + "setp.ge.u32 %p3, %t, 32; @%p3 ret; st.shared.u32 [%s], %t; " +
                       line(23) + "ld.shared.u32 %r2, [%s]; st.global.u32 [%g], %r2;"),
                1, 64)
            .empty());
}

TEST_CASE("of a pair of local halves each is looked at by itself") {
  const auto read = [](const std::string& written) {
    return kernel(
        ".local .align 4 .b8 pair[4];\n .reg .b16 %h<4>; .reg .b32 %l;\n mov.u32 %l, pair;\n mov.u16 %h0, "
        "7;\n" +
        written + line(11) + "ld.local.v2.u16 {%h1, %h2}, [%l];" + line(12) +
        "cvt.u32.u16 %r1, %h2; st.global.u32 [%g], %r1;");
  };
  CHECK(examine(read("st.local.u16 [%l], %h0; st.local.u16 [%l+2], %h0;"), 1, 32).empty());
  const auto found = examine(read("st.local.u16 [%l], %h0;"), 1, 32);
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == sim::FindingKind::uninitialized);
  CHECK(found[0].line == 11);
}

TEST_CASE("an atomic on a tainted word of shared memory uses it") {
  const auto found = examine(kernel(kCopy + line(22) + "atom.shared.add.u32 %r2, [%s], 1;"), 1, 32);
  REQUIRE(found.size() == 1);
  CHECK(found[0].line == 20);
  CHECK_THAT(sim::sentence(found[0]), ContainsSubstring("added to"));
}

TEST_CASE("the tile that a matrix is loaded from has to be written") {
  const std::string load =
      line(30) +
      "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, "
      "[%r3], 16;" +
      line(31) + "st.global.u32 [%g], %f0; st.global.u32 [%g], %f7;";
  const std::string start = "\n.reg .b32 %f<8>; mov.u32 %r3, s;";
  const std::string fill =
      "\nmov.u32 %r4, 0; st.shared.u32 [%s], %r4; st.shared.u32 [%s+128], %r4; st.shared.u32 [%s+256], %r4; "
      "st.shared.u32 [%s+384], %r4; bar.warp.sync 0xffffffff;";
  CHECK(examine(kernel(start + fill + load), 1, 32).empty());
  const auto found = examine(kernel(start + load), 1, 32);
  REQUIRE_FALSE(found.empty());
  CHECK(found[0].kind == sim::FindingKind::uninitialized);
  CHECK(found[0].space == sim::MemorySpace::shared);
  CHECK(found[0].line == 30);
}
