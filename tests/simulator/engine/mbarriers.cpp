// mbarriers that count bytes, that other blocks of the cluster arrive at, and whose phases never end.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "simulator/report/wording/words.h"
#include "tests/simulator/engine/exec_support.h"
#include "tests/simulator/truth/cases.h"

using Catch::Matchers::ContainsSubstring;
using sim::test::Device;
using sim::test::kernel_text;

namespace {

/// A kernel k(out) with mbarriers full[4] and a word; %t is the thread's index, %f the address of full, %o
/// that of out[64 * block].
std::string with_barriers(const std::string& body) {
  return kernel_text(".param .u64 out", R"(
  .reg .pred %p, %q;
  .reg .b32 %t, %f, %m, %b, %r<12>;
  .reg .b64 %o, %w, %x;
  .shared .align 8 .b8 full[32];
  .shared .align 8 .b8 word[8];
  ld.param.u64 %o, [out];
  mov.u32 %t, %tid.x;
  mov.u32 %f, full;
  mov.u32 %b, %ctaid.x;
  mad.wide.u32 %o, %b, 256, %o;
)" + body + "\n  ret;");
}

std::vector<unsigned> phases(const std::string& body, unsigned blocks, unsigned threads) {
  Device device(with_barriers(body));
  const auto out = device.upload(std::vector<unsigned>(64 * blocks, 77));
  device.shape.grid = {blocks, 1, 1};
  device.shape.cluster = {blocks, 1, 1};
  device.shape.block = {threads, 1, 1};
  device.shape.instruction_limit = 100'000;
  device.run("k", out);
  return device.download<unsigned>(out, 64 * blocks);
}

sim::Finding phase_fault(const std::string& body, unsigned blocks, unsigned threads) {
  try {
    phases(body, blocks, threads);
  } catch (const sim::exec::Fault& fault) {
    return fault.finding;
  }
  FAIL("nothing was told");
  return {};
}

const std::string kClusterSync =
    "barrier.cluster.arrive.release.aligned;\n  barrier.cluster.wait.acquire.aligned;\n";

/// Thread 0 initialises full[0], and all wait for that.
std::string initialised(int arrivals) {
  return R"(
  setp.ne.u32 %p, %t, 0;
  @%p bra begun;
  mbarrier.init.shared::cta.b64 [full], )" +
         std::to_string(arrivals) + ";\nbegun:\n  " + kClusterSync;
}

std::string wait_for(const std::string& parity) {
  return "waiting:\n  mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %q, [full], " + parity +
         ";\n  @!%q bra waiting;\n";
}

}  // namespace

TEST_CASE("bytes that are expected hold a phase open until they have come, in any order") {
  for (const std::string bytes :
       {"mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [full], 96; "
        "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 "
        "[full], 32; mbarrier.complete_tx.shared.b64 [full], 64;",
        "mbarrier.complete_tx.shared::cta.b64 [full], 96; mbarrier.expect_tx.shared::cta.b64 [full], 96;"}) {
    const auto v = phases(initialised(1) + R"(
  @%p bra done;
  mbarrier.test_wait.parity.shared.b64 %q, [full], 0;
  selp.u32 %r0, 1, 0, %q;
  )" + std::string(bytes) + R"(
  mbarrier.test_wait.parity.shared.b64 %q, [full], 0;
  selp.u32 %r1, 1, 0, %q;
  mbarrier.arrive.expect_tx.shared.b64 %w, [full], 16;
  mbarrier.test_wait.shared.b64 %q, [full], %w;
  selp.u32 %r2, 1, 0, %q;
  mbarrier.complete_tx.shared.b64 [full], 16;
  mbarrier.test_wait.shared.b64 %q, [full], %w;
  selp.u32 %r3, 1, 0, %q;
  st.global.v4.u32 [%o], {%r0, %r1, %r2, %r3};
done:)",
                          1, 32);
    CHECK(v[0] == 0);
    CHECK(v[1] == 0);
    CHECK(v[2] == 0);
    CHECK(v[3] == 1);
  }
}

TEST_CASE("threads of other blocks arrive by a mapped address, and the owner's wait ends") {
  // Block 0 waits for an arrival and eight bytes of each of three blocks; two phases.
  const auto v = phases("st.shared.u32 [word], 0;" + initialised(4) + R"(
  @%p bra done;
  mov.u32 %r0, %cluster_ctarank;
  mapa.shared::cluster.u32 %m, %f, 0;
  mov.u32 %r1, word;
  mapa.shared::cluster.u32 %r2, %r1, 0;
  setp.eq.u32 %p, %r0, 0;
  mov.u32 %r3, 0;
turn:
  red.relaxed.cluster.shared::cluster.add.u32 [%r2], %r0;
  mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%m], 8;
  mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%m], 8;
  @!%p bra next;
waiting:
  mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %q, [full], %r3;
  @!%q bra waiting;
  ld.shared.u32 %r4, [%r1];
  mad.wide.u32 %x, %r3, 4, %o;
  st.global.u32 [%x], %r4;
next:
  barrier.cluster.arrive;
  barrier.cluster.wait;
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %q, %r3, 2;
  @%q bra turn;
done:)",
                        4, 1);
  CHECK(v[0] == 6);
  CHECK(v[1] == 12);
}

TEST_CASE("arrivals and bytes reach another block's mbarrier in every spelling") {
  for (const std::string& name : sim::truth::expand("(mbarrier.arrive,mbarrier.arrive_drop){.expect_tx}{."
                                                    "release,.relaxed}{.cta,.cluster}.shared::cluster.b64")) {
    if (name.find(".release") == name.npos && name.find(".relaxed") == name.npos &&
        name.find("cta.") != name.npos)
      continue;  // no scope without an order
    const bool expects = name.find(".expect_tx") != name.npos;
    INFO(name);
    const auto v = phases(initialised(1) + R"(
  @%p bra done;
  mapa.shared::cluster.u32 %m, %f, 0;
  mov.u32 %r0, %cluster_ctarank;
  setp.eq.u32 %p, %r0, 0;
  @%p bra together;
  )" + name + " _, [%m]" + (expects ? ", 32" : "") +
                              R"(;
together:
  barrier.cluster.arrive;
  barrier.cluster.wait;
  @!%p bra done;
  mbarrier.test_wait.parity.shared.b64 %q, [full], 0;
  selp.u32 %r1, 1, 0, %q;
  )" + (expects ? "mbarrier.complete_tx.shared.b64 [full], 32;" : "") +
                              R"(
  mbarrier.test_wait.parity.shared.b64 %q, [full], 0;
  selp.u32 %r2, 1, 0, %q;
  st.global.v2.u32 [%o], {%r1, %r2};
done:)",
                          2, 1);
    CHECK(v[0] == (expects ? 0 : 1));
    CHECK(v[1] == 1);
  }
  for (const std::string& name : sim::truth::expand(
           "(mbarrier.expect_tx,mbarrier.complete_tx){.relaxed.cta,.relaxed.cluster}.shared::cluster.b64")) {
    INFO(name);
    const std::string other = name.find("expect_tx") != name.npos ? "complete_tx" : "expect_tx";
    const auto v = phases(initialised(1) + R"(
  @%p bra done;
  mov.u32 %r0, %cluster_ctarank;
  setp.eq.u32 %p, %r0, 0;
  mapa.shared::cluster.u32 %m, %f, 0;
  @!%p )" + name + R"( [%m], 16;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  @!%p bra done;
  mbarrier.arrive.shared.b64 %w, [full];
  mbarrier.test_wait.parity.shared.b64 %q, [full], 0;
  selp.u32 %r1, 1, 0, %q;
  mbarrier.)" + other + R"(.shared.b64 [full], 16;
  mbarrier.test_wait.parity.shared.b64 %q, [full], 0;
  selp.u32 %r2, 1, 0, %q;
  st.global.v2.u32 [%o], {%r1, %r2};
done:)",
                          2, 1);
    CHECK(v[0] == 0);
    CHECK(v[1] == 1);
  }
}

TEST_CASE("an arrival that announces bytes and leaves does both") {
  for (const std::string& name : sim::truth::expand(
           "mbarrier.arrive_drop.expect_tx(.release,.relaxed)(.cta,.cluster)(.shared,.shared::cta).b64")) {
    INFO(name);
    const auto v = phases(initialised(2) + R"(
  @%p bra done;
  )" + name + R"( %w, [full], 16;
  mbarrier.arrive.shared.b64 %x, [full];
  mbarrier.test_wait.shared.b64 %q, [full], %w;
  selp.u32 %r0, 1, 0, %q;
  mbarrier.complete_tx.shared.b64 [full], 16;
  mbarrier.test_wait.shared.b64 %q, [full], %w;
  selp.u32 %r1, 1, 0, %q;
  mbarrier.arrive.shared.b64 %x, [full];
  mbarrier.test_wait.shared.b64 %q, [full], %x;
  selp.u32 %r2, 1, 0, %q;
  st.global.v2.u32 [%o], {%r0, %r1};
  st.global.u32 [%o+8], %r2;
done:)",
                          1, 1);
    CHECK(v[0] == 0);
    CHECK(v[1] == 1);
    CHECK(v[2] == 1);
  }
}

TEST_CASE("arrivals that leave, of other blocks too, are not waited for again") {
  const auto v = phases(initialised(4) + R"(
  @%p bra done;
  mapa.shared::cluster.u32 %m, %f, 0;
  mov.u32 %r0, %cluster_ctarank;
  setp.eq.u32 %p, %r0, 0;
  @%p bra owner;
  mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _, [%m], 3;
  bra together;
owner:
  mbarrier.arrive.release.cta.shared::cta.b64 %w, [full];
waiting:
  mbarrier.try_wait.shared::cta.b64 %q, [full], %w;
  @!%q bra waiting;
  mbarrier.arrive.release.cta.shared::cta.b64 %w, [full];
  mbarrier.test_wait.acquire.cta.shared::cta.b64 %q, [full], %w;
  selp.u32 %r1, 1, 0, %q;
  st.global.u32 [%o], %r1;
together:
  barrier.cluster.arrive;
  barrier.cluster.wait;
done:)",
                        2, 1);
  CHECK(v[0] == 1);
}

TEST_CASE("try_wait gives up after a while, so that the program may do something else") {
  const auto v = phases(initialised(1) + R"(
  @%p bra done;
  mov.u32 %r0, 0;
again:
  mbarrier.try_wait.parity.shared.b64 %q, [full], 0, 1000;
  @%q bra over;
  add.u32 %r0, %r0, 1;
  setp.lt.u32 %p, %r0, 5;
  @%p bra again;
  mbarrier.arrive.shared.b64 %w, [full];
  bra again;
over:
  st.global.u32 [%o], %r0;
done:)",
                        1, 1);
  CHECK(v[0] == 5);
}

TEST_CASE("a phase that never ends is told with the mbarrier, its arrivals and its bytes") {
  const sim::Finding bytes = phase_fault(initialised(1) + R"(
  @%p bra after;
  mbarrier.arrive.expect_tx.shared.b64 %w, [full+16], 32768;
after:)",
                                         1, 32);
  CHECK(bytes.kind == sim::FindingKind::uninitialized);
  CHECK_THAT(sim::sentence(bytes), ContainsSubstring("mbarrier full[2] has not been initialised"));
  const sim::Finding f = phase_fault(initialised(1) + R"(
  @%p bra after;
  mbarrier.init.shared.b64 [full+16], 1;
  mbarrier.arrive.shared.b64 %w, [full+16];
  mbarrier.arrive.expect_tx.shared.b64 %w, [full+16], 32768;
  mbarrier.complete_tx.shared.b64 [full+16], 16384;
after:
  bar.sync 0;
  .loc 1 20 1
waiting:
  mbarrier.try_wait.parity.shared.b64 %q, [full+16], 1;
  @!%q bra waiting;)",
                                     1, 64);
  CHECK(f.kind == sim::FindingKind::hang);
  CHECK_THAT(
      sim::sentence(f),
      ContainsSubstring("The block can never go on") && ContainsSubstring("warps 0 and 1 wait") &&
          ContainsSubstring("for mbarrier full[2] to end phase 1 (parity 1): 0 of 1 arrivals are missing, it "
                            "expects 32768 bytes and got 16384"));
  CHECK(f.cure.kind == sim::Cure::arrive_as_expected);
  const sim::Finding arrivals =
      phase_fault(initialised(3) + "mbarrier.arrive.shared.b64 %w, [full];" + wait_for("0"), 2, 1);
  CHECK_THAT(sim::sentence(arrivals), ContainsSubstring("The cluster can never go on: block (0,0,0):") &&
                                          ContainsSubstring("2 of 3 arrivals are missing"));
}

TEST_CASE("a wait that counts its tries ends with them") {
  const auto tries = [](unsigned count) {
    return initialised(1) + "  mov.u32 %r0, 0;\nagain: mbarrier.try_wait.parity.shared.b64 %q, [full], 0;\n" +
           "  add.u32 %r0, %r0, 1;\n  setp.lt.and.u32 %q, %r0, " + std::to_string(count) +
           ", !%q;\n  @%q bra again;\n";
  };
  CHECK_NOTHROW(phases(tries(1000), 1, 64));
  CHECK(phase_fault(tries(1'000'000), 1, 64).kind == sim::FindingKind::hang);
}

TEST_CASE("a deadlock at mbarriers is followed from wait to wait") {
  // Thread 0 fills and thread 32 empties, by turns; in the second turn both wait for the other.
  const sim::Finding f = phase_fault(initialised(1) + R"(
  @%p bra also;
  mbarrier.init.shared.b64 [full+8], 1;
also:
  bar.sync 0;
  @!%p bra producer;
  setp.ne.u32 %q, %t, 32;
  @%q bra done;
  .loc 1 30 1
first: mbarrier.try_wait.parity.shared.b64 %q, [full], 0;
  @!%q bra first;
  .loc 1 31 1
  mbarrier.arrive.shared.b64 %w, [full+8];
  .loc 1 32 1
second: mbarrier.try_wait.parity.shared.b64 %q, [full], 1;
  @!%q bra second;
  mbarrier.arrive.shared.b64 %w, [full+8];
  bra done;
producer:
  .loc 1 20 1
  mbarrier.arrive.shared.b64 %w, [full];
  .loc 1 21 1
third: mbarrier.try_wait.parity.shared.b64 %q, [full+8], 0;
  @!%q bra third;
  .loc 1 22 1
fourth: mbarrier.try_wait.parity.shared.b64 %q, [full+8], 1;
  @!%q bra fourth;
  mbarrier.arrive.shared.b64 %w, [full];
done:)",
                                     1, 64);
  CHECK(f.kind == sim::FindingKind::hang);
  CHECK_THAT(
      sim::sentence(f),
      ContainsSubstring("Who should arrive: thread (0,0,0), which arrived at full[0] in the phase before at "
                        "line 20, waits at line 22 for mbarrier full[1]; thread (32,0,0), which arrived at "
                        "full[1] in the phase before at line 31, waits at line 32 for mbarrier full[0]: a "
                        "circle."));
}

TEST_CASE("bytes that never come are told with the copies that came") {
  const sim::Finding f = phase_fault(initialised(1) + R"(
  @%p bra waiting;
  mbarrier.arrive.expect_tx.shared.b64 %w, [full], 256;
  .loc 1 14 1
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [full+16], [%o], 16, [full];
waiting:
  .loc 1 20 1
again: mbarrier.try_wait.parity.shared.b64 %q, [full], 0;
  @!%q bra again;)",
                                     1, 32);
  CHECK_THAT(sim::sentence(f),
             ContainsSubstring("it expects 256 bytes and got 16: the copy at line 14 asks for 16 "
                               "bytes"));
}

TEST_CASE("an arrival that the phase does not miss is told") {
  const sim::Finding f = phase_fault(initialised(1) + R"(
  @%p bra done;
  mbarrier.expect_tx.shared.b64 [full], 16;
  mbarrier.arrive.shared.b64 %w, [full];
  mbarrier.arrive.shared.b64 %w, [full];
done:)",
                                     1, 32);
  CHECK(f.kind == sim::FindingKind::barrier);
  CHECK_THAT(sim::sentence(f),
             ContainsSubstring("arrives once at mbarrier full[0], whose phase misses 0 of its 1"));
  CHECK(f.cure.kind == sim::Cure::too_many_arrivals);
}
