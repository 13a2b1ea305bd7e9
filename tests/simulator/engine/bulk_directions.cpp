// Bulk copies and reductions in all directions: to global memory, to other blocks of a cluster, to several of
// them.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <functional>
#include <numeric>

#include "simulator/report/wording/words.h"
#include "tests/simulator/engine/exec_support.h"
#include "tests/simulator/truth/cases.h"

using Catch::Matchers::ContainsSubstring;
using sim::test::Device;
using sim::test::kernel_text;

namespace {

/// A kernel k(out, in) of which one thread of each block runs: tile has 64 words, all of them 0xEEEEEEEE,
/// next holds in[0] ... in[63]; %f and %n are their addresses, %r the block's rank, %m that of ready, an
/// mbarrier for one arrival.
std::string moves(const std::string& body) {
  return kernel_text(".param .u64 out, .param .u64 in", R"(
  .reg .pred %p, %q;
  .reg .b16 %h<4>;
  .reg .b32 %f, %n, %r, %m, %s, %t, %v<8>;
  .reg .b64 %o, %i, %w, %x, %c;
  .shared .align 128 .b8 tile[256];
  .shared .align 128 .b8 next[256];
  .shared .align 8 .b64 ready;
  ld.param.u64 %o, [out];
  ld.param.u64 %i, [in];
  mov.u64 %c, 0;
  mov.u32 %f, tile;
  mov.u32 %n, next;
  mov.u32 %m, ready;
  mov.u32 %r, %cluster_ctarank;
  mov.u32 %t, 0;
fill:
  add.u32 %s, %f, %t;
  st.shared.u32 [%s], 0xEEEEEEEE;
  add.u32 %s, %n, %t;
  cvt.u64.u32 %x, %t;
  add.u64 %x, %x, %i;
  ld.global.u32 %v0, [%x];
  st.shared.u32 [%s], %v0;
  add.u32 %t, %t, 4;
  setp.lt.u32 %p, %t, 256;
  @%p bra fill;
  mbarrier.init.shared.b64 [%m], 1;
  fence.mbarrier_init.release.cluster;
  fence.proxy.async;
  barrier.cluster.arrive;
  barrier.cluster.wait;
)" + body + R"(
  barrier.cluster.arrive;
  barrier.cluster.wait;
  ret;)");
}

/// Stores the tile to out[64 * rank].
const std::string kTileOut = R"(
  mad.wide.u32 %o, %r, 256, %o;
  mov.u32 %t, 0;
give:
  add.u32 %s, %f, %t;
  ld.shared.u32 %v0, [%s];
  cvt.u64.u32 %x, %t;
  add.u64 %x, %x, %o;
  st.global.u32 [%x], %v0;
  add.u32 %t, %t, 4;
  setp.lt.u32 %p, %t, 256;
  @%p bra give;
)";

const std::string kWaitReady = R"(
pending:
  mbarrier.try_wait.parity.shared.b64 %q, [%m], 0;
  @!%q bra pending;
)";

std::vector<unsigned> moved(const std::string& body, unsigned blocks, std::vector<unsigned> in = {},
                            std::vector<unsigned> out = {}) {
  Device device(moves(body));
  if (in.empty()) {
    in.resize(64);
    std::iota(in.begin(), in.end(), 1000u);
  }
  in.resize(128);
  out.resize(64 * blocks, 77);
  const auto from = device.upload(in), to = device.upload(out);
  device.shape.grid = {blocks, 1, 1};
  device.shape.cluster = {blocks, 1, 1};
  device.shape.block = {1, 1, 1};
  device.shape.instruction_limit = 100'000;
  device.run("k", to, from);
  return device.download<unsigned>(to, 64 * blocks);
}

sim::Finding move_fault(const std::string& body, unsigned blocks = 1) {
  try {
    moved(body, blocks);
  } catch (const sim::exec::Fault& fault) {
    return fault.finding;
  }
  FAIL("nothing was told of " << body);
  return {};
}

const std::string kDone = "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;";

/// Applies an operation to numbers of a type, as the reductions do.
template <class T>
T reduced(const std::string& operation, T old, T b) {
  if (operation == "add") return T(old + b);
  if (operation == "min") return std::min(old, b);
  if (operation == "max") return std::max(old, b);
  if (operation == "inc") return old >= b ? T(0) : T(old + 1);
  if (operation == "dec") return old == 0 || old > b ? b : T(old - 1);
  if constexpr (std::is_integral_v<T>) {
    if (operation == "and") return T(old & b);
    if (operation == "or") return T(old | b);
    if (operation == "xor") return T(old ^ b);
  }
  return T(0);
}

template <class T>
std::vector<unsigned> words_of(std::vector<T> values) {
  std::vector<unsigned> words(16);
  values.resize(64 / sizeof(T));
  std::memcpy(words.data(), values.data(), 64);
  return words;
}

/// Checks one reduction of 64 bytes: into global memory, and into the other block's shared memory.
template <class T>
void check_reduction(const std::string& operation, const std::string& type, bool global, bool cluster) {
  const std::vector<T> old{T(5), T(0), T(-7), T(100), T(1)}, with{T(3), T(9), T(-2), T(100), T(-1)};
  std::vector<T> all_old(64 / sizeof(T)), all_with(64 / sizeof(T)), want(64 / sizeof(T));
  for (std::size_t i = 0; i < want.size(); ++i) {
    all_old[i] = old[i % 5], all_with[i] = with[i % 5];
    want[i] = reduced(operation, all_old[i], all_with[i]);
  }
  const std::string what = "." + operation + "." + type;
  INFO(what);
  if (global) {
    for (const bool policy : {false, true}) {
      const auto v = moved("cp.reduce.async.bulk.global.shared::cta.bulk_group" +
                               std::string(policy ? ".L2::cache_hint" : "") + what + " [%o], [%n], 64" +
                               (policy ? ", %c;" : ";") + kDone,
                           1, words_of(all_with), words_of(all_old));
      CHECK(std::vector<unsigned>(v.begin(), v.begin() + 16) == words_of(want));
      CHECK(v[16] == 77);
    }
  }
  if (!cluster) return;
  // Block 0 adds its next to block 1's tile, which that one has filled from in[64] on.
  std::vector<unsigned> in = words_of(all_with);
  in.resize(64);
  const auto more = words_of(all_old);
  in.insert(in.end(), more.begin(), more.end());
  const auto v = moved(R"(
  mbarrier.arrive.expect_tx.shared.b64 %w, [%m], 64;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%f], [%i+256], 64, [%m];
)" + kWaitReady + R"(
  barrier.cluster.arrive;
  barrier.cluster.wait;
  setp.eq.u32 %p, %r, 1;
  @%p bra target;
  mapa.shared::cluster.u32 %s, %f, 1;
  mapa.shared::cluster.u32 %v1, %m, 1;
  cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes)" +
                           what + R"( [%s], [%n], 64, [%v1];
  bra over;
target:
  mbarrier.arrive.expect_tx.shared.b64 %w, [%m], 64;
again:
  mbarrier.try_wait.parity.shared.b64 %q, [%m], 1;
  @!%q bra again;
over:)" + kTileOut,
                       2, in);
  CHECK(std::vector<unsigned>(v.begin() + 64, v.begin() + 80) == words_of(want));
  CHECK(std::vector<unsigned>(v.begin(), v.begin() + 16) == words_of(all_old));
}

}  // namespace

TEST_CASE("a bulk copy brings shared memory to global memory") {
  for (const std::string copy :
       {"cp.async.bulk.global.shared::cta.bulk_group [%o+16], [%n+32], 48;",
        "mov.u32 %t, 48; cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%o+16], [%n+32], %t, "
        "%c;"}) {
    for (const std::string wait : {"wait_group 0;", "wait_group.read 0;"}) {
      INFO(copy << wait);
      const auto v = moved(std::string(copy) + "cp.async.bulk.commit_group; cp.async.bulk." + wait, 1);
      CHECK(v[3] == 77);
      for (unsigned i = 0; i < 12; ++i) CHECK(v[4 + i] == 1008 + i);
      CHECK(v[16] == 77);
    }
  }
}

TEST_CASE("a bulk copy brings shared memory to another block, whose mbarrier counts its bytes") {
  const auto v = moved(R"(
  setp.eq.u32 %p, %r, 1;
  @%p bra target;
  mapa.shared::cluster.u32 %s, %f, 1;
  mapa.shared::cluster.u32 %v1, %m, 1;
  cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%s+64], [%n+16], 32, [%v1];
  bra over;
target:
  mbarrier.arrive.expect_tx.shared.b64 %w, [%m], 32;
)" + kWaitReady + "over:" + kTileOut,
                       2);
  for (unsigned i = 0; i < 64; ++i) {
    CHECK(v[i] == 0xEEEEEEEE);
    CHECK(v[64 + i] == (i >= 16 && i < 24 ? 1004 + i - 16 : 0xEEEEEEEE));
  }
}

TEST_CASE("a multicast copy comes to the same place of each block of its mask") {
  for (const std::string policy : {"", ".L2::cache_hint"}) {
    const auto v = moved(R"(
  mbarrier.arrive.expect_tx.shared.b64 %w, [%m], 0;
  setp.ne.u32 %p, %r, 0;
  @%p bra targets;
  mov.b16 %h0, 10;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster)" +
                             policy + " [%f+32], [%i], 64, [%m], %h0" + (policy.empty() ? ";" : ", %c;") + R"(
targets:
  barrier.cluster.arrive;
  barrier.cluster.wait;
  and.b32 %t, %r, 1;
  setp.eq.u32 %p, %t, 0;
  @%p bra over;
  mbarrier.expect_tx.shared.b64 [%m], 64;
over:)" + kTileOut,
                         4);
    for (unsigned rank = 0; rank < 4; ++rank)
      for (unsigned i = 0; i < 64; ++i)
        CHECK(v[64 * rank + i] == (rank % 2 == 1 && i >= 8 && i < 24 ? 1000 + i - 8 : 0xEEEEEEEE));
  }
  const sim::Finding f = move_fault(
      "mov.b16 %h0, 4; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%f], "
      "[%i], 64, [%m], %h0;",
      2);
  CHECK(f.kind == sim::FindingKind::out_of_bounds);
  CHECK_THAT(sim::sentence(f), ContainsSubstring("the block of rank 2 of its cluster, which has 2 blocks"));
}

TEST_CASE("bulk reductions of every operation and type") {
  for (const char* operation : {"add", "min", "max"}) {
    check_reduction<unsigned>(operation, "u32", true, true);
    check_reduction<int>(operation, "s32", true, true);
    check_reduction<unsigned long long>(operation, "u64", true, std::string(operation) == "add");
    if (std::string(operation) != "add") check_reduction<long long>(operation, "s64", true, false);
  }
  for (const char* operation : {"inc", "dec"}) check_reduction<unsigned>(operation, "u32", true, true);
  for (const char* operation : {"and", "or", "xor"}) {
    check_reduction<unsigned>(operation, "b32", true, true);
    check_reduction<unsigned long long>(operation, "b64", true, false);
  }
  check_reduction<float>("add", "f32", true, false);
  check_reduction<double>("add", "f64", true, false);
}

TEST_CASE("bulk reductions of halves take a number rather than a NaN") {
  const struct {
    const char* what;
    unsigned old, with, want;  ///< two halves each
  } cases[] = {{"add.noftz.f16", 0x3C003E00, 0x3C004000, 0x40004300},
               {"min.f16", 0x3C00BC00, 0x40007E00, 0x3C00BC00},
               {"max.f16", 0x3C007E00, 0x4000BC00, 0x4000BC00},
               {"add.noftz.bf16", 0x3F803F80, 0x3F804000, 0x40004040},
               {"min.bf16", 0x3F807FC0, 0x4000BF80, 0x3F80BF80},
               {"max.bf16", 0x3F80BF80, 0x40007FC0, 0x4000BF80}};
  for (const auto& c : cases) {
    for (const bool policy : {false, true}) {
      INFO(c.what);
      const auto v = moved("cp.reduce.async.bulk.global.shared::cta.bulk_group" +
                               std::string(policy ? ".L2::cache_hint." : ".") + c.what + " [%o], [%n], 16" +
                               (policy ? ", %c;" : ";") + kDone,
                           1, std::vector<unsigned>(64, c.with), std::vector<unsigned>(64, c.old));
      CHECK(v[3] == c.want);
      CHECK(v[4] == c.old);
    }
  }
}

TEST_CASE("bulk sums of floats flush nothing, and of doubles leave NaNs as they are") {
  const auto sum = [](const std::string& type, unsigned low, unsigned high, unsigned old_low,
                      unsigned old_high) {
    const auto v =
        moved("cp.reduce.async.bulk.global.shared::cta.bulk_group.add." + type + " [%o], [%n], 16;" + kDone,
              1, {low, high, 0, 0}, {old_low, old_high, 0, 0});
    return std::pair(v[0], v[1]);
  };
  CHECK(sum("f32", 1, 0x80000001, 0x007FFFFF, 3) == std::pair(0x00800000u, 2u));
  CHECK(sum("f64", 0, 0x7FF40000, 0, 0x3FF00000) == std::pair(0u, 0x7FF40000u));
  CHECK(sum("f64", 0, 0x3FF00000, 1, 0xFFF40000) == std::pair(1u, 0xFFF40000u));
}

TEST_CASE("prefetches change nothing, and are as bulk copies must be") {
  moved(
      "cp.async.bulk.prefetch.L2.global [%i], 64; cp.async.bulk.prefetch.L2.global.L2::cache_hint [%i+16], "
      "64, %c;",
      1);
  CHECK(move_fault("cp.async.bulk.prefetch.L2.global [%i+4], 64;").kind == sim::FindingKind::misaligned);
}

TEST_CASE("bulk copies out of shared memory that are misaligned or go astray are told") {
  CHECK(move_fault("cp.async.bulk.global.shared::cta.bulk_group [%o+8], [%n], 64;").kind ==
        sim::FindingKind::misaligned);
  CHECK(move_fault("cp.async.bulk.global.shared::cta.bulk_group [%o], [%n+4], 64;").kind ==
        sim::FindingKind::misaligned);
  CHECK(move_fault("cp.async.bulk.global.shared::cta.bulk_group [%o], [%n], 40;").kind ==
        sim::FindingKind::misaligned);
  const sim::Finding past = move_fault("cp.async.bulk.global.shared::cta.bulk_group [%o+240], [%n], 64;");
  CHECK(past.kind == sim::FindingKind::out_of_bounds);
  CHECK(past.space == sim::MemorySpace::global);
}
