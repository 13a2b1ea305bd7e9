#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>

#include "simulator/model/gpu.h"

namespace sim::model {
namespace {

constexpr std::uint32_t kKiB = 1024;
constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

constexpr Gpu kH200{
    .name = "H200",
    .full_name = "NVIDIA H200",
    .major = 9,
    .minor = 0,
    .sms = 132,
    .clock_ghz = 1.98,
    .issue_per_clock = 4,
    .wavefronts_per_clock = 1,
    .l2_gb_per_s = 5600,
    .dram_read_gb_per_s = 4583,  // (m)
    .dram_copy_gb_per_s = 4258,  // (m)
    .dependent_clocks = 4.5,
    .l1_clocks = 33,
    .dram_clocks = 600,
    .barrier_clocks = 20,
    .atomics_per_clock = 1,
    .launch_ns = 2700,       // (m)
    .pinned_gb_per_s = 55,   // (m)
    .pageable_gb_per_s = 6,  // (m)
    .copy_latency_ns = 5000,
    .fault_ns = 150'000,
    .max_threads_per_sm = 2048,
    .max_blocks_per_sm = 32,
    .registers_per_sm = 65536,
    .shared_per_sm = 228 * kKiB,
    .shared_per_block = 48 * kKiB,
    .shared_per_block_optin = 227 * kKiB,
    .shared_reserved = 1 * kKiB,
    .l2_bytes = 60 * kKiB * kKiB,
    .memory_clock_khz = 3'201'000,
    .memory_bus_bits = 6144,
    .memory_bytes = 139 * kGiB,
};

constexpr Gpu t4() {
  Gpu g = kH200;
  g.name = "T4", g.full_name = "Tesla T4", g.major = 7, g.minor = 5;
  g.sms = 40, g.clock_ghz = 1.59, g.wavefronts_per_clock = 1;
  g.l2_gb_per_s = 1270, g.dram_read_gb_per_s = 270, g.dram_copy_gb_per_s = 240;
  g.l1_clocks = 32, g.dram_clocks = 580, g.launch_ns = 3500;
  g.pinned_gb_per_s = 12, g.pageable_gb_per_s = 5;
  g.max_threads_per_sm = 1024, g.max_blocks_per_sm = 16;
  g.shared_per_sm = 64 * kKiB, g.shared_per_block_optin = 64 * kKiB, g.shared_reserved = 0;
  g.l2_bytes = 4 * kKiB * kKiB, g.memory_clock_khz = 5'001'000, g.memory_bus_bits = 256;
  g.memory_bytes = 15 * kGiB;
  return g;
}

constexpr Gpu a100() {
  Gpu g = kH200;
  g.name = "A100", g.full_name = "NVIDIA A100-SXM4-40GB", g.major = 8, g.minor = 0;
  g.sms = 108, g.clock_ghz = 1.41;
  g.l2_gb_per_s = 3900, g.dram_read_gb_per_s = 1430, g.dram_copy_gb_per_s = 1350;
  g.dram_clocks = 560, g.launch_ns = 3000;
  g.pinned_gb_per_s = 25, g.pageable_gb_per_s = 6;
  g.shared_per_sm = 164 * kKiB, g.shared_per_block_optin = 163 * kKiB;
  g.l2_bytes = 40 * kKiB * kKiB, g.memory_clock_khz = 1'215'000, g.memory_bus_bits = 5120;
  g.memory_bytes = 39 * kGiB;
  return g;
}

constexpr Gpu rtx4090() {
  Gpu g = kH200;
  g.name = "RTX4090", g.full_name = "NVIDIA GeForce RTX 4090", g.major = 8, g.minor = 9;
  g.sms = 128, g.clock_ghz = 2.52;
  g.l2_gb_per_s = 5000, g.dram_read_gb_per_s = 950, g.dram_copy_gb_per_s = 920;
  g.dram_clocks = 640, g.launch_ns = 2500;
  g.pinned_gb_per_s = 25, g.pageable_gb_per_s = 8;
  g.max_threads_per_sm = 1536, g.max_blocks_per_sm = 24;
  g.shared_per_sm = 100 * kKiB, g.shared_per_block_optin = 99 * kKiB;
  g.l2_bytes = 72 * kKiB * kKiB, g.memory_clock_khz = 10'501'000, g.memory_bus_bits = 384;
  g.memory_bytes = 23 * kGiB;
  return g;
}

constexpr std::array kGpus{kH200, t4(), a100(), rtx4090()};

}  // namespace

std::span<const Gpu> gpus() { return kGpus; }

const Gpu* find_gpu(std::string_view name) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  for (const Gpu& gpu : kGpus) {
    if (std::equal(name.begin(), name.end(), gpu.name, gpu.name + std::string_view(gpu.name).size(), same))
      return &gpu;
  }
  return nullptr;
}

const Gpu& selected_gpu() {
  static const Gpu& chosen = []() -> const Gpu& {
    const char* name = std::getenv("LADDER_SIM_GPU");
    if (!name || !*name) return kGpus[0];
    if (const Gpu* gpu = find_gpu(name)) return *gpu;
    fmt::print(stderr, "LADDER_SIM_GPU={}: no such GPU is modelled; using {}\n", name, kGpus[0].name);
    return kGpus[0];
  }();
  return chosen;
}

}  // namespace sim::model
