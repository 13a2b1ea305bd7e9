// Lanes that diverge and reconverge: branches, loops, spin locks, exits, warp-wide instructions.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/simulator/engine/exec_support.h"

using sim::test::Device;
using sim::test::kernel_text;

namespace {

/// Runs one block; every thread's %v is written to out[tid].
std::vector<unsigned> diverged(const std::string& body, unsigned threads = 32, std::size_t words = 0) {
  Device device(kernel_text(".param .u64 out", R"(
  .reg .pred %p, %q;
  .reg .b32 %t, %v, %a, %b, %c;
  .reg .b64 %o, %g;
  .shared .align 4 .b8 lock[8];
  ld.param.u64 %g, [out];
  mov.u32 %t, %tid.x;
  mad.wide.u32 %o, %t, 4, %g;
  mov.u32 %v, 0;
)" + body + R"(
  st.global.u32 [%o], %v;
  ret;)"));
  device.shape.block = {threads, 1, 1};
  device.shape.instruction_limit = 2000000;
  const std::size_t n = std::max<std::size_t>(words, threads);
  const auto out = device.upload(std::vector<unsigned>(n, 77));
  device.run("k", out);
  return device.download<unsigned>(out, n);
}

std::string fault_when_diverged(const std::string& body, unsigned threads = 32) {
  try {
    diverged(body, threads);
  } catch (const sim::exec::Fault& f) {
    return to_string(f.finding.kind) + std::string(": ") + f.what();
  }
  return "";
}

}  // namespace

TEST_CASE("both sides of a branch run for their lanes and reconverge behind it") {
  const auto v = diverged(R"(
  and.b32 %a, %t, 1;
  setp.eq.u32 %p, %a, 0;
  @%p bra $even;
  add.u32 %v, %t, 100;
  bra $join;
$even:
  add.u32 %v, %t, 200;
$join:
  activemask.b32 %b;
  popc.b32 %b, %b;
  add.u32 %v, %v, %b;)");
  for (unsigned i = 0; i < 32; ++i) CHECK(v[i] == i + (i % 2 ? 100 : 200) + 32);
}

TEST_CASE("lanes leave a loop one by one and go on together") {
  const auto v = diverged(R"(
$loop:
  setp.ge.u32 %p, %v, %t;
  @%p bra $done;
  add.u32 %v, %v, 1;
  bra $loop;
$done:
  activemask.b32 %b;
  popc.b32 %b, %b;
  mad.lo.u32 %v, %b, 1000, %v;)");
  for (unsigned i = 0; i < 32; ++i) CHECK(v[i] == 32000 + i);
}

TEST_CASE("a spin lock that lanes of one warp contend for is passed on") {
  const auto v = diverged(R"(
  mov.u32 %a, lock;
  setp.ne.u32 %p, %t, 0;
  @%p bra $wait;
  st.shared.u32 [%a], 0;
  st.shared.u32 [%a+4], 0;
$wait:
  bar.sync 0;
$try:
  atom.shared.cas.b32 %b, [%a], 0, 1;
  setp.ne.u32 %p, %b, 0;
  @%p bra $try;
  ld.shared.u32 %c, [%a+4];
  add.u32 %c, %c, 1;
  st.shared.u32 [%a+4], %c;
  atom.shared.exch.b32 %b, [%a], 0;
  bar.sync 0;
  ld.shared.u32 %v, [%a+4];)",
                          96);
  for (unsigned x : v) CHECK(x == 96);
}

TEST_CASE("lanes that exit early are not waited for") {
  const auto v = diverged(R"(
  setp.ge.u32 %p, %t, 20;
  @%p exit;
  mov.u32 %a, %t;
  shfl.sync.bfly.b32 %v, %a, 1, 31, -1;
  bar.warp.sync -1;
  bar.sync 0;)",
                          64);
  for (unsigned i = 0; i < 64; ++i) CHECK(v[i] == (i < 20 ? (i ^ 1) : 77));
}

TEST_CASE("shuffles read the lanes they name") {
  const auto up =
      diverged("add.u32 %a, %t, 100;\n shfl.sync.up.b32 %v|%p, %a, 3, 0, -1;\n @%p add.u32 %v, %v, 1000;");
  const auto down =
      diverged("add.u32 %a, %t, 100;\n shfl.sync.down.b32 %v|%p, %a, 3, 31, -1;\n @%p add.u32 %v, %v, 1000;");
  // Segments of eight lanes: c = (32 - 8) << 8 | clamp.
  const auto segment = diverged("shfl.sync.down.b32 %v, %t, 5, 6175, -1;");
  const auto idx = diverged("shfl.sync.idx.b32 %v, %t, 2, 6175, -1;");
  for (unsigned i = 0; i < 32; ++i) {
    CHECK(up[i] == (i >= 3 ? 1000 + 100 + i - 3 : 100 + i));
    CHECK(down[i] == (i + 3 < 32 ? 1000 + 100 + i + 3 : 100 + i));
    CHECK(segment[i] == (i % 8 + 5 < 8 ? i + 5 : i));
    CHECK(idx[i] == i / 8 * 8 + 2);
  }
}

TEST_CASE("votes, matches and reductions see exactly the lanes of their mask") {
  const auto ballot = diverged("setp.gt.u32 %p, %t, 20;\n vote.sync.ballot.b32 %v, %p, -1;");
  const auto none = diverged("setp.gt.u32 %p, %t, 20;\n vote.sync.ballot.b32 %v, !%p, -1;");
  const auto any =
      diverged("setp.gt.u32 %p, %t, 30;\n vote.sync.any.pred %q, %p, -1;\n selp.u32 %v, 1, 0, %q;");
  const auto match = diverged("shr.u32 %a, %t, 3;\n match.any.sync.b32 %v, %a, -1;");
  const auto all = diverged("mov.u32 %a, 5;\n match.all.sync.b32 %v|%p, %a, -1;");
  const auto sum = diverged("redux.sync.add.u32 %v, %t, -1;");
  const auto max = diverged("sub.u32 %a, %t, 10;\n redux.sync.max.s32 %v, %a, -1;");
  for (unsigned i = 0; i < 32; ++i) {
    CHECK(ballot[i] == 0xFFE00000u);
    CHECK(none[i] == 0x001FFFFFu);
    CHECK(any[i] == 1);
    CHECK(match[i] == 0xFFu << i / 8 * 8);
    CHECK(all[i] == ~0u);
    CHECK(sum[i] == 496);
    CHECK(max[i] == 21);
  }
}

TEST_CASE("groups of lanes with different masks shuffle among themselves at one place") {
  const auto v = diverged(R"(
  setp.lt.u32 %p, %t, 12;
  selp.u32 %a, 4095, -4096, %p;
  redux.sync.add.u32 %v, 1, %a;)");
  for (unsigned i = 0; i < 32; ++i) CHECK(v[i] == (i < 12 ? 12 : 20));
}

TEST_CASE("lanes that diverged wait for each other at a warp-wide instruction") {
  const auto v = diverged(R"(
  setp.lt.u32 %p, %t, 8;
  @%p bra $late;
  bra $meet;
$late:
  add.u32 %v, %v, 1;
$meet:
  redux.sync.add.u32 %v, %v, -1;)");
  for (unsigned x : v) CHECK(x == 8);
}

TEST_CASE("a lane outside its own mask is reported") {
  CHECK_THAT(fault_when_diverged("bar.warp.sync 255;"), Catch::Matchers::StartsWith("mask"));
}

TEST_CASE("lanes that wait for lanes which never come are reported") {
  // Lanes 0 to 15 wait for all at one place, the others at another.
  const std::string text = fault_when_diverged(R"(
  setp.lt.u32 %p, %t, 16;
  @%p bra $a;
  redux.sync.add.u32 %v, %t, -1;
  bra $end;
$a:
  redux.sync.max.u32 %v, %t, -1;
$end:)");
  CHECK_THAT(text, Catch::Matchers::StartsWith("mask"));
}

TEST_CASE("warps of a ragged block keep their lanes apart") {
  const auto v = diverged("activemask.b32 %v;", 45);
  for (unsigned i = 0; i < 45; ++i) CHECK(v[i] == (i < 32 ? ~0u : (1u << 13) - 1));
}

TEST_CASE("indexed branches take every lane to its own target") {
  const auto v = diverged(R"(
$targets: .branchtargets $zero, $one, $two;
  rem.u32 %a, %t, 3;
  brx.idx %a, $targets;
$zero:
  mov.u32 %v, 10;
  bra $end;
$one:
  mov.u32 %v, 11;
  bra $end;
$two:
  mov.u32 %v, 12;
$end:)");
  for (unsigned i = 0; i < 32; ++i) CHECK(v[i] == 10 + i % 3);
}

TEST_CASE("a loop that never ends is stopped at the limit and says where it is") {
  CHECK_THAT(fault_when_diverged("$l:\n bra $l;"), Catch::Matchers::StartsWith("hang"));
}

TEST_CASE("lanes on both sides of a branch converge at a warp barrier on each side") {
  const auto v = diverged(R"(
  mov.u32 %a, lock;
  setp.lt.u32 %p, %t, 16;
  @%p bra $writer;
  bar.warp.sync -1;
  ld.shared.u32 %v, [%a];
  bra $end;
$writer:
  st.shared.u32 [%a], 5;
  bar.warp.sync -1;
  mov.u32 %v, 6;
$end:)");
  for (unsigned i = 0; i < 32; ++i) CHECK(v[i] == (i < 16 ? 6 : 5));
}

TEST_CASE("a lane waits for another lane of its warp through global memory") {
  // Lane 31 raises the flag; the others poll for it, asleep in between.
  const auto v = diverged(R"(
  setp.eq.u32 %p, %t, 31;
  @%p bra $raise;
$poll:
  nanosleep.u32 100;
  ld.volatile.global.u32 %a, [%g+128];
  setp.ne.u32 %q, %a, 9;
  @%q bra $poll;
  mov.u32 %v, %a;
  bra $end;
$raise:
  mov.u32 %a, 9;
  st.volatile.global.u32 [%g+128], %a;
$end:)",
                          32, 33);
  for (unsigned i = 0; i < 31; ++i) CHECK(v[i] == 9);
}

TEST_CASE("a lock is handed over among all lanes again and again") {
  const auto v = diverged(R"(
  mov.u32 %a, lock;
  setp.ne.u32 %p, %t, 0;
  @%p bra $wait;
  st.shared.u32 [%a], 0;
  st.shared.u32 [%a+4], 0;
$wait:
  bar.sync 0;
$again:
$try:
  atom.shared.cas.b32 %b, [%a], 0, 1;
  setp.ne.u32 %p, %b, 0;
  @%p bra $try;
  ld.volatile.shared.u32 %c, [%a+4];
  add.u32 %c, %c, 1;
  st.volatile.shared.u32 [%a+4], %c;
  membar.cta;
  atom.shared.exch.b32 %b, [%a], 0;
  add.u32 %v, %v, 1;
  setp.lt.u32 %p, %v, 10;
  @%p bra $again;
  bar.sync 0;
  ld.shared.u32 %v, [%a+4];)",
                          64);
  for (unsigned x : v) CHECK(x == 640);
}

TEST_CASE("a deadlock is told line by line: who waits where, who left where") {
  const std::string text = fault_when_diverged(R"(
  .loc 1 14 1
  setp.eq.u32 %p, %t, 95;
  @%p bra $other;
  .loc 1 18 1
  barrier.sync 1, 96;
  bra $end;
$other:
  .loc 1 20 1
  exit;
$end:)",
                                               96);
  CHECK_THAT(text,
             Catch::Matchers::ContainsSubstring(
                 "warps 0 and 1, threads 0-30 of warp 2 wait at line 18 for barrier 1; thread 31 of warp 2 "
                 "left at line 20"));
}

TEST_CASE("an endless loop is told with those who wait for it") {
  const std::string text = fault_when_diverged(R"(
  .loc 1 7 1
  setp.lt.u32 %p, %t, 32;
  @%p bra $loop;
  .loc 1 9 1
  bar.sync 0;
  bra $end;
$loop:
  .loc 1 12 1
  bra $loop;
$end:)",
                                               64);
  CHECK_THAT(text, Catch::Matchers::ContainsSubstring("warp 0 runs near line 12") &&
                       Catch::Matchers::ContainsSubstring("warp 1 waits at line 9 for barrier 0"));
}

TEST_CASE("lanes at two places of the program converge in a shuffle, and each gets the other's value") {
  const auto v = diverged(R"(
  and.b32 %a, %t, 1;
  setp.eq.u32 %p, %a, 0;
  @%p bra $even;
  shfl.sync.bfly.b32 %v, %t, 1, 31, 0xffffffff;
  bra $join;
$even:
  add.u32 %b, %t, 100;
  shfl.sync.bfly.b32 %c, %b, 1, 31, 0xffffffff;
  add.u32 %v, %c, 1000;
$join:
)");
  for (unsigned i = 0; i < 32; ++i) CHECK(v[i] == (i % 2 == 0 ? 1000 + (i ^ 1) : 100 + (i ^ 1)));
}

TEST_CASE(
    "lanes that converge in a shuffle from two places learn, each for itself, whether there was a source") {
  const auto v = diverged(R"(
  and.b32 %a, %t, 1;
  setp.eq.u32 %q, %a, 0;
  @%q bra $even;
  shfl.sync.down.b32 %v|%p, %t, 3, 31, 0xffffffff;
  @!%p mov.u32 %v, 500;
  bra $join;
$even:
  shfl.sync.down.b32 %v|%q, %t, 3, 31, 0xffffffff;
  @!%q mov.u32 %v, 600;
$join:
)");
  for (unsigned i = 0; i < 32; ++i) CHECK(v[i] == (i + 3 < 32 ? i + 3 : i % 2 == 0 ? 600 : 500));
}

TEST_CASE("lanes at three places vote, match and reduce together, each with its own operands") {
  const auto v = diverged(R"(
  setp.lt.u32 %q, %t, 8;
  @%q bra $low;
  setp.lt.u32 %p, %t, 20;
  @%p bra $middle;
  vote.sync.ballot.b32 %v, %q, 0xffffffff;
  match.any.sync.b32 %a, 5, 0xffffffff;
  redux.sync.add.u32 %b, 1, 0xffffffff;
  bra $join;
$low:
  vote.sync.ballot.b32 %v, %q, 0xffffffff;
  match.any.sync.b32 %a, %t, 0xffffffff;
  redux.sync.add.u32 %b, %t, 0xffffffff;
  bra $join;
$middle:
  vote.sync.ballot.b32 %v, %p, 0xffffffff;
  mov.u32 %c, 5;
  match.any.sync.b32 %a, %c, 0xffffffff;
  redux.sync.add.u32 %b, 100, 0xffffffff;
$join:
  add.u32 %v, %v, %a;
  add.u32 %v, %v, %b;
)");
  const unsigned ballot = 0xfffff, fives = 0xffffff00u | 1u << 5, sum = 28 + 12 * 100 + 12;
  for (unsigned i = 0; i < 32; ++i) CHECK(v[i] == ballot + (i >= 8 || i == 5 ? fives : 1u << i) + sum);
}

TEST_CASE(
    "lanes that wait for others name the place where they wait, also beside a shuffle of another kind") {
  CHECK_THAT(fault_when_diverged(R"(
  setp.lt.u32 %p, %t, 16;
  @%p bra $low;
  shfl.sync.bfly.b32 %v, %t, 1, 31, 0xffffffff;
  bra $join;
$low:
  shfl.sync.down.b32 %v, %t, 1, 31, 0xffffffff;
$join:
)"),
             Catch::Matchers::ContainsSubstring("wait"));
}
