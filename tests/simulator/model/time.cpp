// The time model: occupancy, bounds, and that more work never takes less time.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "simulator/model/model.h"

using namespace sim;
using namespace sim::model;

namespace {

const Gpu& h200() { return *find_gpu("H200"); }

/// A launch of blocks of 256 threads that read and write
/// bytes with 16-byte accesses, with arithmetic besides.
struct Streaming {
  double read_bytes = 0, written_bytes = 0;
  double blocks = 132 * 8 * 4;
  double instructions_per_warp = 40;

  Estimate on(const Gpu& gpu) const {
    exec::KernelFacts kernel{"k", 0, 0, 0, 32, 0, {}};
    exec::Launch launch;
    launch.grid = {std::uint32_t(blocks), 1, 1};
    launch.block = {256, 1, 1};
    exec::LaunchResult result;
    const double warps = blocks * 8;
    result.counters.inst_executed = std::uint64_t(warps * instructions_per_warp);
    result.counters.global_load_requests = std::uint64_t(read_bytes / 512);
    result.counters.global_load_sectors = std::uint64_t(read_bytes / 32);
    result.counters.global_store_requests = std::uint64_t(written_bytes / 512);
    result.counters.global_store_sectors = std::uint64_t(written_bytes / 32);
    result.cost.sass_instructions = result.counters.inst_executed;
    result.read_footprint = read_bytes;
    result.written_footprint = written_bytes;
    return estimate(gpu, kernel, launch, result);
  }
};

}  // namespace

TEST_CASE("occupancy is limited by threads, blocks, registers and shared memory in turn") {
  CHECK(occupancy(h200(), 32, 0, 256).blocks_per_sm == 8);
  CHECK(std::string(occupancy(h200(), 32, 0, 256).limiter) == "threads");
  CHECK(occupancy(h200(), 32, 0, 32).blocks_per_sm == 32);
  CHECK(std::string(occupancy(h200(), 32, 0, 32).limiter) == "blocks");
  CHECK(occupancy(h200(), 128, 0, 256).blocks_per_sm == 2);
  CHECK(std::string(occupancy(h200(), 128, 0, 256).limiter) == "registers");
  CHECK(occupancy(h200(), 40, 0, 32 * 17).warps_per_sm == 2 * 17);  // 12 warps a scheduler: 48, not 51
  CHECK(occupancy(h200(), 40, 0, 32 * 24).warps_per_sm == 2 * 24);
  CHECK(occupancy(h200(), 32, 100 * 1024, 256).blocks_per_sm == 2);
  CHECK(std::string(occupancy(h200(), 32, 100 * 1024, 256).limiter) == "shared memory");
  CHECK(occupancy(h200(), 255, 0, 1024).blocks_per_sm == 0);
  CHECK(occupancy(*find_gpu("t4"), 32, 0, 1024).blocks_per_sm == 1);
}

TEST_CASE("an empty kernel takes the launch overhead") {
  const Estimate e = Streaming{.blocks = 1, .instructions_per_warp = 2}.on(h200());
  CHECK(e.ns >= h200().launch_ns);
  CHECK(e.ns < h200().launch_ns * 1.1);
  CHECK(std::string(e.bound) == "launch");
}

TEST_CASE("a large copy runs at the measured copy rate and is bound by DRAM") {
  const double bytes = 1 << 30;
  const Estimate e = Streaming{.read_bytes = bytes, .written_bytes = bytes}.on(h200());
  CHECK(std::string(e.bound) == "DRAM");
  const double rate = 2 * bytes / e.ns;
  CHECK(rate > 0.95 * h200().dram_copy_gb_per_s);
  CHECK(rate <= h200().dram_copy_gb_per_s);
}

TEST_CASE("one thread that sums 25.6 million floats takes about a second, bound by latency") {
  exec::KernelFacts kernel{"k", 0, 0, 0, 16, 0, {}};
  exec::Launch launch;
  exec::LaunchResult result;
  const std::uint64_t n = 25'600'000;
  result.counters.inst_executed = n * 3;
  result.counters.global_load_requests = result.counters.global_load_sectors = n;
  result.cost.critical_path.global = n / 4;  // ptxas loads four at a time
  result.cost.critical_path.arithmetic = n;
  result.read_footprint = n * 4.0;
  const Estimate e = estimate(h200(), kernel, launch, result);
  CHECK(e.ns > 0.5e9);
  CHECK(e.ns < 2e9);
  CHECK(std::string(e.bound) == "latency");
}

TEST_CASE("more bytes, more instructions, or a slower GPU never take less time") {
  const Streaming base{.read_bytes = 1e8, .written_bytes = 1e8};
  double before = 0;
  for (double factor : {0.1, 0.5, 1.0, 2.0, 8.0}) {
    Streaming more = base;
    more.read_bytes *= factor;
    CHECK(more.on(h200()).ns >= before);
    before = more.on(h200()).ns;
  }
  before = 0;
  for (double instructions : {20.0, 200.0, 2000.0, 20000.0}) {
    Streaming more = base;
    more.instructions_per_warp = instructions;
    CHECK(more.on(h200()).ns >= before);
    before = more.on(h200()).ns;
  }
  CHECK(base.on(*find_gpu("T4")).ns > base.on(h200()).ns);
}

TEST_CASE("bank conflicts, one hot address and arithmetic become the bound when they dominate") {
  exec::KernelFacts kernel{"k", 0, 0, 0, 32, 0, {}};
  exec::Launch launch;
  launch.grid = {1320, 1, 1};
  launch.block = {256, 1, 1};
  exec::LaunchResult result;
  result.counters.inst_executed = 1'000'000;
  result.counters.shared_load_requests = 1'000'000;
  result.counters.shared_load_wavefronts = 32'000'000;
  CHECK(std::string(estimate(h200(), kernel, launch, result).bound) == "shared wavefronts");
  result.counters.shared_load_wavefronts = 1'000'000;
  result.same_address_atomics = 100'000'000;
  CHECK(std::string(estimate(h200(), kernel, launch, result).bound) == "atomics");
  result.same_address_atomics = 0;
  result.counters.shared_load_requests = result.counters.shared_load_wavefronts = 0;
  result.counters.inst_executed = 1'000'000'000;
  result.cost.sass_instructions = result.counters.inst_executed;
  CHECK(std::string(estimate(h200(), kernel, launch, result).bound) == "issue");
}

TEST_CASE("reading the same bytes again costs less than reading others, and more than not reading them") {
  const Streaming once{.read_bytes = 1e8};
  exec::KernelFacts kernel{"k", 0, 0, 0, 32, 0, {}};
  exec::Launch launch;
  launch.grid = {4224, 1, 1};
  launch.block = {256, 1, 1};
  exec::LaunchResult result;
  result.counters.global_load_requests = 800'000;
  result.counters.global_load_sectors = 12'800'000;
  result.read_footprint = 4e8;
  const double fresh = estimate(h200(), kernel, launch, result).ns;
  result.read_footprint = 1e8;
  const double repeated = estimate(h200(), kernel, launch, result).ns;
  CHECK(repeated < fresh);
  CHECK(repeated > once.on(h200()).ns);
}

TEST_CASE("what fits into L1 is read again from there, what does not, in part from L2") {
  exec::KernelFacts kernel{"k", 0, 0, 0, 32, 0, {}};
  exec::Launch launch;
  exec::LaunchResult result;
  result.counters.global_load_requests = result.counters.global_load_sectors = 65'536;
  result.cost.critical_path.global = 65'536;
  const auto clocks_a_load = [&](double footprint) {
    result.read_footprint = footprint;
    return estimate(h200(), kernel, launch, result).ns * h200().clock_ghz / 65'536;
  };
  CHECK(clocks_a_load(16'384) < 1.2 * h200().l1_clocks);
  CHECK(clocks_a_load(1'048'576) > 2 * h200().l1_clocks);
}

TEST_CASE("a block takes as long as its slowest warp") {
  exec::KernelFacts kernel{"k", 0, 0, 0, 32, 0, {}};
  exec::Launch launch;
  launch.grid = {13'200, 1, 1};
  launch.block = {1024, 1, 1};
  exec::LaunchResult result;
  result.cost.critical_path.arithmetic = 13'200 * 32 * 100;
  const double even = estimate(h200(), kernel, launch, result).ns;
  result.slowest_warp = 20;
  CHECK(estimate(h200(), kernel, launch, result).ns > 5 * even);
}

TEST_CASE("the pipe of L1 and shared memory has the name of what passes it") {
  exec::KernelFacts kernel{"k", 0, 0, 0, 32, 0, {}};
  exec::Launch launch;
  launch.grid = {1320, 1, 1};
  launch.block = {256, 1, 1};
  exec::LaunchResult result;
  result.counters.global_load_requests = 1'000'000;
  result.counters.global_load_sectors = 32'000'000;
  result.read_footprint = 4096;
  CHECK(std::string(estimate(h200(), kernel, launch, result).bound) == "L1");
  result.counters.shared_load_wavefronts = 32'000'000;
  CHECK(std::string(estimate(h200(), kernel, launch, result).bound) == "shared wavefronts");
}

TEST_CASE("GPUs are found by name in any case") {
  CHECK(find_gpu("h200") == find_gpu("H200"));
  CHECK(find_gpu("rtx4090"));
  CHECK(find_gpu("A100")->major == 8);
  CHECK(find_gpu("H100000") == nullptr);
}

TEST_CASE("products of wgmma take what an H100 was measured to take, by width") {
  // Clocks of an SM for one of m64nNk16, both factors in shared memory.
  const auto clocks = [](unsigned columns) {
    constexpr double kProducts = 1 << 20;  // of each SM
    exec::Launch launch;
    launch.grid = {132, 1, 1};
    launch.block = {128, 1, 1};
    exec::LaunchResult result;
    result.cost.units.tensor_macs = result.cost.units.wgmma_macs =
        std::uint64_t(kProducts * 132 * 64 * columns * 16);
    result.cost.units.wgmma_bytes = std::uint64_t(kProducts * 132 * (64 + columns) * 32);
    return estimate(h200(), {"k", 0, 0, 0, 32, 0, {}}, launch, result).ns * h200().clock_ghz / kProducts;
  };
  for (const auto& [columns, measured] : {std::pair{8u, 18.1},
                                          {16u, 20.1},
                                          {32u, 24.1},
                                          {64u, 32.1},
                                          {96u, 48.1},
                                          {128u, 64.1},
                                          {192u, 96.1},
                                          {256u, 128.1}}) {
    INFO(columns << " columns");
    CHECK(std::abs(clocks(columns) / measured - 1) < 0.01);
  }
}

TEST_CASE("clusters fit into groups of SMs as an H100 and an H200 say") {
  // By blocks that an SM holds: clusters of 1, 2, 3, ... 16 blocks.
  const std::pair<int, std::vector<int>> said[] = {
      {1, {132, 66, 39, 30, 22, 17, 15, 15, 9, 7, 7, 7, 7, 7, 7, 7}},
      {2, {264, 132, 79, 62, 47, 39, 32, 30, 23, 21, 16, 16, 14, 14, 14, 14}},
      {5, {660, 330, 203, 154, 124, 101, 84, 77, 60, 58, 51, 44, 42, 37, 37, 35}},
      {16, {1056, 528, 327, 248, 193, 163, 139, 124, 102, 88, 81, 74, 67, 65, 58, 58}}};
  for (const auto& [blocks, clusters] : said)
    for (std::size_t i = 0; i < clusters.size(); ++i) {
      INFO(blocks << " blocks, clusters of " << i + 1);
      CHECK(active_clusters(h200(), blocks, int(i + 1)) == clusters[i]);
    }
  CHECK(active_clusters(h200(), 0, 2) == 0);
  CHECK(active_clusters(h200(), 8, 20) == 0);
  CHECK(active_clusters(*find_gpu("a100"), 2, 2) == 0);
}
