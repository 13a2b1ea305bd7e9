// Thread block clusters: their barrier, each other's shared memory, and what ends a kernel that gets them
// wrong.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "simulator/report/wording/words.h"
#include "tests/simulator/engine/exec_support.h"

using Catch::Matchers::ContainsSubstring;
using sim::test::Device;
using sim::test::kernel_text;

namespace {

/// A kernel k(out) with shared words s[64]; %t is the thread's index, %s the address of s, %o that of
/// out[64 * block].
std::string clustered(const std::string& body) {
  return kernel_text(".param .u64 out", R"(
  .reg .pred %p, %q;
  .reg .b32 %t, %s, %m, %b, %n, %g, %r<12>;
  .reg .b64 %o, %w, %x, %y;
  .shared .align 8 .b8 s[256];
  ld.param.u64 %o, [out];
  mov.u32 %t, %tid.x;
  mov.u32 %s, s;
  mov.u32 %b, %ctaid.x;
  mov.u32 %n, %nctaid.x;
  mov.u32 %g, %ctaid.y;
  mad.lo.u32 %b, %g, %n, %b;
  mad.wide.u32 %o, %b, 256, %o;
)" + body + "\n  ret;");
}

std::vector<unsigned> run(const std::string& body, sim::Index3 grid, sim::Index3 cluster, unsigned threads,
                          std::uint64_t seed = 0) {
  Device device(clustered(body));
  const unsigned blocks = grid[0] * grid[1] * grid[2];
  const auto out = device.upload(std::vector<unsigned>(64 * blocks, 77));
  device.shape.grid = grid;
  device.shape.block = {threads, 1, 1};
  device.shape.cluster = cluster;
  device.shape.explicit_cluster = true;
  device.shape.instruction_limit = 100'000;
  device.shape.schedule_seed = seed;
  device.run("k", out);
  return device.download<unsigned>(out, 64 * blocks);
}

sim::Finding fault_of(const std::string& body, sim::Index3 grid, sim::Index3 cluster, unsigned threads) {
  try {
    run(body, grid, cluster, threads);
  } catch (const sim::exec::Fault& fault) {
    return fault.finding;
  }
  FAIL("nothing was told");
  return {};
}

const std::string kSync =
    "barrier.cluster.arrive.release.aligned;\n  barrier.cluster.wait.acquire.aligned;\n";

}  // namespace

TEST_CASE("each block knows its place in its cluster, and its cluster's in the grid") {
  const auto v = run(R"(
  mov.u32 %r0, %cluster_ctaid.x; mov.u32 %r1, %cluster_ctaid.y; mov.u32 %r2, %cluster_nctaid.x;
  mov.u32 %r3, %cluster_nctaid.y; mov.u32 %r4, %cluster_ctarank; mov.u32 %r5, %cluster_nctarank;
  mov.u32 %r6, %clusterid.x; mov.u32 %r7, %clusterid.y; mov.u32 %r8, %nclusterid.x;
  mov.u32 %r9, %nclusterid.y; mov.pred %p, %is_explicit_cluster; selp.u32 %r10, 1, 0, %p;
  mov.u32 %r11, %cluster_ctaid.z;
  st.global.v4.u32 [%o], {%r0, %r1, %r2, %r3};
  st.global.v4.u32 [%o+16], {%r4, %r5, %r6, %r7};
  st.global.v4.u32 [%o+32], {%r8, %r9, %r10, %r11};)",
                     {4, 6, 1}, {2, 3, 1}, 1);
  for (unsigned y = 0; y < 6; ++y) {
    for (unsigned x = 0; x < 4; ++x) {
      const unsigned* at = &v[64 * (y * 4 + x)];
      const unsigned want[] = {x % 2, y % 3, 2, 3, x % 2 + 2 * (y % 3), 6, x / 2, y / 3, 2, 2, 1, 0};
      for (int k = 0; k < 12; ++k) CHECK(at[k] == want[k]);
    }
  }
}

TEST_CASE("threads read, write and update what another block of their cluster has in shared memory") {
  // Each block fills s with its rank, adds 100 to its neighbour's word by shared::cluster, and 1000 by a
  // generic address; then it reads the neighbour's.
  const std::string body = R"(
  mov.u32 %r0, %cluster_ctarank;
  mov.u32 %r1, %cluster_nctarank;
  mad.lo.u32 %m, %t, 4, %s;
  st.shared.u32 [%m], %r0;
  )" + kSync + R"(
  add.u32 %r2, %r0, 1;
  rem.u32 %r2, %r2, %r1;
  mapa.shared::cluster.u32 %r3, %m, %r2;
  red.shared::cluster.add.u32 [%r3], 100;
  cvt.u64.u32 %x, %m;
  cvta.shared.u64 %x, %x;
  mapa.u64 %y, %x, %r2;
  atom.add.u32 %r4, [%y], 1000;
  )" + kSync + R"(
  ld.shared.u32 %r5, [%m];
  ld.shared::cluster.u32 %r6, [%r3];
  ld.u32 %r7, [%y];
  getctarank.shared::cluster.u32 %r8, %r3;
  getctarank.u64 %r9, %y;
  isspacep.shared::cta %p, %y;
  selp.u32 %r10, 1, 0, %p;
  isspacep.shared::cluster %p, %y;
  selp.u32 %r11, 1, 0, %p;
  mad.wide.u32 %o, %t, 32, %o;
  st.global.v4.u32 [%o], {%r5, %r6, %r7, %r8};
  st.global.v4.u32 [%o+16], {%r9, %r10, %r11, %r4};
  )" + kSync;
  for (const std::uint64_t seed : {0, 7}) {
    const auto v = run(body, {6, 1, 1}, {3, 1, 1}, 8, seed);
    for (unsigned b = 0; b < 6; ++b) {
      const unsigned rank = b % 3, next = (rank + 1) % 3;
      for (unsigned t = 0; t < 8; ++t) {
        const unsigned* at = &v[64 * b + 8 * t];
        CHECK(at[0] == rank + 1100);
        CHECK(at[1] == next + 1100);
        CHECK(at[2] == next + 1100);
        CHECK(at[3] == next);
        CHECK(at[4] == next);
        CHECK(at[5] == 0);
        CHECK(at[6] == 1);
        CHECK(at[7] == next + 100);
      }
    }
  }
}

TEST_CASE("an address that carries its own block's rank is that block's everywhere in the cluster") {
  const auto v = run(R"(
  mov.u32 %r0, %cluster_ctarank;
  mapa.shared::cluster.u32 %m, %s, %r0;
  mapa.shared::cluster.u32 %r1, %s, 0;
  st.shared.u32 [%s+16], %r0;
  )" + kSync + R"(
  st.shared::cluster.u32 [%r1], %m;
  )" + kSync + R"(
  ld.shared::cluster.u32 %r2, [%r1];
  ld.shared::cluster.u32 %r3, [%r2+16];
  st.global.u32 [%o], %r3;
  )" + kSync,
                     {2, 1, 1}, {2, 1, 1}, 1);
  CHECK(v[0] == v[64]);  // whoever stored last
  CHECK(v[0] < 2);
}

TEST_CASE("the cluster's barrier waits for the threads that have not left, by turns") {
  // Threads 16 and above leave at once; the rest passes the barrier a hundred times.
  const auto v = run(R"(
  setp.ge.u32 %p, %t, 16;
  @%p ret;
  mov.u32 %r0, 0;
  mapa.shared::cluster.u32 %m, %s, 0;
  st.shared.u32 [%s], 0;
  )" + kSync + R"(
turn:
  red.shared::cluster.add.u32 [%m], 1;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  add.u32 %r0, %r0, 1;
  setp.lt.u32 %q, %r0, 100;
  @%q bra turn;
  ld.shared::cluster.u32 %r1, [%m];
  st.global.u32 [%o], %r1;
  )" + kSync,
                     {4, 1, 1}, {4, 1, 1}, 64);
  for (unsigned b = 0; b < 4; ++b) CHECK(v[64 * b] == 6400);
}

TEST_CASE("work between arrival and wait runs while other blocks come") {
  const auto v = run(R"(
  mov.u32 %r0, %cluster_ctarank;
  mapa.shared::cluster.u32 %m, %s, 1;
  add.u32 %r1, %r0, 5;
  st.shared.u32 [%s], %r1;
  barrier.cluster.arrive.release;
  st.shared.u32 [%s+4], %r1;
  barrier.cluster.wait.acquire;
  ld.shared::cluster.u32 %r2, [%m];
  st.global.u32 [%o], %r2;
  barrier.cluster.arrive.relaxed;
  barrier.cluster.wait;)",
                     {2, 1, 1}, {2, 1, 1}, 32);
  CHECK(v[0] == 6);
  CHECK(v[64] == 6);
}

TEST_CASE("a cluster whose blocks wait for each other in vain is told with all of them") {
  const sim::Finding f = fault_of(R"(
  mov.u32 %r0, %cluster_ctarank;
  shr.u32 %r1, %t, 5;
  and.b32 %r0, %r0, %r1;
  setp.eq.u32 %p, %r0, 1;
  @%p bra block_barrier;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  bra done;
block_barrier:
  bar.sync 3, 64;
done:)",
                                  {2, 1, 1}, {2, 1, 1}, 64);
  CHECK(f.kind == sim::FindingKind::barrier);
  CHECK_THAT(sim::sentence(f), ContainsSubstring("The cluster can never go on") &&
                                   ContainsSubstring("block (0,0,0): warps 0 and 1 wait") &&
                                   ContainsSubstring("for barrier 3") &&
                                   ContainsSubstring("block (1,0,0): warp 0 waits") &&
                                   ContainsSubstring("for the cluster's barrier"));
}

TEST_CASE("arrivals and waits at the cluster's barrier take turns") {
  const sim::Finding twice =
      fault_of("barrier.cluster.arrive; barrier.cluster.arrive;", {2, 1, 1}, {2, 1, 1}, 32);
  CHECK(twice.kind == sim::FindingKind::barrier);
  CHECK_THAT(sim::sentence(twice), ContainsSubstring("for the second time"));
  const sim::Finding absent = fault_of("barrier.cluster.wait;", {2, 1, 1}, {2, 1, 1}, 32);
  CHECK_THAT(sim::sentence(absent), ContainsSubstring("without having arrived"));
}

TEST_CASE(
    "accesses to ranks that are not there, past a block's memory, and to blocks that have left are told") {
  const sim::Finding rank = fault_of("mapa.shared::cluster.u32 %m, %s, 2; st.shared::cluster.u32 [%m], 1;",
                                     {2, 1, 1}, {2, 1, 1}, 1);
  CHECK(rank.kind == sim::FindingKind::out_of_bounds);
  CHECK_THAT(sim::sentence(rank), ContainsSubstring("rank 2 of its cluster, which has 2 blocks"));
  const sim::Finding past =
      fault_of("mapa.shared::cluster.u32 %m, %s, 1; st.shared::cluster.u32 [%m+256], 1;" + kSync, {2, 1, 1},
               {2, 1, 1}, 1);
  CHECK(past.kind == sim::FindingKind::out_of_bounds);
  CHECK_THAT(sim::sentence(past),
             ContainsSubstring("offset 256 of shared memory of block (1,0,0), which has 256"));
  const sim::Finding left = fault_of(kSync + R"(
  mov.u32 %r0, %cluster_ctarank;
  setp.eq.u32 %p, %r0, 1;
  @%p ret;
  mapa.shared::cluster.u32 %m, %s, 1;
  ld.shared::cluster.u32 %r1, [%m];)",
                                     {2, 1, 1}, {2, 1, 1}, 1);
  CHECK(left.kind == sim::FindingKind::use_after_free);
  CHECK(left.space == sim::MemorySpace::shared);
  CHECK_THAT(sim::sentence(left), ContainsSubstring("block (1,0,0), all of whose threads have left"));
  const sim::Finding own =
      fault_of("mapa.shared::cluster.u32 %m, %s, 1; st.shared.u32 [%m], 1;" + kSync, {2, 1, 1}, {2, 1, 1}, 1);
  CHECK(own.kind == sim::FindingKind::out_of_bounds);
}

TEST_CASE(
    "what is stored in a block that has left is dropped where a launch says so, and loads end the kernel") {
  const auto run_late = [](const std::string& access) {
    Device device(clustered(kSync + R"(
  mov.u32 %r0, %cluster_ctarank;
  setp.eq.u32 %p, %r0, 1;
  @%p ret;
  mapa.shared::cluster.u32 %m, %s, 1;
  )" + access + "\n  st.global.u32 [%o], 9;"));
    const auto out = device.upload(std::vector<unsigned>(128, 77));
    device.shape.grid = device.shape.cluster = {2, 1, 1};
    device.shape.explicit_cluster = device.shape.drops_lost_stores = true;
    device.run("k", out);
    return device.download<unsigned>(out, 1)[0];
  };
  CHECK(run_late("st.shared::cluster.u32 [%m], 5;") == 9);
  CHECK(run_late("st.shared::cluster.v4.u32 [%m], {%r0, %r0, %r0, %r0};") == 9);
  CHECK(run_late("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%m];") == 9);
  CHECK_THROWS_AS(run_late("ld.shared::cluster.u32 %r1, [%m];"), sim::exec::Fault);
  CHECK_THROWS_AS(run_late("atom.shared::cluster.add.u32 %r1, [%m], 1;"), sim::exec::Fault);
}
