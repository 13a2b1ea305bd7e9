// Barriers of the block, and what happens when not everyone comes.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "simulator/report/wording/words.h"
#include "tests/simulator/engine/exec_support.h"
#include "tests/simulator/truth/cases.h"

using sim::test::Device;
using sim::test::kernel_text;

namespace {

std::vector<unsigned> outcome(const std::string& body, unsigned threads, std::uint64_t seed = 0) {
  Device device(kernel_text(".param .u64 out", R"(
  .reg .pred %p, %q;
  .reg .b32 %t, %v, %a, %b;
  .reg .b64 %o;
  .shared .align 4 .b8 s[4096];
  ld.param.u64 %o, [out];
  mov.u32 %t, %tid.x;
  mad.wide.u32 %o, %t, 4, %o;
  mov.u32 %a, s;
  mad.lo.u32 %a, %t, 4, %a;
  mov.u32 %v, 0;
  .loc 1 10 1
)" + body + R"(
  st.global.u32 [%o], %v;
  ret;)") + ".file 1 \"user.cu\"\n.file 2 \"include/other.h\"\n");
  device.shape.block = {threads, 1, 1};
  device.shape.schedule_seed = seed;
  const auto out = device.upload(std::vector<unsigned>(threads, 77));
  device.run("k", out);
  return device.download<unsigned>(out, threads);
}

sim::Finding fault_of(const std::string& body, unsigned threads) {
  try {
    outcome(body, threads);
  } catch (const sim::exec::Fault& f) {
    return f.finding;
  }
  return {};
}

}  // namespace

TEST_CASE("what is written before a barrier is read behind it, in every order of the warps") {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const auto v = outcome(R"(
  st.shared.u32 [%a], %t;
  bar.sync 0;
  xor.b32 %b, %t, 96;
  mov.u32 %v, s;
  mad.lo.u32 %b, %b, 4, %v;
  ld.shared.u32 %v, [%b];)",
                           128, seed);
    for (unsigned i = 0; i < 128; ++i) CHECK(v[i] == (i ^ 96));
  }
}

TEST_CASE("named barriers with counts let a producer and a consumer hand over") {
  const auto v = outcome(R"(
  setp.ge.u32 %p, %t, 32;
  @%p bra $consumer;
  add.u32 %b, %t, 5;
  st.shared.u32 [%a], %b;
  bar.arrive 1, 64;
  bra $end;
$consumer:
  bar.sync 1, 64;
  ld.shared.u32 %v, [%a+-128];
$end:)",
                         64);
  for (unsigned i = 32; i < 64; ++i) CHECK(v[i] == i - 32 + 5);
}

TEST_CASE("barriers that reduce count, and and or the block's predicates") {
  const auto count = outcome("setp.lt.u32 %p, %t, 70;\n bar.red.popc.u32 %v, 0, %p;", 96);
  const auto any =
      outcome("setp.eq.u32 %p, %t, 95;\n barrier.red.or.pred %q, 0, %p;\n selp.u32 %v, 1, 2, %q;", 96);
  const auto all =
      outcome("setp.eq.u32 %p, %t, 95;\n bar.red.and.pred %q, 0, !%p;\n selp.u32 %v, 1, 2, %q;", 96);
  for (unsigned i = 0; i < 96; ++i) {
    CHECK(count[i] == 70);
    CHECK(any[i] == 1);
    CHECK(all[i] == 2);
  }
}

TEST_CASE("threads that have returned do not hold up a barrier") {
  const auto v = outcome("setp.lt.u32 %p, %t, 50;\n @%p exit;\n bar.sync 0;\n mov.u32 %v, 1;", 96);
  for (unsigned i = 0; i < 96; ++i) CHECK(v[i] == (i < 50 ? 77 : 1));
}

TEST_CASE("a barrier that some threads can never reach is reported with who waits where") {
  const auto finding = fault_of(R"(
  setp.lt.u32 %p, %t, 40;
  .loc 1 11 1
  @%p bar.sync 0;
  .loc 1 12 1
  bar.sync 1;)",
                                64);
  CHECK(finding.kind == sim::FindingKind::barrier);
  CHECK(finding.line == 11);
  CHECK_THAT(
      sim::sentence(finding),
      Catch::Matchers::ContainsSubstring("warp 0, threads 0-7 of warp 1 wait at line 11 for barrier") &&
          Catch::Matchers::ContainsSubstring("threads 8-31 of warp 1 wait at line 12 for barrier"));
}

TEST_CASE("who waits in another file is told with that file's name") {
  const auto finding = fault_of(R"(
  setp.lt.u32 %p, %t, 40;
  .loc 1 11 1
  @%p bar.sync 0;
  .loc 2 3 1
  bar.sync 1;)",
                                64);
  CHECK(finding.file == "user.cu");
  CHECK_THAT(sim::sentence(finding),
             Catch::Matchers::ContainsSubstring("threads 0-7 of warp 1 wait at line 11 for barrier") &&
                 Catch::Matchers::ContainsSubstring("threads 8-31 of warp 1 wait at other.h:3 for barrier"));
  REQUIRE(finding.other);
  CHECK(finding.other->file == "include/other.h");
}

TEST_CASE("an arrival that must not complete the phase leaves it open for the others") {
  for (const std::string& name : sim::truth::expand(
           "(mbarrier.arrive,mbarrier.arrive_drop).noComplete{.release}{.cta}{.shared,.shared::cta}.b64")) {
    INFO(name);
    const bool generic = name.find(".shared") == name.npos;
    Device device(kernel_text(".param .u64 out", R"(
  .reg .pred %p;
  .reg .b32 %r<4>;
  .reg .b64 %o, %s, %g;
  .shared .align 8 .b8 bar[8];
  ld.param.u64 %o, [out];
  mov.u64 %g, bar;
  cvta.shared.u64 %g, %g;
  mbarrier.init.shared.b64 [bar], 5;
  )" + name + " %s, [" + (generic ? "%g" : "bar") +
                                                     R"(], 2;
  mbarrier.pending_count.b64 %r0, %s;
  mbarrier.test_wait.shared.b64 %p, [bar], %s;
  selp.u32 %r1, 1, 0, %p;
  mbarrier.arrive.shared.b64 %s, [bar], 3;
  mbarrier.test_wait.shared.b64 %p, [bar], %s;
  selp.u32 %r2, 1, 0, %p;
  mbarrier.arrive.shared.b64 %s, [bar];
  mbarrier.pending_count.b64 %r3, %s;
  st.global.v4.u32 [%o], {%r0, %r1, %r2, %r3};
  ret;)"));
    const auto out = device.upload(std::vector<unsigned>(4));
    device.run("k", out);
    const unsigned next = name.find("drop") != name.npos ? 3 : 5;
    CHECK(device.download<unsigned>(out, 4) == std::vector<unsigned>{5, 0, 1, next});
  }
}
