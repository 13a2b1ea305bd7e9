// Bulk copies in the time model, against clocks of an H100 80GB HBM3 (measure_async.cu, 26 November 2026).
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <string>
#include <utility>

#include "simulator/model/bounds.h"
#include "tests/simulator/model/bulk_ring.h"

using namespace sim::model;
using sim::test::copies;

namespace {

const Gpu& gpu() { return *find_gpu("h200"); }

const Tuning kTuning;  // BoundInputs refers to it

/// Clocks that a bound takes longer for one more copy.
template <class Bound>
double clocks(Bound bound, unsigned bytes, unsigned stages) {
  const auto of = [&](unsigned count) {
    const auto result = copies(bytes, stages, count);
    return bound(BoundInputs(gpu(), {"k", 0, 0, 0, 32, 0, {}}, {}, result, {})).ns * gpu().clock_ghz;
  };
  return (of(528) - of(16)) / 512;
}

}  // namespace

TEST_CASE("a bulk copy that is waited for takes what an H100 was measured to take, by size") {
  for (const auto& [bytes, measured] : {std::pair{16u, 337.8},
                                        {256u, 347.9},
                                        {1024u, 362.0},
                                        {4096u, 394.1},
                                        {8192u, 429.9},
                                        {16384u, 500.8},
                                        {32768u, 655.9}}) {
    INFO(bytes << " bytes");
    CHECK(std::abs(clocks(latency_bound, bytes, 1) / measured - 1) < 0.05);
  }
}

TEST_CASE("of bulk copies that are under way together each is waited for as long as its share") {
  const auto alone = copies(1024, 1, 512).bulk, ring = copies(1024, 4, 512).bulk;
  CHECK(alone.phases == 512);
  CHECK(alone.waits == 512 * sim::exec::BulkUse::kWait);
  CHECK(ring.phases == 512);
  CHECK(ring.waits * 4 == alone.waits);
  CHECK(clocks(latency_bound, 1024, 4) < 0.5 * clocks(latency_bound, 1024, 1));
}

TEST_CASE("bulk copies are as fast as an H100's: into one SM, out of it, and of all SMs") {
  CHECK(std::abs(32768 / clocks(bulk_bound, 32768, 4) / 105.4 - 1) < 0.01);
  const auto stored = [](unsigned blocks) {  // bytes of an SM and clock
    sim::exec::Launch launch;
    launch.grid = {blocks, 1, 1};
    sim::exec::LaunchResult result;
    constexpr std::uint64_t kBytes = 1 << 24;
    result.bulk.store_bytes = kBytes * blocks;
    const BoundInputs in(gpu(), {"k", 0, 0, 0, 32, 0, {}}, launch, result, kTuning);
    return double(kBytes) / (bulk_bound(in).ns * gpu().clock_ghz);
  };
  CHECK(std::abs(stored(1) / 31.9 - 1) < 0.01);
  CHECK(std::abs(stored(132) / 16.0 - 1) < 0.01);
  // All SMs load from L2.
  sim::exec::Launch launch;
  launch.grid = {132, 1, 1};
  sim::exec::LaunchResult result;
  result.counters.global_load_sectors = result.bulk.load_sectors = 132 << 20;
  result.read_footprint = 1 << 20;
  const BoundInputs in(gpu(), {"k", 0, 0, 0, 32, 0, {}}, launch, result, kTuning);
  CHECK(std::abs(32 * double(1 << 20) / (memory_bound(in).ns * gpu().clock_ghz) / 30.2 - 1) < 0.03);
  CHECK(l1_pipe_bound(in).ns == 0);
}

TEST_CASE("a GPU without bulk copies has no bound for them") {
  sim::exec::LaunchResult result;
  CHECK(bulk_bound(BoundInputs(*find_gpu("a100"), {"k", 0, 0, 0, 32, 0, {}}, {}, result, {})).ns == 0);
}
