// The rules by which two accesses are ordered, each on the smallest kernel that shows it.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "simulator/report/wording/words.h"
#include "tests/simulator/sanitizer/support.h"

using namespace findings_test;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string kWrite = line(20) + "st.shared.u32 [%s], %t;";
/// Reads the word of the thread 32 places on: of the next warp.
const std::string kReadNextWarp = line(21) + "ld.shared.u32 %r1, [%s+128];";
const std::string kReadNextLane = line(21) + "ld.shared.u32 %r1, [%s+4];";

}  // namespace

TEST_CASE("a read of another warp's word without a barrier is a race, named with both lines and threads") {
  const auto found = examine(kernel(line(15) + "setp.lt.u32 %p1, %t, 32; @%p1 bra READ;" + kWrite + line(30) +
                                    "ret; READ:" + kReadNextWarp),
                             1, 64);
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == sim::FindingKind::race);
  CHECK(found[0].space == sim::MemorySpace::shared);
  CHECK(found[0].severity == sim::Severity::error);
  REQUIRE(found[0].other);
  CHECK(std::min(found[0].line, found[0].other->line) == 20);
  CHECK(std::max(found[0].line, found[0].other->line) == 21);
  CHECK(found[0].count == 32);
  CHECK_THAT(found[0].symbol, ContainsSubstring("s["));
  CHECK_THAT(to_string(found[0].cure), ContainsSubstring("__syncthreads()"));
}

TEST_CASE("a barrier of the block orders all its threads") {
  const std::string all =
      "\nbar.sync 0; xor.b32 %r2, %t, 127; shl.b32 %r2, %r2, 2; mov.u32 %r3, s; add.u32 %r3, %r3, %r2;";
  CHECK(examine(kernel(kWrite + all + line(21) + "ld.shared.u32 %r1, [%r3];"), 2, 256).empty());
}

TEST_CASE("lanes of a warp do not go in step, unless they say so") {
  const std::string init = kWrite + "\nst.shared.u32 [%s+128], %t; bar.warp.sync 0xffffffff;";
  const std::string step = line(25) + "ld.shared.u32 %r1, [%s+4]; st.shared.u32 [%s], %r1;";
  const auto found = examine(kernel(init + step), 1, 32);
  REQUIRE_FALSE(found.empty());
  CHECK(found[0].line == 25);
  CHECK_THAT(to_string(found[0].cure), ContainsSubstring("__syncwarp()"));
  const std::string apart =
      line(25) + "ld.shared.u32 %r1, [%s+4]; bar.warp.sync 0xffffffff; st.shared.u32 [%s], %r1;";
  CHECK(examine(kernel(init + apart), 1, 32).empty());
}

TEST_CASE("a barrier of half a warp orders that half only") {
  const auto body = [](const char* mask) {
    return kernel(line(15) + "setp.ge.u32 %p1, %t, 16; @%p1 ret;" + kWrite + "\nbar.warp.sync " + mask + ";" +
                  line(21) +
                  "xor.b32 %r2, %t, 8; shl.b32 %r2, %r2, 2; mov.u32 %r3, s; add.u32 %r3, %r3, %r2; "
                  "ld.shared.u32 %r1, [%r3];");
  };
  CHECK(examine(body("0x0000ffff"), 1, 16).empty());
  const auto quarters = kernel(kWrite +
                               "\nsetp.lt.u32 %p1, %t, 8; @%p1 bra LOW; bar.warp.sync 0xff00; bra READ; LOW: "
                               "bar.warp.sync 0xff; READ:" +
                               line(21) +
                               "xor.b32 %r2, %t, 8; shl.b32 %r2, %r2, 2; mov.u32 %r3, s; add.u32 %r3, %r3, "
                               "%r2; ld.shared.u32 %r1, [%r3];");
  const auto found = examine(quarters, 1, 16);
  REQUIRE_FALSE(found.empty());
  CHECK(found[0].kind == sim::FindingKind::race);
}

TEST_CASE("blocks race on global memory, and atomics do not") {
  const auto plain = examine(kernel(line(20) + "st.global.u32 [%b], %t;"), 2, 1);
  CHECK(plain.size() == 1);
  CHECK(plain[0].severity == sim::Severity::note);  // both store zero
  const auto update = line(20) + "ld.global.u32 %r1, [%b]; add.u32 %r1, %r1, 1; st.global.u32 [%b], %r1;";
  const auto lost = examine(kernel(update), 2, 1);
  REQUIRE_FALSE(lost.empty());
  CHECK(lost[0].severity == sim::Severity::error);
  CHECK(lost[0].other->block != lost[0].block);
  CHECK(examine(kernel(line(20) + "atom.global.add.u32 %r1, [%b], 1;"), 8, 64).empty());
}

TEST_CASE("an update of one word by many wants an atomic, a step of a reduction a barrier") {
  const std::string init = kWrite + "\nbar.sync 0;";
  const auto counted = examine(
      kernel(init + line(25) + "ld.shared.u32 %r1, [s]; add.u32 %r1, %r1, 1; st.shared.u32 [s], %r1;"), 1,
      64);
  REQUIRE_FALSE(counted.empty());
  CHECK(counted[0].cure.kind == sim::Cure::atomic_read_modify_write);
  // The second warp reads its own words after the first one has: the last reader is not the one that races.
  const auto step = examine(kernel(init + line(25) +
                                   "ld.shared.u32 %r1, [%s+128]; ld.shared.u32 %r2, [%s]; "
                                   "add.u32 %r2, %r2, %r1; st.shared.u32 [%s], %r2;"),
                            1, 64, 1024);
  REQUIRE_FALSE(step.empty());
  CHECK(step[0].kind == sim::FindingKind::race);
  CHECK(step[0].cure.kind == sim::Cure::block_barrier);
}

TEST_CASE("a plain read in the line of an atomic is left to the atomic") {
  const std::string read = "ld.shared.u32 %r1, [s]; setp.lt.u32 %p1, %t, %r1;";
  const std::string update = "@%p1 atom.shared.min.u32 %r2, [s], %t;";
  const std::string init = "setp.eq.u32 %p2, %t, 0; @%p2 st.shared.u32 [s], 9; bar.sync 0;";
  const auto one_line = examine(kernel(init + line(25) + read + update), 1, 64);
  REQUIRE_FALSE(one_line.empty());
  CHECK(one_line[0].cure.kind == sim::Cure::atomic_alone);
  const auto two_lines = examine(kernel(init + line(25) + read + line(26) + update), 1, 64);
  REQUIRE_FALSE(two_lines.empty());
  CHECK(two_lines[0].cure.kind == sim::Cure::atomic_everywhere);
}

TEST_CASE(
    "a wide read that races with the stores to its parts is one mistake, and what races behind it another") {
  // Threads 0 to 3 store the four words of thread 0's 16 bytes, at a line each; a fifth store follows.
  const auto store = [](int at, const char* who) {
    return line(at) + "setp.eq.u32 %p2, %t, " + who + "; @%p2 st.shared.u32 [%s], %t;";
  };
  const std::string init = kWrite + "\nbar.sync 0;";
  const std::string stores = store(31, "0") + store(32, "1") + store(33, "2") + store(34, "3");
  const std::string read = line(40) + "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [s];";
  const auto found = examine(kernel(init + stores + read), 1, 32);
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == sim::FindingKind::race);
  CHECK(std::max(found[0].line, found[0].other->line) == 40);
  CHECK_THAT(sentence(found[0]), ContainsSubstring("The same goes for lines"));
  CHECK(examine(kernel(init + stores + read + store(50, "5") + store(51, "1")), 1, 32).size() == 2);
}

TEST_CASE("an atomic of the block's scope is no atomic to other blocks") {
  CHECK_FALSE(examine(kernel(line(20) + "atom.global.cta.add.u32 %r1, [%b], 1;"), 2, 32).empty());
  CHECK(examine(kernel(line(20) + "atom.global.cta.add.u32 %r1, [%b], 1;"), 1, 64).empty());
}

namespace {

/// Each block stores a word and counts itself; the last one reads what the first stored.
std::string last_block_done(const char* fence) {
  return kernel("mov.u32 %r0, %ctaid.x; mad.wide.u32 %g, %r0, 4, %b;" + line(20) +
                "st.global.u32 [%g+4], %r0;" + fence + line(22) +
                "atom.global.add.u32 %r1, [%b], 1; setp.ne.u32 %p1, %r1, 3; @%p1 ret;" + line(24) +
                "ld.global.u32 %r2, [%b+4];");
}

}  // namespace

TEST_CASE("the last block sees what the others fenced before they counted themselves") {
  CHECK(examine(last_block_done("membar.gl;"), 4, 1).empty());
  CHECK(examine(last_block_done("fence.acq_rel.gpu;"), 4, 1).empty());
  const auto forgotten = examine(last_block_done(""), 4, 1);
  REQUIRE(forgotten.size() == 1);
  CHECK(forgotten[0].line == 24);
  CHECK(forgotten[0].other->line == 20);
  CHECK(examine(last_block_done("membar.cta;"), 4, 1).size() == 1);  // a fence for the block alone
}

TEST_CASE("a warp's threads that arrive one by one have arrived") {
  // 32 read s[0], each counts itself; thread 32 waits for all, and writes.
  const auto counted = [](const char* readers, const char* fence) {
    return kernel(std::string("setp.eq.u32 %p1, %t, 0; @%p1 st.shared.u32 [%s], 7; bar.sync 0;\n") +
                  "setp.lt.u32 %p2, %t, 32; @!%p2 bra WAIT; setp.ge.u32 %p3, %t, " + readers +
                  "; @%p3 bra END;" + line(20) + "ld.shared.u32 %r1, [s]; st.global.u32 [%g+4], %r1;" +
                  fence + "\natom.global.add.u32 %r2, [%b], 1; bra END;\n" +
                  "WAIT: setp.ne.u32 %p4, %t, 32; @%p4 bra END;\n" +
                  "SPIN: atom.global.add.u32 %r3, [%b], 0; setp.ne.u32 %p5, %r3, " + readers +
                  "; @%p5 bra SPIN; membar.cta;" + line(22) + "st.shared.u32 [s], 8;\nEND:");
  };
  for (const char* readers : {"32", "20"}) {
    CHECK(examine(counted(readers, "membar.cta;"), 1, 64).empty());
    CHECK(examine(counted(readers, ""), 1, 64).size() == 1);
  }
}

TEST_CASE("a lock orders what it guards when the unlocking is fenced") {
  const auto locked = [](const char* fence) {
    return kernel("SPIN: atom.global.cas.b32 %r1, [%b], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra SPIN;" +
                  line(20) + "ld.global.u32 %r2, [%b+4]; add.u32 %r2, %r2, 1; st.global.u32 [%b+4], %r2;" +
                  fence + "\natom.global.exch.b32 %r3, [%b], 0;");
  };
  CHECK(examine(locked("membar.gl;"), 3, 1).empty());
  CHECK_FALSE(examine(locked(""), 3, 1).empty());
}

TEST_CASE("neighbouring bytes are different words to the race detector") {
  const auto bytes = kernel("cvt.u64.u32 %g, %t; add.u64 %g, %g, %b;" + line(20) + "st.global.u8 [%g], %t;");
  CHECK(examine(bytes, 1, 64).empty());
}

TEST_CASE("a named barrier lets the producers of one stage and its consumers take turns") {
  // Warp 0 fills, warps 1 and 2 read: "full" is barrier 1, "empty" is barrier 2, 96 threads each.
  const auto turns = kernel(R"(
  mov.u32 %r5, 0; mov.u32 %r6, s; and.b32 %r7, %t, 31; mad.lo.u32 %r6, %r7, 4, %r6; setp.ge.u32 %p1, %t, 32;
AGAIN:
  @%p1 bra READ;
  st.shared.u32 [%r6], %r5;
  bar.arrive 1, 96;
  bar.sync 2, 96;
  bra NEXT;
READ:
  bar.sync 1, 96;
  ld.shared.u32 %r1, [%r6];
  bar.arrive 2, 96;
NEXT:
  add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 4; @%p2 bra AGAIN;)");
  CHECK(examine(turns, 1, 96).empty());
}

TEST_CASE("shared memory that nobody wrote is told of") {
  const auto found = examine(kernel(line(20) + "ld.shared.u32 %r1, [%s]; st.global.u32 [%g], %r1;"), 1, 32);
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == sim::FindingKind::uninitialized);
  CHECK(found[0].line == 20);
  CHECK(found[0].symbol == "s[0]");
}

TEST_CASE("a race with the next round of a loop says so where a barrier stands between the two lines") {
  const auto loop = [](const std::string& between, const std::string& at_end) {
    return kernel("\nmov.u32 %r5, 0; AGAIN:" + kWrite + between + kReadNextLane + at_end + line(22) +
                  "add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 3; @%p1 bra AGAIN;");
  };
  const std::string barrier = "\nbar.warp.sync 0xffffffff;";
  CHECK(examine(loop(barrier, barrier), 1, 32).empty());
  const auto found = examine(loop(barrier, ""), 1, 32);
  REQUIRE_FALSE(found.empty());
  CHECK(found[0].line == 20);
  CHECK_THAT(sim::sentence(found[0]), ContainsSubstring("at line 20, in the next round of the loop"));
  for (const auto& f : examine(loop("", ""), 1, 32))
    CHECK_THAT(sim::sentence(f), !ContainsSubstring("next round"));
}

TEST_CASE("two lines that store different values to one element: is the place one-to-one?") {
  const auto found = examine(kernel(kWrite + line(21) +
                                    "xor.b32 %r2, %t, 32; shl.b32 %r2, %r2, 2; mov.u32 "
                                    "%r3, s; add.u32 %r3, %r3, %r2; st.shared.u32 [%r3], %t;"),
                             1, 64);
  REQUIRE_FALSE(found.empty());
  CHECK(found[0].cure.kind == sim::Cure::place_each_or_barrier);
}
