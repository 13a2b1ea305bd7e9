// NVIDIA GeForce RTX 4090: from its datasheet and published microbenchmarks.
#pragma once

#include "simulator/model/gpu.h"

namespace sim::model {

inline constexpr Gpu kRtx4090{
    .name = "RTX4090",
    .full_name = "NVIDIA GeForce RTX 4090",
    .major = 8,
    .minor = 9,
    .sms = 128,
    .clock_ghz = 2.52,
    .issue_per_clock = 4,
    .wavefronts_per_clock = 1,
    .l1_sectors_per_clock = 2,
    .doubles_per_clock = 0.0625,
    .specials_per_clock = 0.5,
    .textures_per_clock = 0.125,
    .tensor_macs_per_clock = 250,
    .l2_gb_per_s = 5000,
    .l2_partial_line_sectors_per_ns = 97,
    .dram_partial_line_sectors_per_ns = 10,
    .dram_read_gb_per_s = 950,
    .dram_copy_gb_per_s = 920,
    .dependent_clocks = 4.5,
    .l1_clocks = 33,
    .shared_clocks = 29,
    .l2_clocks = 270,
    .dram_clocks = 600,
    .barrier_clocks = 13,
    .barrier_warp_clocks = 2,
    .start_clocks = 650,
    .block_ns = 0.45,
    .handover_ns = 310,
    .atomic_ns = 0.6,
    .launch_ns = 2500,
    .pinned_gb_per_s = 25,
    .pageable_gb_per_s = 8,
    .pageable_back_gb_per_s = 10,
    .prefetch_gb_per_s = 18,
    .fetch_back_gb_per_s = 12,
    .copy_latency_ns = 5000,
    .peer_gb_per_s = 22,
    .peer_copy_gb_per_s = 22,  // PCIe 4
    .fault_ns = 300'000,
    .max_threads_per_sm = 1536,
    .max_blocks_per_sm = 24,
    .registers_per_sm = 65536,
    .shared_per_sm = 100 * kKiB,
    .shared_per_block = 48 * kKiB,
    .shared_per_block_optin = 99 * kKiB,
    .shared_reserved = 1 * kKiB,
    .l2_bytes = 72 * kMiB,
    .memory_clock_khz = 10'501'000,
    .memory_bus_bits = 384,
    .memory_bytes = 23 * kGiB,
};

}  // namespace sim::model
